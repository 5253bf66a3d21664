/** `calibrate`: each estimator against the usage that transcripts recorded. */
import {
  type Calibrated,
  type CalibrationSummary,
  calibrateTrace,
  planWithBytes,
  readSources,
  summarise,
} from '../../app/door.ts'
import { type Column, reports, type Trace } from '../../index.ts'
import type { Call } from '../call.ts'
import { planOf, readingOf, textOf } from '../options.ts'
import { Reading } from '../reading.ts'
import { openSession } from '../session.ts'

const columns: readonly Column<Calibrated>[] = [
  { key: 'transcript', header: 'transcript', unit: 'text', rank: 0, value: (row) => row.transcript },
  { key: 'conversation', header: 'conversation', unit: 'text', value: (row) => row.conversation },
  { key: 'format', header: 'format', unit: 'text', value: (row) => row.format },
  { key: 'model', header: 'model', unit: 'text', rank: 9, value: (row) => row.model },
  { key: 'estimator', header: 'estimator', unit: 'text', rank: 0, value: (row) => row.estimator },
  { key: 'requests', header: 'requests', unit: 'count', rank: 3, value: (row) => row.requests },
  { key: 'inputTokens', header: 'recorded', unit: 'tokens', rank: 8, value: (row) => row.inputTokens },
  { key: 'biasPercent', header: 'bias %', unit: 'percent', rank: 2, value: (row) => row.biasPercent },
  { key: 'meanAbsolutePercent', header: 'off %', unit: 'percent', rank: 0, value: (row) => row.meanAbsolutePercent },
  { key: 'foresightPercent', header: 'later half %', unit: 'percent', rank: 4, value: (row) => row.foresightPercent },
  { key: 'preambleTokens', header: 'preamble', unit: 'tokens', rank: 5, value: (row) => row.preambleTokens },
  { key: 'tokensPerByte', header: 'tokens per byte', unit: 'text', rank: 6, value: (row) => row.tokensPerByte },
  {
    key: 'withoutUsage',
    header: 'no usage',
    unit: 'count',
    rank: 7,
    quiet: true,
    value: (row) => row.leftOut.withoutUsage,
  },
  { key: 'afterCut', header: 'after a cut', unit: 'count', rank: 7, quiet: true, value: (row) => row.leftOut.cut },
  { key: 'asides', header: 'asides', unit: 'count', rank: 7, quiet: true, value: (row) => row.leftOut.aside },
  { key: 'worst', header: 'worst', unit: 'list', value: (row) => row.worst },
  { key: 'worstLine', header: 'worst line', unit: 'count', rank: 1, value: (row) => row.worst[0]?.line ?? null },
  {
    key: 'worstPercent',
    header: 'off there %',
    unit: 'percent',
    rank: 1,
    value: (row) => row.worst[0]?.errorPercent ?? null,
  },
]

const summaryColumns: readonly Column<CalibrationSummary>[] = [
  { key: 'estimator', header: 'estimator', unit: 'text', rank: 0, value: (row) => row.estimator },
  { key: 'transcripts', header: 'transcripts', unit: 'count', rank: 1, value: (row) => row.transcripts },
  { key: 'requests', header: 'requests', unit: 'count', rank: 1, value: (row) => row.requests },
  { key: 'median', header: 'median off %', unit: 'percent', rank: 0, value: (row) => row.median },
  { key: 'p90', header: 'p90 %', unit: 'percent', rank: 0, value: (row) => row.p90 },
  { key: 'worst', header: 'worst %', unit: 'percent', rank: 0, value: (row) => row.worst },
  { key: 'foresightMedian', header: 'later half %', unit: 'percent', rank: 2, value: (row) => row.foresightMedian },
]

/** What is compared when nobody names an estimator. */
const usual = 'bytes,openai,estimate,calibrated,auto'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const estimator = settings.get('estimator')
  const chosen =
    estimator?.origin === 'default' ? new Map(settings).set('estimator', { ...estimator, value: usual }) : settings
  const plan = planWithBytes({
    ...(await planOf({ ...session, settings: chosen }, call.world.cwd())),
    references: false,
  })
  const report = reports.get(textOf(settings, 'output'))
  const reading = await Reading.of(call)
  const rows: Calibrated[] = []
  let transcripts = 0
  const take = (trace: Trace) => [calibrateTrace(trace, plan)]
  const how = readingOf(settings)
  for await (const { taken } of readSources(reading.sources(), plan, how, take, reading.unread)) {
    transcripts += taken.length
    for (const row of taken.flat()) rows.push(row)
  }
  const code = reading.finish(transcripts)
  const compared = rows.length / (plan.estimators.length - 1)
  if (transcripts > compared) {
    call.world.say(`no usage to compare with in ${transcripts - compared} of ${transcripts} transcripts`)
  }
  if (rows.length === 0) return code === 0 ? 2 : code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(
    (function* () {
      yield* report.rows(columns, rows, options)
      // Data formats have every row; what people want of many is the distribution.
      if (compared > 1 && ['table', 'markdown'].includes(report.name)) {
        yield '\n'
        yield* report.rows(summaryColumns, summarise(rows), options)
      }
    })(),
  )
  return code
}
