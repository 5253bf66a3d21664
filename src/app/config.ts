/** The shape of a config file, for editors: put `@type {import('ctxwin').Config}` above its default export. */
import type { Aggregate } from '../check/assertions.ts'
import type { By } from '../model/run.ts'

/** 100000, '100k', '0.2M' */
export type Tokens = number | string

/** A limit, with its level and aggregate; 'off' removes the limit of an earlier section. */
export type Limit =
  | number
  | string
  | readonly [level: 'warn' | 'error', limit: number | string]
  | readonly [level: 'warn' | 'error', limit: number | string, options: { readonly aggregate?: Aggregate }]

/** `max` or `min` and the figure's key in the JSON: `cost.savedPercent` becomes `minCostSavedPercent`. */
export interface Assertions {
  readonly [name: `max${string}` | `min${string}`]: Limit
  readonly orphanedPairs?: Limit
}

/** `ctxwin <command> --help` explains each setting. */
export interface Config {
  /** Of this file, for editors: `node_modules/ctxwin/docs/schema/config.schema.json`. */
  readonly $schema?: string
  /** Transcripts to read where the command line names none: files, directories, globs. Paths start at the config file. */
  readonly inputs?: string | readonly string[]
  readonly budget?: Tokens | readonly Tokens[]
  readonly policy?: string | readonly string[]
  /** Policies of your own, each a list of primitives and their params. */
  readonly policies?: Readonly<Record<string, readonly unknown[]>>
  readonly estimator?: string | readonly string[]
  /** A directory. */
  readonly countCache?: string
  readonly model?: string
  readonly preamble?: Tokens | 'auto'
  readonly provider?: 'auto' | 'anthropic' | 'openai' | 'google'
  readonly measure?: 'run' | 'native'
  /** A file. */
  readonly prices?: string
  readonly cache?: 'ideal' | 'recorded' | 'expected'
  readonly format?: string
  /** A date (`2026-11-01`, `2026-11-01T12:00Z`), or so long ago (`12h`, `7d`, `4w`). */
  readonly since?: string
  readonly last?: number
  readonly project?: string | readonly string[]
  readonly onlyModel?: string | readonly string[]
  readonly minRequests?: number
  /** The column of a table that holds the conversations. */
  readonly column?: string
  /** Branches that were left, too. */
  readonly branches?: boolean
  /** `500MB`, `20GB`. */
  readonly maxUnpacked?: string
  /** Keep what is read in the user's cache directory for the next run, and how much of it. */
  readonly traceCache?: boolean
  readonly cacheSize?: string
  /** Files that are measured at once. */
  readonly jobs?: number
  readonly output?: string
  /** Pseudonyms for words of transcripts; with a key that is kept secret the same ones in each run. */
  readonly redact?: boolean
  readonly redactKey?: string
  readonly cuts?: 'all' | 'first' | 'none'
  readonly by?: By
  readonly strict?: boolean
  readonly plan?: boolean
  readonly assert?: Assertions
  /** Other limits for some files: globs, from where the command runs. Later ones win. */
  readonly overrides?: readonly { readonly files: string | readonly string[]; readonly assert: Assertions }[]
  /** What every saving is measured against: `today`, `unpruned`, or a policy. */
  readonly baseline?: string
  /** A file, or false for none. */
  readonly baselineFile?: string | false
  /** Percent. */
  readonly tolerance?: number | string
  readonly reporter?: string | readonly string[]
  readonly maxWarnings?: number
}
