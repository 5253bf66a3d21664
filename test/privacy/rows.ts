/** How each command is run on planted transcripts, with each of its outputs. */
import { type CommandLine, commands, convertedTo } from '../../src/cli/inputs/commands.ts'
import { outputNames, reporterNames } from '../../src/cli/inputs/settings.ts'
import { wordsOf } from '../cli/run.ts'
import { planted } from './planted.ts'

const { all, session } = planted
const sixteen = ['-b', '16k']
/** A budget that is soon reached, by an estimator that needs no tables. */
export const cheap = ['-e', 'bytes', ...sixteen]

/** How each command that reads transcripts is run. */
export const words: Readonly<Record<string, readonly string[]>> = {
  overview: [all, '-e', 'bytes'],
  sessions: [all],
  report: [all, ...cheap, '-p', 'ikigai', '-o', 'written/report.html'],
  simulate: [all, ...cheap, '--cuts', 'all'],
  history: [session, ...sixteen, '--full'],
  advise: [session, ...cheap, '--now', '2026-11-22T09:30:00Z'],
  recommend: [all, ...cheap, '-p', 'ikigai'],
  tune: [all, '-e', 'bytes', '--seconds', '1'],
  probe: [all, ...cheap, '-p', 'drop-oldest', '--ask', 'claude-sonnet-4-5', '--dry-run'],
  check: [all, ...cheap, '--assert', 'maxPeakTokens=10'],
  spend: [all],
  quality: [all],
  calibrate: [all, '-e', 'bytes'],
  export: [all, ...cheap],
}

/** Commands that read no transcripts, or what others have written. */
export const without = ['help', 'merge', 'trust', 'emit', 'list', 'cache', 'completion']

export interface Row {
  readonly command: string
  readonly form: string
  readonly argv: readonly string[]
}

/** Every form of what a command gives of them. */
export const rows: readonly Row[] = commands.flatMap((line) => (line.name in words ? rowsOf(line) : []))

function rowsOf(line: CommandLine): Row[] {
  const { name } = line
  const argv = [...wordsOf(name), ...(words[name] ?? [])]
  const command = name === 'overview' ? 'alone' : name
  const row = (form: string, ...more: readonly string[]): Row => ({ command, form, argv: [...argv, ...more] })
  const mode = (form: string, ...more: readonly string[]): Row => ({ command, form, argv: [name, ...more] })
  if (name === 'report') return [row('page'), row('`--no-text`', '--no-text'), row('`--full-text`', '--full-text')]
  if (name === 'export') {
    const stores = ['csv', 'ndjson'].map((store) => ['--to', `${store}:written/store`])
    const flags = [[], ['--content']]
    return [
      ...stores.flatMap((to) =>
        flags.map((flag) => row(flag.length > 0 ? '`--content`' : 'all stores', ...to, ...flag)),
      ),
      ...convertedTo.map((form) => mode(`\`--to ${form}\``, all, '--to', form)),
    ]
  }
  const finer =
    name === 'simulate'
      ? ['exchange', 'request', 'reference']
      : name === 'spend'
        ? ['session', 'compaction', 'agent']
        : []
  return [
    ...(name === 'check' ? reporterNames : []).map((reporter) => row(reporter, '--reporter', reporter)),
    ...(line.settings.includes('output') ? (line.otherWords?.output ?? outputNames) : []).map((output) =>
      row(output, '-O', output),
    ),
    ...finer.map((by) => row(`\`--by ${by}\``, '--by', by)),
    ...(name === 'history'
      ? [
          row('`--lost`', '--lost'),
          mode('`--request`', session, ...sixteen, '--request'),
          ...outputNames.map((output) => mode('`--exchanges`', all, '-e', 'bytes', '--exchanges', '-O', output)),
        ]
      : []),
    ...(name === 'check' ? [mode('`--init`', '--init', `../${all}`, ...cheap)] : []),
    ...(name === 'sessions' ? [row('`--changed`', '--changed', '2026-01-01')] : []),
  ]
}
