/**
 * Reads many inputs for one result, with progress, and reports those that fail. A file that the user named has to be a
 * transcript; other files in a directory are skipped and counted. No file ends the run, whether it or ctxwin is at
 * fault.
 */
import { on, once } from 'node:events'
import { setImmediate } from 'node:timers/promises'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { type Analysis, type FileRead, type ReadFiles, readingHere } from '../../app/analysis.ts'
import { OtherSessions, otherSessions, type TellingSessions } from '../../app/files/other-sessions.ts'
import {
  errorOf,
  type FileBegin,
  type FileEnd,
  type Joining,
  joinFiles,
  measureFile,
  type PartLine,
  type PartTranscript,
} from '../../app/files/parts.ts'
import { keptOf, wayOf } from '../../app/files/read-sources.ts'
import type { Earlier } from '../../app/files/responses.ts'
import type { ReadSettings, Source } from '../../app/index.ts'
import { hasRoomForWasm, warningOfSpace } from '../../base/address-space.ts'
import { writeExact } from '../../base/exact-json.ts'
import type { Unusable } from '../../check/unusable.ts'
import { openOutput } from '../output/io.ts'
import type { World } from '../output/world.ts'
import { traceCacheOf } from './caching.ts'
import type { Call } from './call.ts'
import type { Configuration, Settings } from './config.ts'
import { Failures } from './failures.ts'
import { jobsFor } from './jobs.ts'
import { misuse } from './misuse.ts'
import { type FoundAs, type Input, openContainers, openInputs, reopening } from './open.ts'
import { isPart, readingOf, settingOf, valueFor } from './options.ts'
import { outputsOf, readFileOf, refuseOverwriting } from './overwriting.ts'
import { headOf, type Parts, partText } from './part-file.ts'
import { tilde } from './places.ts'
import { type FileTask, hasWorkers, Pool } from './pool.ts'
import { Progress } from './progress.ts'
import { redactionOf } from './redacting.ts'
import { dated, Selection } from './selection.ts'
import { boundOf, inputsOf } from './session.ts'
import { divide } from './shards.ts'

/** The parts of an analysis that decide how files are read. */
type Needed = Pick<Analysis<unknown, unknown>, 'plan' | 'reads' | 'knows'>

export interface Wanted {
  /** Without inputs, read only the newest session. */
  readonly newest?: boolean
  /** Without inputs, look for recorded sessions even if standard input is a pipe. */
  readonly always?: boolean
  /** An output is open while files are read, which delays signals: pause for them. */
  readonly pauses?: boolean
  /** Default: by the call. */
  readonly bound?: string | null
}

export class Reading {
  /** How the files are read, and which of their transcripts count. */
  readonly how: ReadSettings
  readonly #call: Call
  readonly #configuration: Configuration
  readonly #inputs: ReadonlyMap<Source, Input>
  readonly #selection: Selection
  readonly #world: World
  readonly #progress: Progress
  readonly #failures: Failures
  readonly #reopen: ReturnType<typeof reopening>
  readonly #sizes = new Map<Source, number | null>()

  /**
   * @throws CtxwinError when there is no word, an empty one, an output that is an input, or a setting about the reading
   *   that is none
   */
  static async of(
    call: Call,
    configuration: Configuration,
    { newest = false, always = false, pauses = false, bound = boundOf(call, configuration) }: Wanted = {},
  ): Promise<Reading> {
    const { flags, world, parts, port } = call
    const { settings } = configuration
    const redaction = redactionOf(call, settings)
    const progress = new Progress(redaction ? { ...world, status: null } : world)
    // A kept trace holds words of the transcript, which redaction must not leave on disk.
    const traces = redaction ? null : traceCacheOf(settings, world)
    const how = { ...(await readingOf(configuration, world.cwd())), traces }
    if (parts || port) {
      const others = port ? new OtherSessions(() => asked(port)) : unknown
      return new Reading(call, configuration, Selection.ofNone(settings, world), { ...how, others }, progress)
    }
    const warning = warningOfSpace()
    if (warning !== null) world.note(warning)
    const words = inputsOf(call, settings)
    const shard = valueFor(settings, 'shard')
    if (shard || isPart(settings)) refuseMoving(settings, words)
    const all = openInputs(words, world, bound, always)
    // Of the shards of a run each may be on a machine that dates the files in another way, and all have to list the
    // same.
    const dates = (inputs: readonly Input[]) =>
      shard || isPart(settings) ? { older: [], recent: inputs } : dated(inputs, settings, world)
    const files = dates(all)
    const opened = dates(await openContainers(files.recent, world))
    const older = [...files.older, ...opened.older]
    const inputs = pauses ? opened.recent.map(withPauses) : opened.recent
    await refuseOverwriting(
      outputsOf(flags),
      [...older, ...inputs].map((input) => readFileOf(input, world)),
      world.cwd(),
    )
    const looking = { how, looking: (index: number, count: number, name: string) => progress.at(index, count, name) }
    const isNewest = newest && call.inputs.length === 0
    const select = isNewest ? Selection.ofNewest : Selection.of
    const selection = await select(inputs, older, settings, world, looking)
    progress.clear()
    const [first] = selection.inputs
    if (isNewest && first) {
      const path = tilde(first.source.name, world)
      world.note(`the newest session: ${redaction?.file(path) ?? path}`)
    }
    return new Reading(call, configuration, selection, { ...how, redaction }, progress)
  }

  private constructor(
    call: Call,
    configuration: Configuration,
    selection: Selection,
    how: ReadSettings,
    progress: Progress,
  ) {
    this.#call = call
    this.#configuration = configuration
    this.#inputs = new Map(selection.inputs.map((input) => [progress.watch(input.source), input]))
    // A shard has them all.
    const others = otherSessions([...this.#inputs.keys()], how.traces ?? null)
    this.how = { others, ...how, accepts: selection.accepts }
    this.#selection = selection
    this.#world = call.world
    this.#failures = new Failures(call.world, how.redaction)
    this.#progress = progress
    this.#reopen = reopening(call.world)
  }

  /**
   * What a command makes of its files; of none where what is known of them is written down as a part of the result.
   * @throws CtxwinError for parts that do not belong together, and a part that cannot be written
   */
  readonly read: ReadFiles = (analysis) => {
    const { port, parts } = this.#call
    if (port) return this.#serve(port, analysis)
    if (isPart(this.#settings)) return this.#write(analysis)
    if (parts) return this.#join(parts, analysis)
    const jobs = this.#jobs(analysis)
    if (jobs === 1) return readingHere(this.sources(), this.how, this.unread)(analysis)
    const pool = this.#pool(jobs, analysis)
    const all = [...this.#inputs.keys()]
    const again = ({ file }: FileBegin, earlier: Earlier) =>
      pool.measure({ ...this.#foundAs(all[file] as Source), earlier }, true)
    return joinFiles(this.#joining(this.#measured(analysis, pool), again), analysis)
  }

  /** How many files are read if nobody stops it. */
  get files(): number {
    return this.#inputs.size
  }

  /** Shows what is known of the result so far, beside the progress. */
  showing(soFar: () => string): void {
    this.#progress.soFar = soFar
  }

  /** Whether a part is written, and nothing else is to be said. */
  get isPart(): boolean {
    return isPart(this.#settings)
  }

  /** Reads some of the files once more, which standard input cannot be. */
  again(names: ReadonlySet<string>): ReadFiles {
    const shown = (name: string) => this.how.redaction?.file(name) ?? name
    const sources = [...this.#inputs.keys()].filter(({ name }) => name !== '-' && names.has(shown(name)))
    return (analysis) => readingHere(this.#progress.over(sources), this.how, this.unread)(analysis)
  }

  /** The files, while they are read. */
  sources(): Generator<Source> {
    return this.#progress.over(this.#own())
  }

  /** The files to read; of a shard its own. */
  #own(): Source[] {
    const shard = valueFor(this.#settings, 'shard')
    const all = [...this.#inputs.keys()]
    if (!shard) return all
    const shards = this.#shards(shard.of)
    return all.filter((_, file) => shards[file] === shard.shard)
  }

  /** By file the number of its shard. */
  #shards(of: number): number[] {
    return divide(
      [...this.#inputs.keys()].map((source) => ({ name: source.name, size: this.#sizeOf(source) ?? 0 })),
      of,
    )
  }

  async *#write<Piece, Part>(analysis: Analysis<Piece, Part>): AsyncGenerator<FileRead<Part>> {
    const { parts } = this.#call
    const output = openOutput(this.#world, valueFor(this.#settings, 'outputFile'))
    if (parts) {
      parts.agree(this.#settings, analysis.plan)
      const head = { ...parts.head, shards: parts.shards }
      return output.write(partText(head, parts.lines(analysis.piece)))
    }
    const { shard, of } = valueFor(this.#settings, 'shard') ?? { shard: 1, of: 1 }
    const names = [...this.#inputs.keys()].map(({ name }) => name)
    const run = { inputs: inputsOf(this.#call, this.#settings), names, files: names.length, shards: [shard], of }
    const head = headOf(this.#call, this.#settings, analysis.plan, run)
    const jobs = this.#jobs(analysis)
    const lines = this.#measured(analysis, jobs === 1 ? null : this.#pool(jobs, analysis))
    await output.write(partText(head, this.#telling(lines)))
  }

  /** The same lines, with a word on stderr about the files that fail. */
  async *#telling(lines: AsyncIterable<PartLine>): AsyncGenerator<PartLine> {
    let begin: FileBegin | null = null
    for await (const line of lines) {
      if ('file' in line) begin = line
      else if ('end' in line && line.end === 'failed' && begin) this.#failures.add(begin, errorOf(line))
      yield line
    }
  }

  /** What each file comes to by itself, in the order of the files. @param pool null: they are read here */
  async *#measured<Piece, Part>(analysis: Analysis<Piece, Part>, pool: Pool | null): AsyncGenerator<PartLine> {
    const places = new Map([...this.#inputs.keys()].map((source, file) => [source, file]))
    const sources = this.#own()
    const pooled = new Map<Source, AsyncIterable<PartLine>>()
    if (pool) {
      const largestFirst = sources.filter((source) => this.#sizeOf(source) !== null)
      largestFirst.sort((a, b) => (this.#sizeOf(b) ?? 0) - (this.#sizeOf(a) ?? 0))
      for (const source of largestFirst) pooled.set(source, pool.measure({ ...this.#foundAs(source), earlier: [] }))
    }
    try {
      for (const source of sources) {
        yield { file: places.get(source) as number, ...this.#foundAs(source) }
        yield* pooled.get(source) ?? this.#measuredHere(source, analysis)
      }
    } finally {
      await pool?.close()
      this.#progress.clear()
    }
  }

  async *#measuredHere<Piece, Part>(
    source: Source,
    analysis: Analysis<Piece, Part>,
    earlier: Earlier = [],
  ): AsyncGenerator<PartTranscript | FileEnd> {
    for await (const line of measureFile(source, analysis, this.how, earlier)) {
      const left = 'end' in line ? this.#selection.take() : undefined
      yield left ? { ...line, left } : line
    }
  }

  /** Measures the files that the main thread asks for, until it ends this one. */
  // biome-ignore lint/correctness/useYield: what it measures goes to the main thread
  async *#serve<Piece, Part>(port: MessagePort, analysis: Analysis<Piece, Part>): AsyncGenerator<FileRead<Part>> {
    for await (const [{ earlier, ...file }] of on(port, 'message') as AsyncIterable<[FileTask]>) {
      for await (const line of this.#measuredHere(await this.#reopen(file), analysis, earlier)) {
        port.postMessage({ line: writeExact(line), isEnd: 'end' in line })
      }
    }
  }

  get #settings(): Settings {
    return this.#configuration.settings
  }

  #pool(jobs: number, { plan, reads }: Needed): Pool {
    const { command, inputs, flags } = this.#call
    const { settings, config, runs } = this.#configuration
    const start = {
      command,
      inputs,
      flags,
      configuration: { settings, config, runs },
      argv: process.argv.slice(2),
      cwd: this.#world.cwd(),
      now: this.#world.now(),
      wasm: hasRoomForWasm(jobs),
    }
    let done = 0
    this.#progress.start()
    const others = async () => (await this.how.others?.find(wayOf(plan, { ...this.how, ...reads }))) ?? []
    return new Pool(jobs, start, (name) => this.#progress.at(done++, this.#inputs.size, name), others)
  }

  #jobs({ plan, reads, knows }: Needed): number {
    const sources = this.#own()
    return jobsFor(this.#call, this.#settings, {
      sources,
      sizeOf: (source) => this.#sizeOf(source),
      kept: () => keptOf(sources, plan, { ...this.how, ...reads }, knows),
      // Threads would each invent other pseudonyms for the same word.
      threads: !this.how.redaction && hasWorkers(),
    })
  }

  /** In bytes; null for what is no plain file. */
  #sizeOf(source: Source): number | null {
    const known = this.#sizes.get(source)
    if (known !== undefined) return known
    const size = (source.member ?? source.session)?.size ?? this.#progress.sizeOf(source)
    this.#sizes.set(source, size)
    return size
  }

  #joining(lines: AsyncIterable<PartLine>, again: Joining['again']): Joining {
    return {
      lines,
      again,
      unread: (file, error) => this.#failures.add(file, error),
      leftOut: ({ name }, left) => this.#selection.add(name, left),
    }
  }

  #join<Piece, Part>(parts: Parts, analysis: Analysis<Piece, Part>): AsyncGenerator<FileRead<Part>> {
    parts.agree(this.#settings, analysis.plan)
    parts.beWhole()
    const again = (file: FileBegin, earlier: Earlier) => this.#again(file, earlier, analysis)
    return joinFiles(this.#joining(parts.lines(analysis.piece), again), analysis)
  }

  /** Reads a file of a part again, where it is now. */
  async *#again<Piece, Part>(
    file: FileBegin,
    earlier: Earlier,
    analysis: Analysis<Piece, Part>,
  ): AsyncGenerator<PartTranscript | FileEnd> {
    const source = await this.#reopen(file)
    const accepts = Selection.ofNone(this.#settings, this.#world).accepts
    for await (const line of measureFile(source, analysis, { ...this.how, accepts }, earlier)) {
      if (!('end' in line) || line.end === 'read') yield line
      else
        yield {
          ...line,
          details: [`a part of it is in ${earlier[0]?.[0]}, too, so merge reads it again`, ...line.details],
        }
    }
  }

  readonly unread = (source: Source, error: unknown): void => {
    this.#failures.add({ name: source.name, named: this.#isNamed(source) }, error)
  }

  #foundAs(source: Source): FoundAs {
    return { name: source.name, named: this.#isNamed(source), container: source.container ?? null }
  }

  #isNamed(source: Source): boolean {
    return this.#inputs.get(source)?.named ?? true
  }

  /** Every file without a transcript. */
  get unusable(): readonly Unusable[] {
    return this.#failures.unusable
  }

  /** The files of which the settings have left something out, so far. */
  get leftOut(): ReadonlySet<string> {
    const { redaction } = this.how
    return redaction ? new Set(Array.from(this.#selection.leftOut, redaction.file)) : this.#selection.leftOut
  }

  /**
   * Reports the skipped files, what the settings left out, and if no transcript is left. Of a part, `merge` reports it.
   * @param found how many transcripts were read
   * @returns the exit code: 70 if a bug of ctxwin left a file out, 2 if another error did or nothing was found, not
   *   even an empty transcript, 1 for a damaged file if that is a finding, else 0
   */
  finish(found: number): number {
    if (this.isPart) return this.#failures.hasBug ? 70 : 0
    const told = [this.#failures.skipped(), this.#selection.told()].filter((line) => line !== null)
    const code = this.#failures.code(found)
    if (found > 0 || code < 2) for (const line of told) this.#world.note(line)
    else if (told.length > 0) this.#world.say(`no transcripts found (${told.join('; ')})`)
    const { undated } = this.#selection
    if (undated > 0)
      this.#world.note(
        `${undated} ${undated === 1 ? 'transcript has' : 'transcripts have'} no recorded time: the date of the file counts`,
      )
    return code
  }
}

/** In a thread: what the main one finds out. */
async function asked(main: MessagePort): Promise<TellingSessions> {
  const { port1, port2 } = new MessageChannel()
  main.postMessage({ asks: port1 }, [port1])
  const [others] = await once(port2, 'message')
  port2.close()
  return others as TellingSessions
}

/** Where files are read that stand in parts. */
const unknown = new OtherSessions(async () => {
  throw misuse('its sizes rest on other sessions of the run, which merge does not read: run all at once')
})

/** The same input, of which a signal is heeded while it is read. */
function withPauses({ source, ...input }: Input): Input {
  async function* chunks() {
    for await (const chunk of source.chunks) {
      await setImmediate()
      yield chunk
    }
  }
  return { ...input, source: { ...source, chunks: { [Symbol.asyncIterator]: chunks } } }
}

/** @throws CtxwinError for what each shard would understand in another way than the others */
function refuseMoving(settings: Settings, words: readonly string[]): void {
  const refuse = (what: string) => {
    throw misuse(`${what}, so shards and parts cannot be made of it`)
  }
  if (words.length === 0) refuse('no transcripts are named, and each machine would find its own')
  if (words.includes('-')) refuse('standard input can be read only once')
  if (settingOf(settings, 'last').value !== null) refuse('--last chooses among all files')
  const { value, where } = settingOf(settings, 'since')
  if (/(^|\.\.)\s*\d+ ?[hdw]\s*($|\.\.)/.test(String(value)))
    refuse(`${where} ${value} is another moment in each process`)
}
