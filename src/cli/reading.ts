/**
 * Reads many inputs for one result, with progress, and reports those that fail. A file that the user named has to be a
 * transcript; other files in a directory are skipped and counted. No file ends the run, whether it or ctxwin is at fault.
 */
import { resolve } from 'node:path'
import { type ReadFiles, readingHere, readTranscripts, type Unusable } from '../app/door.ts'
import { CtxwinError, type ErrorCode, openFile, type ReadSettings, type Source } from '../index.ts'
import { bugReport } from './bug.ts'
import { traceCacheOf } from './caching.ts'
import type { Call } from './call.ts'
import type { Resolved } from './config.ts'
import { type Input, openInputs, withArchives } from './open.ts'
import { readingOf } from './options.ts'
import { outputsOf, type ReadFile, refuseOverwriting } from './overwriting.ts'
import { tilde } from './places.ts'
import { Progress } from './progress.ts'
import { Selection } from './selection.ts'
import { inputsOf } from './session.ts'
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
    settings: ReadonlyMap<string, Resolved>,
    { strict = false, newest = false, always = false }: Wanted = {},
  ): Promise<Reading> {
    const { flags, world } = call
    const words = inputsOf(call, settings)
    const how = { ...(await readingOf(settings, world.cwd())), traces: traceCacheOf(settings, world) }
    const inputs = await withArchives(openInputs(words, world, always), world)
    await refuseOverwriting(
      outputsOf(flags),
      inputs.map((input) => readFileOf(input, world)),
      world.cwd(),
    )
    const progress = new Progress(world)
    const looking = { how, looking: (index: number, count: number, name: string) => progress.at(index, count, name) }
    const isNewest = newest && call.inputs.length === 0
    const select = isNewest ? Selection.ofNewest : Selection.of
    const selection = await select(inputs, settings, world, looking)
    progress.clear()
    const [first] = selection.inputs
    if (isNewest && first) world.note(`the newest session: ${tilde(first.source.name, world)}`)
    return new Reading(selection, how, world, progress, strict)
  }

  private constructor(selection: Selection, how: ReadSettings, world: World, progress: Progress, strict: boolean) {
    this.how = { ...how, accepts: selection.accepts }
    this.#inputs = new Map(selection.inputs.map((input) => [progress.watch(input.source), input]))
    this.#selection = selection
    this.#world = world
    this.#strict = strict
    this.#progress = progress
  }

  readonly read: ReadFiles = (analysis) => readingHere(this.sources(), this.how, this.unread)(analysis)

  sources(): Generator<Source> {
    return this.#progress.over([...this.#inputs.keys()])
  }

  readonly unread = (source: Source, error: unknown): void => {
    const named = this.#inputs.get(source)?.named ?? true
    const skipped = !named && error instanceof CtxwinError && skippable.has(error.code)
    this.unusable.push({ file: source.name, error, skipped })
    const isFinding = skipped && this.#strict && error.code === 'damaged'
    if (skipped && !isFinding) return
    if (isFinding) this.#damaged++
    else this.#failed++
    if (error instanceof CtxwinError) {
      this.#world.say(`${aboutFiles.includes(error.code) ? '' : `${source.name}: `}${error.message}`, error.details)
      return
    }
    const { sentence, frames } = bugReport(error)
    const bug = [sentence, ...frames].join('\n')
    if (this.#bugs.has(bug)) this.#world.say(`${source.name}: left out, for the same bug of ctxwin`)
    else this.#world.say(`${source.name}: left out: ${sentence}`, frames)
    this.#bugs.add(bug)
  }

  /** The files of which the settings have left something out, so far. */
  get leftOut(): ReadonlySet<string> {
    return this.#selection.leftOut
  }

  /**
   * Reports the skipped files, what the settings left out, and if no transcript is left.
   * @param found how many transcripts were read
   * @returns the exit code: 70 if a bug of ctxwin left a file out, 2 if another error did or nothing was found, 1 for a
   *   damaged file if that is a finding, else 0
   */
  finish(found: number): number {
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
