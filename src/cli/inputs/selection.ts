/**
 * Which transcripts count, of those that are read: `--since`, `--project`, `--only-model`, `--min-requests`, and
 * of what these leave the newest ones (`--last`). What is left out is counted.
 */
import { resolve, sep } from 'node:path'
import type { LeftOut } from '../../app/files/parts.ts'
import { readSources } from '../../app/files/read-sources.ts'
import { CtxwinError, type ReadSettings, type Source, type Trace } from '../../app/index.ts'
import type { World } from '../output/world.ts'
import type { Settings } from './config.ts'
import { isOlder } from './last-written.ts'
import { misuse } from './misuse.ts'
import type { Input } from './open.ts'
import { listOf, settingOf, valueFor } from './options.ts'
import { atHome, modifiedAt } from './places.ts'

/** The settings that choose, in the order in which a transcript is held to them. */
export const choosing = ['since', 'project', 'onlyModel', 'minRequests', 'last'] as const
type Choosing = (typeof choosing)[number]
type Reason = Exclude<Choosing, 'last'>

/** What a setting has left out: transcripts, and files that nobody had to open. */
interface Count {
  transcripts: number
  files: number
}

/** How files are read to find out which ones are the newest, and who is told of each. */
interface Look {
  readonly how: ReadSettings
  readonly looking: (index: number, count: number, name: string) => void
}

/**
 * Tells files in which nothing can count, by their dates alone, from those that have to be opened.
 * @throws CtxwinError for a setting that is no date
 */
export function dated(
  inputs: readonly Input[],
  settings: Settings,
  world: World,
): { readonly older: readonly Input[]; readonly recent: readonly Input[] } {
  const { since } = timesOf(settings, world)
  if (since === null) return { older: [], recent: inputs }
  const older = new Set(inputs.filter(({ source }) => isOlder(source, since)))
  return { older: [...older], recent: inputs.filter((input) => !older.has(input)) }
}

export class Selection {
  /** The files to read. */
  readonly inputs: readonly Input[]
  /** The files that were not opened, or of which a transcript does not count. */
  readonly leftOut: Set<string>
  readonly #rules: Rules
  readonly #left: Tally
  /** With `--last`: of each file, which of its transcripts count. */
  readonly #chosen: ReadonlyMap<string, ReadonlySet<number>> | null
  readonly #passed = new Map<Source, number>()

  /**
   * @param older files that are not opened, as `dated` says
   * @throws CtxwinError for a setting that is no date or no number, and for `--last` of standard input
   */
  static async of(
    inputs: readonly Input[],
    older: readonly Input[],
    settings: Settings,
    world: World,
    look: Look,
  ): Promise<Selection> {
    const rules = new Rules(settings, world)
    const left = new Tally(settings)
    left.add('since', { transcripts: 0, files: older.length })
    const newest = rules.last === null ? null : await newestOf(inputs, rules.last, { ...look, rules, left })
    const kept = newest?.inputs ?? inputs
    return new Selection([...inputs, ...older], kept, rules, left, newest?.chosen ?? null)
  }

  /** Of what was found, the newest session that the settings leave: the whole file, and never that of a sub-agent. */
  static async ofNewest(
    inputs: readonly Input[],
    older: readonly Input[],
    settings: Settings,
    world: World,
    look: Look,
  ): Promise<Selection> {
    const sessions = inputs.filter(({ found }) => found?.subagents !== true)
    const rules = new Rules(settings, world, 1)
    const left = new Tally(settings)
    left.add('since', { transcripts: 0, files: older.filter(({ found }) => found?.subagents !== true).length })
    const { chosen } = await newestOf(sessions, 1, { ...look, rules, left })
    const newest = sessions.filter(({ source }) => chosen.has(source.name)).slice(0, 1)
    // Why other sessions were left out matters only where none is left.
    return new Selection(
      [...inputs, ...older],
      newest,
      new Rules(settings, world),
      newest.length > 0 ? new Tally(settings) : left,
      null,
    )
  }

  /** For transcripts of files that somebody else chooses. */
  static ofNone(settings: Settings, world: World): Selection {
    return new Selection([], [], new Rules(settings, world, null), new Tally(settings), null)
  }

  private constructor(
    all: readonly Input[],
    inputs: readonly Input[],
    rules: Rules,
    left: Tally,
    chosen: ReadonlyMap<string, ReadonlySet<number>> | null,
  ) {
    const kept = new Set(inputs)
    this.inputs = inputs
    this.leftOut = new Set(all.filter((input) => !kept.has(input)).map(({ source }) => source.name))
    this.#rules = rules
    this.#left = left
    this.#chosen = chosen
  }

  /** Asked once for each transcript, in the order of its file. */
  readonly accepts = (trace: Trace, source: Source): boolean => {
    const counts = this.#counts(trace, source)
    if (!counts) this.leftOut.add(source.name)
    return counts
  }

  #counts(trace: Trace, source: Source): boolean {
    if (this.#chosen) {
      const nth = this.#passed.get(source) ?? 0
      this.#passed.set(source, nth + 1)
      return this.#chosen.get(source.name)?.has(nth) === true
    }
    return this.#left.passes(this.#rules.reasonAgainst(trace, this.#rules.timeOf(trace, source)))
  }

  /** What was left out since it was asked last; undefined where that is nothing. */
  take(): LeftOut | undefined {
    const [transcripts, undated] = [this.#left.take(), this.#rules.undated]
    this.#rules.undated = 0
    return Object.keys(transcripts).length + undated > 0 ? { transcripts, undated } : undefined
  }

  /** Adds what was left out of a file where it was read. */
  add(file: string, { transcripts, undated }: LeftOut): void {
    for (const [key, count] of Object.entries(transcripts)) {
      this.#left.add(key as Reason, { transcripts: count, files: 0 })
      this.leftOut.add(file)
    }
    this.#rules.undated += undated
  }

  /** "left out: 3 transcripts and 12 unread files by --since"; null where nothing is. */
  told(): string | null {
    return this.#left.told()
  }

  /** How many transcripts were dated by their file, having no time of their own; 0 where no date matters. */
  get undated(): number {
    return this.#rules.undated
  }
}

class Rules {
  readonly since: number | null
  readonly until: number | null
  readonly last: number | null
  undated = 0
  readonly #projects: readonly string[]
  readonly #models: readonly string[]
  readonly #minRequests: number
  readonly #world: World

  constructor(settings: Settings, world: World, last = valueFor(settings, 'last')) {
    const { since, until } = timesOf(settings, world)
    this.since = since
    this.until = until
    this.last = last
    this.#projects = wordsOf(settings, 'project')
    this.#models = wordsOf(settings, 'onlyModel').map((word) => word.toLowerCase())
    this.#minRequests = valueFor(settings, 'minRequests') ?? 0
    this.#world = world
  }

  /** The first setting that leaves a transcript of that time out, or null. */
  reasonAgainst(trace: Trace, time: number): Reason | null {
    const { cwd, model } = trace.head
    if (time < (this.since ?? -Infinity) || time > (this.until ?? Infinity)) return 'since'
    if (this.#projects.length > 0 && !this.#projects.some((word) => cwd !== null && this.#isIn(cwd, word))) {
      return 'project'
    }
    const name = model?.toLowerCase() ?? ''
    if (this.#models.length > 0 && !this.#models.some((word) => name.includes(word))) return 'onlyModel'
    return trace.requests < this.#minRequests ? 'minRequests' : null
  }

  /**
   * Of its last response, else of its file; what comes in on standard input is of this moment. NaN if no date matters.
   */
  timeOf(trace: Trace, { name, container = name, session }: Source): number {
    if (this.since === null && this.until === null && this.last === null) return Number.NaN
    for (let request = trace.requests - 1; request >= 0; request--) {
      const time = trace.requestTime(request)
      if (!Number.isNaN(time)) return time
    }
    this.undated++
    const written = session?.modified ?? (name === '-' ? null : modifiedAt(resolve(this.#world.cwd(), container)))
    return written ?? this.#world.now()
  }

  /** A path is the directory or one above it; a word is the name of either. */
  #isIn(directory: string, project: string): boolean {
    if (!/[\\/]|^(\.\.?|~)$/.test(project)) return directory.split(/[\\/]/).includes(project)
    const path = resolve(this.#world.cwd(), atHome(project, this.#world) ?? project)
    return directory === path || directory.startsWith(path.endsWith(sep) ? path : path + sep)
  }
}

class Tally {
  readonly #settings: Settings
  readonly #left = new Map<Choosing, Count>()

  constructor(settings: Settings) {
    this.#settings = settings
  }

  take(): LeftOut['transcripts'] {
    const taken = [...this.#left].filter(([, { transcripts }]) => transcripts > 0)
    for (const [key, { files }] of taken) {
      if (files > 0) this.#left.set(key, { transcripts: 0, files })
      else this.#left.delete(key)
    }
    return Object.fromEntries(taken.map(([key, { transcripts }]) => [key, transcripts]))
  }

  add(key: Choosing, { transcripts, files }: Count): void {
    if (transcripts + files === 0) return
    const left = this.#left.get(key) ?? { transcripts: 0, files: 0 }
    this.#left.set(key, { transcripts: left.transcripts + transcripts, files: left.files + files })
  }

  /** @returns whether there is no reason against a transcript; a reason is counted */
  passes(reason: Reason | null): boolean {
    if (reason !== null) this.add(reason, { transcripts: 1, files: 0 })
    return reason === null
  }

  told(): string | null {
    if (this.#left.size === 0) return null
    const parts = choosing.flatMap((key) => {
      const left = this.#left.get(key)
      if (!left) return []
      const what = [several(left.transcripts, 'transcript'), several(left.files, 'unread file')].filter(Boolean)
      return [`${what.join(' and ')} by ${settingOf(this.#settings, key).where}`]
    })
    return `left out: ${parts.join(', ')}`
  }
}

function several(count: number, thing: string): string {
  return count === 0 ? '' : `${count} ${thing}${count === 1 ? '' : 's'}`
}

interface Ranking extends Look {
  readonly rules: Rules
  readonly left: Tally
}

/** A transcript by where it stands: the file, and which of its transcripts it is. */
interface Ranked {
  readonly name: string
  readonly index: number
  readonly nth: number
  readonly time: number
  readonly identity: string | null
  /** The same session in other files: it is one, wherever it is told that it stands there too. */
  readonly copies: { readonly name: string; readonly nth: number }[]
}

/** Reads files for their times, and says which ones hold the newest transcripts, and which of theirs these are. */
async function newestOf(inputs: readonly Input[], count: number, ranking: Ranking) {
  const { rules, left, how, looking } = ranking
  const newest: Ranked[] = []
  const failed = new Set<Input>()
  let passed = 0
  let unread = 0
  if (inputs.some(({ source }) => source.name === '-')) {
    throw misuse('--last reads its inputs twice: name files instead of -')
  }
  for (const [index, input] of inputs.entries()) {
    const { source } = input
    const { name } = source
    // Files come newest first, and no file holds a time later than its own last change: the rest cannot be newer.
    const oldest = newest[count - 1]
    if (oldest && input.found && input.found.modified < oldest.time) {
      unread = inputs.length - index
      break
    }
    looking(index, inputs.length, name)
    let nth = 0
    const take = (trace: Trace): [] => {
      const time = rules.timeOf(trace, source)
      if (left.passes(rules.reasonAgainst(trace, time))) {
        const { identity } = trace
        const same = newest.find((ranked) => identity !== null && ranked.identity === identity)
        if (same) same.copies.push({ name, nth })
        else {
          newest.push({ name, index, nth, time, identity, copies: [] })
          passed++
        }
      }
      nth++
      return []
    }
    const reads = readSources([source], nothing, how, take, () => failed.add(input))
    for await (const _ of reads);
    newest.sort((a, b) => b.time - a.time || a.index - b.index || a.nth - b.nth)
    newest.length = Math.min(newest.length, count)
  }
  left.add('last', { transcripts: passed - newest.length, files: unread })
  const chosen = new Map<string, Set<number>>()
  for (const { name, nth } of newest.flatMap((ranked) => [ranked, ...ranked.copies])) {
    chosen.set(name, (chosen.get(name) ?? new Set()).add(nth))
  }
  // A file that cannot be read stays an input: reading it again reports why.
  return { inputs: inputs.filter((input) => chosen.has(input.source.name) || failed.has(input)), chosen }
}

const nothing = { policies: [], estimators: [], budgets: [] }

const units = { h: 3_600_000, d: 86_400_000, w: 604_800_000 }

/** Milliseconds since the epoch; null for an end that is open. */
interface Times {
  readonly since: number | null
  readonly until: number | null
}

/**
 * From when on transcripts count, and to when: `2026-11-01`, `7d`, `2026-11-01..2026-11-07`, `..3d`. A day is one in
 * UTC, and all of it counts.
 * @throws CtxwinError for what is no time, and for an end before its beginning
 */
function timesOf(settings: Settings, world: World): Times {
  const word = valueFor(settings, 'since')
  if (word === null) return { since: null, until: null }
  const { where } = settingOf(settings, 'since')
  const momentOf = (end: string, atEnd: boolean): number | null => {
    const said = end.trim()
    if (said === '') return null
    const [, count, unit] = /^(\d{1,5}) ?([hdw])$/.exec(said) ?? []
    if (unit !== undefined) return world.now() - Number(count) * units[unit as keyof typeof units]
    const time = utcTime(said)
    if (time === null) throw new CtxwinError('bad-value', where, word, timeWords)
    return isDay(said) && atEnd ? time + units.d - 1 : time
  }
  const [from = '', to = '', ...more] = word.split('..')
  if (more.length > 0 || (from + to).trim() === '') throw new CtxwinError('bad-value', where, word, timeWords)
  const [since, until] = [momentOf(from, false), momentOf(to, true)]
  if (since !== null && until !== null && since > until) {
    throw new CtxwinError('bad-value', where, word, 'the earlier time first, then .. and the later one')
  }
  return { since, until }
}

const timeWords =
  'a date such as 2026-11-01 or 2026-11-01T12:00Z, or 12h, 7d, 4w ago; or two of them, as in 2026-11-01..7d'

const isDay = (word: string): boolean => /^\d{4}-\d\d-\d\d$/.test(word)

/** Milliseconds since the epoch of a date or a time, both in UTC; null for anything else. */
export function utcTime(word: string): number | null {
  if (!isDay(word) && !/^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,3})?)?Z$/.test(word)) return null
  const time = Date.parse(word)
  // The 30th of February is taken for a day in March.
  return Number.isNaN(time) || new Date(time).toISOString().slice(0, 10) !== word.slice(0, 10) ? null : time
}

function wordsOf(settings: Settings, key: 'project' | 'onlyModel'): string[] {
  return settings.get(key)?.value === null ? [] : listOf(settings, key)
}
