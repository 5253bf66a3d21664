/** Validity: how many requests have a fault for which a provider would refuse them, and where each fault occurs first. */
import { type Fault, type FirstFault, faults, type Validity } from '../model/run.ts'
import type { Measure, Request, Sent } from './measure.ts'

/** How to recognise each fault in a request. */
const shows: Readonly<Record<Fault, (sent: Sent) => boolean>> = {
  orphanResults: (sent) => sent.pairs.orphanResults > 0,
  orphanCalls: (sent) => sent.pairs.orphanCalls > 0,
  firstNotUser: (sent) => sent.firstRole !== null && sent.firstRole !== 'user',
  emptyMessages: (sent) => sent.empty > 0,
  lostLatestUser: (sent) => sent.lostLatestUser,
}

export class ValidityCounts implements Measure<Validity> {
  /** The first request with each fault, in the order of requests. */
  readonly first: FirstFault[] = []
  /** Requests with at least one fault. */
  requests = 0
  readonly #counts = Object.fromEntries(faults.map((fault) => [fault, 0])) as Record<Fault, number>

  request({ sent, index, line }: Request): void {
    let isValid = true
    for (const fault of faults) {
      if (!shows[fault](sent)) continue
      isValid = false
      if (this.#counts[fault]++ === 0) this.first.push({ fault, request: index, line })
    }
    if (!isValid) this.requests++
  }

  result(): Validity {
    return { ...this.#counts }
  }
}
