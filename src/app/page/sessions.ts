/** The sessions of the page: how each one's window grew, and what every policy at every budget comes to in it. */
import type { Request } from '../../measures/measure.ts'
import type { PageCells, PageSession } from '../../model/page.ts'
import { type CostUnit, type Cut, sourced } from '../../model/run.ts'
import type { Sessions } from '../../model/sessions.ts'
import type { Figures } from '../../simulator/figures.ts'
import type { Observer } from '../../simulator/replay.ts'
import type { SessionPart } from '../bill/sessions.ts'

/** How many stretches the growth of a window is shown in. */
const stretches = 48

/** What the page shows of a policy at a budget in one transcript. */
interface PageCell {
  readonly unit: CostUnit
  /** Input and summaries, in millionths. */
  readonly paid: number
  readonly lost: number
  readonly sent: number
  readonly over: number
}

/** What is kept of a transcript to the end. */
export interface Kept extends Pick<PageSession, 'growth' | 'cuts' | 'series'> {
  readonly today: PageCell
  readonly whole: PageCell
  readonly uses: number
  readonly cells: readonly (readonly PageCell[])[]
}

/** How the window grew, request by request. */
export class Growth implements Observer {
  readonly #requests: number
  readonly #most: number[] = []
  readonly #cuts = new Set<number>()

  /** @param requests how many there will be */
  constructor(requests: number) {
    this.#requests = requests
  }

  request({ index, sentTokens }: Request): void {
    const at = this.#stretch(index)
    this.#most[at] = Math.max(this.#most[at] ?? 0, sentTokens)
  }

  cut({ request }: Cut): void {
    if (request < this.#requests) this.#cuts.add(this.#stretch(request))
  }

  result(): Pick<PageSession, 'growth' | 'cuts'> {
    return { growth: this.#most, cuts: [...this.#cuts] }
  }

  #stretch(request: number): number {
    return this.#requests <= stretches ? request : Math.floor((request * stretches) / this.#requests)
  }
}

export function pageCellOf({ cost, references, sentTokens, overBudgetRequests }: Figures): PageCell {
  return {
    unit: cost.unit,
    paid: millionths(cost.input) + millionths(cost.summaries),
    lost: references.headline.sourceLost,
    sent: sentTokens,
    over: overBudgetRequests,
  }
}

export function usesOf({ references }: Figures): number {
  return sourced(references.headline)
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
    const column = (all: readonly Kept[], of: (cell: PageCell) => number): number[] =>
      shortened(budgets.map((_, nth) => sum(all, ({ cells }) => of(cells[policy]?.[nth] as PageCell))))
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
