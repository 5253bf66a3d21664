/**
 * Reads many inputs for one result, with progress, and reports those that fail. A file that the user named has to be a
 * transcript; other files in a directory are skipped and counted. No file ends the run, whether it or ctxwin is at fault.
 */
import { resolve } from 'node:path'
import {
  type Analysis,
  type Earlier,
  errorOf,
  type FileBegin,
  type FileEnd,
  type FileRead,
  joinFiles,
  type LeftOut,
  measureFile,
  type PartLine,
  type PartTranscript,
  type ReadFiles,
  readingHere,
  readTranscripts,
  type Unusable,
} from '../app/door.ts'
import { CtxwinError, type ErrorCode, openFile, type ReadSettings, type Source } from '../index.ts'
import { bugReport } from './bug.ts'
import { traceCacheOf } from './caching.ts'
import type { Call } from './call.ts'
import type { Resolved } from './config.ts'
import { openOutput } from './io.ts'
import { type Input, openInputs, withArchives } from './open.ts'
import { isPart, optionalText, readingOf, settingOf } from './options.ts'
import { outputsOf, type ReadFile, refuseOverwriting } from './overwriting.ts'
import { headOf, type Parts, partText } from './part-file.ts'
import { tilde } from './places.ts'
import { Progress } from './progress.ts'
import { Selection } from './selection.ts'
import { inputsOf } from './session.ts'
import { divide, parseShard, type Shard } from './shards.ts'
import type { World } from './world.ts'

/** Errors that name the file already. */
const aboutFiles: readonly ErrorCode[] = [
  'unreadable',
  'empty-directory',
  'unknown-format',
  'no-transcript',
  'damaged',
  'bad-policy',
  'bad-reader',
  'unknown-window',
  'ambiguous',
]

/** Why a file in a directory may be skipped, with the words for it. */
const skippable: ReadonlyMap<ErrorCode, string> = new Map([
  ['unknown-format', 'unknown format'],
  ['no-transcript', 'no conversation'],
  ['damaged', 'damaged'],
])

type Settings = ReadonlyMap<string, Resolved>

interface Wanted {
  /** A file of which nothing is left is named and is a finding, in a directory too. */
  readonly strict?: boolean
  /** Where no input is named, only the newest session. */
  readonly newest?: boolean
  /** Where no input is named, what was recorded is looked for behind a pipe, too. */
  readonly always?: boolean
}

export class Reading {
  /** Every file without a transcript. */
  readonly unusable: Unusable[] = []
  /** How the files are read, and which of their transcripts count. */
  readonly how: ReadSettings
  readonly #call: Call
  readonly #settings: Settings
  readonly #inputs: ReadonlyMap<Source, Input>
  readonly #selection: Selection
  readonly #world: World
  readonly #progress: Progress
  readonly #strict: boolean
  /** Inputs that failed; skipped files of a directory are not counted. */
  #failed = 0
  /** Skipped files that `strict` makes a finding. */
  #damaged = 0
  /** Bugs already reported: a thousand files may meet the same one. */
  readonly #bugs = new Set<string>()

  /**
   * @throws CtxwinError when there is no word, an empty one, an output that is an input, or a setting about the reading
   *   that is none
   */
  static async of(
    call: Call,
    settings: Settings,
    { strict = false, newest = false, always = false }: Wanted = {},
  ): Promise<Reading> {
    const { flags, world, parts } = call
    const progress = new Progress(world)
    const how = { ...(await readingOf(settings, world.cwd())), traces: traceCacheOf(settings, world) }
    if (parts) return new Reading(call, settings, Selection.ofNone(settings, world), how, progress, strict)
    const words = inputsOf(call, settings)
    const shard = shardOf(settings)
    if (shard || isPart(settings)) refuseMoving(settings, words)
    const inputs = await withArchives(openInputs(words, world, always), world)
    await refuseOverwriting(
      outputsOf(flags),
      inputs.map((input) => readFileOf(input, world)),
      world.cwd(),
    )
    const looking = { how, looking: (index: number, count: number, name: string) => progress.at(index, count, name) }
    const isNewest = newest && call.inputs.length === 0
    const select = isNewest ? Selection.ofNewest : Selection.of
    const selection = await select(inputs, settings, world, looking)
    progress.clear()
    const [first] = selection.inputs
    if (isNewest && first) world.note(`the newest session: ${tilde(first.source.name, world)}`)
    return new Reading(call, settings, selection, how, progress, strict)
  }

  private constructor(
    call: Call,
    settings: Settings,
    selection: Selection,
    how: ReadSettings,
    progress: Progress,
    strict: boolean,
  ) {
    this.how = { ...how, accepts: selection.accepts }
    this.#call = call
    this.#settings = settings
    this.#inputs = new Map(selection.inputs.map((input) => [progress.watch(input.source), input]))
    this.#selection = selection
    this.#world = call.world
    this.#strict = strict
    this.#progress = progress
  }

  /**
   * What a command makes of its files; of none where what is known of them is written down as a part of the result.
   * @throws CtxwinError for parts that do not belong together, and a part that cannot be written
   */
  readonly read: ReadFiles = (analysis) => {
    if (isPart(this.#settings)) return this.#write(analysis)
    if (this.#call.parts) return this.#join(this.#call.parts, analysis)
    return readingHere(this.sources(), this.how, this.unread)(analysis)
  }

  /** Whether a part is written, and nothing else is to be said. */
  get isPart(): boolean {
    return isPart(this.#settings)
  }

  /** Reads some of the files once more, which standard input cannot be. */
  again(names: ReadonlySet<string>): ReadFiles {
    const sources = [...this.#inputs.keys()].filter(({ name }) => name !== '-' && names.has(name))
    return (analysis) => readingHere(this.#progress.over(sources), this.how, this.unread)(analysis)
  }

  /** The files to read; of a shard its own. */
  sources(): Generator<Source> {
    const shard = shardOf(this.#settings)
    const all = [...this.#inputs.keys()]
    if (!shard) return this.#progress.over(all)
    const shards = this.#shards(shard.of)
    return this.#progress.over(all.filter((_, file) => shards[file] === shard.shard))
  }

  /** By file the number of its shard. */
  #shards(of: number): number[] {
    return divide(
      [...this.#inputs.keys()].map((source) => ({ name: source.name, size: this.#progress.sizeOf(source) ?? 0 })),
      of,
    )
  }

  async *#write<Piece, Part>(analysis: Analysis<Piece, Part>): AsyncGenerator<FileRead<Part>> {
    const { parts } = this.#call
    const output = openOutput(this.#world, optionalText(this.#settings, 'outputFile'), 'never')
    if (parts) {
      parts.agree(this.#settings, analysis.plan)
      const head = { ...parts.head, shards: parts.shards }
      return output.write(partText(head, parts.lines()))
    }
    const { shard, of } = shardOf(this.#settings) ?? { shard: 1, of: 1 }
    const names = [...this.#inputs.keys()].map(({ name }) => name)
    const run = { inputs: inputsOf(this.#call, this.#settings), names, files: names.length, shards: [shard], of }
    const head = headOf(this.#call, this.#settings, analysis.plan, run)
    await output.write(partText(head, this.#measured(analysis)))
  }

  /** What each file comes to by itself, with a word on stderr about those that fail. */
  async *#measured<Piece, Part>(analysis: Analysis<Piece, Part>): AsyncGenerator<PartLine> {
    const places = new Map([...this.#inputs.keys()].map((source, file) => [source, file]))
    for (const source of this.sources()) {
      const begin = { file: places.get(source) as number, name: source.name, named: this.#isNamed(source) }
      yield begin
      for await (const line of measureFile(source, analysis, this.how)) {
        if ('end' in line) {
          const left = this.#selection.take()
          if (line.end === 'failed') this.#fail(begin, errorOf(line))
          yield left ? { ...line, left } : line
        } else yield line
      }
    }
  }

  #join<Piece, Part>(parts: Parts, analysis: Analysis<Piece, Part>): AsyncGenerator<FileRead<Part>> {
    parts.agree(this.#settings, analysis.plan)
    parts.beWhole()
    const again = (file: FileBegin, earlier: Earlier) => this.#again(file, earlier, analysis)
    const joining = {
      lines: parts.lines(),
      again,
      unread: (file: FileBegin, error: unknown) => this.#fail(file, error),
      leftOut: ({ name }: FileBegin, left: LeftOut) => this.#selection.add(name, left),
    }
    return joinFiles(joining, analysis)
  }

  /** Reads a file of a part again, where it is now. */
  async *#again<Piece, Part>(
    { name }: FileBegin,
    earlier: Earlier,
    analysis: Analysis<Piece, Part>,
  ): AsyncGenerator<PartTranscript | FileEnd> {
    const [input] = await withArchives(openInputs([name], this.#world), this.#world)
    const source = (input as Input).source
    const accepts = Selection.ofNone(this.#settings, this.#world).accepts
    for await (const line of measureFile({ ...source, name }, analysis, { ...this.how, accepts }, earlier)) {
      if (!('end' in line) || line.end === 'read') yield line
      else
        yield {
          ...line,
          details: [`a part of it is in ${earlier[0]?.[0]}, too, so merge reads it again`, ...line.details],
        }
    }
  }

  readonly unread = (source: Source, error: unknown): void => {
    this.#fail({ name: source.name, named: this.#isNamed(source) }, error)
  }

  #isNamed(source: Source): boolean {
    return this.#inputs.get(source)?.named ?? true
  }

  #fail({ name, named }: Pick<FileBegin, 'name' | 'named'>, error: unknown): void {
    const skipped = !named && error instanceof CtxwinError && skippable.has(error.code)
    this.unusable.push({ file: name, error, skipped })
    const isFinding = skipped && this.#strict && error.code === 'damaged'
    if (skipped && !isFinding) return
    if (isFinding) this.#damaged++
    else this.#failed++
    if (error instanceof CtxwinError) {
      this.#world.say(`${aboutFiles.includes(error.code) ? '' : `${name}: `}${error.message}`, error.details)
      return
    }
    const { sentence, frames } = bugReport(error)
    const bug = [sentence, ...frames].join('\n')
    if (this.#bugs.has(bug)) this.#world.say(`${name}: left out, for the same bug of ctxwin`)
    else this.#world.say(`${name}: left out: ${sentence}`, frames)
    this.#bugs.add(bug)
  }

  /** The files of which the settings have left something out, so far. */
  get leftOut(): ReadonlySet<string> {
    return this.#selection.leftOut
  }

  /**
   * Reports the skipped files, what the settings left out, and if no transcript is left. Of a part, `merge` reports it.
   * @param found how many transcripts were read
   * @returns the exit code: 70 if a bug of ctxwin left a file out, 2 if another error did or nothing was found, 1 for a
   *   damaged file if that is a finding, else 0
   */
  finish(found: number): number {
    if (this.isPart) return this.#bugs.size > 0 ? 70 : 0
    const told = [this.#skipped(), this.#selection.told()].filter((line) => line !== null)
    if (found > 0) for (const line of told) this.#world.note(line)
    else if (told.length > 0) this.#world.say(`no transcripts found (${told.join('; ')})`)
    const { undated } = this.#selection
    if (undated > 0)
      this.#world.note(
        `${undated} ${undated === 1 ? 'transcript has' : 'transcripts have'} no recorded time: dated by the file`,
      )
    if (this.#bugs.size > 0) return 70
    if (this.#failed > 0 || found === 0) return 2
    return this.#damaged > 0 ? 1 : 0
  }

  /** "3 files skipped: 2 unknown format, 1 damaged (a.jsonl)" */
  #skipped(): string | null {
    const files = new Map<ErrorCode, string[]>()
    let total = 0
    for (const { skipped, error, file } of this.unusable) {
      if (!skipped || !(error instanceof CtxwinError)) continue
      total++
      const alike = files.get(error.code)
      if (alike) alike.push(file)
      else files.set(error.code, [file])
    }
    if (total === 0) return null
    const reasons = [...files].map(([code, alike]) => {
      const why = `${skippable.get(code)}${code === 'damaged' ? ` (${listed(alike)})` : ''}`
      return files.size === 1 ? why : `${alike.length} ${why}`
    })
    return `${total} ${total === 1 ? 'file' : 'files'} skipped: ${reasons.join(', ')}`
  }
}

/** What is damaged may have been a transcript: it is named, unless there is very much of it. */
function listed(files: readonly string[]): string {
  const some = files.slice(0, mostNamed).join(', ')
  return files.length > mostNamed ? `${some} and ${files.length - mostNamed} more` : some
}

const mostNamed = 5

function shardOf(settings: Settings): Shard | null {
  const word = optionalText(settings, 'shard')
  return word === null ? null : parseShard(word, settingOf(settings, 'shard').where)
}

/** @throws CtxwinError for what each shard would understand in another way than the others */
function refuseMoving(settings: Settings, words: readonly string[]): void {
  const refuse = (what: string) => {
    throw new CtxwinError('usage', `${what}, so shards and parts cannot be made of it`)
  }
  if (words.length === 0) refuse('no transcripts are named, and what is found on each machine is something else')
  if (words.includes('-')) refuse('standard input is read by one process')
  if (settingOf(settings, 'last').value !== null) refuse('--last chooses among all files')
  for (const key of ['since', 'until'] as const) {
    const { value, where } = settingOf(settings, key)
    if (/^\d+ ?[hdw]$/.test(String(value).trim())) refuse(`${where} ${value} is another moment in each process`)
  }
}

function readFileOf({ source: { name, archive = name }, named }: Input, world: World): ReadFile {
  if (name === '-') return { file: world.stdin.fd ?? name, is: 'an input' }
  // An old report in an input directory is not a transcript and may be overwritten.
  const confirm = () => holdsTranscript(resolve(world.cwd(), archive))
  return { file: archive, is: 'an input', ...(named ? {} : { confirm }) }
}

async function holdsTranscript(path: string): Promise<boolean> {
  const how = { format: 'auto', sizersFor: () => [], keepMessages: false }
  try {
    const { transcripts, damagedLines } = await readTranscripts(openFile(path), how, () => {})
    // A damaged file may have been one.
    return transcripts > 0 || damagedLines > 0
  } catch (error) {
    return !(error instanceof CtxwinError && error.code === 'unknown-format')
  }
}
