/** The contract between the command line and a command. */
import type { MessagePort } from 'node:worker_threads'
import type { World } from '../output/world.ts'
import type { Configuration } from './config.ts'
import type { Parts } from './part-file.ts'

/** What a command is called with. */
export interface Call {
  /** The name of the command. */
  readonly command: string
  readonly world: World
  readonly inputs: readonly string[]
  /** As commander parsed them, by key. */
  readonly flags: Readonly<Record<string, unknown>>
  /** What is known of the files already, which are not read then. */
  readonly parts?: Parts
  /** This is a thread of `--jobs`: it measures the files that come here. */
  readonly port?: MessagePort
  /**
   * Its settings, where they are known: a thread of `--jobs` gets those of the main thread, and reads no config file.
   */
  readonly configuration?: Configuration
  /** What another command does. */
  action(command: string): Promise<Action>
  /** Prints the help of a command, or that of the program. */
  showHelp(command?: string): void
}

/** @returns the exit code */
export type Action = (call: Call) => Promise<number>
