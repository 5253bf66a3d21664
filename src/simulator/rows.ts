/** The figures of a run as rows: one per request, or one per exchange. They add up to the run's figures. */
import type { Request } from '../measures/measure.ts'
import { Tokens } from '../measures/tokens.ts'
import type { Row } from '../model/run.ts'
import type { Observer } from './replay.ts'

export class Rows implements Observer {
  readonly #by: 'exchange' | 'request'
  readonly #budget: number
  readonly #rows: { first: Request; count: number; tokens: Tokens }[] = []

  constructor(by: 'exchange' | 'request', budget: number) {
    this.#by = by
    this.#budget = budget
  }

  request(request: Request): void {
    let row = this.#rows.at(-1)
    if (!row || this.#by === 'request' || row.first.exchange !== request.exchange) {
      row = { first: request, count: 0, tokens: new Tokens(this.#budget, null) }
      this.#rows.push(row)
    }
    row.count++
    row.tokens.request(request)
  }

  result(): Row[] {
    return this.#rows.map(({ first, count, tokens }) => {
      const { overWindowRequests: _, ...figures } = tokens.result()
      return { exchange: first.exchange, request: first.index, line: first.line, requests: count, ...figures }
    })
  }
}
