/**
 * A file that a program still appends to, read again and again: of what was read before, only what it came to is kept, here
 * or where another process finds it. docs/advise.md says how appended files are told from rewritten ones.
 */
import { deserialize, serialize } from 'node:v8'
import { CtxwinError } from '../../base/errors.ts'
import type { Trace } from '../../model/trace.ts'
import { databaseIn, sessionsIn } from '../../readers/databases/index.ts'
import { type Checkpoint, type GrownFile, readGrowing, worthCheckpoint } from '../../readers/growing.ts'
import { type FileState, stateOf } from '../../readers/lines/file-state.ts'
import { openFile } from '../../readers/lines/source.ts'
import { type FileReport, type ReadOptions, readTranscripts } from '../../readers/read.ts'

/** Keeps where readings stopped, for other processes. None of the methods throws. */
export interface Checkpoints {
  /** @param way how the file is read: whatever changes what is read has to change this */
  find(path: string, way: string): Uint8Array | null
  keep(path: string, way: string, checkpoint: Uint8Array): void
}

/** How the file has changed since the last reading of it; `replaced`: it is shorter, another file, or was rewritten. */
export type FileChange = 'first' | 'grown' | 'same' | 'replaced'

export interface Followed {
  readonly traces: readonly Trace[]
  readonly report: FileReport
  readonly change: FileChange
  /** Bytes that were read as records. */
  readonly bytes: number
}

/** What a file is recognised by: its number, and the bytes at both ends of what was read. */
interface Known {
  readonly ino: number
  readonly ends: FileState['ends']
  readonly checkpoint: Checkpoint
}

export class FollowedFile {
  readonly #path: string
  readonly #options: ReadOptions
  readonly #kept: { readonly checkpoints: Checkpoints; readonly way: string } | null
  readonly #onlyGrown: boolean
  #known: Known | null
  #last: FileState | null = null
  /** Of a session in a database, as it was read last. */
  #session: { readonly stamp: string; readonly read: Followed } | null = null

  /**
   * @param kept where a checkpoint is found and kept; null for this process only
   * @param onlyGrown never read it whole: it is an error that there is no checkpoint to go on from
   */
  constructor(
    path: string,
    options: ReadOptions,
    kept: { readonly checkpoints: Checkpoints; readonly way: string } | null = null,
    onlyGrown = false,
  ) {
    this.#path = path
    this.#options = options
    this.#kept = kept
    this.#onlyGrown = onlyGrown
    this.#known = kept && revived(kept.checkpoints.find(path, kept.way))
  }

  /**
   * Reads what was appended since the last time, without a last line that is still being written.
   * @throws as `readTranscripts`
   */
  async read(): Promise<Followed> {
    const database = databaseIn(this.#path)
    if (database !== null && !this.#onlyGrown) return this.#readSession(database)
    const source = { ...openFile(this.#path), path: this.#path }
    const traces: Trace[] = []
    const take = (trace: Trace) => void traces.push(trace)
    const known = this.#known
    const file = stateOf(this.#path, known?.checkpoint.bytes ?? 0)
    const goesOn = file !== null && known !== null && isGrown(known, file)
    let grown: GrownFile | null = null
    if (file && !this.#options.keepMessages && (goesOn || !this.#onlyGrown)) {
      const options = { ...this.#options, torn: 'left', fewest: worthCheckpoint } as const
      grown = await readGrowing(source, options, goesOn ? known.checkpoint : null, take)
    }
    if (this.#onlyGrown && !grown) throw new Error('there is no checkpoint to go on from')
    if (!grown) traces.length = 0
    const report = grown?.report ?? (await readTranscripts(source, this.#options, take))
    const before = this.#last
    this.#last = file
    if (file) this.#keep(file.ino, grown?.checkpoint ?? null)
    const isOther = before && (known ? !goesOn : before.ino !== file?.ino || before.size > file.size)
    const change = !before ? 'first' : isOther ? 'replaced' : before.size === file?.size ? 'same' : 'grown'
    return { traces, report, change, bytes: grown?.bytes ?? file?.size ?? 0 }
  }

  /** Reads a session whole where any of its rows is another. */
  async #readSession(database: string): Promise<Followed> {
    const source = sessionsIn(database).find((session) => session.source.name === this.#path)?.source
    if (!source?.session) throw new CtxwinError('no-transcript', this.#path, 'it is not in there')
    const stamp = source.session.stamp()
    if (this.#session?.stamp === stamp) return { ...this.#session.read, change: 'same' }
    const traces: Trace[] = []
    const report = await readTranscripts(source, this.#options, (trace) => void traces.push(trace))
    const read: Followed = { traces, report, change: this.#session ? 'grown' : 'first', bytes: source.session.size }
    this.#session = { stamp, read }
    return read
  }

  #keep(ino: number, checkpoint: Checkpoint | null): void {
    if (checkpoint === (this.#known?.checkpoint ?? null)) return
    const ends = checkpoint && stateOf(this.#path, checkpoint.bytes)?.ends
    this.#known = checkpoint && ends ? { ino, ends, checkpoint } : null
    if (this.#known) this.#kept?.checkpoints.keep(this.#path, this.#kept.way, serialize(this.#known))
  }
}

function revived(bytes: Uint8Array | null): Known | null {
  try {
    return bytes && (deserialize(bytes) as Known)
  } catch {
    return null
  }
}

function isGrown({ ino, checkpoint, ends: [head, tail] }: Known, file: FileState): boolean {
  return file.ino === ino && file.size >= checkpoint.bytes && file.ends[0] === head && file.ends[1] === tail
}
