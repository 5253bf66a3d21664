/**
 * Inputs without a result: reported at once, or counted if they are other files of a directory, and the
 * exit code they call for.
 */

import { CtxwinError, type ErrorCode } from '../../app/index.ts'
import type { Unusable } from '../../check/unusable.ts'
import type { Redaction } from '../../model/redaction.ts'
import { bugReport } from '../output/bug.ts'
import type { World } from '../output/world.ts'

/** Errors that name the file already. */
const aboutFiles: readonly ErrorCode[] = [
  'unreadable',
  'empty-directory',
  'unknown-format',
  'no-transcript',
  'empty',
  'left-out',
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
  ['empty', 'empty transcript'],
  ['left-out', 'not read in an archive'],
  ['damaged', 'damaged'],
])

/** Skipped files that may have been transcripts are named, unless there are many. */
const isNamed: ReadonlySet<ErrorCode> = new Set(['left-out', 'damaged'])
const mostNamed = 5

export class Failures {
  readonly unusable: Unusable[] = []
  readonly #world: World
  readonly #redaction: Redaction | null
  #empty = 0
  /** Inputs that failed; skipped files of a directory are not counted. */
  #failed = 0
  /** Bugs already reported: a thousand files may meet the same one. */
  readonly #bugs = new Set<string>()

  /** @param redaction what stands in for the names of files */
  constructor(world: World, redaction: Redaction | null = null) {
    this.#redaction = redaction
    this.#world = world
  }

  /** @param file `named`: by the user, so that it has to be a transcript */
  add({ name: real, named }: { readonly name: string; readonly named: boolean }, error: unknown): void {
    const name = this.#redaction?.file(real) ?? real
    if (this.#redaction) redactError(error, real, this.#redaction)
    const skipped = !named && error instanceof CtxwinError && skippable.has(error.code)
    this.unusable.push({ file: name, error, skipped })
    if (error instanceof CtxwinError && error.code === 'empty') {
      this.#empty++
      if (!skipped) this.#world.note(error.message)
      return
    }
    if (skipped) return
    this.#failed++
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

  get hasBug(): boolean {
    return this.#bugs.size > 0
  }

  /** As `Reading.finish`. */
  code(found: number): number {
    if (this.hasBug) return 70
    return this.#failed > 0 || (found === 0 && this.#empty === 0) ? 2 : 0
  }

  /** "3 files skipped: 2 unknown format, 1 damaged (a.jsonl)" */
  skipped(): string | null {
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
      const why = `${skippable.get(code)}${isNamed.has(code) ? ` (${listed(alike)})` : ''}`
      return files.size === 1 ? why : `${alike.length} ${why}`
    })
    return `${total} ${total === 1 ? 'file' : 'files'} skipped: ${reasons.join(', ')}`
  }
}

/** Takes out of an error what it tells of a transcript. @param real the name that stands in it */
export function redactError(error: unknown, real: string, redaction: Redaction): void {
  if (!(error instanceof CtxwinError)) return
  error.message = error.message.replaceAll(real, redaction.file(real))
  // Details are keys of records and ids of sessions, which are words of the transcript.
  error.details = []
}

function listed(files: readonly string[]): string {
  const some = files.slice(0, mostNamed).join(', ')
  return files.length > mostNamed ? `${some} and ${files.length - mostNamed} more` : some
}
