/**
 * Watches a replay for what a run does not say: which requests are over the model's window, which losses a summary of
 * unknown text stands for, what reading again what has left would cost, and how much of the run nobody has ever seen.
 */
import { type Forgotten, ForgottenMeter } from '../measures/forgotten.ts'
import type { Request } from '../measures/measure.ts'
import { namedClasses } from '../model/run.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Loss } from '../references/lost.ts'
import type { Case } from './case.ts'
import type { Observer } from './replay.ts'

export class Watch implements Observer {
  readonly waits = true
  readonly overWindow = new Set<number>()
  /** Uses of content that would have found in a summary of unknown text what it replaced. */
  summarised = 0
  summaries = 0
  summaryTokens = 0
  /** Without a window of the model nothing is over it. */
  readonly #window: number
  readonly #sizes: Sizes
  readonly #forgotten: ForgottenMeter
  readonly #replaced = new Set<number>()
  /**
   * Messages that had left and were used later, if only by name: more of them can only raise the charge of reading
   * again.
   */
  readonly #used = new Set<number>()
  #sent = 0
  #sentEdited = 0

  constructor({ window, sizes, pricing }: Pick<Case, 'window' | 'sizes' | 'pricing'>) {
    this.#window = window ?? Infinity
    this.#sizes = sizes
    this.#forgotten = new ForgottenMeter(pricing)
  }

  get forgotten(): Forgotten {
    return this.#forgotten.result()
  }

  /** Tokens of the messages that had left and were used later. */
  get usedTokens(): number {
    let units = 0
    for (const message of this.#used) units += this.#sizes.of(message)
    return this.#sizes.tokens(units)
  }

  /** The share of the tokens sent that stand in requests since the window was first edited. */
  get editedShare(): number {
    return this.#sent === 0 ? 0 : this.#sentEdited / this.#sent
  }

  request(request: Request): void {
    const { index, sentTokens, sent } = request
    if (sentTokens > this.#window) this.overWindow.add(index)
    this.#forgotten.request(request)
    this.#sent += sentTokens
    if (sent.presence?.pruned) this.#sentEdited += sentTokens
  }

  summary({ unread, writtenTokens }: Parameters<NonNullable<Observer['summary']>>[0]): void {
    if (unread.length === 0) return
    this.summaries++
    this.summaryTokens += writtenTokens
    for (const message of unread) this.#replaced.add(message)
  }

  readonly lose = ({ termClass, source, sourceLost }: Loss): void => {
    if (!sourceLost) return
    const [isContent, isNamed] = [termClass === 'content', namedClasses.has(termClass)]
    if (isContent || isNamed) this.#used.add(source)
    if (isContent && this.#replaced.has(source)) this.summarised++
  }
}
