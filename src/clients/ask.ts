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
   * @param watch told of each try that goes out now: none where the journal has the answer
   * @throws CtxwinError as `Completer.complete` and `Journal.keep` do; what `watch` throws
   */
  async answer(kind: 'answer' | 'summary', asking: string, body: Body, watch: Watch = {}): Promise<Answer> {
    const key = this.#keyOf(kind, asking, body)
    const known = this.#journal.find(kind, key)
    if (known) return known
    const answer = await this.#model.complete(body, {
      starts: () => {
        watch.starts?.()
        this.#journal.sending(key)
      },
      failed: (isFree) => {
        if (isFree) this.#journal.refused(key)
        watch.failed?.(isFree)
      },
    })
    this.#journal.keep(kind, key, answer)
    return answer
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
