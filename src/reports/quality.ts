/** What `quality` prints: of each endpoint a sentence, and a chart with a row for each band of sizes. */
import {
  type Contrast,
  contrastUnits,
  type EndpointQuality,
  endpoints,
  type Quality,
  type QualityBand,
} from '../model/quality.ts'
import { type Field, nullable, own } from './column.ts'
import { dressAnswer, inkFor } from './ink.ts'
import { broken } from './lines.ts'
import { diagnosticNotes } from './notes.ts'
import { compact, grouped, several, signed } from './numbers.ts'
import { bandName, caveat, endpointName, endpointNames, endpointWords } from './quality-words.ts'
import type { ReportOptions, Sheet } from './report.ts'

/** A row of the flat data: a band of sizes, or what is around compactions. */
export interface QualityRow extends Contrast, Pick<EndpointQuality, 'endpoint' | 'unit'> {
  readonly of: 'size' | 'compactions'
  readonly from: number | null
  readonly to: number | null
  readonly observations: number | null
  readonly level: number | null
  readonly fitted: number | null
}

/** Of the JSON, too, where a band has those from `from` on. */
const bandFields: readonly Field<Omit<QualityRow, 'endpoint' | 'unit' | 'of'>>[] = [
  own('from', 'from', 'tokens', 'the smallest size of the band: tokens of recorded input', { ...nullable, rank: 0 }),
  own('to', 'to', 'tokens', 'where the next band begins; null for the last', { ...nullable, rank: 0 }),
  own('observations', 'of', 'count', 'how many were looked at', { ...nullable, rank: 2 }),
  own('level', 'level', 'count', 'in percent of them; of output the geometric mean in tokens', {
    ...nullable,
    rank: 1,
    whole: false,
  }),
  own('sessions', 'sessions', 'count', 'whose small and large windows can be compared', { rank: 1 }),
  own('difference', 'more', 'change', 'more than in small windows of the same session; null where too little tells', {
    ...nullable,
    rank: 0,
  }),
  own('fitted', 'fitted', 'change', 'of the curve that never falls', { ...nullable, rank: 2 }),
  own('low', 'at least', 'change', 'the lower end of the band', { ...nullable, rank: 0 }),
  own('high', 'at most', 'change', 'its upper end', { ...nullable, rank: 0 }),
]

export const qualityColumns: readonly Field<QualityRow>[] = [
  own('endpoint', 'what', 'text', 'what is counted', { rank: 0, values: endpoints }),
  own('unit', 'unit', 'text', 'percentage points, or percent', { rank: 3, values: contrastUnits }),
  own('of', 'by', 'text', 'small and large windows, or those behind and in front of recorded compactions', {
    rank: 1,
    values: ['size', 'compactions'],
  }),
  ...bandFields,
]

export function qualitySheet(result: Quality): Sheet<QualityRow> {
  return {
    answers: [qualityAnswer(result)],
    captions: [extent(result), ...result.endpoints.flatMap(endpointWords)],
    columns: qualityColumns,
    items: result.endpoints.flatMap(rowsOf),
    notes: diagnosticNotes(result.diagnostics),
    data: result,
  }
}

function rowsOf({ endpoint, unit, bands, compactions: { compactions, ...around } }: EndpointQuality): QualityRow[] {
  const nothing = { from: null, to: null, level: null, fitted: null }
  return [
    ...bands.map((band): QualityRow => ({ endpoint, unit, of: 'size', ...band })),
    { endpoint, unit, of: 'compactions', ...nothing, observations: compactions, ...around },
  ]
}

/** For people: sentences, and a chart of each endpoint that can be judged. */
export function* renderQuality(result: Quality, options: Pick<ReportOptions, 'width' | 'color'>): Iterable<string> {
  const width = Math.max(60, Math.floor(options.width) || 80)
  const ink = inkFor(options.color)
  const lines = function* (texts: readonly string[], dress = (text: string): string => text): Iterable<string> {
    for (const text of texts) for (const line of broken(text, width)) yield `${dress(line)}\n`
  }
  for (const line of dressAnswer(broken(qualityAnswer(result), width), ink)) yield `${line}\n`
  yield* lines([extent(result)], ink.aside)
  for (const one of result.endpoints) {
    yield '\n'
    yield* lines(endpointWords(one))
    if (one.bands.some(({ low }) => low !== null)) yield* chart(one, width, ink)
  }
  yield '\n'
  yield* lines([caveat], ink.aside)
}

/** "Surely worse in large windows: failed tool calls from 150k on." */
function qualityAnswer({ endpoints }: Quality): string {
  const rising = endpoints.flatMap(({ endpoint, risesFrom }) =>
    risesFrom === null ? [] : [`${endpointName(endpoint)} from ${compact(risesFrom)} on`],
  )
  if (rising.length > 0) return `Surely more in large windows: ${rising.join(', ')}.`
  return endpoints.some(({ bands }) => bands.some(({ low }) => low !== null))
    ? 'No sign that your agent works worse in large windows.'
    : 'Too few sessions with large windows to say whether your agent works worse in them.'
}

function extent({ requests, transcripts, sessions, withoutSize }: Quality): string {
  const unknown = withoutSize === 0 ? '' : `; the window’s size is not recorded for ${grouped(withoutSize)}`
  return `${several(requests, 'request')} in ${several(transcripts, 'transcript')} of ${several(sessions, 'session')}${unknown}`
}

/** "4.3 %", "110" */
function levelWords({ level }: QualityBand, { unit }: EndpointQuality): string {
  if (level === null) return '-'
  return unit === 'percent' ? grouped(level) : `${level.toFixed(1)} %`
}

function* chart(one: EndpointQuality, width: number, ink: ReturnType<typeof inkFor>): Iterable<string> {
  const { bands } = one
  const ends = bands.flatMap(({ low, high }) => (low === null || high === null ? [] : [low, high]))
  const [least, most] = [0, ...ends].reduce(([a, b], end) => [Math.min(a, end), Math.max(b, end)], [0, 0] as [
    number,
    number,
  ])
  const cells = Math.min(48, width - 48)
  const span = most - least || 1
  const cell = (value: number): number => Math.round(((value - least) / span) * (cells - 1))
  yield `${`${'window'.padEnd(15)}${endpointNames[one.endpoint][1].padStart(7)}s${'level'.padStart(8)}${'more'.padStart(8)}  ${one.unit}`}\n`
  for (const band of bands) {
    if (band.observations === 0) continue
    const row = `${bandName(band).padEnd(15)}${grouped(band.observations).padStart(8)}${levelWords(band, one).padStart(8)}`
    const { fitted, low, high } = band
    if (fitted === null || low === null || high === null) {
      yield `${row}\n`
      continue
    }
    const line: string[] = Array.from({ length: cells }, (_, at) => (at >= cell(low) && at <= cell(high) ? '─' : ' '))
    line[cell(0)] = line[cell(0)] === ' ' ? '┊' : '┼'
    line[cell(low)] = '├'
    line[cell(high)] = '┤'
    line[cell(fitted)] = '●'
    const drawn = line.join('').trimEnd()
    yield `${row}${signed(fitted).padStart(8)}  ${low > 0 ? ink.bad(drawn) : drawn}\n`
  }
}
