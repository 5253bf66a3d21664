/**
 * Watches a replay for what a run does not say: which requests are over the model's window or without the newest user message,
 * and which losses a summary of unknown text stands for.
 */
import type { Request } from '../measures/measure.ts'
import type { Judge } from '../model/judged.ts'
import { namedClasses } from '../model/run.ts'
import type { Trace } from '../model/trace.ts'
import type { Loss } from '../references/lost.ts'
import type { Observer } from './replay.ts'

export class Watch implements Observer {
  readonly overWindow = new Set<number>()
  readonly summarised: Record<Judge, number> = { headline: 0, named: 0, all: 0 }
  summaries = 0
  summaryTokens = 0
  /** Requests without the newest user message, and without a summary that stands for it. */
  promptGone = 0
  readonly #trace: Trace
  readonly #window: number
  readonly #replaced = new Set<number>()
  #prompt = -1
  #seen = 0

  /** @param window the model's, in tokens; null if it is not known, and then nothing is over it */
  constructor(trace: Trace, window: number | null) {
    this.#trace = trace
    this.#window = window ?? Infinity
  }

  request({ index, message, sentTokens, sent }: Request): void {
    for (; this.#seen < message; this.#seen++) if (this.#trace.isPrompt(this.#seen)) this.#prompt = this.#seen
    if (sentTokens > this.#window) this.overWindow.add(index)
    if (sent.lostLatestUser && !this.#replaced.has(this.#prompt)) this.promptGone++
  }

  summary({ unread, writtenTokens }: Parameters<NonNullable<Observer['summary']>>[0]): void {
    if (unread.length === 0) return
    this.summaries++
    this.summaryTokens += writtenTokens
    for (const message of unread) this.#replaced.add(message)
  }

  readonly lose = ({ termClass, source, sourceLost }: Loss): void => {
    if (!sourceLost || !this.#replaced.has(source)) return
    this.summarised.all++
    if (termClass === 'content') this.summarised.headline++
    if (namedClasses.has(termClass)) this.summarised.named++
  }
}
