/**
 * Watches a replay for what a run does not say: which requests are over the model's window, and which losses a summary of
 * unknown text stands for.
 */
import type { Request } from '../measures/measure.ts'
import type { Judge } from '../model/judged.ts'
import { namedClasses } from '../model/run.ts'
import type { Loss } from '../references/lost.ts'
import type { Observer } from './replay.ts'

export class Watch implements Observer {
  readonly overWindow = new Set<number>()
  readonly summarised: Record<Judge, number> = { headline: 0, named: 0, all: 0 }
  summaries = 0
  summaryTokens = 0
  readonly #window: number
  readonly #replaced = new Set<number>()

  /** @param window the model's, in tokens; null if it is not known, and then nothing is over it */
  constructor(window: number | null) {
    this.#window = window ?? Infinity
  }

  request({ index, sentTokens }: Request): void {
    if (sentTokens > this.#window) this.overWindow.add(index)
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
