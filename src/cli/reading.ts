/**
 * Reading many inputs for one result: progress, and what becomes of those that fail. A file the user named has to be a
 * transcript; what merely lies in a directory is skipped, and counted. No file ends the run, whatever is wrong with
 * it or with us.
 */
import { resolve } from 'node:path'
import { readTranscripts, type Unusable } from '../app/door.ts'
import { CtxwinError, type ErrorCode, openFile, type Source } from '../index.ts'
import { bugReport } from './bug.ts'
import type { Call } from './call.ts'
import { Progress } from './io.ts'
import { type Input, openInputs } from './open.ts'
import { outputsOf, type ReadFile, refuseOverwriting } from './overwriting.ts'
import type { World } from './world.ts'

/** These name the file in their own words. */
const aboutFiles: readonly ErrorCode[] = [
  'unreadable',
  'empty-directory',
  'unknown-format',
  'no-transcript',
  'damaged',
  'bad-policy',
]

/** What a file may be that merely lies in a directory, and how that is told. */
const skippable: ReadonlyMap<ErrorCode, string> = new Map([
  ['unknown-format', 'unknown format'],
  ['no-transcript', 'no conversation'],
  ['damaged', 'damaged'],
])

export class Reading {
  /** Every file that no transcript came of. */
  readonly unusable: Unusable[] = []
  readonly #inputs: ReadonlyMap<Source, Input>
  readonly #world: World
  readonly #progress: Progress
  readonly #strict: boolean
  /** Inputs that could not be used; what merely lay in a directory is skipped. */
  #failed = 0
  /** Skipped, and a finding by `strict`. */
  #damaged = 0
  /** What was already reported: a thousand files may come upon the same bug. */
  readonly #bugs = new Set<string>()

  /**
   * @param strict a file of which nothing is left is named and is a finding, in a directory too
   * @throws CtxwinError when there is no word, an empty one, or an output that is an input
   */
  static async of({ inputs: words, flags, world }: Call, strict = false): Promise<Reading> {
    const inputs = openInputs(words, world)
    await refuseOverwriting(
      outputsOf(flags),
      inputs.map((input) => readFileOf(input, world)),
      world.cwd(),
    )
    return new Reading(inputs, world, strict)
  }

  private constructor(inputs: readonly Input[], world: World, strict: boolean) {
    this.#inputs = new Map(inputs.map((input) => [input.source, input]))
    this.#world = world
    this.#strict = strict
    this.#progress = new Progress(world)
  }

  *sources(): Generator<Source> {
    let index = 0
    for (const source of this.#inputs.keys()) {
      this.#progress.at(index++, this.#inputs.size, source.name)
      yield source
    }
    this.#progress.clear()
  }

  readonly unread = (source: Source, error: unknown): void => {
    const named = this.#inputs.get(source)?.named ?? true
    const skipped = !named && error instanceof CtxwinError && skippable.has(error.code)
    this.unusable.push({ file: source.name, error, skipped })
    const isFinding = skipped && this.#strict && error.code === 'damaged'
    if (skipped && !isFinding) return
    if (isFinding) this.#damaged++
    else this.#failed++
    this.#progress.clear()
    if (error instanceof CtxwinError) {
      this.#world.say(`${aboutFiles.includes(error.code) ? '' : `${source.name}: `}${error.message}`)
      return
    }
    const { sentence, frames } = bugReport(error)
    const bug = [sentence, ...frames].join('\n')
    if (this.#bugs.has(bug)) this.#world.say(`${source.name}: left out, for the same bug of ctxwin`)
    else this.#world.say(`${source.name}: left out: ${sentence}`, frames)
    this.#bugs.add(bug)
  }

  /**
   * Says what was skipped, and whether nothing was found.
   * @param found how many transcripts were read
   * @returns the exit code: 70 where a bug of ours left a file out, 2 where something else did or nothing was found, 1 for a
   *   damaged file where that is a finding, else 0
   */
  finish(found: number): number {
    const skipped = this.#skipped()
    if (skipped !== null) this.#world.say(found === 0 ? `no transcripts found (${skipped})` : skipped)
    if (this.#bugs.size > 0) return 70
    if (this.#failed > 0 || found === 0) return 2
    return this.#damaged > 0 ? 1 : 0
  }

  /** "3 files skipped: 2 unknown format, 1 damaged" */
  #skipped(): string | null {
    const times = new Map<string, number>()
    for (const { skipped, error } of this.unusable) {
      const why = skipped && error instanceof CtxwinError ? skippable.get(error.code) : undefined
      if (why !== undefined) times.set(why, (times.get(why) ?? 0) + 1)
    }
    const total = [...times.values()].reduce((sum, count) => sum + count, 0)
    if (total === 0) return null
    const [only] = times.keys()
    const reasons = times.size === 1 ? only : [...times].map(([why, count]) => `${count} ${why}`).join(', ')
    return `${total} ${total === 1 ? 'file' : 'files'} skipped: ${reasons}`
  }
}

function readFileOf({ source: { name }, named }: Input, world: World): ReadFile {
  if (name === '-') return { file: world.stdin.fd ?? name, is: 'an input' }
  // A report of yesterday in the directory that is read is no transcript, and may be written anew.
  const confirm = () => holdsTranscript(resolve(world.cwd(), name))
  return { file: name, is: 'an input', ...(named ? {} : { confirm }) }
}

async function holdsTranscript(path: string): Promise<boolean> {
  const how = { format: 'auto', sizersFor: () => [], keepMessages: false }
  try {
    const { transcripts, damagedLines } = await readTranscripts(openFile(path), how, () => {})
    // What is damaged may have been one.
    return transcripts > 0 || damagedLines > 0
  } catch (error) {
    return !(error instanceof CtxwinError && error.code === 'unknown-format')
  }
}
