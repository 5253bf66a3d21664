/** What stands in a journal of the plan that it was last used for. */
import { type Answered, foundIn, plannedPower } from '../../../app/probe-result.ts'
import type { Entries } from '../../../clients/journal.ts'
import { CtxwinError } from '../../../index.ts'
import type { ProbeResult } from '../../../model/probe-result.ts'
import type { ProbeAbout } from '../../../model/probed.ts'

/** @param plan the key of a plan in the journal; default: the latest */
export function resultIn(entries: Entries, name: string, plan = entries.latest('plan')): ProbeResult {
  const about = plan === null ? undefined : entries.find('plan', plan)
  if (plan === null || !about) throw new CtxwinError('unreadable', name, 'no probe has been begun in it')
  return {
    ...resultOf(about),
    dollars: entries.cost > 0 ? entries.cost / 1e9 : null,
    ...foundIn(answeredIn(entries, plan), entries.all('summary')),
  }
}

/** Of a plan, before anything is asked. */
export function resultOf(about: ProbeAbout): ProbeResult {
  return {
    schemaVersion: 1,
    dryRun: false,
    about,
    dollars: null,
    estimated: { cold: null, cached: null },
    power: plannedPower(about),
    ...foundIn([], []),
    counted: [],
    diagnostics: [],
  }
}

function answeredIn(entries: Entries, plan: string): Answered[] {
  return entries.all('probe').flatMap(({ plan: of, ...probe }): Answered[] => {
    if (of !== plan) return []
    const answers = probe.keys.map((key) => entries.find('answer', key))
    return answers.every((answer) => answer !== undefined)
      ? [{ probe, answers: answers as Answered['answers'][number][] as never }]
      : []
  })
}
