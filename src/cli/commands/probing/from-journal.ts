/** Reads the results of the last plan from a journal. */

import { CtxwinError } from '../../../app/index.ts'
import { type Answered, foundIn, plannedPower, usageOf } from '../../../app/probe/result.ts'
import { billion, type Entries } from '../../../clients/journal.ts'
import type { FailedRequests, ProbeResult } from '../../../model/probe-result.ts'
import type { AskedProbe, ProbeAbout } from '../../../model/probed.ts'

/**
 * As if nothing else stood in the journal: what several plans have asked counts for each.
 * @param plan the key of a plan in the journal; default: the latest
 */
export function resultIn(entries: Entries, name: string, plan = entries.latest('plan')): ProbeResult {
  const about = plan === null ? undefined : entries.find('plan', plan)
  if (plan === null || !about) throw new CtxwinError('unreadable', name, 'no probe has been begun in it')
  const answered = answeredIn(entries, plan)
  const asked = entries.all('asked').filter((one) => one.plan === plan)
  const found = (kind: 'answer' | 'summary') =>
    asked.flatMap(({ kind: of, question }) => (of === kind ? (entries.find(kind, question) ?? []) : []))
  const questions = asked.map(({ question }) => question)
  const used = new Set(answered.flatMap(({ probe }) => probe.keys))
  const unused = asked.flatMap(({ kind, question }) => (kind === 'answer' && !used.has(question) ? [question] : []))
  const sum = (keys: readonly string[], of: (key: string) => number) => keys.reduce((all, key) => all + of(key), 0)
  const cost = sum(questions, (key) => entries.costOf(key))
  const lost = sum(questions, (key) => entries.lostCostOf(key))
  const isPriced = cost + lost > 0
  return {
    ...resultOf(about, answered),
    failed: failedIn(entries, plan, answered),
    dollars: isPriced ? cost / billion : null,
    unused: isPriced ? sum(unused, (key) => entries.costOf(key)) / billion : null,
    lost: { tries: sum(questions, (key) => entries.lost(key)), dollars: isPriced ? lost / billion : null },
    used: usageOf(found('answer'), found('summary')),
  }
}

/** @param answered nothing before anything is asked */
export function resultOf(about: ProbeAbout, answered: readonly Answered[] = [], pilot = answered): ProbeResult {
  return {
    schemaVersion: 1,
    dryRun: false,
    about,
    failed: { requests: 0, reasons: [] },
    dollars: null,
    unused: null,
    lost: { tries: 0, dollars: null },
    used: usageOf([], []),
    estimated: { cold: null, cached: null },
    sessions: [],
    power: plannedPower(about, pilot),
    ...foundIn(answered),
    counted: [],
    diagnostics: [],
  }
}

/**
 * What was answered in all arms under the same policy and budget by the same model, whichever plan asked for it, each
 * request once.
 */
export function pilotIn(entries: Entries, of: ProbeAbout): Answered[] {
  const words = ({ policy, params, budget, model }: ProbeAbout): string =>
    JSON.stringify([policy, params, budget, model])
  const wanted = words(of)
  const byRequest = new Map<string, Answered>()
  for (const [plan, about] of entries.each('plan')) {
    if (words(about) !== wanted) continue
    for (const one of answeredIn(entries, plan)) byRequest.set(nameOf(one.probe), one)
  }
  return [...byRequest.values()]
}

/** What was answered in all arms. */
export function answeredIn(entries: Entries, plan: string): Answered[] {
  return entries.all('probe').flatMap(({ plan: of, ...probe }): Answered[] => {
    if (of !== plan) return []
    const answers = probe.keys.map((key) => entries.find('answer', key))
    return answers.every((answer) => answer !== undefined)
      ? [{ probe, answers: answers as Answered['answers'][number][] as never }]
      : []
  })
}

/** Requests that failed and were not answered since. */
function failedIn(entries: Entries, plan: string, answered: readonly Answered[]): FailedRequests {
  const known = new Set(answered.map(({ probe }) => nameOf(probe)))
  const failed = entries.all('failed').filter((one) => one.plan === plan && !known.has(nameOf(one)))
  const counts = new Map<string, number>()
  for (const { reason } of failed) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  const reasons = [...counts].map(([reason, requests]) => ({ reason, requests }))
  reasons.sort((one, other) => other.requests - one.requests || (one.reason < other.reason ? -1 : 1))
  return { requests: failed.length, reasons }
}

const nameOf = ({ session, request }: Pick<AskedProbe, 'session' | 'request'>): string => `${session} ${request}`
