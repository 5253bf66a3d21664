/**
 * A table before it is drawn, the same for a terminal and for Markdown: the columns people want to see, the rows as
 * values, the totals, and above them in words whatever is the same in every row.
 */
import type { CostUnit, Run, Simulation, Total, TotalCost } from '../model/run.ts'
import { type Column, rowColumns, runColumns } from './columns.ts'
import { grouped, several } from './numbers.ts'
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
export function simulationGrid({ runs, totals }: Simulation, by: ReportOptions['by']): Grid {
  const names = new Names(runs)
  const grid =
    by === 'transcript'
      ? gridOf(
          names.columnsFor(runColumns, (run) => run),
          runs,
        )
      : gridOf(
          names.columnsFor(rowColumns, ({ run }) => run),
          runs.flatMap((run) => (run.rows ?? []).map((row) => ({ run, row }))),
        )
  return {
    ...grid,
    captions: [
      ...captionsOf(runs, names),
      ...partialCost(totals[0]?.transcripts, totals[0]?.cost).map((words) => `total ${words}`),
    ],
    totals: totals
      .filter((total) => total.transcripts > 1 || by !== 'transcript')
      .map((total) => grid.columns.map(({ key }, at) => totalValue(key, at, total, names))),
  }
}

/** What was read and what is the same in every run. */
export function captionsOf(runs: readonly Run[], names = new Names(runs)): string[] {
  return [inputCaption(runs, names), ...settingsCaptions(runs, names)]
}

export function runNames(runs: readonly Run[]): RunName {
  const names = new Names(runs)
  return (run) => names.nameOf(run)
}

/** Tells the runs apart in as few words as possible. */
class Names {
  /** The directory that all transcripts share, with its slash; empty where there is none. */
  readonly directory: string
  readonly transcripts: number
  readonly #conversations = new Map<string, Set<string | null>>()
  readonly #params: ReadonlyMap<string, ReadonlySet<string>>
  readonly #runs: readonly Run[]
  /** What a run's name needs besides its transcript. */
  readonly #telling: readonly ((run: Run) => string)[]

  constructor(runs: readonly Run[]) {
    for (const run of runs) {
      const known = this.#conversations.get(run.transcript)
      if (known) known.add(run.conversation)
      else this.#conversations.set(run.transcript, new Set([run.conversation]))
    }
    const files = [...this.#conversations.keys()]
    this.directory = commonDirectory(files)
    this.transcripts = [...this.#conversations.values()].reduce((sum, { size }) => sum + size, 0)
    const params = new Map<string, Set<string>>()
    for (const run of runs) params.set(run.policy, (params.get(run.policy) ?? new Set()).add(knobs(run.params)))
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
    const file = run.transcript.slice(this.directory.length)
    const several = (this.#conversations.get(run.transcript)?.size ?? 0) > 1
    return several ? `${file}#${run.conversation ?? '?'}` : file
  }

  /** The knobs are part of the name only where the policy stands in the list with others. */
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

  /** What all runs share, or undefined. */
  same<V>(value: (run: Run) => V): V | undefined {
    const [first] = this.#runs
    return first && !this.#varies(value) ? value(first) : undefined
  }
}

/** "3 transcripts in fixtures/: 14 exchanges, 41 requests, no damaged lines" */
function inputCaption(runs: readonly Run[], names: Names): string {
  let exchanges = 0
  let requests = 0
  const seen = new Set<string>()
  const damaged = new Map<string, number>()
  for (const run of runs) {
    damaged.set(run.transcript, run.damagedLines)
    const key = JSON.stringify([run.transcript, run.conversation])
    if (seen.has(key)) continue
    seen.add(key)
    exchanges += run.exchanges
    requests += run.requests
  }
  const lost = [...damaged.values()].reduce((sum, lines) => sum + lines, 0)
  const what =
    names.transcripts === 1
      ? runs[0]?.transcript
      : several(names.transcripts, 'transcript') + (names.directory ? ` in ${names.directory}` : '')
  return [
    `${what}: ${several(exchanges, 'exchange')}`,
    several(requests, 'request'),
    lost === 0 ? 'no damaged lines' : several(lost, 'damaged line'),
  ].join(', ')
}

/**
 * "policy ikigai:keepLast=1 · budget 100,000 tokens · estimator bytes"
 * "format openai-chat · model gpt-5 · preamble recorded"
 */
function settingsCaptions(runs: readonly Run[], names: Names): string[] {
  const said = (word: string, value: string | null | undefined): string[] => (value ? [`${word} ${value}`] : [])
  const budget = names.same((run) => run.budget)
  const preamble = names.same((run) => run.preambleSource)
  const settings = [
    ...said(
      'policy',
      names.same((run) => fullPolicy(run.policy, run.params)),
    ),
    ...(budget === undefined ? [] : [budget === 0 ? 'no budget' : `budget ${grouped(budget)} tokens`]),
    ...said(
      'estimator',
      names.same((run) => run.estimator),
    ),
  ]
  const transcripts = [
    ...said(
      'format',
      names.same((run) => run.format),
    ),
    ...said(
      'model',
      names.same((run) => run.model),
    ),
    preamble === undefined ? mixedPreambles(runs) : preamble === 'none' ? 'no preamble' : `preamble ${preamble}`,
    ...costCaption(runs),
  ]
  return [settings, transcripts].filter((words) => words.length > 0).map((words) => words.join(' · '))
}

/** "cost in USD, prices of 2026-09-23" */
function costCaption(runs: readonly Run[]): string[] {
  const units = [...new Set(runs.map(({ cost }) => costWords[cost.unit]))]
  return units.length === 0 ? [] : [`cost in ${units.join(' or ')}, prices of ${runs[0]?.cost.pricesAsOf}`]
}

/** "cost is of 14 of the 17 transcripts: …"; nothing where it is of all of them. */
export function partialCost(transcripts: number | undefined, cost: TotalCost | undefined): string[] {
  if (transcripts === undefined || cost === undefined || cost.transcripts === transcripts) return []
  const of = `${grouped(cost.transcripts)} of the ${several(transcripts, 'transcript')}`
  return [`cost is of ${of}, in ${costWords[cost.unit]}: the models of the others have no known price`]
}

/** What an amount is counted in. */
export const costWords: Readonly<Record<CostUnit, string>> = {
  usd: 'USD',
  'input-token-equivalents': 'input tokens (price unknown)',
}

function mixedPreambles(runs: readonly Run[]): string {
  const counts = new Map<string, number>()
  for (const { preambleSource } of runs) counts.set(preambleSource, (counts.get(preambleSource) ?? 0) + 1)
  return `preamble ${[...counts].map(([source, count]) => `${source} in ${grouped(count)}`).join(', ')}`
}

function totalValue(key: string, place: number, total: Total, names: Names): unknown {
  if (key === 'policy') return names.policyOf(total)
  if (key === 'budget') return total.budget || 'none'
  if (place === 0) return 'total'
  const [block, part] = key.split('.') as [keyof Total, string | undefined]
  if (part === undefined) return total[block] ?? ''
  return (total[block] as Readonly<Record<string, unknown>> | undefined)?.[part] ?? ''
}

/** As it is typed: `ikigai:keepLast=1`. */
function fullPolicy(policy: string, params: Run['params']): string {
  const words = knobs(params)
  return words === '' ? policy : `${policy}:${words}`
}

/** `keepLast=1,target=1` */
export function knobs(params: unknown, between = ','): string {
  const pairs = Object.entries((params ?? {}) as Readonly<Record<string, unknown>>)
  return pairs
    .map(([key, value]) => `${key}=${typeof value === 'object' ? JSON.stringify(value) : value}`)
    .join(between)
}

function commonDirectory(files: readonly string[]): string {
  let common = files[0] ?? ''
  for (const file of files) {
    while (!file.startsWith(common)) common = common.slice(0, common.slice(0, -1).lastIndexOf('/') + 1)
  }
  return common.slice(0, common.lastIndexOf('/') + 1)
}
