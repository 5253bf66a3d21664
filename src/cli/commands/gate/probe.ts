/** `check --journal`: checks a probe by its journal, without transcripts or network. */

import { readEntries } from '../../../cache/journal.ts'
import type { Assertion } from '../../../check/assertions.ts'
import { probeWorse } from '../../../check/metrics.ts'
import { type CheckResult, type Outcome, resultOf } from '../../../check/outcome.ts'
import { fewestSessions, isNonInferior, type ProbeEstimate } from '../../../model/probe.ts'
import type { ProbeResult } from '../../../model/probe-result.ts'
import { several } from '../../../reports/numbers.ts'
import { fullPolicy } from '../../../reports/params.ts'
import { differenceWords, headline } from '../../../reports/probe.ts'
import type { Call } from '../../inputs/call.ts'
import { misuse } from '../../inputs/misuse.ts'
import { rulesOf } from '../../inputs/rules.ts'
import { readSettings } from '../../inputs/session.ts'
import { resultIn } from '../probing/from-journal.ts'
import { openSinks } from './sinks.ts'

/** @throws CtxwinError where no limit is set for it, or what is named is no journal */
export async function checkProbe(call: Call, journal: string): Promise<number> {
  const { world, flags, inputs } = call
  const { settings, config } = await readSettings(call)
  const { assert, given } = rulesOf(settings, config)
  const limits = [...new Map([...assert, ...given]).values()].filter((one) => one?.metric === probeWorse) as Assertion[]
  const [limit] = limits
  if (inputs.length > 0 || !limit)
    throw misuse('a journal is checked by itself: ctxwin check --journal FILE --assert maxProbeWorse=3')
  const sinks = openSinks(settings, flags, world)
  const result = resultIn(readEntries(journal), journal)
  const checked = checkOf(result, limit, journal)
  for (const sink of sinks) await sink(checked)
  return checked.incomplete.length > 0 ? 2 : checked.errors > 0 ? 1 : 0
}

function checkOf(result: ProbeResult, limit: Assertion, journal: string): CheckResult {
  const { about, strata, probes, failed } = result
  const { policy, params, budget, among, planned } = about
  const made = { policies: [fullPolicy(policy, params)], budgets: [budget as never] }
  const all = strata[0] as ProbeEstimate
  if (all.low === null) {
    const reason = `${journal} has ${several(probes, 'probe')} of ${several(all.clusters, 'session')}: too few for an interval, which takes ${fewestSessions}`
    return resultOf(made, among, [], [], [], [reason])
  }
  const missing = planned - probes
  const notes = [
    headline(all, result),
    ...(missing > 0
      ? [`${missing} of ${several(planned, 'planned request')} are not answered (${failed.requests} of them failed)`]
      : []),
  ]
  return resultOf(made, among, [outcomeOf(all, all.low, limit, journal)], notes, [])
}

function outcomeOf(all: ProbeEstimate, low: number, { rule, level, limit }: Assertion, file: string): Outcome {
  const actual = Math.round(-low * 1000) / 10
  const isFine = isNonInferior(all, limit / 100)
  const what = isFine ? 'worse by less than' : 'it cannot be excluded that it is worse by'
  return {
    ...{ rule, level, file, limit, actual },
    status: isFine ? 'pass' : 'fail',
    line: 0,
    run: '',
    message: `${what} ${limit} points: ${differenceWords(all)}, ${several(all.probes, 'probe')} in ${several(all.clusters, 'session')}`,
    metric: probeWorse.key,
    difference: Math.round((actual - limit) * 10) / 10,
    command: null,
  }
}
