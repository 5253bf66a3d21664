/**
 * A table before it is drawn, for a terminal or Markdown: its columns, the rows as values, the totals, and captions
 * with whatever is the same in every row.
 */
import { askedOf, type Run, type Simulation, type Total } from '../model/run.ts'
import { answerSentence } from './answer.ts'
import { arrange } from './arrange.ts'
import { partialCost } from './bill.ts'
import type { Column, Share } from './column.ts'
import { type Outcome, outcomeColumns } from './columns/outcome.ts'
import { runLosses, runRows, type SimulationColumns, simulationColumns } from './columns/rows.ts'
import { totalColumns } from './columns/total.ts'
import { askedBudget, several } from './numbers.ts'
import type { ReportOptions, Sheet } from './report.ts'
import type { RunNames } from './run-names.ts'

export interface Grid {
  readonly answers: readonly string[]
  readonly captions: readonly string[]
  readonly columns: readonly Column<never>[]
  readonly rows: readonly (readonly unknown[])[]
  /** Which values of the rows are marked, by column; null for a column without marks. */
  readonly marks: readonly (readonly boolean[] | null)[]
  readonly totals: readonly (readonly unknown[])[]
  /** Below the table: what is not in it. */
  readonly more: readonly string[]
}

/** A part of a whole in a cell: how much of it is written out depends on the room. */
export interface ShareCell extends Share {
  readonly kind: 'share'
}

/** The table of anything that has columns. */
export function gridOf<T>(
  columns: readonly Column<T>[],
  items: readonly T[],
  marked: Sheet<T>['marked'] = () => false,
): Grid {
  const shown = columns.filter(
    (column) => column.rank !== undefined && !isQuiet(column, items) && !isMissing(column, items),
  )
  return {
    answers: [],
    captions: [],
    columns: shown,
    rows: items.map((item) => shown.map((column) => cellOf(column, item))),
    marks: shown.map(({ key }) => {
      const marks = items.map((item) => marked(item, key))
      return marks.includes(true) ? marks : null
    }),
    totals: [],
    more: [],
  }
}

function cellOf<T>(column: Column<T>, item: T): unknown {
  const share = column.share?.(item)
  return share ? ({ kind: 'share', ...share } satisfies ShareCell) : column.value(item)
}

export const isShare = (value: unknown): value is ShareCell =>
  (value as Partial<ShareCell> | null | undefined)?.kind === 'share'

const isMissing = <T>({ optional, value }: Column<T>, items: readonly T[]): boolean =>
  optional === true && items.every((item) => value(item) === undefined)

function isQuiet<T>(column: Column<T>, items: readonly T[]): boolean {
  if (!column.quiet) return false
  const first = items.length > 0 && column.unit === 'text' ? column.value(items[0] as T) : null
  return items.every((item) => !column.value(item) || column.value(item) === first)
}

/** More sentences than this would be too many to read: the totals below the table say the same. */
const mostAnswers = 4

/**
 * The table of a simulation.
 * @param names of its runs
 */
export function simulationGrid(
  { runs, totals }: Simulation,
  names: RunNames,
  options: ReportOptions,
  columns: SimulationColumns = simulationColumns,
): Grid {
  const { by } = options
  const { overview } = names
  const own = totals.filter(({ transcripts }) => transcripts > 0)
  const answers =
    own.length > mostAnswers
      ? []
      : own.map((total) => {
          const one = total.transcripts === 1 ? runs.find((run) => askedOf(run) === total.estimator) : undefined
          const preamble = one && { preambleTokens: one.preambleTokens }
          const name = names.policyOf(total)
          const isLess = ({ budget, budgetAsked }: Run) => budgetAsked === total.budgetAsked && budget < total.budget
          const isMost = runs.some((run) => names.policyOf(run) === name && isLess(run))
          return answerSentence({ ...total, ...preamble, name, isMost })
        })
  const above = {
    answers,
    captions: [
      overview.extentSentence(),
      ...overview.captions(),
      ...partialCost(totals[0]?.transcripts, totals[0]?.cost),
    ],
  }
  if (by === 'reference') {
    const losses = gridOf(
      names.columnsFor(columns.loss, ({ run }) => run),
      runs.flatMap(runLosses),
    )
    return { ...losses, ...above }
  }
  if (by !== 'transcript') {
    const finer = gridOf(
      names.columnsFor(columns.row, ({ run }) => run),
      runs.flatMap(runRows),
    )
    return { ...finer, ...above, totals: totals.map((total) => finer.columns.map(totalValue(total, names))) }
  }
  const { runs: shown, hidden } = arrange(runs, names, options)
  const outcomes = outcomeColumns(overview.baseline, overview.unit, outcomeOf)
  const grid = gridOf(
    names.columnsFor(columns.run, (run) => run, outcomes),
    shown,
  )
  const sums = totals.filter(({ transcripts }) => transcripts > 1 || overview.copies > 0)
  return {
    ...grid,
    ...above,
    totals: sums.map((total) => grid.columns.map(totalValue(total, names))),
    more:
      hidden === 0
        ? []
        : [`… ${several(hidden, 'more transcript')}: show them with --full; every figure is in --output csv`],
  }
}

const outcomeOf = (run: Run): Outcome => ({ ...run, invalidRequests: run.exact.invalidRequests })

/** The cell of a total in a column: its outcome of this name, or else its own figure. */
function totalValue(total: Total, names: RunNames): (column: Column<never>, place: number) => unknown {
  const outcomes = new Map(
    outcomeColumns('', total.cost.unit, (sum: Total) => sum).map((column) => [column.key, column]),
  )
  return ({ key }, place) => {
    if (key === 'policy') return names.policyOf(total)
    if (key === 'budget') return askedBudget(total) || 'none'
    if (place === 0) return 'total'
    const outcome = outcomes.get(key)
    if (outcome) return cellOf(outcome, total)
    const column = totalColumns.find((column) => column.key === key)
    return column?.value(total) ?? ''
  }
}
