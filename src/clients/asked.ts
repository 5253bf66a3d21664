/** What a model says to a body: from the journal where it stands there, else it is asked, within what may be spent. */
import { CtxwinError } from '../base/errors.ts'
import type { Answer, AnswerUsage } from '../model/probe.ts'
import type { AnswerKept, Payer, Questions } from './ask.ts'
import { type Bill, billion } from './journal.ts'
import { MostTokens } from './most-tokens.ts'
import { Purse } from './purse.ts'

type Body = Readonly<Record<string, unknown>>

/** US dollars. */
export interface Prices {
  /** The most that one try can cost. @param input tokens of its prompt, at most */
  worst(input: number): number
  used(usage: AnswerUsage): number
}

export interface AskedOptions {
  readonly questions: Questions
  /** Null where the model has no known price. */
  readonly prices: Prices | null
  /** What stands in the journal, in billionths of a dollar: answers, and tries that brought none. */
  readonly spent: number
  /** US dollars for all that stands in the journal; null for no limit. */
  readonly maxDollars: number | null
  /** Requests of this run; null for no limit. */
  readonly maxRequests: number | null
}

/** So many requests that failed one after the other are no accident. */
const mostFailures = 5

/** Why nothing usable came back, in words of ours. */
export interface Failure {
  readonly failed: string
}

const isRemote = (error: unknown): error is CtxwinError<'remote'> =>
  error instanceof CtxwinError && error.code === 'remote'

export class Asked {
  readonly #questions: Questions
  readonly #prices: Prices | null
  readonly #purse: Purse
  readonly #mostTokens = new MostTokens()
  #failed = 0
  #given: CtxwinError<'remote'> | null = null

  constructor({ questions, prices, spent, maxDollars, maxRequests }: AskedOptions) {
    this.#questions = questions
    this.#prices = prices
    this.#purse = new Purse({
      most: maxDollars === null ? null : Math.floor(maxDollars * billion),
      requests: maxRequests,
    })
    this.#purse.earlier(spent)
  }

  /**
   * @param asking which of several askings of the same body
   * @param sent what goes out, if that is more than the body
   * @returns why, where nothing usable came back
   * @throws PurseEmpty where it could come to more than may be spent; CtxwinError once one request after the other has failed
   */
  async ask(kind: 'answer' | 'summary', asking: string, body: Body, sent: Body = body): Promise<AnswerKept | Failure> {
    if (this.#given) throw this.#given
    const payer = this.#payer(body)
    try {
      return await this.#questions.answer(kind, asking, body, payer, sent)
    } catch (error) {
      payer.leave()
      if (!isRemote(error)) throw error
      if (++this.#failed >= mostFailures) this.#given = error
      return { failed: error.values[2] }
    }
  }

  /** Pays for one request, whatever tries it takes. */
  #payer(body: Body): Payer & { leave(): void } {
    let worst = 0
    let isOut = false
    const settle = (cost: number | null): number => {
      isOut = false
      return this.#purse.settle(worst, cost)
    }
    return {
      ready: async () => {
        worst = this.#worstOf(this.#mostTokens.of(body))
        await this.#purse.room(worst)
        return worst
      },
      starts: () => {
        this.#purse.setAside(worst)
        isOut = true
      },
      failed: (isFree) => void settle(isFree ? 0 : null),
      paid: (answer): Bill => {
        this.#failed = 0
        this.#learn(body, answer)
        const cost = this.#costOf(answer)
        const isTold = cost !== null && cost <= worst && answer.usage !== null
        const taken = settle(cost)
        return { cost: taken, ...(isTold && { most: this.#worstOf(answer.usage.input) }) }
      },
      freed: (cost) => this.#purse.giveBack(cost),
      /** What went out and was neither answered nor refused counts as its worst. */
      leave: () => {
        if (isOut) settle(null)
      },
    }
  }

  /** What was counted bounds what begins in the same way. A journal may be anybody's, so its counts bound nothing that is spent. */
  #learn(body: Body, { usage }: Answer): void {
    if (this.#prices === null || usage === null || usage.input === 0) return
    this.#mostTokens.counted(body, usage.input)
  }

  #worstOf(input: number): number {
    return this.#prices === null ? 0 : Math.ceil(this.#prices.worst(input) * billion)
  }

  /** Null where nobody can tell. */
  #costOf({ usage }: Answer): number | null {
    if (this.#prices === null) return 0
    // Nobody reads nothing: such a count is none.
    return usage === null || usage.input === 0 ? null : Math.ceil(this.#prices.used(usage) * billion)
  }
}
