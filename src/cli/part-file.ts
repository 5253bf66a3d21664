/**
 * The parts that `--output partial` writes and `merge` reads: NDJSON, as docs/schema/partial.schema.json has it. The first
 * line says what was asked for, the last one that nothing is missing.
 */
import { type FileBegin, fingerprint, type PartLine, readExact, writeExact } from '../app/door.ts'
import { CtxwinError, type Plan, type Source } from '../index.ts'
import { version } from './bug.ts'
import type { Resolved } from './config.ts'

/** Of the form of a part. */
const partVersion = 1

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
  ...['shard', 'jobs', 'output', 'outputFile', 'color', 'reporter', 'maxWarnings', 'inputs'],
  ...['countCache', 'traceCache', 'cacheSize'],
]
const isOfOneRun = (key: string): boolean =>
  ofOneRun.includes(key) ||
  key.startsWith('outputFile.') ||
  ['json', 'quiet', 'printConfig', 'config', 'noConfig'].includes(key)
/** Flags that no part is written with: they would run a config file, write a file, or begin to watch one. */
const isForeign = (key: string): boolean => isOfOneRun(key) || ['updateBaseline', 'follow'].includes(key)

export function headOf(
  { command, flags }: Pick<PartHead, 'command' | 'flags'>,
  settings: ReadonlyMap<string, Resolved>,
  plan: Plan,
  { names, ...run }: HeadOfRun,
): PartHead {
  return {
    part: partVersion,
    ctxwin: version,
    command,
    flags: Object.fromEntries(Object.entries(flags).filter(([key]) => !isOfOneRun(key))),
    settings: settingsIn(settings),
    plan: fingerprint([planWords(plan)]),
    list: fingerprint(names.flatMap((name) => [name, '\0'])),
    ...run,
  }
}

function settingsIn(settings: ReadonlyMap<string, Resolved>): PartHead['settings'] {
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
  yield `${writeExact(head)}\n`
  let files = 0
  for await (const line of lines) {
    if ('file' in line) files++
    yield `${writeExact(line)}\n`
  }
  yield `${writeExact({ complete: true, files })}\n`
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
  agree(settings: ReadonlyMap<string, Resolved>, plan: Plan): void {
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
    throw new CtxwinError(
      'usage',
      `missing: ${missing.length === 1 ? 'shard' : 'shards'} ${[...named, ...more].join(', ')}`,
    )
  }

  /**
   * The lines of all files, in the order of the files.
   * @throws CtxwinError for a part that is cut off, and for a file that two parts have
   */
  async *lines(): AsyncGenerator<PartLine> {
    const next = new Map<number, PartFile>()
    const advance = (part: PartFile): void => {
      const begin = part.begin()
      if (begin === null) return
      const other = next.get(begin.file)
      if (other) throw new CtxwinError('part', part.name, `${other.name} has one of its files, too: ${changed}`)
      next.set(begin.file, part)
    }
    for (const part of this.#files) advance(part)
    for (let file = 0; next.size > 0; file++) {
      let part = next.get(file)
      if (!part) {
        file = [...next.keys()].reduce((least, key) => Math.min(least, key), Infinity)
        part = next.get(file) as PartFile
      }
      next.delete(file)
      yield* part.file()
      advance(part)
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

/** One part, read from its beginning to its end. */
class PartFile {
  readonly name: string
  readonly head: PartHead
  readonly #lines: Generator<string>
  #begin: FileBegin | null = null
  #files = 0

  constructor({ name, chunks }: Source) {
    this.name = name
    this.#lines = textLines(chunks as Iterable<Uint8Array>)
    const head = this.#read()
    if (!isHead(head)) throw this.#fault('it is no part that --output partial wrote')
    if (head.part !== partVersion || head.ctxwin !== version) {
      throw this.#fault(`it was made by another version of ctxwin (${head.ctxwin}, this is ${version})`)
    }
    this.head = head
  }

  /** Where its next file begins; null where there is none. */
  begin(): FileBegin | null {
    const line = this.#read()
    if (isObject(line) && 'complete' in line && line.files === this.#files) return null
    if (!isObject(line) || typeof line.file !== 'number' || typeof line.name !== 'string') throw this.#fault(cutOff)
    this.#files++
    this.#begin = line as unknown as FileBegin
    return this.#begin
  }

  /** The lines of the file that has begun. */
  *file(): Generator<PartLine> {
    yield this.#begin as FileBegin
    for (;;) {
      const line = this.#read()
      if (!isObject(line) || !('responses' in line || 'end' in line)) throw this.#fault(cutOff)
      yield line as unknown as PartLine
      if ('end' in line) return
    }
  }

  #read(): unknown {
    try {
      const { value } = this.#lines.next()
      return value === undefined ? undefined : readExact(value)
    } catch (error) {
      if (error instanceof SyntaxError) return undefined
      const code = (error as NodeJS.ErrnoException).code
      if (error instanceof CtxwinError || code === undefined) throw error
      throw new CtxwinError('unreadable', this.name, code === 'ENOENT' ? 'there is no such file' : code)
    }
  }

  #fault(what: string): CtxwinError {
    return new CtxwinError('part', this.name, what)
  }
}

const cutOff = 'it is damaged or cut off: run its shard again'

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isHead(value: unknown): value is PartHead {
  if (!isObject(value)) return false
  const { part, ctxwin, command, inputs, flags, settings, plan, list, files, shards, of } = value
  return (
    [part, plan, list, files, of].every((one) => typeof one === 'number') &&
    [ctxwin, command].every((one) => typeof one === 'string') &&
    [flags, settings].every(isObject) &&
    !Object.keys(flags as object).some(isForeign) &&
    [inputs, shards].every(Array.isArray)
  )
}

/** The lines of a text that comes in chunks, each of which is valid only until the next. */
function* textLines(chunks: Iterable<Uint8Array>): Generator<string> {
  let begun: Buffer[] = []
  for (const chunk of chunks) {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
    let start = 0
    for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
      yield Buffer.concat([...begun, bytes.subarray(start, end)]).toString()
      begun = []
      start = end + 1
    }
    begun.push(Buffer.from(bytes.subarray(start)))
  }
}
