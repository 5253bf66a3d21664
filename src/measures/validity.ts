/**
 * Validity: how many requests have a fault that the policy added, and where each fault occurs first. What the recorded history
 * has anyway (a call that was never answered, an empty message) is no fault: a provider took it.
 */
import { type Fault, type FirstFault, faults, refusals, type Validity } from '../model/run.ts'
import type { Measure, Request, Sent } from './measure.ts'

export interface ValiditySettings {
  /** The whole history: what a request would be without the policy. */
  readonly whole: Pick<Sent, 'firstRole'>
  /** The provider refuses a request that begins with the model. */
  readonly beginsWithUser: boolean
  /** The requests are those that were recorded: a provider took them. */
  readonly taken: boolean
}

export class ValidityCounts implements Measure<Validity> {
  /** The first request with each fault, in the order of requests. */
  readonly first: FirstFault[] = []
  /** Requests that a provider would refuse. */
  refused = 0
  readonly #counts = Object.fromEntries(faults.map((fault) => [fault, 0])) as Record<Fault, number>
  readonly #shows: Readonly<Record<Fault, (sent: Sent) => boolean>>
  readonly #faults: readonly Fault[]

  constructor({ whole, beginsWithUser, taken }: ValiditySettings) {
    const begins = ({ firstRole }: Pick<Sent, 'firstRole'>) => firstRole === 'assistant'
    this.#shows = {
      orphanResults: ({ pairs }) => pairs.orphanResults > 0,
      orphanCalls: ({ pairs }) => pairs.orphanCalls > 0,
      // A tool result in front is a user's message on the wire, and counted as an orphan.
      firstNotUser: (sent) => beginsWithUser && begins(sent) && !begins(whole),
      emptyMessages: ({ addedEmpty }) => addedEmpty > 0,
      lostLatestUser: ({ lostLatestUser }) => lostLatestUser,
    }
    this.#faults = taken ? faults.filter((fault) => !refusals.includes(fault)) : faults
  }

  request({ sent, index, line }: Request): void {
    let isRefused = false
    for (const fault of this.#faults) {
      if (!this.#shows[fault](sent)) continue
      if (refusals.includes(fault)) isRefused = true
      if (this.#counts[fault]++ === 0) this.first.push({ fault, request: index, line })
    }
    if (isRefused) this.refused++
  }

  result(): Validity {
    return { ...this.#counts }
  }
}
