/**
 * Holds a transcript against the usage it recorded, by what the baseline keeps of both. The provider counted what was
 * really sent: where the text says something else by now, text was lost, edited, or is read in another way, and figures
 * that are lower for that reason are not better. Neither comparison depends on what the policy prunes.
 */
import type { Run } from '../model/run.ts'
import { offPercent } from '../model/witness.ts'
import { several } from '../reports/numbers.ts'
import type { Entry } from './baseline.ts'
import { finding } from './evaluate.ts'
import { difference, figure } from './labels.ts'
import type { Outcome } from './outcome.ts'

/**
 * So near the fit of a baseline has to be for it to tell anything, and so far later usage may be from it. In percent.
 */
const near = 5
const far = 20

/**
 * The recorded usage against what is counted by the fit that the baseline keeps. A fit of today would agree with it
 * whatever is missing. Null where nothing was recorded that can be held to.
 */
export function usageOutcome(run: Run, { usage: agreed }: Entry, tolerance: number): Outcome | null {
  if (agreed === null || run.witness === undefined) return null
  const { usage } = run.witness
  const outcome = { ...finding('baseline/usage', 'error'), file: run.transcript }
  if (usage === null || usage.requests < agreed.requests * (1 - tolerance / 100)) {
    const now = usage === null ? 'none' : `that of ${usage.requests}`
    const message = `the baseline has the recorded usage of ${several(agreed.requests, 'request')}, and ${now} is found now: agree to it with --update-baseline`
    return { ...outcome, message }
  }
  if (Math.abs(agreed.offPercent) > near) return null
  const actual = Math.round(offPercent(usage, agreed) * 100) / 100
  const words = (value: number) => `${value > 0 ? '+' : ''}${figure(value, 'percent')}`
  const what = `counted as in the baseline, the messages of its requests are ${words(actual)} off their recorded input, there ${words(agreed.offPercent)}`
  const why =
    actual < 0 ? 'content that was sent is missing, or is not read any more' : 'there is content that was never sent'
  const limit = actual < 0 ? -far : far
  const isFar = Math.abs(actual) > far
  return {
    ...outcome,
    status: isFar ? 'fail' : 'pass',
    message: isFar ? `${what}: ${why}` : what,
    actual,
    limit,
    difference: difference(actual, limit),
  }
}

/** Fewer requests say little, and growth by so many times what was counted is far from any tokenizer. */
const fewest = 4
const most = 2.5

/**
 * Transcripts that no baseline speaks for, and whose recorded input grows much faster than what is read of their
 * messages. That is only a warning: what nobody records (context that a program adds, hidden reasoning) can do the
 * same.
 */
export function unexplainedUsage(runs: readonly Run[]): Outcome[] {
  const told = new Set<string>()
  return runs.flatMap((run): Outcome[] => {
    const { transcript, conversation, estimator, witness } = run
    const { requests = 0, growth = null } = witness?.usage ?? {}
    const key = JSON.stringify([transcript, conversation, estimator])
    if (growth === null || requests < fewest || growth <= most || told.has(key)) return []
    told.add(key)
    const share = figure(Math.round(100 / growth), 'percent')
    const message = `what is read of its messages is ${share} of what its recorded input grew by: content that was sent may be missing`
    return [{ ...finding('usage', 'warn'), file: transcript, message }]
  })
}

/**
 * What is said of `contentTokens` besides the comparison: where the recorded usage is the same to the token, the
 * transcript is the same, so other content is an edit, or another reading. More of it is a finding then, too: figures
 * that are fitted to the usage, and a preamble that is inferred from it, make up for what was added.
 */
export function contentOutcome(
  outcome: Outcome,
  run: Run,
  { usage: agreed }: Entry,
  was: number,
  tolerance: number,
): Outcome {
  const usage = run.witness?.usage
  const isSame = usage && usage.requests === agreed?.requests && usage.inputTokens === agreed.inputTokens
  const isMore = outcome.actual !== null && outcome.actual > was * (1 + tolerance / 100)
  if (!isSame || (outcome.status === 'pass' && !isMore)) return outcome
  const message = `${outcome.message}; the recorded usage is what it was, so content was edited, or is read in another way`
  return { ...outcome, status: 'fail', message }
}
