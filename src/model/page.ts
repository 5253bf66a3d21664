/**
 * What the page of `report` shows: all that is on it has been computed beforehand, so that the page looks figures up and
 * works out none. Amounts of money are whole millionths of `unit` where they stand in columns, which add up exactly.
 */
import type { Role } from './message.ts'
import type { EndpointQuality } from './quality.ts'
import type { Decision } from './recommendation.ts'
import type { ShownUnit, Sums, Today, TotalSpent } from './run.ts'
import type { PicturePart, PictureRun, SessionPicture } from './session-picture.ts'
import type { SessionSummary } from './sessions.ts'
import type { CompactionSum, Spending } from './spending.ts'
import type { TurnOn } from './turn-on.ts'

/**
 * How much of the transcripts' text is on the page: none of it, not even names of tools; or names of tools and files, and the
 * first words of exchanges; or, of the sessions with a picture, the messages, too.
 */
export const textKept = ['none', 'words', 'full'] as const
export type TextKept = (typeof textKept)[number]

/** Requests that fail or mislead: a setting that has any is not offered. */
export const harms = ['invalidRequests', 'lostLatestUser'] as const

export const harmsOf = ({ invalidRequests, validity }: Pick<Sums, 'invalidRequests' | 'validity'>) => ({
  invalidRequests,
  lostLatestUser: validity.lostLatestUser,
})

/** Whether a setting makes no request fail. */
export const isHarmless = (point: Readonly<Record<(typeof harms)[number], number>>): boolean =>
  harms.every((key) => point[key] === 0)

/** A policy at a budget, over all transcripts: the figures of its total in `simulate --output json`. */
export interface PagePoint extends Readonly<Record<(typeof harms)[number], number>> {
  readonly sentTokens: number
  readonly costInput: number
  readonly summaries: number
  /** Against today; negative where it is dearer. */
  readonly costSaved: number
  readonly costSavedPercent: number
  /** Later uses of content that find it gone. */
  readonly lost: number
  readonly overBudgetRequests: number
  /** No other point is cheaper and loses no more. */
  readonly front: boolean
}

export interface PagePolicy {
  /** As on the command line, without params at their defaults. */
  readonly setting: string
  readonly summary: string
  /** Whether the budget matters to it; if not, all points are the same. */
  readonly heedsBudget: boolean
  /** For each budget. */
  readonly points: readonly PagePoint[]
  /** For each budget how a person makes a program do it; null where no program does. */
  readonly turnOn: readonly (TurnOn | null)[]
  /** For each budget whether its program takes it. At one that it refuses, what was recorded stands. */
  readonly accepted: readonly boolean[]
}

/** A session under a policy, for each budget; what stays the same to the last budget is not repeated. */
export interface PageCells {
  /** Input and summaries, in millionths. */
  readonly paid: readonly number[]
  readonly lost: readonly number[]
  readonly sent: readonly number[]
  readonly over: readonly number[]
}

export interface PageSession
  extends Pick<
    SessionSummary,
    | 'session'
    | 'file'
    | 'format'
    | 'project'
    | 'model'
    | 'title'
    | 'first'
    | 'last'
    | 'transcripts'
    | 'requests'
    | 'spent'
  > {
  /** Whether its amounts are in the unit of the page. */
  readonly costed: boolean
  readonly today: { readonly paid: number; readonly lost: number; readonly uses: number; readonly sent: number }
  /** Nothing ever leaves: in millionths. */
  readonly unprunedPaid: number
  /** Tokens of its own requests as they were sent, the most of each of so many stretches; its sub-agents are left out. */
  readonly growth: readonly number[]
  /** The stretches in which the recorded agent compacted or cleared its history. */
  readonly cuts: readonly number[]
  /** For each policy. */
  readonly cells: readonly PageCells[]
  readonly series: PageSeries
}

/** What the picture of a session is drawn from: of its own transcript, without those of its sub-agents. */
export interface PageSeries extends Pick<SessionPicture, 'requests' | 'requestsPerColumn' | 'recorded'> {
  /** What filled the windows, from the bottom up: seven parts at most. */
  readonly parts: readonly Pick<PicturePart, 'kind' | 'tool'>[]
  /** For each policy, for each budget, which row of `runs` is its own; what stays the same to the last budget is not repeated. */
  readonly of: readonly (readonly number[])[]
  /** `SeriesRows`, deflated, in base64. */
  readonly packed: string
}

/** What was decided for a program, and what that was decided among. */
export interface PageProgram extends Pick<Decision, 'outcome' | 'keepReason' | 'transcripts' | 'costed'> {
  readonly name: string
  readonly unit: ShownUnit
  /** What was billed, in US dollars or percent of all; null where nothing was. */
  readonly spent: number | null
  /** What to do, in a sentence or two, and how. */
  readonly words: string
  readonly turnOn: TurnOn | null
  /** Index of the best point, whether or not it is good enough; null if none is fit. */
  readonly best: number | null
  /** What the input cost. */
  readonly paid: number
  /** Later uses of content: how many there are, how many the present setting would lose, and how many the recorded agents lost. */
  readonly uses: number
  readonly presentLost: number
  readonly recordedLost: number
  /** In percent, as in `Decision`. */
  readonly errorPercent: number
  readonly keptPercent: number
  readonly points: readonly PageCandidate[]
}

/** A setting, as it was decided about. */
export interface PageCandidate {
  readonly setting: string
  /** "160k"; null where it does not matter. */
  readonly budget: string | null
  /** Input, summaries, and what is read again. */
  readonly net: number
  readonly rereads: number
  readonly lost: number
  /** Of what was paid, in percent: what is saved in 95 of 100 cases is between these; null where there are too few sessions. */
  readonly low: number | null
  readonly high: number | null
  /** More of the later uses than the present setting loses, in percent: to be expected. */
  readonly extraPercent: number
  /** Whether it makes no request that fails or does not fit. */
  readonly fits: boolean
}

export interface PageMessage {
  readonly role: Role
  /** Of the file. */
  readonly line: number
  readonly text: string
  /** Characters at its end that are not on the page. */
  readonly more: number
}

/** What fills the window of one session, under each policy and budget of the page. */
export interface PagePicture {
  /** Index of the page's list. */
  readonly session: number
  readonly picture: Omit<SessionPicture, 'runs'>
  /** Each different run once; the first is what the recorded agent did. */
  readonly runs: readonly PictureRun[]
  /** For each policy, for each budget, the index of its run. */
  readonly of: readonly (readonly number[])[]
  /** Only with the full text. */
  readonly messages?: readonly PageMessage[]
}

export interface Page {
  readonly schemaVersion: 1
  readonly text: TextKept
  readonly unit: ShownUnit
  /** US dollars that are the whole of its percentages; null where amounts are no shares. */
  readonly inPercent: number | null
  /** ISO date of the oldest source of the prices. */
  readonly pricesAsOf: string
  readonly transcripts: number
  /** How many of the transcripts are in the amounts. */
  readonly costed: number
  readonly requests: number
  /** What `ctxwin` alone says, and the command lines that go with it. */
  readonly answer: readonly {
    readonly words: string
    readonly command: string | null
    /** Of a decision: whose it is. */
    readonly program?: { readonly name: string }
  }[]
  /** The one with most money first. */
  readonly programs: readonly PageProgram[]
  /** In tokens, the smallest first; or shares of the model's window as they were asked for. */
  readonly budgets: readonly (number | string)[]
  readonly policies: readonly PagePolicy[]
  /** Indices of what is to be set or tried; else of what comes nearest to what there is. Null where that is not on the page. */
  readonly opensAt: { readonly policy: number; readonly budget: number } | null
  readonly today: Pick<Today, 'sentTokens' | 'costInput' | 'summaries' | 'overWindowRequests'> & {
    readonly lost: number
    readonly uses: number
  }
  /** Nothing ever leaves. */
  readonly unpruned: PagePoint & { readonly overWindowRequests: number }
  /** The dearest first. */
  readonly sessions: readonly PageSession[]
  /** Of the dearest sessions, as many as there is room for. */
  readonly pictures: readonly PagePicture[]
  /** Null where no usage is recorded. */
  readonly spending: Pick<Spending, 'total' | 'parts' | 'results' | 'causes' | 'misses'> | null
  /** What recorded compactions did, by program. */
  readonly compactions: readonly CompactionSum[]
  readonly bill: TotalSpent | null
  /** How well the agent worked by the size of its window, each endpoint by itself. */
  readonly quality: readonly EndpointQuality[]
  /** How far the estimators are from what providers recorded, and what is the same in all transcripts, in sentences. */
  readonly counting: readonly string[]
  readonly captions: readonly string[]
  readonly damagedLines: number
  /** What is to be said about the files, in sentences: the first of each kind. */
  readonly noticed: readonly string[]
}
