/**
 * The cuts of a run, stored in columns and created on demand: a sliding window is cut at every exchange, and a million
 * objects with an array each would take several times the memory of the rest of a replay.
 */
import { Column } from '../base/column.ts'
import type { Cut, CutList } from '../model/run.ts'

/**
 * How many integers a cut has: request, exchange, message, line, and where its evicted exchanges end in their column.
 */
const wholes = 5
/** How many other figures it has: tokens before and after, and the requests until it breaks even (NaN for null). */
const figures = 3

export class CutColumns implements CutList {
  length = 0
  readonly #wholes = Column.int32()
  readonly #figures = Column.float64()
  readonly #evicted = Column.int32()

  push(cut: Omit<Cut, 'breakEvenRequests'>, breakEvenRequests: Cut['breakEvenRequests']): void {
    for (const exchange of cut.evictedExchanges) this.#evicted.push(exchange)
    this.#wholes.push(cut.request)
    this.#wholes.push(cut.exchange)
    this.#wholes.push(cut.message)
    this.#wholes.push(cut.line)
    this.#wholes.push(this.#evicted.length)
    this.#figures.push(cut.tokensBefore)
    this.#figures.push(cut.tokensAfter)
    this.#figures.push(breakEvenRequests ?? Number.NaN)
    this.length++
  }

  at(index: number): Cut | undefined {
    const place = index < 0 ? index + this.length : index
    if (place < 0 || place >= this.length) return undefined
    const whole = (nth: number): number => this.#wholes.at(place * wholes + nth)
    const figure = (nth: number): number => this.#figures.at(place * figures + nth)
    const from = place === 0 ? 0 : whole(-1)
    const cut = {
      request: whole(0),
      exchange: whole(1),
      message: whole(2),
      line: whole(3),
      evictedExchanges: Array.from({ length: whole(4) - from }, (_, at) => this.#evicted.at(from + at)),
      tokensBefore: figure(0),
      tokensAfter: figure(1),
    }
    return Number.isNaN(figure(2)) ? cut : { ...cut, breakEvenRequests: figure(2) }
  }

  *[Symbol.iterator](): Iterator<Cut> {
    for (let index = 0; index < this.length; index++) yield this.at(index) as Cut
  }

  toJSON(): Cut[] {
    return [...this]
  }
}
