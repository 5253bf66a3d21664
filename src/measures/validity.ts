/** Validity: in how many requests something stands that a provider refuses, and where each fault is first seen. */
import type { FirstFault, Validity } from '../model/run.ts'
import type { Measure, Request, Sent } from './measure.ts'

export type Fault = keyof Validity

/** Each fault and how to see it in a request. */
const faults: Readonly<Record<Fault, (sent: Sent) => boolean>> = {
  orphanResults: (sent) => sent.pairs.orphanResults > 0,
  orphanCalls: (sent) => sent.pairs.orphanCalls > 0,
  firstNotUser: (sent) => sent.firstRole !== null && sent.firstRole !== 'user',
  emptyMessages: (sent) => sent.empty > 0,
  lostLatestUser: (sent) => sent.lostLatestUser,
}

const names = Object.keys(faults) as Fault[]

export class ValidityCounts implements Measure<Validity> {
  /** The first request that shows each fault, in the order they were met. */
  readonly first: FirstFault[] = []
  /** Requests with at least one fault. */
  requests = 0
  readonly #counts: Record<Fault, number> = {
    orphanResults: 0,
    orphanCalls: 0,
    firstNotUser: 0,
    emptyMessages: 0,
    lostLatestUser: 0,
  }

  request({ sent, index, line }: Request): void {
    let isValid = true
    for (const fault of names) {
      if (!faults[fault](sent)) continue
      isValid = false
      if (this.#counts[fault]++ === 0) this.first.push({ fault, request: index, line })
    }
    if (!isValid) this.requests++
  }

  result(): Validity {
    return { ...this.#counts }
  }
}
