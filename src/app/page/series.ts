/**
 * What the picture of any session of the page is drawn from: sizes by kind of content, request by request, what the requests
 * cost, and how large they would have been under every policy and budget; small enough that a thousand sessions fit on one page.
 */
import type { Request } from '../../measures/measure.ts'
import type { PageSeries } from '../../model/page.ts'
import type { RequestBill } from '../../model/stored.ts'
import type { Trace } from '../../model/trace.ts'
import { packed } from '../../reports/html/packed.ts'
import { bytesOf, halved, type SeriesRows } from '../../reports/html/series.ts'
import { RequestShares } from '../../simulator/cache-shares.ts'
import type { Case } from '../../simulator/case.ts'
import type { Contents } from '../../simulator/contents.ts'
import type { Observer } from '../../simulator/replay.ts'
import { recordedCuts } from '../../simulator/session-picture.ts'
import { CoarseParts, WindowParts } from '../../simulator/window-parts.ts'

/** Columns of a picture: a request or several in each. */
const columns = 60
/** What a series may take, in characters of the page: 1.5 kB, packed. What policies come to gets coarser where that is not enough. */
const room = 2000

const costs = ['readCost', 'addedCost', 'missedCost'] as const

/** Of each of so many stretches of requests the largest, in tokens. */
export class Outline implements Observer {
  readonly waits = true
  readonly sent: number[] = []
  readonly #requests: number

  /** @param requests how many there will be */
  constructor(requests: number) {
    this.#requests = requests
  }

  request({ index, sentTokens }: Request): void {
    const at = columnOf(index, this.#requests)
    this.sent[at] = Math.max(this.sent[at] ?? 0, sentTokens)
  }
}

function columnOf(request: number, requests: number): number {
  return Math.floor(request / Math.max(1, Math.ceil(requests / columns)))
}

/** What the recorded agent sent, by kind, and what it cost. */
export class RecordedSeries implements Observer {
  readonly #facts: Case
  readonly #parts: CoarseParts
  readonly #window: WindowParts
  readonly #shares: RequestShares
  readonly #sent: number[] = []
  readonly #tokens: number[][]
  readonly #cost: Readonly<Record<(typeof costs)[number], number[]>> = { readCost: [], addedCost: [], missedCost: [] }
  #bill: RequestBill | null = null

  /** @param toolOf the tool of a message's result, as it may be printed; null where it is not known */
  constructor(facts: Case, toolOf: (message: number) => string | null) {
    const { trace, sizes, pricing, counted } = facts
    this.#facts = facts
    this.#parts = new CoarseParts(trace, sizes, toolOf, counted.unknownHistory !== null)
    this.#window = new WindowParts(trace, sizes, this.#parts)
    this.#shares = new RequestShares(pricing)
    this.#tokens = this.#parts.parts.map(() => [])
  }

  billed(bill: RequestBill): void {
    this.#bill = bill
  }

  request(request: Request, _: Contents): void {
    const { index, sentTokens } = request
    this.#window.request(request)
    const column = columnOf(index, this.#facts.trace.requests)
    const shares = this.#shares.of(this.#bill as RequestBill, sentTokens, index)
    for (const key of costs) {
      this.#cost[key][column] = (this.#cost[key][column] ?? 0) + shares[key]
    }
    if (sentTokens <= (this.#sent[column] ?? -1)) return
    this.#sent[column] = sentTokens
    for (const [part, units] of this.#window.units.entries()) {
      ;(this.#tokens[part] as number[])[column] = Math.max(0, this.#facts.sizes.tokens(units))
    }
  }

  /** @param outlines for each policy one for each budget: the requests of each column; null where they are as recorded */
  result(outlines: readonly (readonly (readonly number[] | null)[] | null)[]): PageSeries {
    const { trace, sizes } = this.#facts
    const { runs, of } = distinct(this.#sent, outlines)
    return {
      requests: trace.requests,
      requestsPerColumn: Math.max(1, Math.ceil(trace.requests / columns)),
      parts: this.#parts.parts,
      recorded: cutsIn(trace, sizes),
      of,
      packed: packedIn({ tokens: this.#tokens, cost: costs.map((key) => this.#cost[key]), runs }),
    }
  }
}

function packedIn(rows: SeriesRows): string {
  const text = packed(bytesOf(rows))
  const isCoarsest = (rows.runs[0]?.length ?? 0) <= 1
  return text.length <= room || isCoarsest ? text : packedIn({ ...rows, runs: halved(rows.runs) })
}

/** Each different outline once, the recorded one first; and for each policy, for each budget, which is its own. */
function distinct(
  recorded: readonly number[],
  outlines: readonly (readonly (readonly number[] | null)[] | null)[],
): Pick<SeriesRows, 'runs'> & Pick<PageSeries, 'of'> {
  const known = new Map([[recorded.join(), 0]])
  const runs = [recorded]
  const indexOf = (outline: readonly number[] | null): number => {
    if (outline === null) return 0
    const key = outline.join()
    const index = known.get(key) ?? runs.push(outline) - 1
    known.set(key, index)
    return index
  }
  return { runs, of: outlines.map((all) => (all ?? []).map(indexOf)) }
}

/** Cuts in the same column are one. */
function cutsIn(trace: Trace, sizes: Case['sizes']): PageSeries['recorded'] {
  const byColumn = new Map<number, PageSeries['recorded'][number]>()
  for (const cut of recordedCuts(trace, sizes)) byColumn.set(columnOf(cut.request, trace.requests), cut)
  return [...byColumn.values()]
}
