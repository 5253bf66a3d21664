/** Short names for the runs of a simulation: as few words as distinguish them. */
import type { Run } from '../model/run.ts'
import type { Column } from './column.ts'
import { shortDay } from './days.ts'
import { askedBudget, budgetWords } from './numbers.ts'
import { type Overview, overviewOf } from './overview.ts'
import { fullPolicy, paramWords } from './params.ts'
import { clip } from './text.ts'

export class RunNames {
  /** The overview of the runs. */
  readonly overview: Overview
  readonly #directory: string
  readonly #transcripts: number
  readonly #params: ReadonlyMap<string, ReadonlySet<string>>
  readonly #runs: readonly Run[]
  readonly #projects: ReadonlySet<string | null>
  /** By name: the transcripts that it would fit. */
  readonly #named = new Map<string, Set<string>>()
  /** The parts of a run's name besides its transcript. */
  readonly #telling: readonly ((run: Run) => string)[]

  constructor(runs: readonly Run[]) {
    this.overview = overviewOf(runs)
    this.#directory = this.overview.directory
    this.#transcripts = this.overview.transcripts
    const params = new Map<string, Set<string>>()
    for (const run of runs) params.set(run.policy, (params.get(run.policy) ?? new Set()).add(paramWords(run.params)))
    this.#params = params
    this.#runs = runs
    this.#projects = new Set(runs.map(({ session }) => session.project))
    for (const run of runs) {
      const words = this.#wordsOf(run)?.join(' ')
      if (words !== undefined) this.#named.set(words, (this.#named.get(words) ?? new Set()).add(this.#fileOf(run)))
    }
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

  /**
   * The file, unless its name is an id. Then it is what a person knows the session by: "app 2 Aug “Mend the login
   * page”". If two sessions have the same words, the end of the id stands in front.
   */
  transcriptOf(run: Run): string {
    const words = this.#wordsOf(run)
    if (words === null) return this.#fileOf(run)
    return (this.#named.get(words.join(' '))?.size ?? 0) > 1 ? [endOf(run), ...words].join(' ') : words.join(' ')
  }

  #fileOf(run: Run): string {
    const file = run.transcript.slice(this.#directory.length)
    return this.overview.conversations(run.transcript) > 1 ? `${file}#${run.conversation ?? '?'}` : file
  }

  /** Null where the file's name says more than these words, or where nothing else is known. */
  #wordsOf({ transcript, session }: Run): string[] | null {
    if (this.#transcripts < 2 || !isId(transcript)) return null
    const { project, title, first } = session
    const where = this.#projects.size > 1 && project !== null ? [clip(nameIn(project), 12)] : []
    const day = Number.isNaN(first) ? [] : [shortDay(first)]
    const words = title === null ? [] : [`“${title}”`]
    return day.length + words.length === 0 ? null : [...where, ...day, ...words]
  }

  /** The params are part of the name only if the policy is used with several. */
  policyOf({ policy, params }: { policy: string; params?: Run['params'] }): string {
    const several = (this.#params.get(policy)?.size ?? 0) > 1
    return several && params ? fullPolicy(policy, params) : policy
  }

  /** A run's name: its transcript, and its policy, budget and estimator if the runs differ in them. */
  nameOf(run: Run): string {
    const parts = this.#telling.map((part) => part(run))
    const isAlone = this.#transcripts === 1 && parts.length > 0
    return [...(isAlone ? [] : [this.transcriptOf(run)]), ...parts].join(' · ')
  }

  /**
   * Leaves out columns that are the same in every run: what stands above the table has their values.
   * @param outcome the columns of what comes of a run; they stand behind those that name it
   */
  columnsFor<T>(
    columns: readonly Column<T>[],
    runOf: (item: T) => Run,
    outcome: readonly Column<T>[] = [],
  ): Column<T>[] {
    const own: Readonly<Record<string, (run: Run) => unknown>> = {
      transcript: (run) => this.transcriptOf(run),
      policy: (run) => this.policyOf(run),
      budget: (run) => askedBudget(run) || 'none',
      estimator: (run) => run.estimatorAsked ?? run.estimator,
      format: (run) => run.format,
      model: (run) => run.model,
      preambleSource: (run) => run.preambleSource,
    }
    const varying = columns.flatMap((column): Column<T>[] => {
      const value = Object.hasOwn(own, column.key) ? own[column.key] : undefined
      if (!value) return [column]
      const path = column.path === true && this.#named.size === 0
      return this.#varies(value) ? [{ ...column, path, value: (item) => value(runOf(item)) }] : []
    })
    const naming = ['transcript', 'policy', 'budget', 'estimator', 'exchange']
    const names = varying.filter(({ key }) => naming.includes(key))
    const others = varying.filter(({ key }) => !naming.includes(key))
    // A row needs a name, even where all names are the same.
    const name = { ...(columns[0] as Column<T>), value: (item: T) => this.transcriptOf(runOf(item)) }
    return [...(names.length > 0 ? names : [name]), ...outcome, ...others]
  }
}

/** Whether a file's name is made by a program: an id, a time. */
const isId = (file: string): boolean => /[0-9a-f]{8}|\d{6}|ses_/i.test(nameIn(file))

const nameIn = (path: string): string => path.split(/[\\/]/).findLast((part) => part !== '') ?? path

/** Enough of the end of an id to find the file by. */
function endOf({ transcript, conversation }: Run): string {
  const stem = nameIn(transcript).replace(/\.[a-z.]+$/i, '')
  return (conversation !== null && !stem.includes(conversation) ? conversation : stem).slice(-6)
}
