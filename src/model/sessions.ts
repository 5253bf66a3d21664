/** What agents have recorded, session by session: what `ctxwin` alone tells. */
import type { Decision } from './recommendation.ts'
import type { Diagnostic, Today, TotalSpent } from './run.ts'

/** A session with its sub-agents, or a conversation with its forks. */
export interface SessionSummary {
  /** The id the format gives it, else null. */
  readonly session: string | null
  /** The file that holds the session itself; where only sub-agents were read, the first of theirs. */
  readonly file: string
  readonly format: string
  /** Where the agent worked. */
  readonly project: string | null
  /** The first one that answered. */
  readonly model: string | null
  /** The user's first words. */
  readonly title: string | null
  /** When the first and the last response were recorded, as ISO 8601 has it; null where the format has no times. */
  readonly first: string | null
  readonly last: string | null
  readonly transcripts: number
  readonly requests: number
  /** Tokens that were sent, by the estimator: the agent's own compactions are taken into account. */
  readonly sentTokens: number
  /** In USD: of the calls whose price is known; null where none is. */
  readonly spent: number | null
}

export interface Sessions {
  readonly schemaVersion: 1
  /** The dearest first; those without a bill behind them, by tokens. */
  readonly sessions: readonly SessionSummary[]
  readonly totals: SessionTotals
  /** As `recommend` has them; none where nobody asked for them. */
  readonly decisions: readonly Decision[]
  readonly diagnostics: readonly Diagnostic[]
}

export interface SessionTotals {
  readonly transcripts: number
  readonly requests: number
  /** Requests that an earlier file has, too: they count there. */
  readonly requestsElsewhere: number
  readonly first: string | null
  readonly last: string | null
  /** Of the calls whose price is known; null where none is. */
  readonly spent: TotalSpent | null
  /** What the recorded agents' own compactions make of it, in the model; `saved…` is against the unpruned history. */
  readonly today: Pick<Today, 'sentTokens' | 'costInput' | 'summaries' | 'savedTokens'> & {
    readonly unit: 'usd' | 'input-token-equivalents'
    readonly costSaved: number
    /** Of the requests of transcripts of which the whole bill is known; null where there is none. */
    readonly costRecorded: number | null
    /** What was billed for the input of the same. */
    readonly costBilled: number | null
  }
  readonly unpruned: {
    readonly sentTokens: number
    readonly costInput: number
    /** Requests that would not have fit into their model's window. */
    readonly overWindowRequests: number
  }
  /** How often the agents compacted or cleared their history. */
  readonly compactions: number
}
