/** What `tune` prints: whether a learned policy is worth it, the front of all that was tried as a chart, and the policy as a config file. */
import type { Tolerance } from '../model/tolerance.ts'
import {
  fewestRequests,
  fewestTuned,
  type HeldOut,
  type Tuned,
  type TunedKind,
  type TunedRow,
  type Tuning,
  tunedKinds,
} from '../model/tuning.ts'
import { costWords } from './bill.ts'
import { bar } from './chart.ts'
import { type Column, dataOf, type Field, own } from './column.ts'
import { notFailed } from './lost-words.ts'
import { diagnosticNotes } from './notes.ts'
import { compact, grouped, several, signed } from './numbers.ts'
import type { Line, Sheet } from './report.ts'

const nullable = { nullable: true } as const

/** In the order of the JSON. */
export const tunedColumns: readonly Field<TunedRow>[] = [
  own('kind', 'kind', 'text', 'how it tells what is worth keeping; presets do not ask, and foresight is a bound', {
    rank: 0,
    values: tunedKinds,
  }),
  own('setting', 'policy', 'text', 'as it is typed, params at their defaults left out', { rank: 0, wraps: true }),
  own('policy', 'name', 'text', 'its name'),
  own('params', 'params', 'record', 'its params'),
  own('budget', 'budget', 'tokens', 'the ceiling of the window', { rank: 0 }),
  own('paid', 'cost', 'money', 'input + summaries: what the policy decides about', { rank: 1 }),
  own('changePercent', 'change', 'change', 'of the cost, against today', { rank: 0 }),
  own(
    'contentPercent',
    'content %',
    'percent',
    'later uses of content that are lost beyond today’s, in percent of all',
    {
      rank: 0,
    },
  ),
  own(
    'namesPercent',
    'names %',
    'percent',
    'later uses of what is named that are lost beyond today’s, in percent of all',
    {
      rank: 0,
    },
  ),
  own('fits', 'fits', 'flag', 'both are within the tolerance, and no request fails that does not fail today', {
    rank: 1,
  }),
  own('front', 'front', 'flag', 'none that was tried costs less and loses less, foresight apart', { rank: 2 }),
]

export const heldOutFields: readonly Field<HeldOut>[] = [
  own('changePercent', 'against today %', 'change', 'of the cost, on sessions that it was not chosen on'),
  own(
    'low',
    'from',
    'change',
    'in 95 of 100 sets of sessions to come it is between this and the next; null for fewer than two',
    {
      nullable: true,
    },
  ),
  own('high', 'to', 'change', 'the other end of the interval', { nullable: true }),
  own('contentPercent', 'content %', 'percent', 'later uses of content lost there beyond today’s, in percent of all'),
  own('namesPercent', 'names %', 'percent', 'the same of what is named'),
]

/** What it was found on. */
export const foundFields: readonly Field<Tuning>[] = [
  own('transcripts', 'transcripts', 'count', 'how many were read'),
  own('sessions', 'sessions', 'count', 'how many of them counted'),
  own('read', 'read', 'count', `of how many with ${fewestRequests} requests or more`),
  own('requests', 'requests', 'count', 'of the sessions that counted'),
  own('first', 'first', 'text', 'the day of the first request; null where no times are recorded', nullable),
  own('last', 'last', 'text', 'the day of the last', nullable),
  own('unit', 'unit', 'text', 'of money', { values: ['usd', 'input-token-equivalents'] }),
  own('todayPaid', 'today', 'money', 'what was done there, as input + summaries'),
  own('contentLost', 'lost', 'count', 'later uses of content that are lost today'),
  own('contentUses', 'uses', 'count', 'of so many'),
  own('namesLost', 'names lost', 'count', 'later uses of what is named that are lost today'),
  own('namesUses', 'names', 'count', 'of so many'),
  own(
    'odds',
    'odds',
    'price',
    'how many times as often something is used as in the sessions that taught the coefficients',
    {
      least: 0,
    },
  ),
  own('folds', 'folds', 'count', 'parts of the sessions of which each is judged by what the others chose'),
  own('tried', 'tried', 'count', 'policies at budgets, each on every session'),
  own('complete', 'complete', 'flag', 'the search came to its end'),
]

const kindWords: Readonly<Record<TunedKind, string>> = {
  learned: 'learned',
  aged: 'by age',
  stay: 'by kind',
  preset: 'preset',
  foresight: 'foresight',
}

const barWidth = 8

/** What the knobs of a policy that goes by worth are set to, without what all of them have. */
function settingWords({ kind, setting, params }: TunedRow): string {
  if (kind === 'preset' || kind === 'foresight') return setting
  return [params.operation, params.target, params.trigger].join(' ')
}

/** @param forPeople with a bar for the cost of each row */
export function tuningSheet(result: Tuning, forPeople: boolean): Sheet<TunedRow> {
  const { rows, tuned, others, diagnostics, todayPaid } = result
  const most = rows.reduce((most, { paid }) => Math.max(most, paid), todayPaid)
  const chart: Column<TunedRow> = {
    key: 'bar',
    header: 'cost',
    unit: 'text',
    rank: 0,
    value: ({ paid }) => bar(paid / most, barWidth).trimEnd(),
  }
  const words: Readonly<Record<string, (row: TunedRow) => string>> = {
    kind: ({ kind }) => kindWords[kind],
    setting: settingWords,
  }
  const shown = tunedColumns
    .filter(({ rank }) => rank !== undefined)
    .map((column): Column<TunedRow> => ({ ...column, value: words[column.key] ?? column.value }))
    .flatMap((column) => (column.key === 'paid' ? [column, chart] : [column]))
  const data = dataOf(tunedColumns)
  const best = (one: Tuned | null) => one && { ...one, row: data(one.row) }
  return {
    ...(forPeople ? { answers: [...answer(result), ''] } : {}),
    captions: extent(result),
    columns: tunedColumns,
    ...(forPeople && { shown: rows.length > 0 ? shown : [] }),
    items: rows,
    marked: ({ setting, budget }, key) =>
      key === 'setting' && [tuned, others].some((one) => one?.row.setting === setting && one.row.budget === budget),
    notes: [
      ...(rows.length > 0 ? [{ title: 'How to read it', items: [{ name: '', sentences: readingWords(result) }] }] : []),
      ...diagnosticNotes(diagnostics),
    ],
    data: { ...result, tuned: best(tuned), others: best(others), rows: rows.map(data) },
  }
}

function answer(result: Tuning): Line[] {
  const { outcome, tuned, others, sessions, complete, tolerance } = result
  const within = `with at most ${toleranceWords(tolerance)} of later uses lost`
  if (outcome === 'too few sessions') {
    return [
      `Too few sessions to say (${grouped(sessions)} of the ${fewestTuned} needed, with ${fewestRequests} requests or more).`,
    ]
  }
  if (outcome === 'nothing fits')
    return [`Keep what you have: nothing that was tried is cheaper ${within}.${stopped(complete)}`]
  const rival = others
    ? `. The best other policy, ${others.row.setting} at ${compact(others.row.budget)}, ${heldWords(others)}`
    : ''
  if (outcome === 'no better' || !tuned) {
    return [`Keep what you have: no learned policy is better here ${within}${rival}.${stopped(complete)}`]
  }
  return [
    `A learned policy ${heldWords(tuned)}${rival}.${stopped(complete)}`,
    { beside: 'Write it as a config file with' },
    { verbatim: 'ctxwin tune … --output config --output-file ctxwin.config.jsonc' },
  ]
}

const toleranceWords = ({ over, percent }: Tolerance): string => `${percent} %${over === 'baseline' ? ' more' : ''}`

const stopped = (complete: boolean): string => (complete ? '' : ' The search was stopped early.')

/**
 * "costs 22 % less than today (-30 to -14 %) and loses 0.6 % more of content and 0.4 % more of names, on sessions that it was not
 * chosen on"
 */
function heldWords({ heldOut, row }: Tuned): string {
  const { changePercent, contentPercent, namesPercent } = heldOut ?? row
  const size = signed(Math.abs(changePercent)).replace('+', '')
  const range =
    heldOut && heldOut.low !== null && heldOut.high !== null
      ? ` (${signed(heldOut.low)} to ${signed(heldOut.high)} %)`
      : ''
  const where = heldOut ? ', on sessions that it was not chosen on' : ''
  const more = (percent: number): string =>
    `${signed(Math.abs(percent)).replace('+', '')} % ${percent < 0 ? 'less' : 'more'}`
  return `costs ${size} % ${changePercent > 0 ? 'more' : 'less'} than today${range} and loses ${more(contentPercent)} of content and ${more(namesPercent)} of names${where}`
}

function extent({
  sessions,
  read,
  requests,
  first,
  last,
  tried,
  unit,
  odds,
  contentUses,
  namesUses,
}: Tuning): string[] {
  const days = first === null ? '' : first === last ? ` of ${first}` : ` of ${first} to ${last}`
  const of = sessions < read ? ` (of ${grouped(read)}, those with most requests)` : ''
  return [
    `${several(sessions, 'session')}${of}${days}, ${several(requests, 'request')} · ${grouped(contentUses)} later uses of content, ${grouped(namesUses)} of names · cost is of input and summaries, in ${costWords[unit]}`,
    ...(tried > 0
      ? [
          `${grouped(tried)} settings tried on each · here things are used again ${odds} times as often as in the sessions that the policy learned from`,
        ]
      : []),
  ]
}

function readingWords({ folds }: Tuning): string[] {
  return [
    'rows: the cheapest of each kind within the tolerance, and all that none beats in both cost and losses; foresight is a bound, as it is told what will be used',
    `content, names: later uses lost beyond today’s, in percent of all · each of ${folds} parts of the sessions is judged by what the others chose`,
    `${notFailed} It favours age: agents had compacted already, and read again what they missed.`,
  ]
}

/** The policy that was found as a config file, with what it was found on; null where none was. */
export function tunedConfig({ tuned, outcome, sessions, requests, first, last, tolerance }: Tuning): string | null {
  if (!tuned || outcome !== 'better') return null
  const { params, budget } = tuned.row
  const days = first === null ? '' : ` of ${first} to ${last}`
  const held = `It ${heldWords(tuned)}.`
  return `// A policy that ctxwin tune found on ${several(sessions, 'session')}${days} with ${several(requests, 'request')}, with at most ${toleranceWords(tolerance)} of later uses lost.
// ${held}
${JSON.stringify({ policy: 'tuned', budget, policies: { tuned: [{ knobs: params }] } }, null, 2)}
`
}
