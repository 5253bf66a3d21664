/** Asks each question once: what the journal has is taken from there, and what comes is in the journal before anybody sees it. */
import type { Answer, ProbeApi } from '../model/probe.ts'
import { type Bill, hashOf, type Journal, type Kind, keyOf } from './journal.ts'
import type { Watch } from './retries.ts'

type Body = Readonly<Record<string, unknown>>

/** What is asked, as a `Completer` does it. */
export interface Model {
  readonly baseUrl: string
  complete(body: Body, watch?: Watch): Promise<Answer>
  count(body: Body): Promise<number | null>
}

/** Who pays: told of what goes out, which is nothing where the journal has the answer. Costs are in the journal's unit. */
export interface Payer extends Watch {
  /**
   * Waits until something may go out.
   * @returns the most that one try can cost; default 0
   */
  ready?(): Promise<number>
  /** @returns what is taken for an answer; default nothing */
  paid?(answer: Answer): Bill
  /** Told how much less lost tries of the question can have cost than was reckoned with. */
  freed?(cost: number): void
}

export interface AnswerKept {
  readonly key: string
  readonly answer: Answer
}

export class Questions {
  readonly #model: Model
  readonly #api: ProbeApi
  readonly #journal: Journal
  readonly #plan: string | null
  readonly #underWay = new Map<string, Promise<AnswerKept>>()

  /** @param plan the key of the plan that asks; null for none */
  constructor(model: Model, api: ProbeApi, journal: Journal, plan: string | null = null) {
    this.#model = model
    this.#api = api
    this.#journal = journal
    this.#plan = plan
  }

  /**
   * @param asking which of several askings of one body, so that the same body can be asked twice
   * @param sent what goes out, if that is more than the body
   * @throws CtxwinError as `Completer.complete` and `Journal.keep` do; what `payer` throws
   */
  async answer(
    kind: 'answer' | 'summary',
    asking: string,
    body: Body,
    payer: Payer = {},
    sent: Body = body,
  ): Promise<AnswerKept> {
    const key = this.#keyOf(kind, asking, body)
    this.#note(kind, key)
    const known = this.#journal.find(kind, key)
    if (known) return { key, answer: known }
    // Two sessions may begin alike: one of them asks.
    const underWay = this.#underWay.get(key) ?? this.#ask(kind, key, payer, sent)
    this.#underWay.set(key, underWay)
    try {
      return await underWay
    } finally {
      this.#underWay.delete(key)
    }
  }

  async #ask(kind: 'answer' | 'summary', key: string, payer: Payer, sent: Body): Promise<AnswerKept> {
    const worst = (await payer.ready?.()) ?? 0
    const answer = await this.#model.complete(sent, {
      starts: () => {
        payer.starts?.()
        this.#journal.sending(key, worst)
      },
      failed: (isFree) => {
        payer.failed?.(isFree)
        if (isFree) this.#journal.refused(key)
      },
    })
    const lost = this.#journal.lostCostOf(key) - worst
    this.#journal.keep(kind, key, answer, payer.paid?.(answer))
    payer.freed?.(lost - this.#journal.lostCostOf(key))
    return { key, answer }
  }

  /** Notes that the plan has asked this. */
  #note(kind: 'answer' | 'summary', question: string): void {
    const plan = this.#plan
    if (plan === null) return
    const key = hashOf([plan, question])
    if (!this.#journal.find('asked', key)) this.#journal.keep('asked', key, { plan, kind, question })
  }

  /** @returns null where the API counts nothing */
  async count(body: Body): Promise<number | null> {
    const key = this.#keyOf('count', '', body)
    const known = this.#journal.find('count', key)
    if (known !== undefined) return known
    const tokens = await this.#model.count(body)
    if (tokens !== null) this.#journal.keep('count', key, tokens)
    return tokens
  }

  #keyOf(kind: Kind, asking: string, body: Body): string {
    return keyOf({ kind, api: this.#api, baseUrl: this.#model.baseUrl, asking, body })
  }
}
