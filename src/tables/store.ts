/** The contract of a store: where the tables go. A store is one file of stores/, with a line in their registry. */
import type { Named } from '../base/registry.ts'
import type { TranscriptRows } from './tables.ts'

/** A file that is written whole or not at all. */
export interface Draft {
  write(part: string | Uint8Array): void
  /** Puts it in its place. */
  complete(): void
  /** Leaves nothing of it, unless it is complete. */
  discard(): void
}

/** A file that a database engine writes by itself. */
export interface DatabaseFile {
  readonly path: string
  /** Why the system has refused the engine something, in words; null where it has not since this was last asked. */
  refusal(): string | null
  /** Something was put into it. */
  keep(): void
  /** Leaves nothing of it where it is new and was not kept. */
  close(): void
}

/** What a store may ask of the world. */
export interface Surroundings {
  /**
   * @param name as the user knows the file
   * @throws CtxwinError when it cannot be written
   */
  database(place: string, name: string): DatabaseFile
  /** Drafts of files in a directory, which is created where it is missing. */
  directory(name: string): (file: string) => Draft
}

export interface OpenStore {
  /**
   * Whether it has the transcript already, with as many messages and the same runs. Absent where nothing is kept from
   * one export to the next.
   */
  has?(rows: Pick<TranscriptRows, 'id' | 'agents' | 'messages'>): Promise<boolean>
  /** All rows of one transcript, in place of those that are there, or none of them. */
  put(rows: TranscriptRows): Promise<void>
  /** Nothing more will come. */
  complete(): Promise<void>
  /** Lets go of what is held, whatever has happened; what was put into a database stays. */
  close(): Promise<void>
}

export interface Store extends Named {
  /** How it is named on the command line. */
  readonly place: string
  /** @throws CtxwinError if it cannot be written there, or its package is missing */
  open(place: string, surroundings: Surroundings): Promise<OpenStore>
}
