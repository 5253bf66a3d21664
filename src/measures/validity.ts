/** Validity: in how many requests something stands that a provider refuses, and where each fault is first seen. */
import { type Fault, type FirstFault, faults, type Validity } from '../model/run.ts'
import type { Measure, Request, Sent } from './measure.ts'

/** How to see each fault in a request. */
const shows: Readonly<Record<Fault, (sent: Sent) => boolean>> = {
  orphanResults: (sent) => sent.pairs.orphanResults > 0,
  orphanCalls: (sent) => sent.pairs.orphanCalls > 0,
  firstNotUser: (sent) => sent.firstRole !== null && sent.firstRole !== 'user',
  emptyMessages: (sent) => sent.empty > 0,
  lostLatestUser: (sent) => sent.lostLatestUser,
}

export class ValidityCounts implements Measure<Validity> {
  /** The first request that shows each fault, in the order they were met. */
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
