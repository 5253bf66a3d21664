/**
 * The table of settings, a row each: flag, environment variable, key in a config file, default, help, and how a value
 * is read. The command line, `--print-config`, the completions and the schema of config files come from it. Words that
 * name plugins are looked up in options.ts: loading the plugins would slow down `--help`.
 */
import type { Budget, Tolerance } from '../../app/index.ts'
import { parseTokens } from '../../base/param.ts'
import { parseBudget } from '../../model/budget.ts'
import { parseTolerance } from '../../model/tolerance.ts'
import { mostShards, parseShard, type Shard } from './shards.ts'

/** The headings of `--help`, in their order. What stands under none is peculiar to its command. */
export const groups = {
  limits: 'Limits:',
  window: 'Window:',
  counting: 'Tokens and cost:',
  transcripts: 'Transcripts:',
  output: 'Output:',
  general: 'General:',
} as const

/** How a value is read. */
export interface Kind<T> {
  /** What it has to be, in words. */
  readonly expected: string
  /** Undefined for what is no such value. */
  readonly parse: (word: string) => T | undefined
}

interface About {
  /** Short: a line or two at 80 columns. */
  readonly help: string
  /** May be given several times, or as a list separated by commas. */
  readonly list?: boolean
  /** The words that may follow, for help and completions: fixed ones, or a registry's names. */
  readonly words?: readonly string[] | 'formats' | 'policies' | 'estimators'
  /** Default: a switch is true or false, and anything else is text. */
  readonly is?: Kind<unknown>
  /** For one run only: not in a config file or the environment. */
  readonly flagOnly?: boolean
  /** Set by no flag, because the list of processes would show it. */
  readonly variableOnly?: boolean
  /** Set by a config file only: the command line has other words for it. */
  readonly configOnly?: boolean
}

export interface Setting extends About {
  /** Its name in a config file; in the environment, `CTXWIN_` and the name in capitals. */
  readonly key: SettingKey
  /** In commander's notation. */
  readonly flags: string
  readonly group: keyof typeof groups
  /** The default, as a user would write it. */
  readonly default: string | number | boolean | null
}

/** The names in the registries, which are not loaded to print help. */
export const outputNames = ['table', 'json', 'ndjson', 'csv', 'markdown'] as const
/** `history` has no rows, but a picture. */
export const historyOutputs = ['table', 'json', 'svg', 'html'] as const
/** `advise` has no rows either, but a line for status lines. */
export const adviceOutputs = ['table', 'json', 'line'] as const
export const reporterNames = ['default', 'github', 'junit', 'sarif', 'json', 'markdown'] as const

/** @param digits what a number of this kind looks like */
function numberOf(expected: string, digits: RegExp): Kind<number> {
  return { expected, parse: (word) => (digits.test(word.trim()) ? Number(word) : undefined) }
}

const fromOne = numberOf('a number from 1 on', /^[1-9]\d{0,8}$/)
const warnings = numberOf('a number of warnings', /^\d+$/)
const jobs: Kind<number> = {
  expected: 'a number from 1 to 1024',
  parse: (word) =>
    Number.isInteger(Number(word)) && Number(word) >= 1 && Number(word) <= 1024 ? Number(word) : undefined,
}
/** In bytes. */
const size: Kind<number> = {
  expected: 'a size such as 500MB or 20GB',
  parse(word) {
    const [, digits, unit] = /^(\d{1,9}(?:\.\d+)?) ?([kmgt])i?b?$/i.exec(word) ?? []
    return Number(digits) > 0 && unit ? Number(digits) * 1024 ** (1 + 'kmgt'.indexOf(unit.toLowerCase())) : undefined
  },
}
const tokenWords = 'a number of tokens such as 100000, 100k or 0.2M'
const preamble: Kind<number | 'auto'> = {
  expected: tokenWords,
  parse: (word) => (word === 'auto' ? word : parseTokens(word)),
}
const budget: Kind<Budget> = {
  expected: `${tokenWords}, a share of the model’s window such as 50%, or own`,
  parse: parseBudget,
}
const tolerance: Kind<Tolerance> = {
  expected: 'a percentage such as 2%, or +1% for so much more than the baseline',
  parse: parseTolerance,
}
const shard: Kind<Shard> = {
  expected: `a shard such as 3/8: a number from 1, of at most ${mostShards}`,
  parse: parseShard,
}

function row<const D extends Setting['default'], const A extends About>(
  group: keyof typeof groups,
  flags: string,
  value: D,
  about: A,
) {
  return { group, flags, default: value, ...about }
}

const table = {
  budget: row('window', '-b, --budget <tokens>', 'own', {
    help: 'ceiling of the window in tokens: 100000, 100k, 0.2M; 50% = half of the model’s context window; own = what the policy’s program has, else 100000; 0 = none, so that nothing leaves to save tokens; may be a list',
    list: true,
    is: budget,
  }),
  policy: row('window', '-p, --policy <name>', 'ikigai', {
    help: 'what leaves the window, and when: name or name:key=value,key=value, where key=1,0.5 is one policy for each value; may be a list (ctxwin list policies). Also a module of your own (./mine.js), or, on the command line only, filter:command=…, a program that filters each tool result',
    list: true,
    words: 'policies',
  }),
  estimator: row('counting', '-e, --estimator <name>', 'auto', {
    help: 'how tokens are counted; auto = calibrated by recorded usage, else by the model; may be a list (ctxwin list estimators)',
    list: true,
    words: 'estimators',
  }),
  count: row('counting', '--count <where>', 'local', {
    help: 'remote = also have the provider count the request; needs its key in the environment, and its SDK',
    words: ['local', 'remote'],
    // No file in a repository may cause transcripts to be sent anywhere.
    flagOnly: true,
  }),
  countCache: row('counting', '--count-cache <directory>', null, {
    help: 'where a provider’s counts are kept (default: ctxwin/counts in the user’s cache directory)',
  }),
  model: row('counting', '-m, --model <name>', null, { help: 'take every transcript as recorded with this model' }),
  preamble: row('counting', '--preamble <tokens>', 'auto', {
    help: 'size of the system prompt and the tools where they are not recorded; auto = as recorded, else inferred',
    is: preamble,
  }),
  provider: row('counting', '--provider <name>', 'auto', {
    help: 'the API that requests are built for; auto = the recorded one',
    words: ['auto', 'anthropic', 'openai', 'google'],
  }),
  measure: row('window', '--measure <how>', 'run', {
    help: 'how a policy counts: run = with the estimator; native = like the program it comes from',
    words: ['run', 'native'],
  }),
  prices: row('counting', '--prices <file>', null, {
    help: 'prices, windows and cache rules that replace built-in ones, in the form of list models --json',
  }),
  cache: row('counting', '--cache <how>', 'recorded', {
    help: 'what the prompt cache serves: recorded = what it did serve; ideal = all that the price lists promise; expected = what it serves on average in such sessions',
    words: ['ideal', 'recorded', 'expected'],
  }),
  inputs: row('transcripts', '[inputs...]', null, {
    help: 'transcripts to read where none are named: files, directories, globs; paths start at the config file',
    list: true,
    configOnly: true,
  }),
  format: row('transcripts', '-f, --format <name>', 'auto', {
    help: 'format of the transcripts; auto = by their content (ctxwin list formats); or a module of your own (./mine.js)',
    words: 'formats',
  }),
  maxUnpacked: row('transcripts', '--max-unpacked <size>', '4GB', {
    help: 'the most that a compressed file may unpack to: 500MB, 20GB',
    is: size,
  }),
  column: row('transcripts', '--column <name>', null, {
    help: 'column of a table (Parquet, CSV, JSONL) that holds the conversations (default: messages, conversations, trajectory or history)',
  }),
  branches: row('transcripts', '--branches', false, {
    help: 'also read branches that an edited prompt or a retried answer left behind, each as a transcript',
  }),
  traceCache: row('transcripts', '--no-cache', true, {
    help: 'use no cache directory: read every file again, and keep nothing for later runs (the default in CI)',
  }),
  cacheSize: row('transcripts', '--cache-size <size>', '1GB', {
    help: 'the most that is kept for later runs: 200MB, 5GB',
    is: size,
  }),
  since: row('transcripts', '--since <when>', null, {
    help: 'only transcripts whose last response is no older than this: 2026-11-01 (UTC), or 12h, 7d, 4w (ago); from..to for both ends, the last day included',
  }),
  last: row('transcripts', '--last <number>', null, {
    help: 'only this many of the newest transcripts',
    is: fromOne,
  }),
  project: row('transcripts', '--project <name>', null, {
    help: 'only transcripts of agents that worked in this directory or below it: a path, or a name in it; may be a list',
    list: true,
  }),
  onlyModel: row('transcripts', '--only-model <name>', null, {
    help: 'only transcripts whose model has this in its name; may be a list (--model overrides the model instead)',
    list: true,
  }),
  minRequests: row('transcripts', '--min-requests <number>', null, {
    help: 'only transcripts with at least this many requests',
    is: fromOne,
  }),
  shard: row('transcripts', '--shard <i/n>', null, {
    help: 'only one of several shards of about equal size: 3/8; merge joins what each wrote with --output partial',
    is: shard,
    flagOnly: true,
  }),
  jobs: row('transcripts', '--jobs <number>', null, {
    help: 'how many files to measure at once (default: one per idle processor; 1 if there is little to read)',
    is: jobs,
  }),
  output: row('output', '-O, --output <name>', 'table', { help: 'form of the result', words: outputNames }),
  redact: row('output', '--redact', false, {
    help: 'print pseudonyms instead of words, paths, names and ids of transcripts; figures stay (CTXWIN_REDACT_KEY=words: the same ones in every run)',
  }),
  redactKey: row('output', '--redact-key <words>', null, {
    help: 'as redact, with pseudonyms that stay the same in every run with this secret key',
    variableOnly: true,
  }),
  outputFile: row('output', '-o, --output-file <file>', null, {
    help: 'write the result to this file, in the form of its ending: .json, .ndjson, .csv, .md, .html',
    flagOnly: true,
  }),
  cuts: row('output', '--cuts <which>', 'first', {
    help: 'which cuts to list below the table',
    words: ['all', 'first', 'none'],
  }),
  by: row('output', '--by <unit>', 'transcript', {
    help: 'what a row is; reference = each use of something that had left the window',
    words: ['transcript', 'exchange', 'request', 'reference'],
  }),
  assert: row('limits', '--assert <name=limit>', null, {
    help: 'a limit on a figure: maxPeakTokens=100k, minSavedPercent=20; may be repeated; overrides the config file',
    list: true,
  }),
  baseline: row('counting', '--baseline <what>', 'today', {
    help: 'what savings are measured against: today = what the recorded agent did; unpruned = nothing ever leaves; or a policy',
    words: ['today', 'unpruned'],
  }),
  baselineFile: row('limits', '--baseline-file <file>', 'ctxwin-baseline.json', {
    help: 'file of agreed figures: the check fails where one is worse now',
  }),
  tolerance: row('limits', '--tolerance <percent>', 0, {
    help: 'how much worse than the baseline is accepted: in check, percent of each figure; elsewhere, lost later uses: 2% in all, or +1% more than the baseline loses',
    is: tolerance,
  }),
  reporter: row('output', '--reporter <name>', 'default', {
    help: 'form of the check’s report; may be a list',
    list: true,
    words: reporterNames,
  }),
  maxWarnings: row('limits', '--max-warnings <number>', null, {
    help: 'exit 1 when there are more warnings than this (default: no limit)',
    is: warnings,
  }),
  strict: row('transcripts', '--strict', false, { help: 'exit 1 if a line is damaged or a file is left out' }),
  plan: row('output', '--plan', false, {
    help: 'if you pay for a subscription, not per token: show shares of what was sent, weighted by price, instead of dollars',
  }),
}

type Table = typeof table
export type SettingKey = keyof Table

/** The settings that a config file may have. */
export type ConfigKey = { [K in SettingKey]: Table[K] extends { readonly flagOnly: true } ? never : K }[SettingKey]

/** What becomes of a value, by its row. */
export type ValueOf<K extends SettingKey> =
  | (Table[K] extends { readonly is: Kind<infer T> }
      ? T
      : Table[K] extends { readonly default: boolean }
        ? boolean
        : Table[K] extends { readonly words: readonly (infer Word)[] }
          ? Word
          : string)
  | (Table[K] extends { readonly default: null } ? null : never)

export const settings: readonly Setting[] = (Object.keys(table) as SettingKey[]).map(setting)

export function setting(key: SettingKey): Setting {
  return { key, ...table[key] }
}

/**
 * What a command shows where nobody names a policy or a budget: what the agent did, or what a policy would have done.
 */
export type Shows = 'recorded' | 'simulated'

/**
 * The policy and the budget of a command, where they are not named. A budget that is named asks for a policy that keeps
 * to it, and a policy that is named for a budget, unless it does the same at any.
 * @param policy the one that is named; undefined = none
 */
export function usualWindow(
  shows: Shows,
  policy: unknown,
  isBudgetNamed: boolean,
): { readonly policy: Setting['default']; readonly budget: Setting['default'] } {
  const isAsRecorded = [policy ?? asRecorded].flat().every((word) => word === asRecorded)
  if (shows === 'recorded' && !isBudgetNamed && isAsRecorded) return { policy: asRecorded, budget: 0 }
  return { policy: setting('policy').default, budget: setting('budget').default }
}

const asRecorded = 'as-recorded'

/** What `--help` says of that. */
export const usualWindowWords: Readonly<Record<'policy' | 'budget', string>> = {
  policy: 'as-recorded, which is what the agent did; ikigai with --budget',
  budget: 'none; own with --policy',
}

/** `maxUnpacked` -> `--max-unpacked`. */
export function flagFor(key: string): string {
  return `--${key.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`
}

/** `outputFile` -> `CTXWIN_OUTPUT_FILE`. */
export function variableOf(key: string): string {
  return `CTXWIN_${key.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`
}
