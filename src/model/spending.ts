/** What was spent, added up: what `spend` prints. Recorded usage at the prices of its time, in US dollars. */
import type { ThresholdMove } from './changed.ts'
import type { CallsByTerm } from './price-terms.ts'
import type { Diagnostic } from './run.ts'

/** What a token is billed as. Writes that are not for an hour are for the cache's usual lifetime. */
export const tokenKinds = ['input', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'output'] as const
export type TokenKind = (typeof tokenKinds)[number]
export type ByKind = Readonly<Record<TokenKind, number>>

/**
 * Why the cache did not serve what the request before had there, the first that holds:
 *
 * - `compaction`: the agent compacted its history
 * - `idle`: the pause was longer than the cache's lifetime
 * - `model-switch`: another model answered
 * - `resume`: the session was left and taken up again
 * - `edit`: the agent cleared results, or its request is smaller than the one before
 * - `changed-head`: less than the head was served, which is the system prompt, the tools and what else stands in front of
 *   the first message; only where the agent itself says what is cached, and writes are recorded
 * - `unexplained`: none of these is recorded
 */
export const missCauses = [
  'compaction',
  'idle',
  'model-switch',
  'resume',
  'edit',
  'changed-head',
  'unexplained',
] as const
export type MissCause = (typeof missCauses)[number]

/** What the cache had not served although the request before had it there. */
export interface Missed {
  readonly requests: number
  /** Tokens paid in full that a read would have been cheaper for. */
  readonly tokens: number
  /** What they cost beyond a read; null where no price is known. */
  readonly usd: number | null
}

/**
 * What a program recorded itself that calls cost, beside what the same calls cost here: of those to a model, or of whole
 * sessions (`model` null) where it recorded nothing else.
 */
export interface RecordedCost {
  readonly format: string
  readonly model: string | null
  readonly calls: number
  readonly recordedUsd: number
  readonly usd: number
  /** The kind of tokens whose price alone is another one in the program's table; null where they agree, or nothing tells. */
  readonly kind: TokenKind | null
  /** That price, in US dollars per million. */
  readonly rate: number | null
}

/** Whether two sums of money for the same calls are more than 1 % apart. */
export function isApart(recorded: number, here: number): boolean {
  return Math.abs(recorded - here) > 0.01 * here
}

/** Requests added up. */
export interface SpendingSum {
  readonly requests: number
  /** Requests to models without a known price: their tokens are counted, their money is not. */
  readonly unpricedRequests: number
  /** Null where no request has a price. */
  readonly usd: number | null
  /** In percent of all that was spent. */
  readonly percent: number
  readonly tokens: ByKind
  /** In US dollars; null where no request has a price. */
  readonly cost: Readonly<Record<TokenKind, number | null>>
  readonly missed: Missed
}

export interface ProjectSpending extends SpendingSum {
  /** The end of the directory's path that tells it apart; null where none is recorded. */
  readonly project: string | null
  /** The directory the agent worked in, as recorded. */
  readonly cwd: string | null
}

export interface ModelSpending extends SpendingSum {
  readonly model: string | null
}

export interface DaySpending extends SpendingSum {
  /** ISO date, in UTC; null where no time is recorded. */
  readonly day: string | null
}

/** The requests of one project to one model on one day: the other sums are sums of these. */
export interface CellSpending extends ProjectSpending, ModelSpending, DaySpending {}

/** A session with its sub-agents, or a conversation with its forks. */
export interface SessionSpending extends ProjectSpending {
  /** The id the format gives it, else null. */
  readonly session: string | null
  /** The file that holds the session itself; where only sub-agents were read, the first of theirs. */
  readonly file: string
  readonly format: string
  /** The first one that answered. */
  readonly model: string | null
  /** The user's first words. */
  readonly title: string | null
  /** When the first and the last response were recorded, as ISO 8601 has it; null where the format has no times. */
  readonly first: string | null
  readonly last: string | null
  readonly transcripts: number
  /** Requests without recorded usage: they are in no sum. */
  readonly requestsWithoutUsage: number
  /** Input of the largest request, as recorded; null where no request has recorded usage. */
  readonly largestPrompt: number | null
  /**
   * How its window grew and shrank: the recorded input of the requests of its own transcript, in their order, as the largest of
   * each of at most 12 stretches of them.
   */
  readonly promptCurve: readonly number[]
}

export interface KindSpending {
  readonly kind: TokenKind
  readonly tokens: number
  readonly usd: number | null
  readonly percent: number
}

/**
 * What requests are made of. `head`: the system prompt and tools; `injected`: what the harness added in the user's name;
 * `beside`: all of calls that are outside the conversation.
 */
export const inputParts = ['head', 'definition', 'summary', 'user', 'injected', 'assistant', 'tool', 'beside'] as const
export type InputPart = (typeof inputParts)[number]

/** What money was spent on: what requests are made of, and what was answered. */
export const spendingParts = [...inputParts, 'output'] as const
export type SpendingPart = (typeof spendingParts)[number]

/** A part of what was sent, and what sending it again and again came to. */
export interface Carried {
  /** Tokens of it by itself, each part counted once, as estimated. */
  readonly tokens: number
  /** Tokens of it in all requests together: each request's recorded input, shared out by the sizes of its parts. */
  readonly carriedTokens: number
  /** Its share of what the input of those requests cost; null where no request has a price. */
  readonly usd: number | null
  /** In percent of all that was spent. */
  readonly percent: number
}

export interface PartSpending extends Carried {
  readonly part: SpendingPart
  /** Of a tool's results, where their call is known, or of its definition. */
  readonly tool: string | null
  /** The MCP server the tool is of. */
  readonly server: string | null
  readonly count: number
  /** Times that a token of it was sent, on average. */
  readonly amplification: number
  /** In percent of the tokens of all requests. */
  readonly tokensPercent: number
}

/**
 * What the results of a tool came to. The last rows have all that is no result, so that all rows are all that was spent:
 * `rest` is the rest of the input, `output` what was answered.
 */
export interface ToolSpending extends Omit<PartSpending, 'part'> {
  readonly of: 'results' | 'rest' | 'output'
}

/**
 * What the definition of a tool came to, which is in every request before anyone speaks. `rest` is all else that was spent. A tool
 * that was never called has no calls.
 */
export interface DefinitionSpending extends Omit<PartSpending, 'part'> {
  readonly of: 'definition' | 'rest'
  /** In the transcripts that define it. */
  readonly calls: number
}

/** One result of a tool. */
export interface ResultSpending extends Carried {
  readonly transcript: string
  readonly conversation: string | null
  readonly line: number
  readonly tool: string | null
  readonly server: string | null
  /** Requests that carried it. */
  readonly requests: number
}

export interface CauseSpending extends Missed {
  readonly cause: MissCause
  /** In percent of all that was spent. */
  readonly percent: number
  /** In percent of the tokens of all misses. */
  readonly tokensPercent: number
}

/** A request at which the cache missed. */
export interface MissSpending {
  readonly transcript: string
  readonly conversation: string | null
  /** Index of the request; the line of its answer. */
  readonly request: number
  readonly line: number
  readonly cause: MissCause
  /** Seconds since the request before; null where no time is recorded. */
  readonly pause: number | null
  readonly tokens: number
  readonly usd: number | null
  /** In percent of all that was spent. */
  readonly percent: number
}

/** Reads of something that the agent had read before. */
export interface RereadSpending {
  /** How many requests were looked at, and those of them that make such reads. */
  readonly over: number
  readonly requests: number
  /** Of the results, each counted once, as estimated. */
  readonly tokens: number
  /** What the results cost in the requests that carried them; null where no request has a price. */
  readonly usd: number | null
}

/** Later uses of what a compaction dropped, and those of them whose thing stood in what the agent put in its place. */
export interface HeldUses {
  readonly used: number
  readonly kept: number
}

/** What went wrong in as many requests in front of a compaction as behind it; docs/quality.md says what counts as what. */
export interface Mishaps {
  /** How many requests were looked at. */
  readonly over: number
  /** Results of tools, but for those that the user rejected or stopped, and those of them that say that the call failed. */
  readonly results: number
  readonly failed: number
  /** Calls that the user did not allow, and requests behind which the user stopped the agent. */
  readonly rejected: number
  readonly interrupted: number
  /** What the user typed, and what of it begins like a correction. */
  readonly prompts: number
  readonly corrected: number
}

/** What was measured around a compaction, or around several in sum: of those of which it is known. */
export interface CompactionEffects {
  /** What was read again in the requests behind it, and in front of it; null where nothing tells. */
  readonly rereads: RereadSpending | null
  readonly rereadsBefore: RereadSpending | null
  /** What its summary held of what was used later; null where the summary cannot be read, or nothing was measured. */
  readonly heldContent: HeldUses | null
  readonly heldNamed: HeldUses | null
  readonly heldCopied: HeldUses | null
  /** What went wrong in the requests behind it, and in as many in front of it; null where nothing was measured. */
  readonly mishaps: Mishaps | null
  readonly mishapsBefore: Mishaps | null
}

/**
 * What a compaction of the agent's own did. The last row, `rest`, has all that was spent on anything else, so that all rows are
 * all that was spent.
 */
export interface CompactionSpending extends CompactionEffects {
  readonly of: 'compaction' | 'rest'
  /** Null in the rest, as all that is of one compaction. */
  readonly transcript: string | null
  readonly conversation: string | null
  readonly format: string | null
  /** Of the program that recorded it, where the format says. */
  readonly version: string | null
  /** Where it stands in the file. */
  readonly line: number | null
  /** The first request behind it; null where none is. */
  readonly request: number | null
  /** When that was answered, else the last before it, as ISO 8601 has it; null where no time is recorded. */
  readonly time: string | null
  /** The recorded input of the request before it and of the first behind it; null where none is recorded. */
  readonly tokensBefore: number | null
  readonly tokensAfter: number | null
  /** What the call cost that wrote the summary; null where none is recorded, or it has no price. */
  readonly summaryUsd: number | null
  /** Tokens that were written anew as the cache no longer had them, and what they cost beyond a read; null without a price. */
  readonly rewrittenTokens: number
  readonly rewrittenUsd: number | null
  /** Both together; null where no request has a price. */
  readonly usd: number | null
  /** In percent of all that was spent. */
  readonly percent: number
}

/** What the compactions of a program did, in sum. */
export interface CompactionSum extends CompactionEffects {
  /** Null for transcripts of no program that ctxwin knows of. */
  readonly program: string | null
  readonly compactions: number
  readonly transcripts: number
  /** Medians. */
  readonly tokensBefore: number | null
  readonly tokensAfter: number | null
  readonly rewrittenTokens: number
  readonly usd: number | null
}

/**
 * What a sub-agent cost, and the call that started it. `call`: a call of which no sub-agent was read. The last row, `rest`, has all
 * that was spent on anything else, so that all rows are all that was spent.
 */
export interface AgentSpending {
  readonly of: 'agent' | 'call' | 'rest'
  /** Its own file, conversation and first model; null in other rows. */
  readonly transcript: string | null
  readonly conversation: string | null
  readonly format: string | null
  readonly model: string | null
  /** The file of the call, and the line of the response that makes it; null where it is not known. */
  readonly caller: string | null
  readonly callLine: number | null
  /** By the id that the call's result names or the call has, or by the prompt; null where it is not joined. */
  readonly joinedBy: 'id' | 'prompt' | null
  /** Calls that it answered: one that is taken up again answers several. */
  readonly calls: number
  /** With recorded usage. */
  readonly requests: number
  /** Null where no request has a price. */
  readonly usd: number | null
  /** In percent of all that was spent. */
  readonly percent: number
  /** All that it said and was told behind its prompt; null where a request of it has no recorded usage. */
  readonly workTokens: number | null
  /** Of that, what its caller was given, as estimated; null where it came later, or is not recorded. */
  readonly returnedTokens: number | null
  /** What the caller's window held at the call; null where no usage is recorded. */
  readonly contextTokens: number | null
  /** The caller's requests that carried the result. */
  readonly behindRequests: number | null
  /** What the same steps would have cost in the caller's window, as estimated; null where nothing tells. */
  readonly inlineUsd: number | null
}

/** What was billed, by what it was billed for, in US dollars: what `spent` of a run has, added up. */
export interface Billed {
  /** Of requests of the history. */
  readonly input: number
  readonly output: number
  /** All of calls outside the conversation. */
  readonly beside: number
}

export interface SpendingTotal extends Omit<SpendingSum, 'percent'> {
  /** Transcripts that were read, and those among them without any recorded usage. */
  readonly transcripts: number
  readonly withoutUsage: number
  /** Requests of the history, with recorded usage or without: what other commands call the requests of a transcript. */
  readonly allRequests: number
  /** Calls outside the conversation with recorded usage, which are among `requests`. */
  readonly sideCalls: number
  /** Requests of the other transcripts without recorded usage: they are in no sum. */
  readonly requestsWithoutUsage: number
  /** Responses that an earlier file has, too: they are counted there. */
  readonly repeatedResponses: number
  /** Responses whose recorded output is less than what can be seen of it, and is estimated. */
  readonly estimatedOutputs: number
  /** Transcripts whose usage leaves out what was read from the cache: what they cost is at most what is counted. */
  readonly withoutReads: number
  /** The first and the last day, in UTC; null where no time is recorded. */
  readonly since: string | null
  readonly until: string | null
  readonly billed: Billed
  /** ISO date of the oldest source of the prices. */
  readonly pricesAsOf: string
  /** In percent of the tokens that were not read from the cache: those that stood there a request before. */
  readonly missedPercent: number
}

export interface Spending {
  readonly schemaVersion: 1
  readonly total: SpendingTotal
  /** The dearest first, as all lists that have no order of their own. */
  readonly projects: readonly ProjectSpending[]
  readonly models: readonly ModelSpending[]
  readonly sessions: readonly SessionSpending[]
  /** The newest first. */
  readonly days: readonly DaySpending[]
  readonly kinds: readonly KindSpending[]
  readonly parts: readonly PartSpending[]
  readonly tools: readonly ToolSpending[]
  /** Where formats record the definitions of tools. */
  readonly definitions: readonly DefinitionSpending[]
  /** What was read again and what was held is measured only where compactions are asked for. */
  readonly compactions: readonly CompactionSpending[]
  /** The same by program, the one with most of them first. */
  readonly compactionSums: readonly CompactionSum[]
  /** From which day on agents compact elsewhere, where that is clear. */
  readonly moved: readonly ThresholdMove[]
  /** Only where they are asked for. */
  readonly agents: readonly AgentSpending[]
  /** As many of the dearest as were asked for. */
  readonly results: readonly ResultSpending[]
  readonly causes: readonly CauseSpending[]
  /** As many of the dearest as were asked for. */
  readonly misses: readonly MissSpending[]
  readonly cells: readonly CellSpending[]
  /** Calls that were billed at other terms than the usual ones: fast mode, another tier, a web search. */
  readonly terms: CallsByTerm
  /** Where programs recorded what calls cost: also where that is the same. */
  readonly recordedCosts: readonly RecordedCost[]
  readonly diagnostics: readonly Diagnostic[]
}

/**
 * Why a request has less in front of it than the one before: what the agent recorded that it did, or `unrecorded`, where the
 * provider counted much less and nothing says why.
 */
export const sendingCuts = ['compaction', 'clearing', 'reset', 'unrecorded'] as const
export type SendingCut = (typeof sendingCuts)[number]

/** A request of a session, as it was billed. */
export interface RequestSpending {
  readonly request: number
  /** Of its answer. */
  readonly line: number
  /** -1 before the first user message. */
  readonly exchange: number
  readonly cut: SendingCut | null
  readonly tokens: ByKind
  /** Null where the model that answered has no known price. */
  readonly usd: number | null
  /** Why the cache missed; null where it did not. */
  readonly cause: MissCause | null
  /** What the miss cost beyond a read; null where there was none, or no price is known. */
  readonly missedUsd: number | null
}

/** The requests of an exchange added up. */
export interface ExchangeSpending {
  readonly exchange: number
  /** The user's first words; null before the first user message. */
  readonly title: string | null
  readonly requests: number
  /** Of input and output. */
  readonly tokens: number
  readonly usd: number | null
  /** In percent of all that the session cost. */
  readonly percent: number
}

/** A compaction of the agent's own, or what else made its requests smaller. */
export interface CutSpending {
  readonly cut: SendingCut
  /** The first request behind it. */
  readonly request: number
  /** The recorded input of the request before and of this one; null where none is recorded. */
  readonly tokensBefore: number | null
  readonly tokensAfter: number | null
}

/** What a recorded session cost, and on what: `history` explains its dollars with it. Of the whole session, always. */
export interface ExplainedSpending extends Omit<SpendingSum, 'percent'> {
  /** Requests without recorded usage, which are in no sum. */
  readonly requestsWithoutUsage: number
  /** Of it, what calls cost that are outside the conversation. */
  readonly beside: { readonly calls: number; readonly usd: number | null }
  /** All transcripts of the file, of which this one is the longest. */
  readonly file: { readonly transcripts: number; readonly usd: number | null }
  /** The same with the files beside it that hold sub-agents, forks and copies of the session: what `sessions` calls its cost. */
  readonly family: { readonly files: number; readonly transcripts: number; readonly usd: number | null }
  readonly recordedCosts: readonly RecordedCost[]
  readonly cuts: readonly CutSpending[]
  /** The dearest first, as the next four lists. */
  readonly exchanges: readonly ExchangeSpending[]
  readonly parts: readonly PartSpending[]
  readonly results: readonly ResultSpending[]
  readonly causes: readonly CauseSpending[]
  readonly misses: readonly MissSpending[]
  /** All of them, in order. */
  readonly billed: readonly RequestSpending[]
}
