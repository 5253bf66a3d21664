/**
 * What many probes say together: how much less often the model does the same under a policy than when it is asked
 * twice.
 */
import { studentReach } from '../base/student.ts'
import {
  fewestSessions,
  type ProbeEstimate,
  type ProbeOutcome,
  type ProbePilot,
  type ProbePower,
} from '../model/probe.ts'

/**
 * Sessions are taken to be at least so much alike within: what an agent loses once, it often loses for the rest of a
 * session, and a dozen sessions cannot show how much. Probes of one session count for less than those of as many
 * sessions.
 */
const leastCorrelation = 0.3

/**
 * So many losses, and as many gains, are thought added: where few answers differ, the sessions' own spread says too
 * little of what has not been seen yet, and nothing at all where none differs.
 */
const added = 1

/**
 * The difference of two agreements and its interval of 95 %: weighted means of the probes, the spread of sessions
 * around them (the sandwich with the correction CR2 for few clusters, Bell and McCaffrey 2002), a loss and a gain added
 * to as many independent probes as these are worth (Agresti and Min 2005, for pairs), and Student's t. How often it
 * holds what is true: test/measures/noninferiority.slow.test.ts.
 *
 * @param outcomes their weights above 0
 */
export function estimateOf(outcomes: readonly ProbeOutcome[]): ProbeEstimate {
  const { probes, sessions, weight, floor, across, difference, variance, spread, degrees } = sumsOf(outcomes)
  const counts = { probes, clusters: sessions.length }
  const none = { low: null, high: null, method: 'none' } as const
  if (weight === 0) return { ...counts, floor: null, across: null, difference: null, ...none }
  const means = { ...counts, floor, across, difference }
  if (sessions.length < fewestSessions) return { ...means, ...none }
  const alike = independentProbes(sessions, weight, leastCorrelation)
  const effective = variance > 0 ? Math.min(alike, spread / variance) : alike
  const { centre, reach } = intervalOf({ difference, variance, effective, degrees })
  return { ...means, low: Math.max(-1, centre - reach), high: Math.min(1, centre + reach), method: 'clustered' }
}

/**
 * What is assumed before anything was asked. With this floor every tenth request is answered otherwise when it is asked
 * again: a guess, as is the correlation of the differences within a session.
 */
const assumed = { floor: 0.9, correlation: 0.1 }

/** From here on sessions tell how much alike their probes are. */
const enoughSessions = 10

/** What probes that were made tell of those to come; null where there are too few of them. */
export function pilotOf(outcomes: readonly ProbeOutcome[]): ProbePilot | null {
  const { probes, sessions, weight, floor, variance, spread } = sumsOf(outcomes)
  if (sessions.length < enoughSessions) return null
  const [apart, together] = [0, 1].map((correlation) => weight ** 2 / independentProbes(sessions, weight, correlation))
  const range = (together as number) - (apart as number)
  const isTold = spread > 0 && range > 0
  const correlation = isTold ? (variance * weight ** 2) / spread - (apart as number) : assumed.correlation * range
  return {
    ...{ floor, spread, from: { probes, sessions: sessions.length } },
    correlation: range > 0 ? Math.min(1, Math.max(0, correlation / range)) : assumed.correlation,
  }
}

/**
 * What a plan can be expected to tell, before a dollar is spent: the interval as `estimateOf` has it, at the expected spread, where the
 * policy loses nothing.
 *
 * @param sessions `fewestSessions` or more
 * @param perSession probes of each, 1 or more
 * @param spread variance of a probe's difference; without one it is that of requests of which some have one answer, and
 *   the others either of two by the toss of a coin
 */
export function powerOf({
  sessions,
  perSession,
  floor = assumed.floor,
  correlation = assumed.correlation,
  spread = (5 / 8) * (1 - floor),
  from,
}: { readonly sessions: number; readonly perSession: number } & Partial<ProbePilot>): ProbePower {
  const independent = (alike: number): number => (sessions * perSession) / (1 + (perSession - 1) * alike)
  const variance = spread / independent(correlation)
  const effective = independent(Math.max(correlation, leastCorrelation))
  const { reach } = intervalOf({ difference: 0, variance, effective, degrees: sessions - 1 })
  return { halfWidth: Math.min(1, reach), floor, correlation, from: from ?? null }
}

/** What the probes of a session come to, each by its weight. */
interface Session {
  weight: number
  floor: number
  across: number
  /** Of the weights. */
  squares: number
}

interface Sums {
  readonly probes: number
  readonly sessions: readonly Session[]
  readonly weight: number
  readonly floor: number
  readonly across: number
  readonly difference: number
  /** Of the difference, by the sessions' spread. */
  readonly variance: number
  /** Of one probe's difference. */
  readonly spread: number
  readonly degrees: number
}

function sumsOf(outcomes: readonly ProbeOutcome[]): Sums {
  const byCluster = new Map<number, Session>()
  let squaredDifferences = 0
  for (const { cluster, floor, across, weight = 1 } of outcomes) {
    const session = byCluster.get(cluster) ?? { weight: 0, floor: 0, across: 0, squares: 0 }
    byCluster.set(cluster, session)
    session.weight += weight
    session.floor += weight * floor
    session.across += weight * across
    session.squares += weight ** 2
    squaredDifferences += weight * (across - floor) ** 2
  }
  const sessions = [...byCluster.values()]
  const total = (of: (session: Session) => number): number => sessions.reduce((sum, one) => sum + of(one), 0)
  const weight = total((one) => one.weight)
  const [floor, across] = [total((one) => one.floor) / weight, total((one) => one.across) / weight]
  const difference = across - floor
  return {
    ...{ probes: outcomes.length, sessions, weight, floor, across, difference },
    variance: total((one) => {
      const residual = (one.across - one.floor - one.weight * difference) / weight
      return residual ** 2 / (1 - one.weight / weight)
    }),
    spread: Math.max(0, squaredDifferences / weight - difference ** 2),
    degrees: degreesOf(sessions, weight),
  }
}

/** To how many probes of as many sessions these are equal, where those of a session are so much alike. */
const independentProbes = (sessions: readonly Session[], weight: number, correlation: number): number =>
  weight ** 2 / sessions.reduce((sum, one) => sum + spreadOf(one, correlation), 0)

/** The variance of the sum of a session's probes, in that of one. */
const spreadOf = ({ weight, squares }: Session, correlation: number): number =>
  (1 - correlation) * squares + correlation * weight ** 2

/**
 * Satterthwaite's degrees of freedom of the variance between sessions, as Bell and McCaffrey have them: one less than
 * the sessions where all weigh the same, and fewer where one of them outweighs the others.
 *
 * The variance is a sum of squares of the residuals, whose covariance matrix is Q uu' - vu' - uv' but for its diagonal:
 * its trace, and that of its square, come from a few sums over the sessions.
 */
function degreesOf(sessions: readonly Session[], weight: number): number {
  const rows = sessions.map((one) => {
    const share = one.weight / weight
    const [own, correction] = [spreadOf(one, leastCorrelation), Math.sqrt(1 / (1 - share))]
    return { u: share * correction, v: own * correction, own: own * correction ** 2 }
  })
  const sum = (of: (row: (typeof rows)[number]) => number): number => rows.reduce((all, row) => all + of(row), 0)
  const whole = sessions.reduce((all, one) => all + spreadOf(one, leastCorrelation), 0)
  const [uu, vv, uv] = [sum(({ u }) => u * u), sum(({ v }) => v * v), sum(({ u, v }) => u * v)]
  const everywhere = whole ** 2 * uu ** 2 + 2 * vv * uu + 2 * uv ** 2 - 4 * whole * uu * uv
  const beside = ({ u, v }: (typeof rows)[number]): number => whole * u * u - 2 * u * v
  const trace = sum((row) => beside(row) + row.own)
  return trace ** 2 / (everywhere + sum((row) => (beside(row) + row.own) ** 2 - beside(row) ** 2))
}

/** The difference and its variance once losses and gains are added to so many independent probes. */
function intervalOf({
  difference,
  variance,
  effective,
  degrees,
}: Readonly<Record<'difference' | 'variance' | 'effective' | 'degrees', number>>): { centre: number; reach: number } {
  const all = effective + 2 * added
  const centre = (difference * effective) / all
  const spread = (effective * (variance * effective + difference ** 2) + 2 * added) / all - centre ** 2
  return { centre, reach: studentReach(degrees) * Math.sqrt(spread / all) }
}
