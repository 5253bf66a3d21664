/**
 * A table before it is drawn, for a terminal or Markdown: its columns, the rows as values, the totals, and captions with
 * whatever is the same in every row.
 */
import type { Simulation, Total } from '../model/run.ts'
import type { Column } from './column.ts'
import { runLosses, runRows, type SimulationColumns, simulationColumns } from './columns/rows.ts'
import { shareWords } from './numbers.ts'
import { partialCost } from './overview.ts'
import type { ReportOptions, Sheet } from './report.ts'
import type { RunNames } from './run-names.ts'

export interface Grid {
  readonly captions: readonly string[]
  readonly columns: readonly Column<never>[]
  readonly rows: readonly (readonly unknown[])[]
  /** Which values of the rows are marked, by column; null for a column without marks. */
  readonly marks: readonly (readonly boolean[] | null)[]
  readonly totals: readonly (readonly unknown[])[]
}

/** The table of anything that has columns. */
export function gridOf<T>(
  columns: readonly Column<T>[],
  items: readonly T[],
  marked: Sheet<T>['marked'] = () => false,
): Grid {
  const shown = columns.filter((column) => column.rank !== undefined && !isQuiet(column, items))
  return {
    captions: [],
    columns: shown,
    rows: items.map((item) => shown.map((column) => cellOf(column, item))),
    marks: shown.map(({ key }) => {
      const marks = items.map((item) => marked(item, key))
      return marks.includes(true) ? marks : null
    }),
    totals: [],
  }
}

/** A percentage of countable things becomes words, and stays aligned to the right. */
function cellOf<T>(column: Column<T>, item: T): unknown {
  const share = column.share?.(item)
  return share ? shareWords(share.part, share.whole) : column.value(item)
}

function isQuiet<T>(column: Column<T>, items: readonly T[]): boolean {
  if (!column.quiet) return false
  const first = items.length > 0 && column.unit === 'text' ? column.value(items[0] as T) : null
  return items.every((item) => !column.value(item) || column.value(item) === first)
}

/**
 * The table of a simulation.
 * @param names of its runs
 */
export function simulationGrid(
  { runs, totals }: Simulation,
  names: RunNames,
  by: ReportOptions['by'],
  columns: SimulationColumns = simulationColumns,
): Grid {
  const grid =
    by === 'transcript'
      ? gridOf(
          names.columnsFor(columns.run, (run) => run),
          runs,
        )
      : by === 'reference'
        ? gridOf(
            names.columnsFor(columns.loss, ({ run }) => run),
            runs.flatMap(runLosses),
          )
        : gridOf(
            names.columnsFor(columns.row, ({ run }) => run),
            runs.flatMap(runRows),
          )
  return {
    ...grid,
    captions: [
      ...names.overview.captions(),
      ...partialCost(totals[0]?.transcripts, totals[0]?.cost).map((words) => `total ${words}`),
    ],
    totals: totals
      .filter((total) => total.transcripts > 1 || by !== 'transcript' || names.overview.copies > 0)
      .map((total) => grid.columns.map(({ key }, at) => totalValue(key, at, total, names))),
  }
}

function totalValue(key: string, place: number, total: Total, names: RunNames): unknown {
  if (key === 'policy') return names.policyOf(total)
  if (key === 'budget') return total.budgetAsked ?? (total.budget || 'none')
  if (place === 0) return 'total'
  const [block, part] = key.split('.') as [keyof Total, string | undefined]
  if (part === undefined) return total[block] ?? ''
  return (total[block] as Readonly<Record<string, unknown>> | undefined)?.[part] ?? ''
}
