/**
 * What the next cut of a running session would cost, now and once its prompt cache has gone cold. docs/advise.md says how
 * each figure comes about. Times are milliseconds since the epoch.
 */
import type { CostUnit } from './run.ts'

/** What to do about the next cut. */
export const verdicts = ['cut', 'wait'] as const
export type Verdict = (typeof verdicts)[number]

/**
 * Why: the next request is over the model's window; a cut pays for itself with the requests that are expected; it would take
 * more requests than these, or never pay; nothing would leave.
 */
export const reasons = ['over-window', 'pays', 'dear', 'nothing-to-cut'] as const
export type VerdictReason = (typeof reasons)[number]

/** `none`: the model has no prompt cache. `unknown`: the transcript records no times. */
export const states = ['warm', 'cold', 'none', 'unknown'] as const

/** Of amounts: US dollars, or for a model without a price multiples of what an input token costs. */
export const units = ['usd', 'input-token-equivalents'] as const satisfies readonly CostUnit[]

export interface ContextNow {
  /** Of the request that would go out next: what the provider counted for the last one, and an estimate of what came since. */
  readonly tokens: number
  /** Between these in nine of ten sessions; null where no interval is known. */
  readonly lowTokens: number | null
  readonly highTokens: number | null
  /** What the provider counted for the last request; null where it recorded nothing. */
  readonly recordedTokens: number | null
  /** The context window of the model; null for an unknown model. */
  readonly window: number | null
}

export interface CacheNow {
  readonly state: (typeof states)[number]
  /** When it goes cold, or went; null if that is not known. */
  readonly coldFrom: number | null
  /** Seconds that an entry lives after its last use. */
  readonly life: number
  /** Tokens of the next request that a warm cache serves. */
  readonly servedTokens: number
}

/** What a cut costs and saves, in the unit of the advice. */
export interface CutCost {
  /** What the next request costs more because of the cut; less, where it is below 0. */
  readonly next: number
  /** Of that, what a model reads and writes for a summary. */
  readonly summary: number
  /** What it costs besides that the agent reads again what has left. */
  readonly rereads: number
  /** What each request behind the next one costs less, with what is read again in the context; 0 where it costs no less. */
  readonly saves: number
  /** How many of those it takes until the cut has paid for itself, with what is read again; null if it never does. */
  readonly breakEvenRequests: number | null
}

/** What is read again behind a cut, as recorded sessions have it. */
export interface RereadNow {
  readonly tokens: number
  /** Requests more that this takes. */
  readonly requests: number
}

/** How many requests are still to come, as recorded sessions have it. */
export interface LeftNow {
  /** Requests made since the session began, or was last cut. */
  readonly made: number
  /** Requests behind the next one, until the next cut or the end; a mean. */
  readonly expected: number
  /** What it was learned from: so many stretches between two cuts, of this program; of all of them where it is null. */
  readonly stretches: number
  readonly program: string | null
}

export interface NextCut {
  /** The policy would act before the next request by itself. Else it is told that the budget has been reached already. */
  readonly due: boolean
  /** How many tokens are left until the budget; 0 when it is reached. */
  readonly roomTokens: number
  /** How much the session has grown by per request, in its usual exchange; null before the first one is over. */
  readonly roomRequests: number | null
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Messages that would leave, or be shortened, and the tokens that go with them. */
  readonly messages: number
  readonly takenTokens: number
  /** Of these: in messages that no response has used since; and that one of the last responses used. */
  readonly unusedTokens: number
  readonly usedLatelyTokens: number
  /** Of what leaves now. */
  readonly rereads: RereadNow
  readonly now: CutCost
  /** With the cache as warm as it is now, when the usual exchange has been added; null where no exchange tells. */
  readonly atExchangeEnd: CutCost | null
  /** Once the cache has gone cold. */
  readonly cold: CutCost
}

export interface Advice {
  readonly verdict: Verdict
  readonly reason: VerdictReason
  /** The moment it is for. */
  readonly now: number
  readonly transcript: string
  readonly conversation: string | null
  readonly model: string | null
  readonly policy: string
  /** Tokens. */
  readonly budget: number
  readonly requests: number
  readonly left: LeftNow
  readonly unit: CostUnit
  readonly context: ContextNow
  readonly cache: CacheNow
  readonly cut: NextCut | null
}
