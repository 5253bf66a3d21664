/**
 * The status quo: the recorded agent's own compactions, replayed by the same rules as every policy. Its cost can be
 * compared with recorded usage, and a policy's savings are measured against it.
 */
import { percent, type Today } from '../model/run.ts'
import type { Trace } from '../model/trace.ts'
import asRecorded from '../policies/as-recorded.ts'
import type { PolicyContext } from '../policies/policy.ts'
import { type Replayed, replay, type Settings } from './replay.ts'

/** The result of replaying `as-recorded`. */
export type TodayReplay = Pick<Today, 'sentTokens' | 'costInput' | 'summaries' | 'overWindowRequests'> & {
  /** The part of `costInput` for requests with recorded usage. */
  readonly inputRecorded: number
}

export function replayToday(
  trace: Trace,
  settings: Omit<Settings, 'policy' | 'kind' | 'budget' | 'budgetless' | 'believed'>,
  context: PolicyContext,
): TodayReplay {
  const window = settings.modelWindow ?? Infinity
  let overWindowRequests = 0
  const { cost, exact, sentTokens } = replay(
    trace,
    {
      ...settings,
      policy: asRecorded.start({}, context),
      kind: asRecorded.kind,
      budget: 0,
      // A replay without edits is cheaper.
      budgetless: context.compactions.length + context.clearings.length + context.recounts.length > 0,
      summariesShareThePrompt: true,
    },
    [
      {
        request(request) {
          if (request.sentTokens > window) overWindowRequests++
        },
      },
    ],
  )
  const { input, summaries } = cost
  return { sentTokens, costInput: input, summaries, overWindowRequests, inputRecorded: exact.inputRecorded }
}

/** A run compared with the status quo. */
export function againstToday(
  { sentTokens, costInput, summaries, overWindowRequests }: TodayReplay,
  run: Pick<Replayed, 'sentTokens' | 'cost'>,
): Today {
  const paid = costInput + summaries
  const costSaved = paid - run.cost.input - run.cost.summaries
  return {
    sentTokens,
    costInput,
    summaries,
    overWindowRequests,
    savedTokens: sentTokens - run.sentTokens,
    savedPercent: percent(sentTokens - run.sentTokens, sentTokens),
    costSaved: Math.round(costSaved * 1e6) / 1e6,
    costSavedPercent: percent(costSaved, paid),
  }
}
