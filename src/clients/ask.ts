/** Asks each question once: what the journal has is taken from there, and what comes is in the journal before anybody sees it. */
import type { Answer, ProbeApi } from '../model/probe.ts'
import { type Journal, type Kind, keyOf } from './journal.ts'
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
  ready?(sent: Body): Promise<number>
  /** @returns what is taken for an answer; default 0 */
  paid?(answer: Answer): number
}

export interface AnswerKept {
  readonly key: string
  readonly answer: Answer
}

export class Questions {
  readonly #model: Model
  readonly #api: ProbeApi
  readonly #journal: Journal

  constructor(model: Model, api: ProbeApi, journal: Journal) {
    this.#model = model
    this.#api = api
    this.#journal = journal
  }

  /** Whether the journal has the answer already, so that it costs nothing. */
  has(kind: Kind, asking: string, body: Body): boolean {
    return this.#journal.find(kind, this.#keyOf(kind, asking, body)) !== undefined
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
    const known = this.#journal.find(kind, key)
    if (known) return { key, answer: known }
    const worst = (await payer.ready?.(sent)) ?? 0
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
    this.#journal.keep(kind, key, answer, payer.paid?.(answer) ?? 0)
    return { key, answer }
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
