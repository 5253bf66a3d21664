/**
 * The commands there are: names, arguments, flags, help. The help and the completions come from this list, and nothing a
 * command needs is loaded to print them.
 */
import type { SettingKey } from './settings.ts'

export interface CommandLine {
  readonly name: string
  readonly inputs: 'many' | 'one' | 'names' | 'none' | 'shell'
  readonly summary: string
  readonly example: string
  readonly settings: readonly SettingKey[]
  /** Flags of its own, in commander's notation. */
  readonly flags?: readonly (readonly [flags: string, help: string])[]
  /** Settings that default to something else here; `more` says to what. */
  readonly otherDefaults?: readonly SettingKey[]
  /** Below the flags. */
  readonly more?: string
}

const replaying = [
  'budget',
  'policy',
  'estimator',
  'model',
  'preamble',
  'provider',
  'measure',
  'format',
  'maxUnpacked',
] as const
const counting = [...replaying, 'prices'] as const
const printing = ['output', 'outputFile', 'color'] as const

/** As in the registry, which is not loaded to print a help. */
export const reporters = ['default', 'github', 'junit', 'sarif', 'json', 'markdown'] as const

export const commands = [
  {
    name: 'simulate',
    inputs: 'many',
    summary: 'replay transcripts under a policy and a budget: where the cutoffs fall, what is saved',
    example: 'ctxwin simulate session.jsonl --budget 50k,100k --policy ikigai,keep-all',
    settings: [...counting, 'references', ...printing, 'cuts', 'by', 'strict'],
  },
  {
    name: 'curve',
    inputs: 'many',
    summary: 'every budget at once: what it saves, costs and loses, as a chart, and the smallest that loses little',
    example: 'ctxwin curve transcripts/ --tolerance 1%',
    settings: [...counting, 'references', ...printing],
    flags: [['--tolerance <percent>', 'what the smallest budget may lose of what was used later (default: 1%)']],
  },
  {
    name: 'history',
    inputs: 'one',
    summary: 'the picture of one transcript: what is outside the window, what is inside, and the rule between',
    example: 'ctxwin history session.jsonl --budget 50k --at e5',
    settings: [...replaying, ...printing],
    flags: [
      ['--at <number>', 'as it stood at request <number> (from 0), or at exchange e<number> (from 1)'],
      ['--all', 'show every step'],
      ['--lost', 'list what was used and had left the window, with lines'],
    ],
  },
  {
    name: 'exchanges',
    inputs: 'many',
    summary: 'the exchanges found: where they begin and end, what they cost',
    example: 'ctxwin exchanges session.jsonl --output csv',
    settings: ['estimator', 'model', 'provider', 'format', 'maxUnpacked', ...printing],
  },
  {
    name: 'compare',
    inputs: 'many',
    summary: 'policies side by side: tokens, cost, what a provider would refuse; which one to take',
    example: 'ctxwin compare transcripts/ --budget 100k --targets 1,0.75,0.5,0.25 --recommend',
    settings: [...counting, 'targets', 'references', ...printing, 'strict'],
    flags: [['--recommend', 'name the cheapest policy and setting that stays under the budget']],
    otherDefaults: ['policy'],
    more: 'Without --policy all policies are compared, but for those that only tidy up after others: actor-window, insert-notice, keep-pairs, render-budget, snap-to-user.',
  },
  {
    name: 'check',
    inputs: 'many',
    summary: 'the gate in CI: exit 1 when a figure is beyond its limit',
    example: 'ctxwin check transcripts/ --budget 100k --assert maxPeakTokens=120k --assert maxCuts=3',
    settings: [...counting, 'assert', 'baseline', 'tolerance', 'reporter', 'maxWarnings', 'color', 'strict'],
    flags: [
      ['--no-baseline', 'compare with no baseline'],
      ['--update-baseline', 'write the baseline anew, from what is there now; of files that are not given it is kept'],
      ...reporters.map((name) => [`--output-file.${name} <file>`, `where the reporter ${name} writes`] as const),
    ],
  },
  {
    name: 'init',
    inputs: 'many',
    summary: 'write a config file and a first baseline for the transcripts that are here',
    example: 'ctxwin init transcripts/ --budget 100k',
    settings: [...counting],
    flags: [['--force', 'write them anew where they are there already']],
  },
  {
    name: 'window',
    inputs: 'one',
    summary: 'print the exact request a policy would send, as JSON for the provider',
    example: 'ctxwin window session.jsonl --at 12 --provider anthropic > request.json',
    settings: [...replaying, 'count', 'cache', 'outputFile'],
    flags: [['--at <request>', 'number of the request, from 0 (default: the one after the last response)']],
  },
  ...(
    [
      ['policies', 'the policies there are, their params and where they come from'],
      ['estimators', 'the ways of counting tokens there are'],
      ['formats', 'the transcript formats that are recognised'],
    ] as const
  ).map(([name, summary]) => ({
    name,
    inputs: 'none' as const,
    summary,
    example: `ctxwin ${name} --output json`,
    settings: [...printing],
  })),
  {
    name: 'calibrate',
    inputs: 'many',
    summary: 'estimators against the usage that transcripts recorded: bias, error per request, the worst requests',
    example: 'ctxwin calibrate ~/.claude/projects --estimator bytes,auto',
    settings: ['estimator', 'model', 'preamble', 'provider', 'format', 'maxUnpacked', ...printing],
  },
  {
    name: 'models',
    inputs: 'names',
    summary: 'the models there are: windows, prices, cache rules, and where the figures are from',
    example: 'ctxwin models claude-sonnet-4-5 gpt-5',
    settings: ['prices', ...printing],
  },
  {
    name: 'completion',
    inputs: 'shell',
    summary: 'the completion script for bash, zsh or fish',
    example: 'ctxwin completion bash >> ~/.bashrc',
    settings: [],
  },
] as const satisfies readonly CommandLine[]

export type CommandName = (typeof commands)[number]['name']
