/**
 * Reading many inputs for one result: progress, and what becomes of those that cannot be read. A file the user named has
 * to be a transcript; what merely lies in a directory is passed over, and counted.
 */
import type { CtxwinError, Source } from '../index.ts'
import { Progress, type World } from './io.ts'
import type { Input } from './open.ts'

export class Reading {
  /** Inputs the user named that could not be used. */
  failed = 0
  readonly #inputs: readonly Input[]
  readonly #world: World
  readonly #progress: Progress
  #passed = 0

  constructor(inputs: readonly Input[], world: World) {
    this.#inputs = inputs
    this.#world = world
    this.#progress = new Progress(world)
  }

  *sources(): Generator<Source> {
    for (const [index, { source }] of this.#inputs.entries()) {
      this.#progress.at(index, this.#inputs.length, source.name)
      yield source
    }
    this.#progress.clear()
  }

  readonly unread = (source: Source, error: CtxwinError): void => {
    const named = this.#inputs.find((input) => input.source === source)?.named ?? true
    if (!named && (error.code === 'unknown-format' || error.code === 'no-transcript')) {
      this.#passed++
      return
    }
    this.failed++
    this.#progress.clear()
    this.#world.stderr.write(`ctxwin: ${error.message}\n`)
  }

  /** Says what was passed over, and whether nothing was left. */
  finish(found: number): void {
    if (this.#passed === 0) return
    const files = this.#passed === 1 ? '1 file that is no transcript' : `${this.#passed} files that are no transcripts`
    this.#world.stderr.write(`ctxwin: passed over ${files}${found === 0 ? ', and nothing else was there' : ''}\n`)
  }
}
