/** The results of replays, which reports print. All indices are 0-based; lines are the file's, 1-based. */
import type { ProviderName } from './message.ts'
import type { CallsByTerm } from './price-terms.ts'
import type { Witness } from './witness.ts'

/** The event that moves the cutoff. */
export interface Cut {
  /** The first request after it; equal to the number of requests if the cut is after the last one. */
  readonly request: number
  /** Exchange, message and line of the first message after the cutoff. */
  readonly exchange: number
  readonly message: number
  readonly line: number
  readonly evictedExchanges: readonly number[]
  readonly tokensBefore: number
  readonly tokensAfter: number
  /**
   * Requests until the cut has saved more than rewriting the prompt cache costs; 0 if the cache was already cold. Absent if
   * it never does, or no request follows.
   */
  readonly breakEvenRequests?: number
}

/** The cuts of a run, in order: an array, or a list that creates its elements on demand, as there may be a million. */
export interface CutList extends Iterable<Cut> {
  readonly length: number
  /** As `at` of an array. */
  at(index: number): Cut | undefined
}

export type Cutoff = Pick<Cut, 'exchange' | 'message' | 'line'>

/** Faults that a policy can add to a request. A provider refuses them. */
export const refusals = ['orphanResults', 'orphanCalls', 'firstNotUser', 'emptyMessages'] as const
/** All faults, in the order of the JSON. A provider takes the last ones: of lost thinking what is left, without the rest. */
export const faults = [...refusals, 'lostLatestUser', 'thinkingLost'] as const
export type Fault = (typeof faults)[number]
/** Faults that no provider refuses. */
export type TakenFault = Exclude<Fault, (typeof refusals)[number]>

/** How many requests have each fault. */
export type Validity = Readonly<Record<Fault, number>>
export const noFaults = (): Record<Fault, number> =>
  Object.fromEntries(faults.map((fault) => [fault, 0])) as Record<Fault, number>

/** `usd` if the model's price is known; else multiples of the price of an input token that is not cached. */
export type CostUnit = 'usd' | 'input-token-equivalents'
/** What people are shown: `percent` of all that was spent, for who has a plan and pays no dollars by the token. */
export type ShownUnit = CostUnit | 'percent'

/**
 * `ideal`: as in the price lists. `expected`: the mean hit rates by provider and kind of request. `recorded`: as recorded
 * at each request, and as expected where nothing is recorded.
 */
export const cacheModes = ['ideal', 'recorded', 'expected'] as const
export type CacheMode = (typeof cacheModes)[number]

/** Cost with the prompt cache: docs/cost.md. */
export interface Cost {
  readonly unit: CostUnit
  /** ISO date of the oldest source of the prices. */
  readonly pricesAsOf: string
  /** `input` plus `summaries`: what a policy decides about. */
  readonly paid: number
  readonly input: number
  /** The cost of the input without pruning. */
  readonly inputFull: number
  /** As recorded, else estimated; the same for every policy. */
  readonly output: number
  /** The cost of calls in which a model writes a summary. */
  readonly summaries: number
  /** By how many percent `input` plus `summaries` is below `inputFull`. Negative if pruning loses money. */
  readonly savedPercent: number
  /** Tokens read from the cache, in percent of all sent. */
  readonly cacheHitPercent: number
  readonly cacheHitPercentFull: number
  /** Requests that do not begin with the whole previous request. */
  readonly prefixBreaks: number
  /** The recorded hit rate of the agent's own requests, whatever the policy; absent if none is recorded. */
  readonly recordedHitPercent?: number
}

/** Whether the model told beforehand what the prompt cache would serve a request; and if not, where the request stands. */
export const cacheFits = [
  'cacheForeseen',
  'cacheAtStart',
  'cacheAfterPause',
  'cacheAtPrompt',
  'cacheUnexplained',
] as const
/** Requests of which is recorded what the cache served. */
export type CacheFit = Readonly<Record<(typeof cacheFits)[number], number>>

/** What the provider billed: recorded usage at the prices of its time, in US dollars; and how its cache was foreseen. */
export interface Spent extends CacheFit {
  readonly usd: number
  /** Of the requests with recorded usage. */
  readonly input: number
  readonly output: number
  /** Of calls that are outside the conversation: `Trace.sideCalls`. */
  readonly beside: number
  /** Requests with recorded usage; only these are counted. */
  readonly requests: number
  readonly sideCalls: number
  /** Requests whose recorded output is less than its visible text, and is estimated instead. */
  readonly estimatedOutputs: number
}

/** What a replay comes to that runs are held against. Money is in the unit of the run's cost. */
export interface BaselineFigures {
  readonly sentTokens: number
  readonly costInput: number
  readonly summaries: number
  /** Uses of content that found it gone. Absent if they were not measured. */
  readonly headlineLost?: number
  /** Requests that exceed the model's context window. */
  readonly overWindowRequests: number
  /** Requests without the newest user message or a summary of it. */
  readonly lostLatestUser: number
}

/** What the recorded agent did itself, replayed by the same rules (`as-recorded`), and what a run saves compared with it. */
export interface Today extends BaselineFigures {
  /** All uses of content, and how many more of them the run loses. Absent if they were not measured. */
  readonly headlineTotal?: number
  readonly headlineLostOver?: number
  /** Negative if the run sends more. */
  readonly savedTokens: number
  readonly savedPercent: number
  /** Of input and summaries; negative if the run costs more. */
  readonly costSaved: number
  readonly costSavedPercent: number
}

/** A run held against the baseline that was asked for: `today`, or another policy with this name. */
export interface Against extends Today {
  readonly baseline: string
}

/**
 * `content` is text that was copied; `id` a hash or uuid; `target` what a tool was asked for if it is neither a path nor a
 * url: a query.
 */
export const termClasses = ['content', 'path', 'url', 'error', 'id', 'target', 'identifier', 'number'] as const
export type TermClass = (typeof termClasses)[number]

/** Classes of terms that are more often references than not. */
export const namedClasses: ReadonlySet<TermClass> = new Set(['path', 'url', 'error', 'id', 'target'])

/** Re-references, and how many of them the window had lost: see docs/references.md. */
export interface LossCounts {
  readonly total: number
  /** No earlier mention is inside the window. */
  readonly mentionLost: number
  /** The term has a source, and no source of it is inside the window. */
  readonly sourceLost: number
  /** Only the agent itself had mentioned it before: not part of the source tier. */
  readonly selfSourced: number
}

export const lossCounts = ['total', 'mentionLost', 'sourceLost', 'selfSourced'] as const satisfies (keyof LossCounts)[]

/** With the rates of the two tiers: of all re-references, and of those with a source. */
export interface Losses extends LossCounts {
  readonly mentionLostPercent: number
  readonly sourceLostPercent: number
}

/** Losses, and of them those by which a policy is judged. */
export interface LossTotals extends Losses {
  /** Content alone. */
  readonly headline: Losses
  /** Paths, urls, errors, ids and targets. */
  readonly named: Losses
}

/** How many re-references have a source. */
export const sourced = ({ total, selfSourced }: LossCounts): number => total - selfSourced

/** Adds up counts and computes their rates: of all for the mention tier, of those with a source for the source tier. */
export function addLosses(parts: readonly LossCounts[]): Losses {
  const [total, mentionLost, sourceLost, selfSourced] = lossCounts.map((key) =>
    parts.reduce((sum, part) => sum + part[key], 0),
  ) as [number, number, number, number]
  return {
    total,
    selfSourced,
    mentionLost,
    mentionLostPercent: percent(mentionLost, total),
    sourceLost,
    sourceLostPercent: percent(sourceLost, total - selfSourced),
  }
}

/**
 * What no policy can be below, for a run of `clairvoyant`: docs/policies.md says which policies, and what is left out of
 * account. Money is in the unit of the run's cost.
 */
export interface PolicyBounds {
  /** Uses of content that any policy loses within the budget. */
  readonly lost: number
  /** Input and summaries of any policy that loses no more uses of content than the run. */
  readonly paid: number
  /** Of any policy at all: what the system prompt and the tools cost, read from the cache wherever they can be. */
  readonly preamble: number
}

/** Repeated fetches. */
export interface Rereads {
  /** The target was written in between, or the result is different. */
  readonly refresh: number
  /** Unchanged, and the earlier result is inside the window. */
  readonly redundant: number
  /** Unchanged, and the earlier result has left the window. */
  readonly fault: number
  /** Tokens of the results that faults fetched again. */
  readonly faultTokens: number
  /** Reads of a file or url that had been read before, with any tool and lines; and those with no earlier result inside. */
  readonly known: number
  readonly foretold: number
}

/** Requests that copied text, and what of it is gone from the window. */
export interface CopiedCounts {
  readonly requests: number
  /** Those that find at least a quarter of it gone. */
  readonly lost: number
  /** The share that is gone of what each request copied, added up, in millionths: integers add up exactly. */
  readonly shares: number
}

/** What the agent sent to a tool: the parts of an edit, a whole file, a command, and anything else, which is mostly prose. */
export const copyKinds = ['edit', 'file', 'command', 'prose'] as const
export type CopyKind = (typeof copyKinds)[number]

/** By what the requests copied into; in each the quarter is one of that kind. */
export interface CopiedByKind extends CopiedCounts {
  readonly byKind: Readonly<Record<CopyKind, CopiedCounts>>
}

/** With what looks lost in the windows that the agent really had, of what it could have copied from the whole history. */
export interface CopiedText extends CopiedCounts {
  readonly floor: CopiedCounts
}

/** The text that the agent took over from the windows that it really had, and what of it is gone: see docs/references.md. */
export interface Copied extends CopiedText {
  /** Of programs for which the measure stands its test: what people are shown. */
  readonly shown: CopiedText
  readonly byKind: Readonly<Record<CopyKind, CopiedText>>
  /** Transcripts of which it is not known what stood in the windows that the agent really had. */
  readonly unjudged: number
}

const noCounts: CopiedCounts = { requests: 0, lost: 0, shares: 0 }
const noText: CopiedText = { ...noCounts, floor: noCounts }
export const ofEachKind = <Text>(textOf: (kind: CopyKind) => Text): Record<CopyKind, Text> =>
  Object.fromEntries(copyKinds.map((kind) => [kind, textOf(kind)])) as Record<CopyKind, Text>

export const noCopied: Copied = { ...noText, shown: noText, byKind: ofEachKind(() => noText), unjudged: 0 }

export function addCopied(one: Copied, other: Copied): Copied {
  const shown = addText(one.shown, other.shown)
  const byKind = ofEachKind((kind) => addText(one.byKind[kind], other.byKind[kind]))
  return { ...addText(one, other), shown, byKind, unjudged: one.unjudged + other.unjudged }
}

const addText = (one: CopiedText, other: CopiedText): CopiedText => ({
  ...addCounts(one, other),
  floor: addCounts(one.floor, other.floor),
})

const addCounts = (one: CopiedCounts, other: CopiedCounts): CopiedCounts => ({
  requests: one.requests + other.requests,
  lost: one.lost + other.lost,
  shares: one.shares + other.shares,
})

/** What the agent used again, and how much of it the window would have lost. */
export interface References extends Losses {
  readonly byClass: Readonly<Record<TermClass, LossCounts>>
  /** Exchanges in which something was lost, in either tier. */
  readonly exchangesHit: number
  /** Uses of content that was only partly inside. */
  readonly partlyLost: number
  readonly rereads: Rereads
  /** Content only. */
  readonly headline: Losses
  /** Paths, urls, errors, ids and targets. */
  readonly named: Losses
  /** Only requests after the window was first pruned. */
  readonly warm: Losses
  /** Present where it was asked for. */
  readonly copied?: Copied
}

/** What a row of a report stands for. */
export type By = 'transcript' | 'exchange' | 'request' | 'reference'

/** A use of something that had left the window. */
export interface LostReference {
  readonly request: number
  /** Of the message that uses it, and of the latest source; null where the agent alone had said it. */
  readonly line: number
  readonly sourceLine: number | null
  /** `copied`: a request of which at least a quarter is gone of what it copied into texts of one kind. */
  readonly class: TermClass | 'copied'
  /** Of what was copied; null for all else. */
  readonly kind: CopyKind | null
  /** Of content, and of what was copied: the file or target that the text is of; null where nothing says. */
  readonly term: string | null
  /** `source`: it has sources, and none is inside. `mention`: it has no source, and no mention is inside. */
  readonly tier: 'source' | 'mention'
}

/** The recorded usage of the agent's own requests, whatever the policy. */
export interface RecordedUsage {
  /** Requests that can be compared. */
  readonly requests: number
  /** The provider's count for all of them. */
  readonly inputTokens: number
  /** Times that the context shrank and nothing recorded says why. `as-recorded` lets the oldest results go there. */
  readonly unexplainedCuts: number
}

/** The estimator's error on requests whose usage it did not see: docs/estimators.md. */
export interface Foresight {
  /** Requests that were predicted, with their recorded usage hidden. */
  readonly requests: number
  /** Mean absolute error of a request. */
  readonly meanAbsolutePercent: number
  /** Error of the sum; negative if too little was predicted. */
  readonly biasPercent: number
}

/** What was predicted: requests after the first cut, or the second half if there is no cut; or why nothing was. */
export const foresightTests = ['cut', 'half', 'no-usage', 'few-requests'] as const
export type ForesightTest = (typeof foresightTests)[number]

/** Where nine of ten requests are whose recorded usage the estimator does not know. */
export interface PredictionInterval {
  /**
   * Whose requests were predicted, or without any usage whose preambles are usual: this transcript's, the user's own other
   * ones, those of others of its format, or of all formats.
   */
  readonly basis: IntervalBasis
  readonly transcripts: number
  /** The prediction's error in percent of what was recorded: one in twenty is lower, one in twenty higher. */
  readonly lowPercent: number
  readonly highPercent: number
}

export const intervalBases = ['transcript', 'own', 'format', 'all'] as const
export type IntervalBasis = (typeof intervalBases)[number]

/** A session in the words of the person whose it is. */
export interface SessionWords {
  /** Where the agent worked. */
  readonly project: string | null
  /** The user's first words. */
  readonly title: string | null
  /** Milliseconds since the epoch of the first and the last response; NaN where no times are recorded. */
  readonly first: number
  readonly last: number
}

export const preambleSources = ['recorded', 'inferred', 'given', 'usual', 'none'] as const
export type PreambleSource = (typeof preambleSources)[number]

/** One transcript under one policy, estimator and budget, replayed. */
export interface Run {
  readonly transcript: string
  readonly conversation: string | null
  /** The file in which the same session was found first: the totals do not include this run. */
  readonly copyOf?: string
  readonly format: string
  readonly model: string | null
  readonly policy: string
  /** The policy is a setting of a program, and the transcript one of another. */
  readonly foreign?: true
  readonly params: Readonly<Record<string, unknown>>
  readonly budget: number
  /** The budget as it was asked for, where that is no number of tokens: `50%`, `own`. */
  readonly budgetAsked?: string
  readonly estimator: string
  readonly provider: ProviderName
  readonly messages: number
  readonly exchanges: number
  readonly requests: number
  /** Only if there are some: requests that an earlier file has, too, and that count there. */
  readonly requestsElsewhere?: number
  /** Calls with recorded usage, side calls included: what `spend` counts. */
  readonly recordedCalls: number
  /** Requests without recorded usage. */
  readonly requestsWithoutUsage: number
  /** Recorded calls to models without a known price. */
  readonly unpricedCalls: number
  readonly damagedLines: number
  readonly preambleTokens: number
  readonly preambleSource: PreambleSource
  /** Only for a transcript that begins in the middle: the tokens before, without the preamble. */
  readonly unknownHistoryTokens?: number
  readonly fullTokens: number
  readonly sentTokens: number
  readonly savedTokens: number
  readonly savedPercent: number
  readonly peakTokens: number
  readonly overBudgetRequests: number
  readonly overWindowRequests: number
  readonly cuts: CutList
  readonly cutoff: Cutoff | null
  readonly validity: Validity
  /**
   * Tokens of reasoning that was bound to what the policy changed, so that it is not sent any more; null where it is not known
   * whether the provider checks that (`bindsThoughts`).
   */
  readonly thinkingLostTokens: number | null
  readonly cost: Cost
  /** Null where no usage is recorded, where it leaves out the cache, or a model that answered has no known price. */
  readonly spent: Spent | null
  readonly today: Today
  /** The same, held against the baseline that was asked for. Not in the JSON. */
  readonly against: Against
  /** What tells a person one session from others. Not in the JSON. */
  readonly session: SessionWords
  /** `unpricedCalls` by model; an empty name for no model. Not in the JSON. */
  readonly unpriced: readonly (readonly [model: string, calls: number])[]
  /** Recorded calls that were billed at other terms than the usual ones. Not in the JSON. */
  readonly terms: CallsByTerm
  readonly references?: References
  /** Only for `clairvoyant`, and if references were measured. */
  readonly bounds?: PolicyBounds
  /** Only if usage is recorded. */
  readonly recorded?: RecordedUsage
  /** Null if it cannot be tested. */
  readonly foresight: Foresight | null
  readonly foresightTest: ForesightTest
  /** Null for an estimator whose predictions were not measured, and where nothing is sent. */
  readonly predictionInterval: PredictionInterval | null
  /** Sum of the requests by the policy's own count; only with `--measure native`. */
  readonly believedTokens?: number
  /** Finer rows, which add up to the run; only with `--by exchange|request`. */
  readonly rows?: readonly Row[]
  /** Only with `--by reference`: in the order of requests. */
  readonly lost?: readonly LostReference[]
  /** The estimator as the user named it; `estimator` is what was used. Not in the JSON. */
  readonly estimatorAsked?: string
  /** Figures for adding up runs, which rounded percentages and counts by fault do not allow. Not in the JSON. */
  readonly exact: Exact
  /** Where each fault of `validity` occurs first. Not in the JSON. */
  readonly firstFaults?: readonly FirstFault[]
  /** @internal Only for `check`. Not in the JSON. */
  readonly witness?: Witness
}

/** The estimator as the user named it: `auto` is one sum, even if it chose different ones per transcript. */
export function askedOf({ estimator, estimatorAsked }: Pick<Run, 'estimator' | 'estimatorAsked'>): string {
  return estimatorAsked ?? estimator
}

/** A run before its file has been read to the end: the number of damaged lines is not known yet. */
export type TraceRun = Omit<Run, 'damagedLines'>

export interface Exact {
  /** Tokens read from the prompt cache. */
  readonly cacheHitTokens: number
  /** The cost of requests with recorded usage under `as-recorded`, to compare with `spent.input`. */
  readonly todayRecorded: number
  /** Requests that were sent with more tokens than the model's window has. */
  readonly overWindowSent: number
  /** Requests that a provider would refuse. */
  readonly invalidRequests: number
  /** How many messages the policy dropped, replaced, inserted or restored. */
  readonly edits: number
  /** Whether the policy asked for the budget; if not, it does the same at every budget but 0. */
  readonly heedsBudget: boolean
}

/** The requests of one exchange, or one request. */
export interface Row {
  /** -1 before the first user message. */
  readonly exchange: number
  /** The first request of the row, and the line of the message that answers it. */
  readonly request: number
  readonly line: number
  readonly requests: number
  readonly fullTokens: number
  readonly sentTokens: number
  readonly savedTokens: number
  readonly savedPercent: number
  readonly peakTokens: number
  readonly overBudgetRequests: number
}

export interface FirstFault {
  readonly fault: Fault
  readonly request: number
  readonly line: number
}

export const roundPercent = (value: number): number => Math.round(value * 100) / 100

/** A percentage of fewer things than this is not meaningful. */
export const fewestForPercent = 30

/** `part` of `whole` in percent, to two decimals; 0 of nothing. */
export function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100
}

/** The sum of the transcripts' bills, and the number of transcripts. */
export interface TotalSpent extends Spent {
  readonly transcripts: number
}

/** What all transcripts come to under a policy, at a budget. Exact sums, and what follows from them. */
export interface Sums {
  readonly transcripts: number
  readonly requests: number
  readonly fullTokens: number
  readonly sentTokens: number
  readonly savedTokens: number
  readonly savedPercent: number
  /** The largest request of all. */
  readonly peakTokens: number
  readonly overBudgetRequests: number
  readonly overWindowRequests: number
  /** How many. */
  readonly cuts: number
  /** Requests that a provider would refuse. */
  readonly invalidRequests: number
  readonly validity: Validity
  /** As of a run, of the transcripts of which it is known. */
  readonly thinkingLostTokens: number
  readonly cost: TotalCost
  readonly today: Today
  /** Not in the JSON. */
  readonly against: Against
  /** Only if they were measured. */
  readonly references?: LossTotals
}

/** All transcripts under one policy, estimator and budget. */
export interface Total extends Sums {
  readonly policy: string
  /** Only if the same policy is also used with other params. */
  readonly params?: Readonly<Record<string, unknown>>
  /** The most of the transcripts, where it was not asked for in tokens. */
  readonly budget: number
  readonly budgetAsked?: string
  readonly estimator: string
  /** Null if no transcript has a bill. */
  readonly spent: TotalSpent | null
}

/** What a sum has of the cost of its runs. */
export const totalCostKeys = [
  ...(['unit', 'pricesAsOf', 'paid', 'input', 'inputFull', 'output', 'summaries'] as const),
  ...(['savedPercent', 'cacheHitPercent', 'prefixBreaks'] as const),
] as const

/**
 * Money is summed over the transcripts whose model has a known price; if none has, over all, in token equivalents. The cache's
 * figures have no unit, and are of all transcripts.
 */
export interface TotalCost extends Pick<Cost, (typeof totalCostKeys)[number]> {
  /** How many transcripts are in the amounts. */
  readonly transcripts: number
}

/** A message about the input. It never contains text of the transcript. */
export interface Diagnostic {
  readonly file: string
  /** 0 if it concerns the whole file. */
  readonly line: number
  readonly code: string
  readonly message: string
  /** How many lines it stands for, if more than one; `line` is the first of them. */
  readonly count?: number
}

/** The result of `simulate`: a public contract, see docs/schema. */
export interface Simulation {
  readonly schemaVersion: 1
  readonly runs: readonly Run[]
  readonly totals: readonly Total[]
  readonly diagnostics: readonly Diagnostic[]
}
