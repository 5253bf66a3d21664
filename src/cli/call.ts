/** The contract between the command line and a command. */
import type { World } from './world.ts'

/** What a command is called with. */
export interface Call {
  readonly world: World
  readonly inputs: readonly string[]
  /** As commander parsed them, by key. */
  readonly flags: Readonly<Record<string, unknown>>
}

/** @returns the exit code */
export type Action = (call: Call) => Promise<number>
