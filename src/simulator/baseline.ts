/**
 * What a run is held against: the figures of another replay of the same transcript. `today`, the recorded agent's own
 * compactions, is replayed by the same rules as every policy, so that its cost can be compared with recorded usage too.
 */
import { type Chosen, choose } from '../base/chosen.ts'
import { rounded } from '../measures/cost.ts'
import {
  type BaselineFigures,
  type Cost,
  type LossCounts,
  percent,
  type References,
  sourced,
  type Today,
} from '../model/run.ts'
import asRecorded from '../policies/as-recorded.ts'
import type { Policy } from '../policies/policy.ts'
import type { Replayed } from './replay.ts'

/** A policy that others are measured against. */
export interface Baseline {
  /** For people: `today`, `unpruned`, or as the policy was typed. */
  readonly name: string
  readonly policy: Chosen<Policy>
}

/** What the recorded agent did itself: the baseline, unless another is named. */
export const today: Baseline = { name: 'today', policy: choose<Policy>(asRecorded) }

/** A replay, with the references that it lost where they were measured. */
export interface Ran {
  readonly replayed: Replayed
  readonly references: References | undefined
}

/** The figures of a replay that others are held against. */
export interface Standard extends BaselineFigures {
  /** The part of `costInput` for requests with recorded usage. */
  readonly inputRecorded: number
}

export function standardOf({ replayed, references }: Ran): Standard {
  const { sentTokens, cost, validity, exact } = replayed
  return {
    sentTokens,
    costInput: cost.input,
    summaries: cost.summaries,
    overWindowRequests: exact.overWindowSent,
    lostLatestUser: validity.lostLatestUser,
    ...(references && { headlineLost: references.headline.sourceLost }),
    inputRecorded: exact.inputRecorded,
  }
}

/** A run held against another replay. */
export function heldAgainst(
  standard: Standard,
  run: {
    readonly sentTokens: number
    readonly cost: Pick<Cost, 'input' | 'summaries'>
    readonly references?: { readonly headline: LossCounts }
  },
): Today {
  const { inputRecorded: _, headlineLost, ...figures } = standard
  const { sentTokens, costInput, summaries } = figures
  const paid = costInput + summaries
  const costSaved = paid - run.cost.input - run.cost.summaries
  const headline = run.references?.headline
  return {
    ...figures,
    ...(headline &&
      headlineLost !== undefined && {
        headlineLost,
        headlineTotal: sourced(headline),
        headlineLostOver: headline.sourceLost - headlineLost,
      }),
    savedTokens: sentTokens - run.sentTokens,
    savedPercent: percent(sentTokens - run.sentTokens, sentTokens),
    costSaved: rounded(costSaved),
    costSavedPercent: percent(costSaved, paid),
  }
}
