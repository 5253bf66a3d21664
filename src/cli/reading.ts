/**
 * Reading many inputs for one result: progress, and what becomes of those that fail. A file the user named has to be a
 * transcript; what merely lies in a directory is passed over, and counted. No file ends the run, whatever is wrong with
 * it or with us.
 */
import { resolve } from 'node:path'
import { CtxwinError, type ErrorCode, openFile, readTranscripts, type Source, type Unusable } from '../index.ts'
import { bugReport } from './bug.ts'
import type { Call } from './call.ts'
import { Progress } from './io.ts'
import { type Input, openInputs } from './open.ts'
import { outputsOf, type ReadFile, refuseOverwriting } from './overwriting.ts'
import type { World } from './world.ts'

/** These name the file in their own words. */
const aboutFiles: readonly ErrorCode[] = ['unreadable', 'empty-directory', 'unknown-format', 'no-transcript', 'damaged']

/** What a file may be that merely lies in a directory. */
const passable: readonly ErrorCode[] = ['unknown-format', 'no-transcript', 'damaged']

export class Reading {
  /** Every file that no transcript came of. */
  readonly unusable: Unusable[] = []
  readonly #inputs: ReadonlyMap<Source, Input>
  readonly #world: World
  readonly #progress: Progress
  /** Inputs that could not be used; those that merely lay in a directory are counted as passed over. */
  #failed = 0
  #passed = 0
  /** What was already reported: a thousand files may come upon the same bug. */
  readonly #bugs = new Set<string>()

  /** @throws CtxwinError when there is no word, an empty one, or an output that is an input */
  static async of({ inputs: words, flags, world }: Call): Promise<Reading> {
    const inputs = openInputs(words, world)
    await refuseOverwriting(
      outputsOf(flags),
      inputs.map((input) => readFileOf(input, world)),
      world.cwd(),
    )
    return new Reading(inputs, world)
  }

  private constructor(inputs: readonly Input[], world: World) {
    this.#inputs = new Map(inputs.map((input) => [input.source, input]))
    this.#world = world
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
    const passedOver = !named && error instanceof CtxwinError && passable.includes(error.code)
    this.unusable.push({ file: source.name, error, passedOver })
    if (passedOver) {
      this.#passed++
      return
    }
    this.#failed++
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
   * Says what was passed over, and whether nothing was left.
   * @param found how many transcripts were read
   * @returns the exit code: 70 where a bug of ours left a file out, 2 where something else did or nothing was found, else 0
   */
  finish(found: number): number {
    if (this.#passed > 0) {
      const files =
        this.#passed === 1 ? '1 file that is no transcript' : `${this.#passed} files that are no transcripts`
      this.#world.say(`passed over ${files}${found === 0 ? ', and nothing else was there' : ''}`)
    }
    if (this.#bugs.size > 0) return 70
    return this.#failed > 0 || found === 0 ? 2 : 0
  }
}

function readFileOf({ source: { name }, named }: Input, world: World): ReadFile {
  if (name === '-') return { file: world.stdin.fd ?? name, is: 'an input' }
  // A report of yesterday in the directory that is read is no transcript, and may be written anew.
  const confirm = () => holdsTranscript(resolve(world.cwd(), name))
  return { file: name, is: 'an input', ...(named ? {} : { confirm }) }
}

async function holdsTranscript(path: string): Promise<boolean> {
  const how = { format: 'auto', measuresFor: () => [], keepMessages: false }
  try {
    const { transcripts, damagedLines } = await readTranscripts(openFile(path), how, () => {})
    // What is damaged may have been one.
    return transcripts > 0 || damagedLines > 0
  } catch (error) {
    return !(error instanceof CtxwinError && error.code === 'unknown-format')
  }
}
