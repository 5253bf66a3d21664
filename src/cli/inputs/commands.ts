/**
 * The list of commands: names, arguments, flags, help. Help and completions come from this list, so printing them loads
 * no command.
 */

import { endpoints } from '../../model/quality.ts'
import { risks } from '../../model/recommendation.ts'
import {
  adviceOutputs,
  type groups,
  historyOutputs,
  outputNames,
  reporterNames,
  type SettingKey,
  type Shows,
} from './settings.ts'

/** More about a flag: the words that may follow it, its heading, whether only `--help --all` lists it. */
interface About {
  readonly words?: readonly string[]
  readonly group?: keyof typeof groups
  readonly isRare?: true
}

/** A flag in commander's notation. */
type OwnFlag = readonly [flags: string, help: string, about?: About]

function own(flags: Readonly<Record<string, string | readonly [help: string, about: About]>>): readonly OwnFlag[] {
  return Object.entries(flags).map(([notation, said]): OwnFlag => [notation, ...([said].flat() as [string, About?])])
}

/** A flag that turns a command into another. Flags are named by commander's keys. */
export interface Mode {
  readonly key: string
  /** The values of the flag that do so; default: it is a switch. */
  readonly values?: readonly string[]
  /** The flags it can be combined with. */
  readonly takes: readonly string[]
  /** The flags that mean nothing without it. */
  readonly own: readonly string[]
}

export interface CommandLine {
  readonly name: string
  /** It runs if no command is named, and has no name on the command line. */
  readonly isBare?: true
  /** Only `ctxwin help --all` lists it. */
  readonly isRare?: true
  readonly inputs: 'many' | 'session' | 'one' | 'parts' | 'list' | 'config' | 'none' | 'shell' | 'topics'
  readonly summary: string
  readonly example: string
  readonly settings: readonly SettingKey[]
  /** Settings in its short help, besides those that every short help has. */
  readonly short?: readonly SettingKey[]
  readonly modes?: readonly Mode[]
  /** Flags of its own. */
  readonly flags?: readonly OwnFlag[]
  /** What it shows without a policy or a budget; default `simulated`. */
  readonly shows?: Shows
  /** Settings with another default in this command; `more` says which. */
  readonly otherDefaults?: readonly SettingKey[]
  /** Settings with other words to choose from in this command. */
  readonly otherWords?: Readonly<Partial<Record<SettingKey, readonly string[]>>>
  /** A second paragraph of its help. */
  readonly more?: string
  /** It knows what ctxwin knows, and loads no module of the user's own, whoever names it. */
  readonly runsNoCode?: true
}

/**
 * The words of a call that loads no module of the user's own, whoever names it; null for any other. `advise --hook` is
 * one, as it stands in settings for every checkout that an agent opens.
 */
export function runsNoCode(command: string, flags: Readonly<Record<string, unknown>>): string | null {
  if (command === 'advise') return flags.hook === true ? 'advise --hook' : null
  return lineOf(command)?.runsNoCode === true ? command : null
}

/** What a command shows without a policy or a budget. */
export function showsOf(command: string): Shows {
  return lineOf(command)?.shows ?? 'simulated'
}

/** How files are read, where that changes figures. */
export const howRead = ['format', 'column', 'branches', 'maxUnpacked'] as const
const files = [...howRead, 'traceCache'] as const
/** The same, and which of their transcripts count. */
const reading = [...files, 'cacheSize', 'since', 'last', 'project', 'onlyModel', 'minRequests'] as const
/** What a window holds. */
const windows = ['budget', 'policy', 'estimator', 'model', 'preamble'] as const
const replaying = [...windows, 'provider', 'measure', ...reading] as const
const counting = [...replaying, 'prices', 'cache'] as const
const printing = ['output', 'outputFile'] as const
/** For commands that print words of transcripts. */
const redacting = ['redact', 'redactKey'] as const
/** For commands that hold figures to limits. */
const limiting = ['assert', 'baselineFile', 'tolerance', 'reporter', 'maxWarnings', 'strict'] as const
/** A result, or a part of one, for `merge` to join. */
const partOutputs = [...outputNames, 'partial'] as const
/** The same, or the page of `report`. */
const pageOutputs = [...outputNames, 'html', 'partial'] as const
/** A result, or the page of `probe`. */
const probeOutputs = [...outputNames, 'html'] as const
/** A result, or the policy that was found as a config file. */
const tunedOutputs = [...outputNames, 'config'] as const
/** For commands whose work can be divided among machines and processors. */
const dividing = ['shard', 'jobs'] as const
/** For commands that count transcripts as recorded, without a policy. */
const sizing = ['estimator', 'model', 'preamble', 'provider', ...reading] as const
const measuring = [...sizing, ...dividing, 'prices'] as const
/** For commands that list what was billed. */
const billing = [...reading, ...dividing, 'prices', ...redacting, 'plan', ...printing] as const

/** Moments are numbered as in pictures and tables. */
const atFlag = {
  '--at <number>':
    'show the moment before request <number>, or at the last request of exchange e<number>; both count from 1 (default: after the last response)',
}

/** For commands that can watch a running session. */
const followFlag = {
  '--follow': 'follow a running session: a terminal is redrawn, else each new request prints a line',
}

/** A file for each form of a check's report. */
const reporterFiles = Object.fromEntries(
  reporterNames.map((name) => [
    `--output-file.${name} <file>`,
    [`write the ${name} report to this file`, { group: 'output' }] as const,
  ]),
)

/** The tables of `spend`, which is not loaded to print help. */
export const spendingBy = [
  'project',
  'model',
  'session',
  'day',
  'kind',
  'part',
  'tool',
  'definition',
  'compaction',
  'agent',
  'result',
  'cause',
  'miss',
] as const

/** OpenAI's APIs. */
export const openaiApis = ['chat', 'responses'] as const

/** The APIs that `probe` speaks. */
export const probedApis = ['anthropic', 'responses', 'chat'] as const

/** What `list` lists. */
export const listed = ['policies', 'estimators', 'formats', 'models'] as const

/** The forms of transcripts that `export` writes. */
export const convertedTo = ['ctxwin', 'openai', 'anthropic', 'atif', 'mooncake'] as const

/** The targets of `emit`. */
export const emittedFor = [
  'anthropic',
  'chat',
  'responses',
  'ai-sdk',
  'langchain',
  'openai-agents',
  'strands',
  'pi',
  'opencode',
  'python',
] as const

/** What `sessions` sorts by. */
export const sessionSorts = ['cost', 'date', 'requests', 'tokens', 'prompt'] as const

/** The databases that `export` writes. */
export const databases = ['sqlite', 'postgres'] as const

/** What `simulate` sorts transcripts by. */
export const sorts = ['cost', 'tokens', 'lost', 'saved', 'name'] as const

export const commands = [
  {
    name: 'overview',
    isBare: true,
    shows: 'recorded',
    inputs: 'many',
    summary: 'what your agents did, what it cost, and what to set',
    example: 'ctxwin --since 7d',
    settings: [...measuring, ...redacting, 'plan', ...printing],
    otherWords: { output: pageOutputs },
    more: 'The table is a summary; --output csv, ndjson and json have every session. It only tries settings of the programs that recorded the sessions; recommend tries more.',
  },
  {
    name: 'spend',
    inputs: 'many',
    summary: 'what was billed, where it went, and why the prompt cache missed',
    example: 'ctxwin spend ~/.claude/projects --by cause',
    short: ['plan'],
    settings: billing,
    otherWords: { output: partOutputs },
    flags: own({
      '--by <what>': ['print only this table, with all its rows', { words: spendingBy }],
      '--top <rows>': 'how many rows each table has (default: 10)',
    }),
  },
  {
    name: 'sessions',
    inputs: 'many',
    summary: 'the sessions, most expensive first, with their ids',
    example: 'ctxwin sessions --since 7d --top 5',
    short: ['plan'],
    settings: billing,
    otherWords: { output: partOutputs },
    flags: own({
      '--sort <by>': [
        `what the list is sorted by: ${sessionSorts.join(', ')} (default: cost)`,
        { words: sessionSorts },
      ],
      '--top <rows>': 'how many sessions are listed (default: 20 in a table, all in data)',
      '--full': 'list all sessions',
      '--changed <day>':
        'did a new setting pay? compare the sessions since that day (2026-11-01) with those before it, and with what was promised',
    }),
  },
  {
    name: 'report',
    shows: 'recorded',
    inputs: 'many',
    summary: 'all of it as one HTML page',
    example: 'ctxwin report --since 30d --open',
    short: ['plan', 'redact'],
    settings: [...counting, 'jobs', ...redacting, 'plan', 'outputFile'],
    otherDefaults: ['policy', 'budget', 'outputFile'],
    flags: own({
      '--open': 'show it in the browser',
      '--no-text': 'put no word of the transcripts on the page: numbers stand for names',
      '--full-text': 'also put the messages on the page, of the sessions with a picture',
    }),
    more: 'The page goes to report.html, or to the file of -o, and loads nothing from the network. Without --policy and --budget it tries common practice at many budgets. ctxwin help report says what is on the page.',
  },
  {
    name: 'history',
    shows: 'recorded',
    inputs: 'session',
    summary: 'one session: its cost, what left the window, what is still in it',
    example: 'ctxwin history session.jsonl --budget 50k --at e5',
    settings: [...replaying, 'prices', 'count', 'countCache', ...redacting, ...printing],
    otherWords: { output: historyOutputs },
    modes: [
      { key: 'request', takes: [...replaying, ...redacting, 'outputFile', 'at'], own: ['api', 'count', 'countCache'] },
      {
        key: 'exchanges',
        takes: ['estimator', 'model', 'provider', ...reading, ...redacting, ...printing, 'json'],
        own: [],
      },
    ],
    flags: own({
      ...atFlag,
      ...followFlag,
      '--full': 'show every step of each exchange',
      '--request': 'print the exact request that the policy would send at that moment, as JSON for the provider',
      '--exchanges': 'list the exchanges (a prompt and all that follows it): lines, tokens; of many transcripts, too',
      '--costs': 'list what each recorded request cost, and where the agent compacted and the cache missed',
      '--compactions': 'list what each recorded compaction did: its cost, what was read again, what the summary held',
      '--lost': 'list what the agent used after it had left the window, with line numbers',
      '--step': 'on a terminal: arrow keys move the cutoff from request to request, page keys from cut to cut',
      '--api <name>': [
        'which of OpenAI’s APIs the body of a request is for (default: as recorded)',
        { words: openaiApis },
      ],
    }),
  },
  {
    name: 'quality',
    inputs: 'many',
    summary: 'the window size from which your agent works worse',
    example: 'ctxwin quality ~/.claude/projects --since 30d',
    settings: [...reading, ...dividing, ...redacting, ...printing],
    otherWords: { output: partOutputs },
    flags: own({
      '--endpoint <names>': [
        `what is counted: ${endpoints.join(', ')}; may be a list (default: all)`,
        { words: endpoints, isRare: true },
      ],
      '--seed <number>': ['seed of the random draws behind the intervals (default: 1)', { isRare: true }],
    }),
    more: 'It compares large windows with small ones of the same session, and those before a compaction with those after it. ctxwin help quality says what counts, by program.',
  },
  {
    name: 'recommend',
    inputs: 'many',
    summary: 'what to set: what it saves, what it loses, and the odds',
    example: 'ctxwin recommend ~/.claude/projects --risk cautious',
    short: ['tolerance', 'plan'],
    settings: [...counting, ...dividing, 'baseline', 'tolerance', ...redacting, 'plan', ...printing],
    otherWords: { output: partOutputs },
    otherDefaults: ['policy', 'budget', 'tolerance'],
    flags: own({
      '--risk <how>': [`how much may be lost for money: ${risks.join(', ')} (default: balanced)`, { words: risks }],
      '--full': 'show every setting that was tried, with all its figures',
    }),
    more: 'Without --policy and --budget it tries what the program of the sessions can be set to, or common practice, at many budgets. --policy all puts every policy side by side, at 100000 tokens; --budget all draws what each budget saves and keeps. It decides on the last 25 sessions of a program, or on those that --last or --since choose. --tolerance sets a limit in place of a risk: 2% of later uses may be lost, +1% = 1% more than today. A later use is one of something said before (ctxwin help tables).',
  },
  {
    name: 'simulate',
    inputs: 'many',
    summary: 'replay under a policy and a budget: savings, cost, losses',
    example: 'ctxwin simulate session.jsonl --budget 50k,100k --policy ikigai,keep-all',
    settings: [...counting, ...dividing, 'baseline', ...redacting, ...printing, 'cuts', 'by'],
    otherWords: { output: pageOutputs },
    flags: own({
      '--sort <by>': [
        `what the transcripts of a table are sorted by: ${sorts.join(', ')} (default: cost)`,
        { isRare: true },
      ],
      '--top <number>': ['how many transcripts a table shows (default: 10)', { isRare: true }],
      '--full': 'show all transcripts',
      '--why': 'also measure what was copied from text that has left, which takes a fifth longer',
      ...followFlag,
    }),
  },
  {
    name: 'tune',
    inputs: 'many',
    summary: 'fit a policy to what your agents used later',
    example: 'ctxwin tune ~/.claude/projects --since 30d --output config --output-file ctxwin.config.jsonc',
    short: ['tolerance', 'cache'],
    settings: [...sizing, 'prices', 'cache', 'tolerance', ...redacting, ...printing],
    otherWords: { output: tunedOutputs },
    otherDefaults: ['tolerance'],
    flags: own({
      '--folds <number>':
        'how many parts the sessions are divided into; each is judged by what the others chose (default: 5)',
      '--seconds <number>': 'how long it may search after reading (default: 120)',
    }),
    more: 'It uses the 60 sessions with most requests. --tolerance is for later uses of content and of names: 2% may be lost in all, or, with +1%, the default, 1% more than today. Ctrl-C prints the best so far.',
  },
  {
    name: 'check',
    shows: 'recorded',
    inputs: 'many',
    summary: 'hold figures to limits in CI: exit 1 when one is beyond its limit',
    example: 'ctxwin check transcripts/ --assert maxPeakTokens=120k --assert maxCuts=3',
    short: [...limiting, 'redact'],
    settings: [...counting, ...dividing, ...redacting, ...limiting],
    modes: [{ key: 'init', takes: counting, own: ['force'] }],
    flags: own({
      '--init': 'write a config file and a first baseline for these transcripts',
      '--force': 'with --init: overwrite existing files',
      '--journal <file>': ['check the journal of a probe against maxProbeWorse instead', { group: 'limits' }],
      '--output <name>': ['partial = a part of the result, for merge to join', { words: ['partial'], group: 'output' }],
      '--baseline <file>': ['the same as --baseline-file', { group: 'limits' }],
      '--no-baseline': ['ignore the baseline', { group: 'limits' }],
      '--update-baseline': [
        'write the current figures to the baseline; its figures of other files stay',
        { group: 'limits' },
      ],
      ...reporterFiles,
    }),
  },
  {
    name: 'advise',
    inputs: 'one',
    summary: 'whether it pays to cut a running session now',
    example: 'ctxwin advise session.jsonl',
    short: ['output'],
    settings: [...windows, 'provider', 'prices', ...files, ...printing],
    otherDefaults: ['policy', 'budget'],
    otherWords: { output: adviceOutputs },
    flags: own({
      '--hook': 'read from standard input what Claude Code passes to hooks and status lines; never fail',
      '--now <time>': 'the moment to advise for, in UTC: 2026-11-22T09:30:00Z (default: now)',
    }),
    more: 'Of a file that has grown, only the new lines are read. ctxwin help advise shows it as a hook, a status line and a plugin.',
  },
  {
    name: 'emit',
    inputs: 'none',
    summary: 'what makes your agent run a policy: a setting, or code to paste',
    example: 'ctxwin emit --policy drop-oldest --budget 100k --for anthropic',
    settings: ['budget', 'policy', 'model', 'prices', 'outputFile'],
    otherDefaults: ['policy'],
    flags: own({
      '--for <name>': [
        'an API, for code with ctxwin/live; or python, for a file without dependencies (default: the setting of the product whose policy it is, else anthropic)',
        { words: emittedFor },
      ],
    }),
    more: '--policy is needed: ctxwin recommend says which. ctxwin help live says what the lines do.',
  },
  {
    name: 'help',
    flags: own({ '--all': 'list all commands, or all flags of the command' }),
    inputs: 'topics',
    summary: 'the help of a command, or a page of the documentation',
    example: 'ctxwin help tutorial',
    more: 'A name of both a command and a page prints both. The flags alone: ctxwin <command> --help.',
    settings: [],
    runsNoCode: true,
  },
  {
    name: 'export',
    isRare: true,
    shows: 'recorded',
    inputs: 'many',
    summary: 'write replays into a database or files; convert transcripts',
    example: 'ctxwin export transcripts/ --to sqlite:windows.db --budget 50k',
    short: ['redact'],
    settings: [...counting, 'baseline', ...redacting, 'outputFile'],
    modes: [
      {
        key: 'to',
        values: convertedTo,
        takes: [...windows, 'prices', 'outputFile', ...reading, ...redacting],
        own: [],
      },
    ],
    flags: own({
      '--to <place>': [
        `tables: sqlite:FILE, csv:DIR, ndjson:DIR, parquet:DIR, or the address of a database (postgres://…); or transcripts: ${convertedTo.join(', ')}`,
        { words: convertedTo },
      ],
      '--resume': 'skip transcripts that the database already has, with as many messages and the same runs',
      '--content': 'also store the text of the messages',
      '--ddl <database>': ['only print the statements that create the tables', { words: databases }],
    }),
    more: 'A second export of a transcript replaces its rows in a database. ctxwin help queries has the tables and ten queries; ctxwin help convert the forms of transcripts, which are converted as they are unless a budget is named.',
  },
  {
    name: 'merge',
    isRare: true,
    inputs: 'parts',
    summary: 'join what shards wrote with --output partial',
    example: 'ctxwin merge part-*.ndjson --output json',
    settings: ['policy', 'baseline', 'format', ...printing, 'reporter', 'maxWarnings'],
    otherWords: { output: partOutputs },
    otherDefaults: ['policy', 'baseline', 'format'],
    flags: own(reporterFiles),
    more: 'The settings are in the parts. Only modules of your own (--policy, --baseline, --format) must be named again, as no code runs because a part names it. ctxwin help scale has recipes.',
  },
  {
    name: 'probe',
    isRare: true,
    inputs: 'many',
    summary: 'ask a model whether it would have done the same with a policy’s window',
    example: 'ctxwin probe session.jsonl --policy drop-oldest --budget 100k --ask claude-sonnet-4-5 --dry-run',
    settings: [...windows, 'measure', ...reading, 'prices', ...redacting, ...printing],
    otherWords: { output: probeOutputs },
    flags: own({
      '--endpoint <place>':
        'where requests go: anthropic, openai, or the address of a server of yours; without it nothing is sent',
      '--api <name>': [
        'what an endpoint speaks (default: anthropic; responses at openai; chat at an address)',
        { words: probedApis },
      ],
      '--ask <model>': 'the model that is asked',
      '--max-usd <dollars>':
        'the most that everything in the journal may cost; before each request, its worst case is set aside',
      '--max-requests <number>': 'how many requests may go out in this run, for a model without a known price',
      '--dry-run':
        'send nothing: say what would be asked, what it would cost, how much it could tell, and what cannot be probed',
      '--count':
        'with --dry-run: have the API count the requests, which sends them, and say how far the estimates are off',
      '--per-session <number>': 'the most requests to ask about in a session (default: 6)',
      '--probes <number>': 'the most requests to ask about in all (default: 300)',
      '--seed <number>': 'seed for drawing sessions and requests (default: 1)',
      '--journal <file>':
        'where answers are kept; what it already has is not asked again (default: ctxwin-probe.ndjson)',
      '--preamble-from <file>':
        'a captured request with system prompt and tools of the agent, for sessions that do not record them',
      '--summary-prompt <file>':
        'the prompt for summaries, for policies that write them (default: one of ctxwin’s own)',
      '--without-tools': 'also ask where the system prompt and the tools are unknown',
      '--no-stream': 'do not stream answers',
      '--yes': 'send without showing a request and asking first',
    }),
    more: 'Each request is asked four times: twice with the window that the agent had, twice with the policy’s. Keys come from the environment. ctxwin help probe says what may be claimed.',
  },
  {
    name: 'list',
    isRare: true,
    inputs: 'list',
    summary: `what ctxwin knows: ${listed.join(', ')}`,
    example: 'ctxwin list policies claude-code-auto',
    settings: ['prices', ...printing],
    flags: own({
      '--stale': 'with policies: ask npm for the published versions, and show those that follow an older one',
    }),
    runsNoCode: true,
  },
  {
    name: 'calibrate',
    isRare: true,
    inputs: 'many',
    summary: 'compare token counts with recorded usage, request by request',
    example: 'ctxwin calibrate ~/.claude/projects --estimator bytes,auto',
    short: ['estimator'],
    settings: [...measuring, ...redacting, ...printing],
    otherWords: { output: partOutputs },
  },
  {
    name: 'cache',
    isRare: true,
    inputs: 'none',
    summary: 'what is kept for later runs, where and how much; or remove it',
    example: 'ctxwin cache --clear',
    settings: ['cacheSize', ...printing],
    runsNoCode: true,
    flags: own({
      '--clear': 'remove what is kept',
      '--size': 'print only its size, in bytes',
    }),
  },
  {
    name: 'trust',
    isRare: true,
    inputs: 'config',
    summary: 'let the config file of this directory run code, until it changes',
    example: 'ctxwin trust',
    settings: [],
    flags: own({
      '--list': 'list what is trusted, and whether it has changed since',
      '--revoke': 'stop trusting the file',
    }),
    more: 'Look at the file first: trust runs it once, in a thread, to write down every file that it reads, with its hash. When one of them changes, or another would be read, it needs trust again. ctxwin help cli says what runs without it.',
  },
  {
    name: 'completion',
    isRare: true,
    inputs: 'shell',
    summary: 'the completion script for bash, zsh or fish',
    example: 'ctxwin completion bash > ~/.local/share/bash-completion/completions/ctxwin',
    more: 'ctxwin help cli says where to put it, for each shell.',
    settings: [],
    runsNoCode: true,
  },
] as const satisfies readonly CommandLine[]

export type CommandName = (typeof commands)[number]['name']

/** The commands that have a name. */
export const namedCommands: readonly CommandLine[] = (commands as readonly CommandLine[]).filter(
  ({ isBare }) => !isBare,
)

/** The row of a command. */
export function lineOf(command: string): CommandLine | undefined {
  return commands.find(({ name }) => name === command)
}

/** Whether a command has a setting. */
export function takes(command: string, key: string): boolean {
  const settings: readonly string[] = lineOf(command)?.settings ?? []
  return settings.includes(key)
}
