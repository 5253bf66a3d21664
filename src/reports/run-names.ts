/** Short names for the runs of a simulation: as few words as distinguish them. */
import type { Run } from '../model/run.ts'
import type { Column } from './column.ts'
import { budgetWords } from './numbers.ts'
import { fullPolicy, type Overview, overviewOf, paramWords } from './overview.ts'

export class RunNames {
  /** The overview of the runs. */
  readonly overview: Overview
  readonly #directory: string
  readonly #params: ReadonlyMap<string, ReadonlySet<string>>
  readonly #runs: readonly Run[]
  /** The parts of a run's name besides its transcript. */
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
      (run: Run) => (run.budget === 0 ? 'no budget' : budgetWords(run)),
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

  /** The params are part of the name only if the policy is used with several. */
  policyOf({ policy, params }: { policy: string; params?: Run['params'] }): string {
    const several = (this.#params.get(policy)?.size ?? 0) > 1
    return several && params ? fullPolicy(policy, params) : policy
  }

  /** A run's name: its transcript, and its policy, budget and estimator if the runs differ in them. */
  nameOf(run: Run): string {
    return [this.transcriptOf(run), ...this.#telling.map((part) => part(run))].join(' · ')
  }

  /** Leaves out columns that are the same in every run: the captions have their values. */
  columnsFor<T>(columns: readonly Column<T>[], runOf: (item: T) => Run): Column<T>[] {
    const own: Readonly<Record<string, (run: Run) => unknown>> = {
      transcript: (run) => this.transcriptOf(run),
      policy: (run) => this.policyOf(run),
      budget: (run) => run.budgetAsked ?? (run.budget || 'none'),
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
    // A row needs a name, even if all have the same.
    const isNamed = varying.some(({ key }) => ['transcript', 'policy', 'budget', 'estimator', 'exchange'].includes(key))
    const name = { ...(columns[0] as Column<T>), value: (item: T) => this.transcriptOf(runOf(item)) }
    return isNamed ? varying : [name, ...varying]
  }
}
