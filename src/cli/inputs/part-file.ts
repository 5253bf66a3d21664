/**
 * The parts that `--output partial` writes and `merge` reads: NDJSON, as docs/schema/partial.schema.json has it. The
 * first line says what was asked for, the last one that nothing is missing and nothing was changed.
 *
 * A part may come from anywhere. It is read twice: first its bytes alone, which have to be those that were written, and
 * then line by line, each value of which has to be of the type and in the range that ctxwin writes. For a checksum
 * finds an accident, and whoever makes a part by hand can make its checksum, too.
 */
import { createHash } from 'node:crypto'
import { fileBeginShape, fileEndShape, transcriptShape } from '../../app/files/part-shapes.ts'
import type { FileBegin, PartLine } from '../../app/files/parts.ts'
import { CtxwinError, type Plan, type Source } from '../../app/index.ts'
import { version } from '../../base/build.ts'
import { readExact, writeExact } from '../../base/exact-json.ts'
import { fingerprint } from '../../base/fingerprint.ts'
import { count, either, list, object, oneOf, plain, record, type Shape, string, truth } from '../../base/plain-shape.ts'
import { safeScreen } from '../../base/quoting.ts'
import { isSystemError, reasonOf } from '../../base/system-errors.ts'
import { takes } from './commands.ts'
import type { Settings } from './config.ts'
import { misuse } from './misuse.ts'
import { mostShards } from './shards.ts'

/** Of the form of a part. */
const partVersion = 3

export interface PartHead {
  readonly part: typeof partVersion
  readonly ctxwin: string
  readonly command: string
  /** As they were named on the command line. */
  readonly inputs: readonly string[]
  /** What was given on the command line, for one run over all shards. */
  readonly flags: Readonly<Record<string, unknown>>
  /** The settings that matter for the figures, wherever they come from. */
  readonly settings: Readonly<Record<string, unknown>>
  /** Numbers that are equal for equal plans, and for equal lists of files. */
  readonly plan: number
  readonly list: number
  /** How many files all shards have. */
  readonly files: number
  /** The shards that are in it, in order, of so many. */
  readonly shards: readonly number[]
  readonly of: number
}

type HeadOfRun = Pick<PartHead, 'files' | 'shards' | 'of' | 'inputs'> & { readonly names: readonly string[] }

/** What differs between shards, or is said again when they are merged. */
const ofOneRun = [
  ...['shard', 'jobs', 'output', 'outputFile', 'reporter', 'maxWarnings', 'inputs'],
  ...['countCache', 'traceCache', 'cacheSize'],
]
const isOfOneRun = (key: string): boolean => ofOneRun.includes(key)

/** Flags of a command that are no settings, and change its result. */
const ofResult = ['baseline', 'by', 'changed', 'endpoint', 'full', 'risk', 'seed', 'sort', 'top']

/**
 * Whether a part may say this flag, so that `merge` goes by it: one that changes the result, and not one that names a
 * file to be written, a config file to be run or a program to be started.
 */
function isSaid(command: string, key: string): boolean {
  return !isOfOneRun(key) && (takes(command, key) || ofResult.includes(key))
}

export function headOf(
  { command, flags }: Pick<PartHead, 'command' | 'flags'>,
  settings: Settings,
  plan: Plan,
  { names, ...run }: HeadOfRun,
): PartHead {
  return {
    part: partVersion,
    ctxwin: version,
    command,
    flags: Object.fromEntries(Object.entries(flags).filter(([key]) => isSaid(command, key))),
    settings: settingsIn(settings),
    plan: fingerprint([planWords(plan)]),
    list: fingerprint(names.flatMap((name) => [name, '\0'])),
    ...run,
  }
}

function settingsIn(settings: Settings): PartHead['settings'] {
  return Object.fromEntries([...settings].flatMap(([key, { value }]) => (isOfOneRun(key) ? [] : [[key, value]])))
}

function planWords({ policies, estimators, baseline, ...plan }: Plan): string {
  const words = [...policies, ...(baseline ? [baseline.policy] : []), ...estimators].map(({ plugin, values }) => [
    plugin.name,
    plugin.summary,
    values,
  ])
  return JSON.stringify([words, baseline?.name, plan])
}

/** The text of a part. */
export async function* partText(head: PartHead, lines: AsyncIterable<PartLine>): AsyncGenerator<string> {
  const sum = createHash('sha256')
  let [files, written] = [0, 0]
  const summed = (value: unknown): string => {
    // The sum is of the line as the terminal's guard lets it through, which is what is written.
    const line = `${safeScreen(writeExact(value))}\n`
    sum.update(line)
    written++
    return line
  }
  yield summed(head)
  for await (const line of lines) {
    if ('file' in line) files++
    yield summed(line)
  }
  const end: PartEnd = { complete: true, files, lines: written, sha256: sum.digest('hex') }
  yield `${writeExact(end)}\n`
}

/** The last line. */
interface PartEnd {
  readonly complete: true
  readonly files: number
  /** How many lines stand before it, and the sum over all their bytes. */
  readonly lines: number
  readonly sha256: string
}

/** Parts that belong together. */
export class Parts {
  /** That of the first. */
  readonly head: PartHead
  readonly #files: readonly PartFile[]

  /** @throws CtxwinError for a file that is no part, or is one of another run than the first */
  constructor(sources: readonly Source[]) {
    this.#files = sources.map((source) => new PartFile(source))
    const [first, ...others] = this.#files
    if (first === undefined) throw new TypeError('openInputs finds files, or throws')
    this.head = first.head
    for (const other of others) {
      const difference = differenceOf(first.head, other.head)
      if (difference !== null) throw new CtxwinError('part', other.name, `${difference} than ${first.name}`)
    }
    const byShard = new Map<number, string>()
    for (const { name, head } of this.#files) {
      for (const shard of head.shards) {
        const known = byShard.get(shard)
        if (known !== undefined) {
          throw new CtxwinError(
            'part',
            name,
            `it has shard ${shard}/${head.of}, which ${known} has, too: give one of them`,
          )
        }
        byShard.set(shard, name)
      }
    }
  }

  /** @throws CtxwinError if they are of another plan, or of other settings */
  agree(settings: Settings, plan: Plan): void {
    const [{ name }] = this.#files as [PartFile]
    const here = settingsIn(settings)
    for (const [key, value] of Object.entries(here)) {
      const was = this.head.settings[key]
      if (JSON.stringify(value) === JSON.stringify(was)) continue
      const where = settings.get(key)?.where ?? key
      const told = `it was made with ${key} ${JSON.stringify(was)}, and here ${where} says ${JSON.stringify(value)}`
      throw new CtxwinError('part', name, `${told}: merge with the same settings`)
    }
    if (this.head.plan !== fingerprint([planWords(plan)])) {
      throw new CtxwinError('part', name, 'it was made with other policies, prices or estimators of these names')
    }
  }

  /** The shards that they have, in order. */
  get shards(): number[] {
    return this.#files.flatMap(({ head }) => head.shards).sort((a, b) => a - b)
  }

  /** @throws CtxwinError if a shard is missing */
  beWhole(): void {
    const known = new Set(this.shards)
    const { of } = this.head
    const missing = Array.from({ length: of }, (_, at) => at + 1).filter((shard) => !known.has(shard))
    if (missing.length === 0) return
    const named = missing.slice(0, 10).map((shard) => `${shard}/${of}`)
    const more = missing.length > named.length ? [`${missing.length - named.length} more`] : []
    throw misuse(`missing: ${missing.length === 1 ? 'shard' : 'shards'} ${[...named, ...more].join(', ')}`)
  }

  /**
   * The lines of all files, in the order of the files.
   * @param piece what the pieces of the analysis are
   * @throws CtxwinError for a line that ctxwin does not write, for a file that two parts have, and for one that none
   *   has
   */
  async *lines(piece: Shape<unknown> | undefined): AsyncGenerator<PartLine> {
    if (piece === undefined) throw new TypeError('what is divided into parts has to say what its pieces are')
    const next = new Map<number, PartFile>()
    const advance = (part: PartFile): void => {
      const begin = part.begin()
      if (begin === null) return
      const other = next.get(begin.file)
      if (other) throw new CtxwinError('part', part.name, `${other.name} has one of its files, too: ${changed}`)
      next.set(begin.file, part)
    }
    for (const part of this.#files) advance(part)
    let last = -1
    let missing = 0
    for (let file = 0; next.size > 0; file++) {
      let part = next.get(file)
      if (!part) {
        file = [...next.keys()].reduce((least, key) => Math.min(least, key), Infinity)
        part = next.get(file) as PartFile
      }
      missing += file - last - 1
      last = file
      next.delete(file)
      yield* part.file(piece)
      advance(part)
    }
    missing += this.head.files - last - 1
    const [{ name }] = this.#files as [PartFile]
    if (missing > 0 && this.shards.length === this.head.of) {
      throw new CtxwinError('part', name, `${missing} of its ${this.head.files} files are in no part: ${changed}`)
    }
  }
}

const changed = 'the files have changed while the shards ran, so run all shards again'

/** In what the second was made otherwise than the first, as the beginning of a sentence; null where in nothing. */
function differenceOf(one: PartHead, other: PartHead): string | null {
  if (one.ctxwin !== other.ctxwin) return `it was made by another version of ctxwin (${other.ctxwin})`
  if (one.command !== other.command) return `it is of another command (${other.command})`
  if (one.of !== other.of) return `it is one of ${other.of} shards, another division`
  const keys = [...new Set([...Object.keys(one.settings), ...Object.keys(other.settings)])]
  const key = keys.find((name) => JSON.stringify(one.settings[name]) !== JSON.stringify(other.settings[name]))
  if (key !== undefined) return `it was made with another ${key} (${JSON.stringify(other.settings[key])})`
  if (JSON.stringify(one.flags) !== JSON.stringify(other.flags)) return 'it was made with other flags'
  if (one.plan !== other.plan) return 'it was made with other policies, prices or estimators'
  const isSameList = one.list === other.list && one.files === other.files
  return isSameList && JSON.stringify(one.inputs) === JSON.stringify(other.inputs) ? null : 'it is of other files'
}

/** More levels than any setting has. */
const deepest = 8

const headShape = object<PartHead>({
  part: oneOf([partVersion]),
  ctxwin: string,
  command: string,
  inputs: list(string),
  flags: record(either(either(string, truth), list(string))),
  settings: record(plain(deepest)),
  plan: count,
  list: count,
  files: count,
  shards: list(count),
  of: count,
})

const endShape = object<PartEnd>({ complete: oneOf([true]), files: count, lines: count, sha256: string })

/** One part. */
class PartFile {
  readonly name: string
  readonly head: PartHead
  readonly #lines: Generator<Buffer, boolean>
  /** How many were read. */
  #line = 0
  #begin: FileBegin | null = null
  #files = 0

  /** @throws CtxwinError for a file that is no part, one of another version, and one that is not as it was written */
  constructor({ name, chunks }: Source) {
    this.name = name
    if (!(Symbol.iterator in chunks))
      throw this.#fault('a part is read twice, and a pipe can be read once: name a file')
    this.#verify(linesOf(chunks))
    this.#lines = linesOf(chunks)
    const head = this.#read()
    if (headShape(head) !== null || !isSound(head as PartHead)) throw this.#fault(noPart)
    this.head = head as PartHead
  }

  /** Where its next file begins; null where there is none. */
  begin(): FileBegin | null {
    const line = this.#read()
    if (isObject(line) && 'complete' in line) {
      if (endShape(line) !== null || (line as unknown as PartEnd).files !== this.#files) throw this.#foreign('files')
      return null
    }
    const fault = fileBeginShape(line)
    if (fault !== null) throw this.#foreign(fault)
    const begin = line as FileBegin
    const last = this.#begin?.file ?? -1
    if (begin.file <= last || begin.file >= this.head.files) throw this.#foreign('file')
    this.#files++
    this.#begin = begin
    return begin
  }

  /** The lines of the file that has begun. */
  *file(piece: Shape<unknown>): Generator<PartLine> {
    const transcript = transcriptShape(piece)
    yield this.#begin as FileBegin
    for (;;) {
      const line = this.#read()
      if (!isObject(line)) throw this.#foreign('')
      const isEnd = 'end' in line
      const fault = isEnd ? fileEndShape(line) : transcript(line)
      if (fault !== null) throw this.#foreign(fault)
      yield line as unknown as PartLine
      if (isEnd) return
    }
  }

  /** Holds its bytes to what its last line says of them. */
  #verify(lines: Generator<Buffer, boolean>): void {
    const sum = createHash('sha256')
    let last: Buffer | null = null
    let found = 0
    for (;;) {
      const next = this.#opened(() => lines.next())
      if (next.done) {
        // Text behind the last line feed is a line that was cut off.
        if (last === null) throw this.#fault(noPart)
        if (next.value || found === 0) throw this.#fault(cutOff)
        break
      }
      if (last === null) this.#checkVersion(valueIn(next.value))
      else {
        sum.update(last).update('\n')
        found++
      }
      last = next.value
    }
    const end = valueIn(last)
    if (endShape(end) !== null) throw this.#fault(cutOff)
    const { files, lines: written } = end as PartEnd
    if (found !== written) {
      throw this.#fault(`it has ${found} lines before its last, and was written with ${written}: ${again}`)
    }
    const whole: PartEnd = { complete: true, files, lines: found, sha256: sum.digest('hex') }
    if (last.toString() !== writeExact(whole)) throw this.#fault(`it was changed after it was written: ${again}`)
  }

  #checkVersion(head: unknown): void {
    const { part, ctxwin } = isObject(head) ? head : {}
    if (typeof part !== 'number' || typeof ctxwin !== 'string') throw this.#fault(noPart)
    if (ctxwin !== version)
      throw this.#fault(`it was made by another version of ctxwin (${ctxwin}, this is ${version})`)
    if (part !== partVersion) throw this.#fault(`it was made by an earlier build of ctxwin ${version}: ${again}`)
  }

  /** The value of its next line; undefined where there is none that could be read. */
  #read(): unknown {
    const { value, done } = this.#opened(() => this.#lines.next())
    this.#line++
    return done ? undefined : valueIn(value)
  }

  #opened<T>(read: () => T): T {
    try {
      return read()
    } catch (error) {
      throw isSystemError(error) ? new CtxwinError('unreadable', this.name, reasonOf(error, 'read')) : error
    }
  }

  /** @param where in its line stands what it cannot have */
  #foreign(where: string): CtxwinError {
    const what = where === '' ? 'is none that ctxwin writes' : `has no such ${where} as ctxwin writes`
    return this.#fault(`its line ${this.#line} ${what}: ${again}`)
  }

  #fault(what: string): CtxwinError {
    return new CtxwinError('part', this.name, what)
  }
}

const again = 'run its shard again'
const cutOff = `it is damaged or cut off: ${again}`
const noPart = 'it is no part that --output partial wrote'

/** Whether a head says nothing that no run of a shard says. */
function isSound({ command, flags, shards, of }: PartHead): boolean {
  const isAscending = shards.every((shard, at) => shard > (at === 0 ? 0 : (shards[at - 1] as number)))
  const areShards = of <= mostShards && shards.length > 0 && isAscending && (shards.at(-1) as number) <= of
  return areShards && Object.keys(flags).every((key) => isSaid(command, key))
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Undefined for what is no JSON, or longer or deeper than anything that ctxwin writes. */
function valueIn(line: Buffer): unknown {
  try {
    return readExact(line.toString())
  } catch (error) {
    const isTooLong = (error as NodeJS.ErrnoException).code === 'ERR_STRING_TOO_LONG'
    if (error instanceof SyntaxError || error instanceof RangeError || isTooLong) return undefined
    throw error
  }
}

/**
 * The lines of a text that comes in chunks, each of which is valid only until the next.
 * @returns whether something is left behind the last line feed
 */
function* linesOf(chunks: Iterable<Uint8Array>): Generator<Buffer, boolean> {
  let begun: Buffer[] = []
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield Buffer.concat([...begun, bytes.subarray(start, end)])
      begun = []
      start = end + 1
    }
    if (start < bytes.length) begun.push(Buffer.from(bytes.subarray(start)))
  }
  return begun.length > 0
}
