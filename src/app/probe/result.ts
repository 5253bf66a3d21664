/** What a probe found: the answers that stand in a journal, compared. */
import { compareTexts } from '../../base/compare.ts'
import { estimateOf, pilotOf, powerOf } from '../../measures/noninferiority.ts'
import {
  type Agreement,
  type Answer,
  fewestSessions,
  type NextAction,
  type ProbeOutcome,
  type ProbePower,
} from '../../model/probe.ts'
import type { ProbeDifference, ProbeResult, ProbeStratum, StrataBy } from '../../model/probe-result.ts'
import {
  type AskedProbe,
  type PreambleKind,
  type ProbeAbout,
  type ProbeUsage,
  preambleKinds,
} from '../../model/probed.ts'
import { agreementOf, agreementShares, sameAction } from '../../references/agreement.ts'

/** What was answered about one request, by arm. */
export interface Answered {
  readonly probe: AskedProbe
  readonly answers: readonly [Answer, Answer, Answer, Answer]
}

type Found = Pick<
  ProbeResult,
  'probes' | 'strata' | 'across' | 'floor' | 'drift' | 'cutOff' | 'differences' | 'preambles'
>

interface Judged {
  readonly probe: AskedProbe
  readonly outcome: ProbeOutcome
  readonly floor: Agreement
  readonly across: readonly Agreement[]
  readonly drift: readonly Agreement[]
  readonly answers: Answered['answers']
}

export function foundIn(answered: readonly Answered[]): Found {
  const judged = judgedOf(answered)
  return {
    probes: judged.length,
    preambles: countBy(judged),
    strata: strataOf(judged),
    across: agreementShares(judged.flatMap(({ across }) => across)),
    floor: agreementShares(judged.map(({ floor }) => floor)),
    drift: agreementShares(judged.flatMap(({ drift }) => drift)),
    cutOff: judged.flatMap(({ answers }) => answers).filter(({ stop }) => stop !== null && cutOffWords.has(stop))
      .length,
    differences: judged.flatMap(differenceIn),
  }
}

/** By session and request, each session with a number. */
function judgedOf(answered: readonly Answered[]): Judged[] {
  const ordered = [...answered].sort(
    ({ probe: one }, { probe: other }) => compareTexts(one.session, other.session) || one.request - other.request,
  )
  const numbers = new Map<string, number>()
  return ordered.map((one): Judged => {
    const { session } = one.probe
    const cluster = numbers.get(session) ?? numbers.size
    numbers.set(session, cluster)
    return judge(one, cluster)
  })
}

/** What the APIs call an answer that had to end. */
const cutOffWords: ReadonlySet<string> = new Set(['max_tokens', 'length', 'max_output_tokens', 'incomplete'])

function judge({ probe, answers }: Answered, cluster: number): Judged {
  const [full, again, policy, policyAgain] = answers.map(({ action }) => action) as [
    NextAction,
    NextAction,
    NextAction,
    NextAction,
  ]
  const { cwd, recorded, weight } = probe
  const floor = agreementOf(full, again, cwd)
  const across = [full, again].flatMap((one) => [policy, policyAgain].map((other) => agreementOf(one, other, cwd)))
  const same = across.filter(sameAction).length
  return {
    probe,
    answers,
    floor,
    across,
    drift: [full, again].map((one) => agreementOf(recorded, one, cwd)),
    outcome: { cluster, floor: sameAction(floor) ? 1 : 0, across: same / across.length, weight },
  }
}

function countBy(judged: readonly Judged[]): Readonly<Record<PreambleKind, number>> {
  const sessions = new Map(judged.map(({ probe }) => [probe.session, probe.preamble]))
  const counts = preambleKinds.map((kind) => [kind, [...sessions.values()].filter((one) => one === kind).length])
  return Object.fromEntries(counts)
}

function strataOf(judged: readonly Judged[]): ProbeStratum[] {
  const of = (by: StrataBy, kindOf: (probe: AskedProbe) => string): ProbeStratum[] => {
    const kinds = [...new Set(judged.map(({ probe }) => kindOf(probe)))].sort(compareTexts)
    return kinds.map((kind) => ({
      by,
      kind,
      ...estimateOf(judged.filter(({ probe }) => kindOf(probe) === kind).map(({ outcome }) => outcome)),
    }))
  }
  return [
    { by: 'all', kind: 'all', ...estimateOf(judged.map(({ outcome }) => outcome)) },
    ...of('loss', ({ loss }) => loss),
    ...of('age', ({ age }) => age),
    ...of('tool', ({ tool }) => tool ?? 'answer'),
    ...of('preamble', ({ preamble }) => preamble),
  ]
}

function differenceIn({ probe, outcome, answers }: Judged): ProbeDifference[] {
  if (outcome.across >= outcome.floor) return []
  const { file, line, request, loss, age, left, used, recorded } = probe
  const [full, again, policy, policyAgain] = answers.map(({ action }) => action) as [
    NextAction,
    NextAction,
    NextAction,
    NextAction,
  ]
  const shown = { file, line, request, loss, age, left, used, recorded }
  return [{ ...shown, full: [full, again], policy: [policy, policyAgain] }]
}

/** Of all that was answered, also of requests that are not answered in all arms. */
export function usageOf(answers: readonly Answer[], summaries: readonly Answer[]): ProbeUsage {
  const all = [...answers, ...summaries]
  const sum = (key: 'input' | 'cacheRead' | 'cacheWrite' | 'output'): number =>
    all.reduce((tokens, { usage }) => tokens + (usage?.[key] ?? 0), 0)
  return {
    answers: answers.length,
    summaries: summaries.length,
    input: sum('input'),
    cacheRead: sum('cacheRead'),
    cacheWrite: sum('cacheWrite'),
    output: sum('output'),
  }
}

/**
 * What a plan can be expected to tell; null where it is of too few sessions.
 * @param pilot what has been answered, of this plan or of another one of the same policy
 */
export function plannedPower(
  { planned, among }: Pick<ProbeAbout, 'planned' | 'among'>,
  pilot: readonly Answered[],
): ProbePower | null {
  if (among < fewestSessions) return null
  const told = pilotOf(judgedOf(pilot).map(({ outcome }) => outcome))
  return powerOf({ sessions: among, perSession: planned / among, ...told })
}
