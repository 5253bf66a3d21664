/**
 * A table before it is drawn, the same for a terminal and for Markdown: the columns people want to see, the rows as
 * values, the totals, and above them in words whatever is the same in every row.
 */
import type { Run, Simulation, Total } from '../model/run.ts'
import type { Column } from './column.ts'
import { type SimulationColumns, simulationColumns } from './columns.ts'
import { grouped } from './numbers.ts'
import { fullPolicy, type Overview, overviewOf, paramWords, partialCost } from './overview.ts'
import type { ReportOptions, Sheet } from './report.ts'

export interface Grid {
  readonly captions: readonly string[]
  readonly columns: readonly Column<never>[]
  readonly rows: readonly (readonly unknown[])[]
  /** Which values of the rows stand out, column by column; null where none does. */
  readonly marks: readonly (readonly boolean[] | null)[]
  readonly totals: readonly (readonly unknown[])[]
}

/** What people call a run: its transcript, and its policy, budget and estimator where the runs differ in them. */
export type RunName = (run: Run) => string

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
    rows: items.map((item) => shown.map((column) => column.value(item))),
    marks: shown.map(({ key }) => {
      const marks = items.map((item) => marked(item, key))
      return marks.includes(true) ? marks : null
    }),
    totals: [],
  }
}

function isQuiet<T>(column: Column<T>, items: readonly T[]): boolean {
  if (!column.quiet) return false
  const first = items.length > 0 && column.unit === 'text' ? column.value(items[0] as T) : null
  return items.every((item) => !column.value(item) || column.value(item) === first)
}

/** The table of a simulation. */
export function simulationGrid(
  { runs, totals }: Simulation,
  by: ReportOptions['by'],
  columns: SimulationColumns = simulationColumns,
): Grid {
  const names = new Names(runs)
  const grid =
    by === 'transcript'
      ? gridOf(
          names.columnsFor(columns.run, (run) => run),
          runs,
        )
      : gridOf(
          names.columnsFor(columns.row, ({ run }) => run),
          runs.flatMap((run) => (run.rows ?? []).map((row) => ({ run, row }))),
        )
  return {
    ...grid,
    captions: [
      ...names.overview.captions(),
      ...partialCost(totals[0]?.transcripts, totals[0]?.cost).map((words) => `total ${words}`),
    ],
    totals: totals
      .filter((total) => total.transcripts > 1 || by !== 'transcript')
      .map((total) => grid.columns.map(({ key }, at) => totalValue(key, at, total, names))),
  }
}

export function runNames(runs: readonly Run[]): RunName {
  const names = new Names(runs)
  return (run) => names.nameOf(run)
}

/** Tells the runs apart in as few words as possible. */
class Names {
  readonly overview: Overview
  readonly #directory: string
  readonly #params: ReadonlyMap<string, ReadonlySet<string>>
  readonly #runs: readonly Run[]
  /** What a run's name needs besides its transcript. */
  readonly #telling: readonly ((run: Run) => string)[]

  constructor(runs: readonly Run[]) {
    this.overview = overviewOf(runs)
    this.#directory = this.overview.directory
    const params = new Map<string, Set<string>>()
    for (const run of runs) params.set(run.policy, (params.get(run.policy) ?? new Set()).add(paramWords(run.params)))
    this.#params = params
    this.#runs = runs
    const parts = [
      (run: Run) => this.policyOf(run),
      (run: Run) => (run.budget === 0 ? 'no budget' : grouped(run.budget)),
      (run: Run) => run.estimatorAsked ?? run.estimator,
    ]
    this.#telling = parts.filter((part) => this.#varies(part))
  }

  #varies(value: (run: Run) => unknown): boolean {
    return this.#runs.some((run) => value(run) !== value(this.#runs[0] as Run))
  }

  transcriptOf(run: Run): string {
    const file = run.transcript.slice(this.#directory.length)
    return this.overview.conversations(run.transcript) > 1 ? `${file}#${run.conversation ?? '?'}` : file
  }

  /** The params are part of the name only where the policy stands in the list with others. */
  policyOf({ policy, params }: { policy: string; params?: Run['params'] }): string {
    const several = (this.#params.get(policy)?.size ?? 0) > 1
    return several && params ? fullPolicy(policy, params) : policy
  }

  nameOf(run: Run): string {
    return [this.transcriptOf(run), ...this.#telling.map((part) => part(run))].join(' · ')
  }

  /** Leaves out what is the same in every run: it is said in the captions. */
  columnsFor<T>(columns: readonly Column<T>[], runOf: (item: T) => Run): Column<T>[] {
    const own: Readonly<Record<string, (run: Run) => unknown>> = {
      transcript: (run) => this.transcriptOf(run),
      policy: (run) => this.policyOf(run),
      budget: (run) => run.budget || 'none',
      estimator: (run) => run.estimator,
      format: (run) => run.format,
      model: (run) => run.model,
      preambleSource: (run) => run.preambleSource,
    }
    const varying = columns.flatMap((column): Column<T>[] => {
      const value = Object.hasOwn(own, column.key) ? own[column.key] : undefined
      if (!value) return [column]
      return this.#varies(value) ? [{ ...column, value: (item) => value(runOf(item)) }] : []
    })
    // A row needs a name, even where all have the same.
    const isNamed = varying.some(({ key }) => ['transcript', 'policy', 'budget', 'estimator', 'exchange'].includes(key))
    const name = { ...(columns[0] as Column<T>), value: (item: T) => this.transcriptOf(runOf(item)) }
    return isNamed ? varying : [name, ...varying]
  }
}

function totalValue(key: string, place: number, total: Total, names: Names): unknown {
  if (key === 'policy') return names.policyOf(total)
  if (key === 'budget') return total.budget || 'none'
  if (place === 0) return 'total'
  const [block, part] = key.split('.') as [keyof Total, string | undefined]
  if (part === undefined) return total[block] ?? ''
  return (total[block] as Readonly<Record<string, unknown>> | undefined)?.[part] ?? ''
}
