/**
 * Validity: how many requests have a fault that the policy added, and where each fault occurs first. What the recorded
 * history has anyway (a call that was never answered, an empty message) is no fault: a provider took it.
 */
import { type Fault, type FirstFault, noFaults, type Validity } from '../model/run.ts'
import type { Measure, Request, Sent } from './measure.ts'

export interface ValiditySettings {
  /** The whole history: what a request would be without the policy. */
  readonly whole: Pick<Sent, 'firstRole'>
  /** The provider refuses a request that begins with the model. */
  readonly beginsWithUser: boolean
  /** The requests are those that were recorded. A provider took them, so none counts as refused. */
  readonly taken: boolean
}

export class ValidityCounts implements Measure<Validity> {
  /** The first request with each fault, in the order of requests. */
  readonly first: FirstFault[] = []
  /** Requests that a provider would refuse. */
  refused = 0
  readonly #counts = noFaults()
  readonly #settings: ValiditySettings
  /** Faults of all requests together. */
  #found = 0

  constructor(settings: ValiditySettings) {
    this.#settings = settings
  }

  request(request: Request): void {
    const { sent } = request
    if (!this.#settings.taken && this.#countRefusals(request)) this.refused++
    if (!sent.hasLatestPrompt) this.#count('lostLatestUser', request)
    if (sent.stripped > 0) this.#count('thinkingLost', request)
  }

  /** @returns whether a provider would refuse the request */
  #countRefusals(request: Request): boolean {
    const { pairs, addedEmpty } = request.sent
    const { whole, beginsWithUser } = this.#settings
    const before = this.#found
    if (pairs.orphanResults > 0) this.#count('orphanResults', request)
    if (pairs.orphanCalls > 0) this.#count('orphanCalls', request)
    // A tool result in front is a user's message on the wire, and counted as an orphan.
    if (beginsWithUser && begins(request.sent) && !begins(whole)) this.#count('firstNotUser', request)
    if (addedEmpty > 0) this.#count('emptyMessages', request)
    return this.#found > before
  }

  #count(fault: Fault, { index, line }: Request): void {
    this.#found++
    if (this.#counts[fault]++ === 0) this.first.push({ fault, request: index, line })
  }

  result(): Validity {
    return { ...this.#counts }
  }
}

const begins = ({ firstRole }: Pick<Sent, 'firstRole'>): boolean => firstRole === 'assistant'
