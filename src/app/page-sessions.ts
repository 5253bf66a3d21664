/** The sessions of the page: how each one's window grew, and what every policy at every budget comes to in it. */
import type { Request } from '../measures/measure.ts'
import type { PageCells, PageSession } from '../model/page.ts'
import {
  type Copied,
  type CostUnit,
  type Cut,
  type LossCounts,
  lossCounts,
  sourced,
  type TraceRun,
} from '../model/run.ts'
import type { Sessions } from '../model/sessions.ts'
import type { Observer } from '../simulator/replay.ts'
import type { SessionPart } from './sessions.ts'

/** How many stretches the growth of a window is shown in. */
const stretches = 48

/** A policy at a budget in one transcript. */
interface Cell {
  readonly unit: CostUnit
  /** Input and summaries, in millionths. */
  readonly paid: number
  readonly lost: number
  readonly sent: number
  readonly over: number
}

/** A run without the lists in it. */
export type Figured = Omit<TraceRun, 'cuts' | 'firstFaults'>

/** What the page shows of a run. It is kept beside the transcript, once for each policy and budget. */
export interface Tried
  extends Pick<Figured, 'fullTokens' | 'sentTokens' | 'peakTokens' | 'overBudgetRequests' | 'today'> {
  readonly cost: Pick<
    TraceRun['cost'],
    'unit' | 'pricesAsOf' | 'prefixBreaks' | 'input' | 'inputFull' | 'output' | 'summaries'
  >
  readonly validity: Pick<TraceRun['validity'], 'lostLatestUser'>
  readonly exact: Pick<TraceRun['exact'], 'invalidRequests' | 'edits' | 'heedsBudget'>
  readonly references?: LossCounts & {
    readonly headline: LossCounts
    readonly named: LossCounts
    readonly copied: Copied
  }
}

export function triedOf({ cost, validity, exact, references, ...run }: Figured): Tried {
  const { unit, pricesAsOf, prefixBreaks, input, inputFull, output, summaries } = cost
  const { invalidRequests, edits, heedsBudget } = exact
  const { fullTokens, sentTokens, peakTokens, overBudgetRequests, today } = run
  return {
    ...{ fullTokens, sentTokens, peakTokens, overBudgetRequests, today },
    cost: { unit, pricesAsOf, prefixBreaks, input, inputFull, output, summaries },
    validity: { lostLatestUser: validity.lostLatestUser },
    exact: { invalidRequests, edits, heedsBudget },
    ...(references && {
      references: {
        ...countsOf(references),
        headline: countsOf(references.headline),
        named: countsOf(references.named),
        copied: references.copied,
      },
    }),
  }
}

function countsOf(losses: LossCounts): LossCounts {
  return Object.fromEntries(lossCounts.map((key) => [key, losses[key]])) as unknown as LossCounts
}

/** What is kept of a transcript to the end. */
export interface Kept extends Pick<PageSession, 'growth' | 'cuts' | 'series'> {
  readonly today: Cell
  readonly whole: Cell
  readonly uses: number
  readonly cells: readonly (readonly Cell[])[]
}

/** How the window grew, request by request. */
export class Growth implements Observer {
  readonly #requests: number
  readonly #most: number[] = []

  /** @param requests how many there will be */
  constructor(requests: number) {
    this.#requests = requests
  }

  request({ index, sentTokens }: Request): void {
    const at = this.#stretch(index)
    this.#most[at] = Math.max(this.#most[at] ?? 0, sentTokens)
  }

  result(cuts: Iterable<Cut>): Pick<PageSession, 'growth' | 'cuts'> {
    const at = new Set<number>()
    for (const { request } of cuts) if (request < this.#requests) at.add(this.#stretch(request))
    return { growth: this.#most, cuts: [...at] }
  }

  #stretch(request: number): number {
    return this.#requests <= stretches ? request : Math.floor((request * stretches) / this.#requests)
  }
}

export function cellOf(run: Tried): Cell {
  const { cost, references, sentTokens, overBudgetRequests } = run
  return {
    unit: cost.unit,
    paid: millionths(cost.input) + millionths(cost.summaries),
    lost: references?.headline.sourceLost ?? 0,
    sent: sentTokens,
    over: overBudgetRequests,
  }
}

export function usesOf({ references }: Figured): number {
  return references ? sourced(references.headline) : 0
}

export function sessionOf(
  {
    session,
    file,
    format,
    project,
    model,
    title,
    first,
    last,
    transcripts,
    requests,
    spent,
  }: Sessions['sessions'][number],
  parts: readonly SessionPart[],
  known: ReadonlyMap<SessionPart, Kept>,
  unit: CostUnit,
): PageSession {
  const kept = parts.map((part) => known.get(part) as Kept)
  const costed = kept.filter(({ today }) => today.unit === unit)
  const [own] = kept as [Kept]
  const sum = (all: readonly Kept[], of: (one: Kept) => number): number =>
    all.reduce((total, one) => total + of(one), 0)
  const cells = own.cells.map((budgets, policy): PageCells => {
    const column = (all: readonly Kept[], of: (cell: Cell) => number): number[] =>
      shortened(budgets.map((_, nth) => sum(all, ({ cells }) => of(cells[policy]?.[nth] as Cell))))
    return {
      paid: column(costed, ({ paid }) => paid),
      lost: column(kept, ({ lost }) => lost),
      sent: column(kept, ({ sent }) => sent),
      over: column(kept, ({ over }) => over),
    }
  })
  return {
    ...{ session, file, format, project, model, title, first, last, transcripts, requests, spent },
    costed: costed.length > 0,
    today: {
      paid: sum(costed, ({ today }) => today.paid),
      lost: sum(kept, ({ today }) => today.lost),
      uses: sum(kept, ({ uses }) => uses),
      sent: sum(kept, ({ today }) => today.sent),
    },
    unprunedPaid: sum(costed, ({ whole }) => whole.paid),
    growth: own.growth,
    cuts: own.cuts,
    cells,
    series: { ...own.series, of: own.series.of.map(shortened) },
  }
}

/** Without the values at its end that only repeat the one before. */
function shortened(values: readonly number[]): number[] {
  let length = values.length
  while (length > 1 && values[length - 1] === values[length - 2]) length--
  return values.slice(0, length)
}

function millionths(amount: number): number {
  return Math.round(amount * 1e6)
}
