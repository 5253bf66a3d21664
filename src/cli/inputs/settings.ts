/**
 * The list of settings: flag, environment variable, key in a config file, default, help. The command line,
 * `--print-config` and the completions come from this list. Values are parsed in options.ts: most of them name plugins, and
 * loading the plugins would slow down `--help`.
 */
/** The headings of `--help`, in their order. What stands under none is peculiar to its command. */
export const groups = {
  limits: 'Limits:',
  window: 'Window:',
  counting: 'Tokens and cost:',
  transcripts: 'Transcripts:',
  output: 'Output:',
  general: 'General:',
} as const

export interface Setting {
  /** Its name in a config file; in the environment, `CTXWIN_` and the name in capitals. */
  readonly key: string
  /** In commander's notation. */
  readonly flags: string
  /** Short: a line or two at 80 columns. */
  readonly help: string
  readonly group: keyof typeof groups
  /** The default, as a user would write it. */
  readonly default: string | number | boolean | null
  /** May be given several times, or as a list separated by commas. */
  readonly list?: boolean
  /** The words that may follow, for help and completions: fixed ones, or a registry's names. */
  readonly words?: readonly string[] | 'formats' | 'policies' | 'estimators'
  /** For one run only: not in a config file or the environment. */
  readonly flagOnly?: boolean
  /** Said by no flag: the list of processes would show it. */
  readonly variableOnly?: boolean
  /** Said by other words on the command line, and by no variable. */
  readonly configOnly?: boolean
}

/** The names in the registries, which are not loaded to print help. */
export const outputNames = ['table', 'json', 'ndjson', 'csv', 'markdown'] as const
/** `history` has no rows, but a picture. */
export const historyOutputs = ['table', 'json', 'svg', 'html'] as const
/** `advise` has no rows either, but a line for status lines. */
export const adviceOutputs = ['table', 'json', 'line'] as const
export const reporterNames = ['default', 'github', 'junit', 'sarif', 'json', 'markdown'] as const

const list = [
  {
    key: 'budget',
    flags: '-b, --budget <tokens>',
    help: 'ceiling of the window in tokens: 100000, 100k, 0.2M; 50% = half of the model’s context window; own = what the policy’s program has, else 100000; 0 = none, and nothing leaves for its tokens; may be a list',
    group: 'window',
    default: 'own',
    list: true,
  },
  {
    key: 'policy',
    flags: '-p, --policy <name>',
    help: 'what leaves the window, and when: name or name:key=value,key=value; may be a list (ctxwin list policies). Also a module of your own (./mine.js), or, on the command line only, filter:command=…, a program that each tool result is put through',
    group: 'window',
    default: 'ikigai',
    list: true,
    words: 'policies',
  },
  {
    key: 'estimator',
    flags: '-e, --estimator <name>',
    help: 'how tokens are counted; auto = calibrated by recorded usage, else by the model; may be a list (ctxwin list estimators)',
    group: 'counting',
    default: 'auto',
    list: true,
    words: 'estimators',
  },
  {
    key: 'count',
    flags: '--count <where>',
    help: 'remote = also have the provider count the request; needs its key in the environment, and its SDK',
    group: 'counting',
    default: 'local',
    words: ['local', 'remote'],
    // No file in a repository may cause transcripts to be sent anywhere.
    flagOnly: true,
  },
  {
    key: 'countCache',
    flags: '--count-cache <directory>',
    help: 'where a provider’s counts are kept (default: ctxwin/counts in the user’s cache directory)',
    group: 'counting',
    default: null,
  },
  {
    key: 'model',
    flags: '-m, --model <name>',
    help: 'take every transcript as recorded with this model',
    group: 'counting',
    default: null,
  },
  {
    key: 'preamble',
    flags: '--preamble <tokens>',
    help: 'size of the system prompt and the tools where they are not recorded; auto = as recorded, else inferred',
    group: 'counting',
    default: 'auto',
  },
  {
    key: 'provider',
    flags: '--provider <name>',
    help: 'the API that requests are built for; auto = the recorded one',
    group: 'counting',
    default: 'auto',
    words: ['auto', 'anthropic', 'openai', 'google'],
  },
  {
    key: 'measure',
    flags: '--measure <how>',
    help: 'how a policy counts: run = with the estimator; native = like the program it comes from',
    group: 'window',
    default: 'run',
    words: ['run', 'native'],
  },
  {
    key: 'prices',
    flags: '--prices <file>',
    help: 'prices, windows and cache rules that replace built-in ones, in the form of list models --json',
    group: 'counting',
    default: null,
  },
  {
    key: 'cache',
    flags: '--cache <how>',
    help: 'what the prompt cache serves: recorded = what it did serve; ideal = all that the price lists promise; expected = what it serves on average in such sessions',
    group: 'counting',
    default: 'recorded',
    words: ['ideal', 'recorded', 'expected'],
  },
  {
    key: 'targets',
    flags: '--targets <fractions>',
    help: 'how far down to prune, as parts of the budget, for each policy that can: 1,0.75,0.5,0.25',
    group: 'window',
    default: null,
    list: true,
  },
  {
    key: 'inputs',
    flags: '[inputs...]',
    help: 'transcripts to read where none are named: files, directories, globs; paths start at the config file',
    group: 'transcripts',
    default: null,
    list: true,
    configOnly: true,
  },
  {
    key: 'format',
    flags: '-f, --format <name>',
    help: 'format of the transcripts; auto = by their content (ctxwin list formats); or a module of your own (./mine.js)',
    group: 'transcripts',
    default: 'auto',
    words: 'formats',
  },
  {
    key: 'maxUnpacked',
    flags: '--max-unpacked <size>',
    help: 'most that a compressed file may unpack to: 500MB, 20GB',
    group: 'transcripts',
    default: '4GB',
  },
  {
    key: 'column',
    flags: '--column <name>',
    help: 'column of a table (Parquet, CSV, JSONL) that holds the conversations (default: messages, conversations, trajectory or history)',
    group: 'transcripts',
    default: null,
  },
  {
    key: 'branches',
    flags: '--branches',
    help: 'also read the branches that an edited prompt or a new answer left behind, each as a transcript',
    group: 'transcripts',
    default: false,
  },
  {
    key: 'traceCache',
    flags: '--no-cache',
    help: 'use no cache directory: read every file again, and keep nothing for later runs (the default in CI)',
    group: 'transcripts',
    default: true,
  },
  {
    key: 'cacheSize',
    flags: '--cache-size <size>',
    help: 'most that is kept for later runs: 200MB, 5GB',
    group: 'transcripts',
    default: '1GB',
  },
  {
    key: 'since',
    flags: '--since <when>',
    help: 'only transcripts whose last response is no older than this: 2026-11-01 (UTC), or 12h, 7d, 4w (ago); from..to for both ends, the last day included',
    group: 'transcripts',
    default: null,
  },
  {
    key: 'last',
    flags: '--last <number>',
    help: 'only the newest transcripts, as many as this',
    group: 'transcripts',
    default: null,
  },
  {
    key: 'project',
    flags: '--project <name>',
    help: 'only transcripts of agents that worked in this directory or below it: a path, or a name in it; may be a list',
    group: 'transcripts',
    default: null,
    list: true,
  },
  {
    key: 'onlyModel',
    flags: '--only-model <name>',
    help: 'only transcripts with this in the name of their model; may be a list (--model overrides the model instead)',
    group: 'transcripts',
    default: null,
    list: true,
  },
  {
    key: 'minRequests',
    flags: '--min-requests <number>',
    help: 'only transcripts with at least this many requests',
    group: 'transcripts',
    default: null,
  },
  {
    key: 'shard',
    flags: '--shard <i/n>',
    help: 'only the files of one shard of several, which are of about the same size: 3/8; merge joins what --output partial writes of each',
    group: 'transcripts',
    default: null,
    flagOnly: true,
  },
  {
    key: 'jobs',
    flags: '--jobs <number>',
    help: 'how many files to measure at once (default: one for each idle processor; 1 where there is little to read)',
    group: 'transcripts',
    default: null,
  },
  {
    key: 'output',
    flags: '-O, --output <name>',
    help: 'form of the result',
    group: 'output',
    default: 'table',
    words: outputNames,
  },
  {
    key: 'redact',
    flags: '--redact',
    help: 'print pseudonyms for words, paths, names and ids of transcripts; figures stay (CTXWIN_REDACT_KEY=words: the same ones in every run)',
    group: 'output',
    default: false,
  },
  {
    key: 'redactKey',
    flags: '--redact-key <words>',
    help: 'as redact, with pseudonyms that stay the same in every run with this secret key',
    group: 'output',
    default: null,
    variableOnly: true,
  },
  {
    key: 'outputFile',
    flags: '-o, --output-file <file>',
    help: 'write the result to this file, in the form of its ending: .json, .ndjson, .csv, .md, .html',
    group: 'output',
    default: null,
    flagOnly: true,
  },
  {
    key: 'cuts',
    flags: '--cuts <which>',
    help: 'which cuts to list below the table',
    group: 'output',
    default: 'first',
    words: ['all', 'first', 'none'],
  },
  {
    key: 'by',
    flags: '--by <unit>',
    help: 'what a row is; reference = each use of something that had left the window',
    group: 'output',
    default: 'transcript',
    words: ['transcript', 'exchange', 'request', 'reference'],
  },
  {
    key: 'assert',
    flags: '--assert <name=limit>',
    help: 'a limit on a figure: maxPeakTokens=100k, minSavedPercent=20; may be repeated; overrides the config file',
    group: 'limits',
    default: null,
    list: true,
  },
  {
    key: 'baseline',
    flags: '--baseline <what>',
    help: 'what savings are measured against: today = what the recorded agent did; unpruned = nothing ever leaves; or a policy',
    group: 'counting',
    default: 'today',
    words: ['today', 'unpruned'],
  },
  {
    key: 'baselineFile',
    flags: '--baseline-file <file>',
    help: 'file of agreed figures: the check fails where one is worse now',
    group: 'limits',
    default: 'ctxwin-baseline.json',
  },
  {
    key: 'tolerance',
    flags: '--tolerance <percent>',
    help: 'how much worse than the baseline is accepted: in check, percent of each figure; elsewhere, lost later uses: 2% in all, or +1% more than the baseline loses',
    group: 'limits',
    default: 0,
  },
  {
    key: 'reporter',
    flags: '--reporter <name>',
    help: 'form of the check’s report; may be a list',
    group: 'output',
    default: 'default',
    list: true,
    words: reporterNames,
  },
  {
    key: 'maxWarnings',
    flags: '--max-warnings <number>',
    help: 'exit 1 when there are more warnings than this (default: no limit)',
    group: 'limits',
    default: null,
  },
  {
    key: 'strict',
    flags: '--strict',
    help: 'exit 1 when a line is damaged, or a file is left out',
    group: 'transcripts',
    default: false,
  },
  {
    key: 'plan',
    flags: '--plan',
    help: 'if you pay for a plan and not by the token: show shares of what was sent, weighted by price, instead of dollars',
    group: 'output',
    default: false,
  },
] as const satisfies readonly Setting[]

export const settings: readonly Setting[] = list
export type SettingKey = (typeof list)[number]['key']

export function setting(key: SettingKey): Setting {
  return settings.find((candidate) => candidate.key === key) as Setting
}

/** What a command shows where nobody names a policy or a budget: what the agent did, or what a policy would have done. */
export type Shows = 'recorded' | 'simulated'

/**
 * The policy and the budget of a command, where they are not named. A budget that is named asks for a policy that keeps to it,
 * and a policy that is named for a budget, unless it does the same at any.
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
