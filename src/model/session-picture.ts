/**
 * What the picture of a session is drawn from: plain JSON, the same for `--output svg` and for the page. Indices are
 * 0-based. Requests stand in columns, several to a column where a session has more requests than a picture has room for,
 * so that a session of ten thousand requests is as small as one of hundreds.
 */
import type { RecordedCut } from './recorded.ts'
import type { PreambleSource, ShownUnit } from './run.ts'

/** What fills a window, in the order in which it is stacked. */
export const partKinds = [
  'preamble',
  'unknown',
  'inserted',
  'program',
  'user',
  'assistant',
  'thinking',
  'tool',
] as const

/**
 * `unknown`: what came before the file. `inserted`: what the policy put in, such as summaries. `program`: what the recorded
 * program wrote in a role of its own or the user's. `assistant`: answers, and the calls of tools with their inputs.
 */
export type PartKind = (typeof partKinds)[number]

export interface SessionPicture {
  readonly transcript: string
  readonly conversation: string | null
  /** The user's first words; null without any, or where words were not asked for. */
  readonly title: string | null
  readonly model: string | null
  readonly estimator: string
  readonly preambleSource: PreambleSource
  /** Of the costs. */
  readonly unit: ShownUnit
  /** The model's context window in tokens; null if it is not known. */
  readonly modelWindow: number | null
  readonly requests: number
  /** How many requests stand in a column; the last column may have fewer. */
  readonly requestsPerColumn: number
  readonly columns: number
  /** What the recorded agent took out of its own context: the first request without it. */
  readonly recorded: readonly { readonly request: number; readonly kind: RecordedCut }[]
  readonly exchanges: readonly PictureExchange[]
  /** One for each policy and budget. */
  readonly runs: readonly PictureRun[]
}

export interface PictureExchange {
  /** -1 for the messages before the first user message. */
  readonly exchange: number
  /** The first request that has any of it, and the one behind its last; equal where it has no request of its own. */
  readonly from: number
  readonly to: number
  /** The user's first words; null for the messages before the first user message, or where words were not asked for. */
  readonly title: string | null
  /** Lines of the file. */
  readonly firstLine: number
  readonly lastLine: number
  readonly tokens: number
  /** The tools that it calls most, and how often. */
  readonly tools: readonly (readonly [name: string, calls: number])[]
}

/** Lists of numbers have one for each column. */
export interface PictureRun {
  readonly policy: string
  /** Those that differ from their defaults. */
  readonly params: Readonly<Record<string, unknown>>
  /** 0 = none, or the policy does not heed it. */
  readonly budget: number
  readonly budgetAsked?: string
  /** Of each column, the request with most tokens, and its tokens: those of its parts add up to them. */
  readonly largest: readonly number[]
  readonly sent: readonly number[]
  readonly parts: readonly PicturePart[]
  readonly cuts: readonly PictureCut[]
  readonly cache: PictureCache
  /** The exchanges that are not in the window, from which request to which. */
  readonly absences: readonly Absence[]
  readonly arcs: readonly PictureArc[]
  /** Of all requests: the cost of the input, and of the calls that write summaries. */
  readonly costInput: number
  readonly costSummaries: number
}

export interface PicturePart {
  readonly kind: PartKind
  /** The tool of results that have a part of their own; null for those of all other tools. */
  readonly tool: string | null
  readonly tokens: readonly number[]
  /** Its percentage of what all requests of the run carried. */
  readonly share: number
}

/** Cuts in the same column are one. */
export interface PictureCut {
  /** The first request after it; the number of requests if it comes after the last one. */
  readonly request: number
  /** How many cuts it stands for. */
  readonly cuts: number
  /** Tokens before the first of them and after the last. */
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Where the context rule stands after the cut: the request that the first message inside answers, or was added for. */
  readonly rule: number
}

/**
 * What the requests of a column had of the prompt cache, in tokens, and what that cost, in the unit of the picture. `missed`
 * is what the request before had in the cache and this one pays for again; `added` is what is paid for the first time.
 */
export interface PictureCache {
  readonly read: readonly number[]
  readonly added: readonly number[]
  readonly missed: readonly number[]
  readonly readCost: readonly number[]
  readonly addedCost: readonly number[]
  readonly missedCost: readonly number[]
}

export interface Absence {
  readonly exchange: number
  /** The first request without it. */
  readonly from: number
  /** The first request that has it again; null if it is outside at the end. */
  readonly to: number | null
}

/** Uses of content that had left the window, from one column to another. */
export interface PictureArc {
  /** The first request that had what is used, and the one in whose answer it is used. */
  readonly from: number
  readonly to: number
  readonly uses: number
  /** The first few of them. */
  readonly examples: readonly ArcExample[]
}

export interface ArcExample {
  /** The file or target that it is of. Null where nothing says, or where words were not asked for. */
  readonly term: string | null
  /** Lines of the file: where it was used, and where it was last seen. */
  readonly line: number
  readonly seenLine: number
}
