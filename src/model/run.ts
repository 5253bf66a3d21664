/** What a replay found: the figures every report prints. All indices are 0-based; a line is the 1-based line of the file. */
import type { ProviderName } from './message.ts'

/** The event that moves the cutoff. */
export interface Cut {
  /** The first request that goes out after it; the number of requests when it falls after the last one. */
  readonly request: number
  /** Exchange, message and line of the first message behind the cut. */
  readonly exchange: number
  readonly message: number
  readonly line: number
  readonly evictedExchanges: readonly number[]
  readonly tokensBefore: number
  readonly tokensAfter: number
  /**
   * Requests until the cut has earned what rewriting the prompt cache costs; 0 where the cache was already cold. Absent when it
   * never does, and when no request follows.
   */
  readonly breakEvenRequests?: number
}

/** The cuts of a run, in order: an array, or what makes each of a million when it is asked for. */
export interface CutList extends Iterable<Cut> {
  readonly length: number
  /** As `at` of an array. */
  at(index: number): Cut | undefined
}

export type Cutoff = Pick<Cut, 'exchange' | 'message' | 'line'>

/** What a provider refuses, in the order of the JSON. */
export const faults = ['orphanResults', 'orphanCalls', 'firstNotUser', 'emptyMessages', 'lostLatestUser'] as const
export type Fault = (typeof faults)[number]

/** Requests a provider would refuse, by what is wrong with them. */
export type Validity = Readonly<Record<Fault, number>>

/** `usd` where the model's price is known; else tokens, at the price of one that is neither cached nor written. */
export type CostUnit = 'usd' | 'input-token-equivalents'

/**
 * `ideal`: as the price lists have it. `expected`: mean shares by provider and kind of request. `recorded`: as recorded
 * at each request, and as expected where nothing is.
 */
export const cacheModes = ['ideal', 'recorded', 'expected'] as const
export type CacheMode = (typeof cacheModes)[number]

/** Money through the prompt cache: docs/cost.md. */
export interface Cost {
  readonly unit: CostUnit
  /** ISO date of the oldest source of the prices. */
  readonly pricesAsOf: string
  readonly input: number
  /** The same, had nothing been pruned. */
  readonly inputFull: number
  /** As recorded, else estimated; the same for every policy. */
  readonly output: number
  /** The calls in which a model writes a summary. */
  readonly summaries: number
  /** What `input` and `summaries` together are below `inputFull`, in percent. Negative when pruning loses money. */
  readonly savedPercent: number
  /** Tokens read from the cache, in percent of all sent. */
  readonly cacheHitPercent: number
  readonly cacheHitPercentFull: number
  /** Requests that do not begin with the whole of the request before. */
  readonly prefixBreaks: number
  /** What the provider recorded, where it did: of the agent's own requests, whatever the policy here. */
  readonly recordedHitPercent?: number
}

/** What the provider billed: recorded usage at the prices of its time, in US dollars. */
export interface Spent {
  readonly usd: number
  readonly input: number
  readonly output: number
  /** Requests with recorded usage: the others are no part of it. */
  readonly requests: number
  /** Those of which the recorded output is less than what can be seen of it, and is estimated. */
  readonly estimatedOutputs: number
}

/**
 * What the recorded agent did itself, replayed in the same model (`as-recorded`), and what a run saves against it. Money is
 * in the unit of the run's cost.
 */
export interface Today {
  readonly sentTokens: number
  readonly costInput: number
  readonly summaries: number
  /** Requests that are over the model's context window. */
  readonly overWindowRequests: number
  /** Negative where the run sends more. */
  readonly savedTokens: number
  readonly savedPercent: number
  /** Input and summaries; negative where the run is dearer. */
  readonly costSaved: number
  readonly costSavedPercent: number
}

/**
 * `content` is text that was taken over; `id` a hash or a uuid; `target` what a tool was asked for when that is neither a path
 * nor a url: a query.
 */
export const termClasses = ['content', 'path', 'url', 'error', 'id', 'target', 'identifier', 'number'] as const
export type TermClass = (typeof termClasses)[number]

/** What a term names, as far as it is more often a reference than not. */
export const namedClasses: ReadonlySet<TermClass> = new Set(['path', 'url', 'error', 'id', 'target'])

/** Re-references, and those of them that the window had lost: see docs/references.md. */
export interface LossCounts {
  readonly total: number
  /** No earlier mention is inside the window. */
  readonly mentionLost: number
  /** The term came from somewhere, and no source of it is inside the window. */
  readonly sourceLost: number
  /** Only the agent itself had said it before: no part of the source tier. */
  readonly selfSourced: number
}

export const lossCounts = ['total', 'mentionLost', 'sourceLost', 'selfSourced'] as const satisfies (keyof LossCounts)[]

/** With the rates of the two tiers: of all, and of those that have a source. */
export interface Losses extends LossCounts {
  readonly mentionLostPercent: number
  readonly sourceLostPercent: number
}

/** Those of the source tier. */
export const sourced = ({ total, selfSourced }: LossCounts): number => total - selfSourced

/** Counts added up, with their rates: the mention tier is of all, the source tier of those that have a source. */
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

/** Fetches of what had been fetched before. */
export interface Rereads {
  /** The target was written in between, or the result is another. */
  readonly refresh: number
  /** Unchanged, and the copy is inside the window. */
  readonly redundant: number
  /** Unchanged, and the copy is gone. */
  readonly fault: number
  /** Tokens of the results that faults fetched again. */
  readonly faultTokens: number
  /** Reads of a file or url that had been read before, whatever tool and lines; and those of them of which nothing read was inside. */
  readonly known: number
  readonly foretold: number
}

/** What the agent and the user referred to, and what of it the window would no longer have held. */
export interface References extends Losses {
  readonly byClass: Readonly<Record<TermClass, LossCounts>>
  /** By who refers. */
  readonly user: LossCounts
  readonly assistant: LossCounts
  /** Exchanges in which something was lost, in either tier. */
  readonly exchangesHit: number
  /** Uses of content of which some was inside, and not all. */
  readonly partlyLost: number
  readonly rereads: Rereads
  /** Content alone. */
  readonly headline: Losses
  /** Paths, urls, errors, ids and targets. */
  readonly named: Losses
  /** Only the requests that go out after the window was first pruned. */
  readonly warm: Losses
}

/** What a row of a report is. */
export type By = 'transcript' | 'exchange' | 'request' | 'reference'

/** A use that found what it uses gone from the window. */
export interface LostReference {
  readonly request: number
  /** Of the message that uses it, and of the latest source; null where the agent alone had said it. */
  readonly line: number
  readonly sourceLine: number | null
  readonly class: TermClass
  /** Of content: the file or target that the text is of; null where nothing says. */
  readonly term: string | null
  /** `source`: it had a source, and none is inside. `mention`: it had none, and nobody's mention is inside. */
  readonly tier: 'source' | 'mention'
  readonly by: 'user' | 'assistant'
}

/** The estimator against what the provider recorded, for the agent's own requests, whatever the policy here. */
export interface RecordedUsage {
  /** Requests that can be compared. */
  readonly requests: number
  /** What the provider counted for them, in all. */
  readonly inputTokens: number
  /** Of the sum: below zero where the estimator counts too little. */
  readonly biasPercent: number
  /** Mean absolute error of one request. */
  readonly meanAbsolutePercent: number
  /** Times that the context shrank and nothing recorded says why. `as-recorded` lets the oldest results go there. */
  readonly unexplainedCuts: number
}

/** The estimator where it could not see: docs/estimators.md. */
export interface Foresight {
  /** Requests that were predicted, with what was recorded of them kept from the count. */
  readonly requests: number
  /** Mean absolute error of one of them. */
  readonly meanAbsolutePercent: number
  /** Of their sum: below zero where too little was predicted. */
  readonly biasPercent: number
}

/** What foresight was tested on: behind the first cut, or in the second half where nothing was cut; or why it was not. */
export const foresightTests = ['cut', 'half', 'no-usage', 'few-requests'] as const
export type ForesightTest = (typeof foresightTests)[number]

export type PreambleSource = 'recorded' | 'inferred' | 'given' | 'none'

/** One transcript under one policy, estimator and budget, replayed. */
export interface Run {
  readonly transcript: string
  readonly conversation: string | null
  /** The file in which the same session was found before: the totals are without this run. */
  readonly copyOf?: string
  readonly format: string
  readonly model: string | null
  readonly policy: string
  readonly params: Readonly<Record<string, unknown>>
  readonly budget: number
  readonly estimator: string
  readonly provider: ProviderName
  readonly messages: number
  readonly exchanges: number
  readonly requests: number
  readonly damagedLines: number
  readonly preambleTokens: number
  readonly preambleSource: PreambleSource
  /** Only for a transcript that begins in the middle: what came before, of which the preamble is no part. */
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
  readonly cost: Cost
  /** Null where no usage is recorded, where it leaves out the cache, or a model that answered has no known price. */
  readonly spent: Spent | null
  readonly today: Today
  readonly references?: References
  /** Only where usage is recorded. */
  readonly recorded?: RecordedUsage
  /** Null where it cannot be tested. */
  readonly foresight: Foresight | null
  readonly foresightTest: ForesightTest
  /** Σ of what the policy itself believed it sent; only with `--measure native`. */
  readonly believedTokens?: number
  /** Finer figures; only with `--by exchange|request`. Their sums are the run's. */
  readonly rows?: readonly Row[]
  /** Only with `--by reference`: in the order of requests. */
  readonly lost?: readonly LostReference[]
  /** The estimator by the name that was asked for; `estimator` says what it came to. For people, too. */
  readonly estimatorAsked?: string
  /** What percentages and counts by fault do not let anyone add up over runs. No part of the JSON. */
  readonly exact: Exact
  /** Where each fault of `validity` is first seen. For people: it is no part of the JSON. */
  readonly firstFaults?: readonly FirstFault[]
}

/** A run before its file has been read to the end: the number of damaged lines is not known yet. */
export type TraceRun = Omit<Run, 'damagedLines'>

export interface Exact {
  /** Tokens read from the prompt cache. */
  readonly cacheHitTokens: number
  /** What the requests with recorded usage cost today: what can be held against `spent.input`. */
  readonly todayRecorded: number
  /** Requests with at least one fault. */
  readonly invalidRequests: number
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

/** `part` of `whole` in percent, to two decimals; 0 of nothing. */
export function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : Math.round((part / whole) * 10_000) / 100
}

/** Bills added up, and how many transcripts they are of. */
export interface TotalSpent extends Spent {
  readonly transcripts: number
}

/** All transcripts under one policy, estimator and budget. */
export interface Total {
  readonly policy: string
  /** Only where the same policy stands in the list with other params. */
  readonly params?: Readonly<Record<string, unknown>>
  readonly budget: number
  readonly estimator: string
  readonly transcripts: number
  readonly fullTokens: number
  readonly sentTokens: number
  readonly savedTokens: number
  readonly savedPercent: number
  readonly cost: TotalCost
  /** Null where no transcript has one. */
  readonly spent: TotalSpent | null
  readonly today: Today
}

/**
 * Money is added up over the transcripts whose model has a known price, and over all, in token equivalents, where none
 * has. Prefix breaks have no unit: they are those of all transcripts.
 */
export interface TotalCost
  extends Pick<
    Cost,
    'unit' | 'pricesAsOf' | 'input' | 'inputFull' | 'output' | 'summaries' | 'savedPercent' | 'prefixBreaks'
  > {
  /** How many transcripts the amounts are of. */
  readonly transcripts: number
}

/** Something to know about the input, in words. Never a word of the transcript itself. */
export interface Diagnostic {
  readonly file: string
  /** 0 when it concerns the file as a whole. */
  readonly line: number
  readonly code: string
  readonly message: string
  /** If one diagnostic stands for several lines: how many. `line` is the first of them. */
  readonly count?: number
}

/** The result of `simulate`: a public contract, see docs/schema. */
export interface Simulation {
  readonly schemaVersion: 1
  readonly runs: readonly Run[]
  readonly totals: readonly Total[]
  readonly diagnostics: readonly Diagnostic[]
}
