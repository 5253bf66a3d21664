/** What a model says to a body: from the journal where it stands there, else it is asked, within what may be spent. */
import { CtxwinError } from '../base/errors.ts'
import type { Answer, AnswerUsage, ProbeApi } from '../model/probe.ts'
import type { Completer } from './complete.ts'
import { type Journal, keyOf } from './journal.ts'
import { Purse } from './purse.ts'

type Body = Readonly<Record<string, unknown>>

/** US dollars. */
export interface Prices {
  /** The most that one try can cost. */
  worst(body: Body): number
  used(usage: AnswerUsage): number
}

export interface AskedOptions {
  readonly api: ProbeApi
  readonly completer: Completer
  readonly journal: Journal
  /** Null where the model has no known price. */
  readonly prices: Prices | null
  /** US dollars for all that stands in the journal; null for no limit. */
  readonly maxDollars: number | null
  /** Requests of this run; null for no limit. */
  readonly maxRequests: number | null
}

export interface AnswerKept {
  readonly key: string
  readonly answer: Answer
}

/** So many requests that failed one after the other are no accident. */
const mostFailures = 5

const billion = 1e9

export class Asked {
  readonly #options: AskedOptions
  readonly #purse: Purse
  #failed = 0

  constructor(options: AskedOptions) {
    this.#options = options
    const { journal, maxDollars, maxRequests } = options
    this.#purse = new Purse({
      most: maxDollars === null ? null : Math.floor(maxDollars * billion),
      requests: maxRequests,
    })
    this.#purse.earlier(journal.cost + journal.lostCost)
  }

  /**
   * @param asking which of several askings of the same body
   * @param sent what goes out, if that is more than the body
   * @returns null where nothing usable came back
   * @throws PurseEmpty where it could come to more than may be spent; CtxwinError where one request after the other fails
   */
  async ask(kind: 'answer' | 'summary', asking: string, body: Body, sent: Body = body): Promise<AnswerKept | null> {
    const { api, completer, journal, prices } = this.#options
    const key = keyOf({ kind, api, baseUrl: completer.baseUrl, asking, body })
    const known = journal.find(kind, key)
    if (known) return { key, answer: known }
    const worst = prices === null ? 0 : Math.ceil(prices.worst(sent) * billion)
    await this.#purse.room(worst)
    let isOut = false
    const settle = (cost: number | null): number => {
      isOut = false
      return this.#purse.settle(worst, cost)
    }
    const watch = {
      starts: () => {
        this.#purse.setAside(worst)
        isOut = true
        journal.sending(key, worst)
      },
      failed: (isFree: boolean) => {
        settle(isFree ? 0 : null)
        if (isFree) journal.refused(key)
      },
    }
    try {
      const answer = await completer.complete(sent, watch)
      const { usage } = answer
      // Nobody reads nothing: such a count is none.
      const cost =
        prices === null || usage === null || usage.input === 0 ? null : Math.ceil(prices.used(usage) * billion)
      journal.keep(kind, key, answer, settle(prices === null ? 0 : cost))
      this.#failed = 0
      return { key, answer }
    } catch (error) {
      if (isOut) settle(null)
      if (!(error instanceof CtxwinError) || error.code !== 'remote') throw error
      if (++this.#failed >= mostFailures) throw error
      return null
    }
  }
}
