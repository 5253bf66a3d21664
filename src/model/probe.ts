/** What a probe asks a model and what comes back: plain data for who asks, who compares and who prints. */

/** The APIs that a probe speaks: Anthropic's Messages, OpenAI's Responses, and Chat Completions as many servers speak it. */
export type ProbeApi = 'anthropic' | 'responses' | 'chat'

/** What a model did next. */
export interface NextAction {
  /** In the order of the response. `input` is parsed, or the text as it came where that is no JSON. */
  readonly calls: readonly { readonly name: string; readonly input: unknown }[]
  /** All text of the answer, '' where it only called tools. Thoughts are no part of it. */
  readonly text: string
}

/** Tokens as the API counted them. */
export interface AnswerUsage {
  /** The whole prompt, what the cache served or took in included. */
  readonly input: number
  readonly cacheRead: number
  readonly cacheWrite: number
  readonly output: number
}

export interface Answer {
  readonly action: NextAction
  /** Why it ended, as the API names it (`end_turn`, `tool_use`, `length`, …); null where it does not say. */
  readonly stop: string | null
  /** The model that the API says has answered. */
  readonly model: string | null
  readonly usage: AnswerUsage | null
}

/**
 * How two next actions compare, tier by tier. `null` where a tier says nothing of them; where it says something of one of
 * them only, they differ.
 */
export interface Agreement {
  /** The same tools, each as often. Two answers without a call agree here, too. */
  readonly tool: boolean
  /** The same files, URLs, searches and commands; null where no call has a target that is known. */
  readonly target: boolean | null
  /** The same text replaced by the same in the same files; null where neither edits. */
  readonly edit: boolean | null
  /** Of calls without a known target: how much of what their inputs name is the same, 0 to 1; null where neither has such calls. */
  readonly input: number | null
  /** Of two answers without a call: how much of what they name is the same, 0 to 1; null where either calls. */
  readonly said: number | null
}

/** `part` of `whole`; `share` is null of nothing. */
export interface Share {
  readonly part: number
  readonly whole: number
  readonly share: number | null
}

/** How many comparisons agree in each tier, of those that it says something of; `same` is the headline. */
export type AgreementShares = Readonly<Record<'same' | Exclude<keyof Agreement, 'said' | 'input'>, Share>> & {
  /** Means from 0 to 1, of so many comparisons. */
  readonly [Tier in 'input' | 'said']: { readonly mean: number | null; readonly whole: number }
}

/** What came of asking about one request: twice with the full window, twice with the policy's. */
export interface ProbeOutcome {
  /** Which session it is of. Sessions are drawn by themselves; requests of one are not. */
  readonly cluster: number
  /** Whether the answers to the full window are the same: 1 or 0. */
  readonly floor: number
  /** How many of the four pairs of an answer to the full window and one to the policy's are the same: 0, ¼, …, 1. */
  readonly across: number
  /** How many requests it stands for: 1 over the chance that it was drawn. 1 where it is not there. */
  readonly weight?: number
}

/**
 * With fewer sessions there is no interval. That of 95 % has been held against what is true from here on; of fewer sessions it
 * reaches to 40 points and more on either side, which says nothing.
 */
export const fewestSessions = 5

/**
 * How the interval was found. `clustered`: by the spread of the sessions, with a loss and a gain added. `none`: there are too few sessions
 * to tell a spread by.
 */
export type ProbeMethod = 'clustered' | 'none'

/** What can be said of many probes: shares of 1. A difference below zero is what the policy loses. */
export interface ProbeEstimate {
  readonly probes: number
  readonly clusters: number
  /** Null where there is no probe. */
  readonly floor: number | null
  readonly across: number | null
  readonly difference: number | null
  /** The interval of 95 % of `difference`; null where `method` is `none`. */
  readonly low: number | null
  readonly high: number | null
  readonly method: ProbeMethod
}

/** What probes that were made tell of those to come. */
export interface ProbePilot {
  readonly floor: number
  /** Variance of a probe's difference, `across - floor`. */
  readonly spread: number
  /** How much alike the differences of a session are: 0 to 1; assumed where the probes of none differ. */
  readonly correlation: number
  readonly from: AnswersTold
}

/** How many probes of how many sessions tell something. */
export interface AnswersTold {
  readonly probes: number
  readonly sessions: number
}

/** What a plan of probes can be expected to tell. */
export interface ProbePower {
  /** Half the expected interval of 95 %, as a share of 1. */
  readonly halfWidth: number
  /** What it was worked out from. */
  readonly floor: number
  readonly correlation: number
  /** The answers that tell both; null where they are assumed. */
  readonly from: AnswersTold | null
}

/** @param margin the loss that would still do, as a share of 1 */
export function isNonInferior({ low }: ProbeEstimate, margin: number): boolean {
  return low !== null && low > -margin
}
