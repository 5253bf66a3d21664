/** What many probes say together: how much less often the model does the same under a policy than it would by itself. */
import { studentReach } from '../base/student.ts'
import type { ProbeEstimate, ProbeOutcome, ProbePower } from '../model/probe.ts'

export function estimateOf(outcomes: readonly ProbeOutcome[]): ProbeEstimate {
  const sums = new Map<number, { weight: number; floor: number; across: number; squares: number }>()
  for (const { cluster, floor, across, weight = 1 } of outcomes) {
    const sum = sums.get(cluster) ?? { weight: 0, floor: 0, across: 0, squares: 0 }
    sum.weight += weight
    sum.floor += weight * floor
    sum.across += weight * across
    sum.squares += weight ** 2
    sums.set(cluster, sum)
  }
  const clusters = [...sums.values()]
  const total = (of: (sum: (typeof clusters)[number]) => number): number =>
    clusters.reduce((all, one) => all + of(one), 0)
  const whole = total(({ weight }) => weight)
  const counts = { probes: outcomes.length, clusters: clusters.length }
  const none = { low: null, high: null, method: 'none' } as const
  if (whole === 0) return { ...counts, floor: null, across: null, difference: null, ...none }
  const [floor, across] = [total((one) => one.floor) / whole, total((one) => one.across) / whole]
  const difference = across - floor
  const means = { ...counts, floor, across, difference }
  if (clusters.length < 2) return { ...means, ...none }
  let variance = 0
  for (const one of clusters) {
    const residual = (one.across - one.floor - one.weight * difference) / whole
    variance += residual ** 2 / (1 - one.weight / whole)
  }
  const reach = studentReach(clusters.length - 1) * Math.sqrt(variance)
  return { ...means, low: difference - reach, high: difference + reach, method: 'clustered' }
}

/** @param margin the loss that would still do, as a share of 1 */
export function isNonInferior({ low }: ProbeEstimate, margin: number): boolean {
  return low !== null && low > -margin
}

export interface Pilot {
  readonly floor: number
  readonly correlation: number
}

/** What is assumed before there is any probe. */
export const assumedPilot: Pilot = { floor: 0.9, correlation: 0.1 }

export function pilotOf(_outcomes: readonly ProbeOutcome[]): Pilot {
  return assumedPilot
}

/** What a plan can be expected to tell: half the interval of 95 % where the policy loses nothing. */
export function powerOf({
  sessions,
  perSession,
  floor = assumedPilot.floor,
  correlation = assumedPilot.correlation,
}: { readonly sessions: number; readonly perSession: number } & Partial<Pilot>): ProbePower {
  const variance = (floor * (1 - floor) * (1 + (perSession - 1) * correlation)) / (sessions * perSession)
  return { halfWidth: studentReach(Math.max(1, sessions - 1)) * Math.sqrt(variance), floor, correlation }
}
