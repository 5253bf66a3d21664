/** `calibrate`: each estimator against the usage that transcripts recorded. */

import { billTrace, summariseBills } from '../../app/bill/bill.ts'
import { calibrateTrace, planWithBytes, summarise } from '../../app/calibrate.ts'
import { type CalibratedPiece, calibratedPiece } from '../../app/files/piece-shapes.ts'
import type { Column, Trace } from '../../app/index.ts'
import { DependenceSums, dependenceRows } from '../../app/quality/dependence.ts'
import type { Billed } from '../../model/billed.ts'
import type { Calibrated } from '../../model/calibrated.ts'
import { billColumns, calibratedColumns, calibrationSummaryColumns } from '../../reports/calibrated.ts'
import { dependenceColumns } from '../../reports/dependence.ts'
import { several } from '../../reports/numbers.ts'
import type { Call } from '../inputs/call.ts'
import { planOf, reportOrPart } from '../inputs/options.ts'
import { Reading } from '../inputs/reading.ts'
import { openSession } from '../inputs/session.ts'

/** What is compared when nobody names an estimator. */
const usual = 'bytes,openai,estimate,calibrated,auto'

/** Of many transcripts a person is shown those that are farthest off. */
const shown = 10

/** "auto" is one of the others: the same row twice tells people nothing. */
function distinct(rows: readonly Calibrated[]): readonly Calibrated[] {
  return rows.filter((row, at) => rows.findIndex(({ estimator }) => estimator === row.estimator) === at)
}

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  const estimator = settings.get('estimator')
  const chosen =
    estimator?.origin === 'default' ? new Map(settings).set('estimator', { ...estimator, value: usual }) : settings
  const report = reportOrPart(settings)
  // A part must have everything, as any report may be made of it.
  const isWhole = report.forPeople === true || call.parts !== undefined
  const plan = planWithBytes({
    ...(await planOf({ ...session, settings: chosen }, call.world)),
    // Losses are compared with where the content stood, which only reports for people show.
    references: isWhole,
  })
  const reading = await Reading.of(call, session)
  const rows: Calibrated[] = []
  const ofBilled: Calibrated[] = []
  let transcripts = 0
  const bills: Billed[] = []
  // The last estimator measures bytes for the others. The one before it, which runs use by default, is held to the bill.
  const billed = plan.estimators.length - 2
  const losses = new DependenceSums()
  const measure = (trace: Trace): CalibratedPiece => ({
    rows: calibrateTrace(trace, plan),
    bill: billTrace(trace, plan, billed),
    lost: isWhole ? dependenceRows(trace, plan, billed) : null,
  })
  const files = reading.read({
    plan,
    reads: { keepMessages: isWhole },
    measure,
    copied: null,
    piece: calibratedPiece(losses.rows.length),
    start: (): CalibratedPiece[] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { part } of files) {
    transcripts += part.length
    for (const one of part) {
      for (const row of one.rows) rows.push(row)
      const used = one.rows[billed]
      if (used) ofBilled.push(used)
      if (one.bill) bills.push(one.bill)
      if (one.lost) losses.add(one.lost)
    }
  }
  const code = reading.finish(transcripts)
  const compared = rows.length / (plan.estimators.length - 1)
  if (transcripts > compared) {
    const { say, note } = call.world
    const tell = rows.length === 0 ? say : note
    tell(`no usage to compare with in ${transcripts - compared} of ${transcripts} transcripts`)
  }
  if (reading.isPart) return code
  if (rows.length === 0) return code === 0 && transcripts > 0 ? 2 : code
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  const titled = <T>(title: string, columns: readonly Column<T>[], items: readonly T[]): Iterable<string> =>
    report.sheet({ captions: [], title, columns, items, marked: () => false, notes: [], data: items }, options)
  await output.write(
    (function* () {
      // People get the distribution of many transcripts, programs get every row.
      const sums = compared > 1 && report.forPeople === true
      if (sums)
        yield* titled(
          'How far each estimator is off on requests that it had not seen',
          calibrationSummaryColumns,
          summarise(rows),
        )
      else yield* report.rows(calibratedColumns, report.forPeople === true ? distinct(rows) : rows, options)
      if (bills.length > 0 && report.forPeople) {
        yield '\n'
        yield* titled(
          'How far the modelled bill is off, by what the cache is taken to serve',
          billColumns,
          summariseBills(bills),
        )
      }
      if (
        report.forPeople &&
        losses.rows.some(({ outside, part, inside }) => outside.edits + part.edits + inside.edits > 0)
      ) {
        yield '\n'
        yield* titled('Edits that are reported as lost, by where their old text was', dependenceColumns, losses.rows)
      }
      if (sums) {
        const off = ({ foresight }: Calibrated): number => foresight?.meanAbsolutePercent ?? -1
        const farthest = ofBilled.filter(({ foresight }) => foresight).toSorted((a, b) => off(b) - off(a))
        yield '\n'
        const hidden = farthest.length - shown
        const more = hidden > 0 ? ` (${several(hidden, 'more transcript')}: --output csv)` : ''
        yield* titled(`Transcripts that are farthest off${more}`, calibratedColumns, farthest.slice(0, shown))
      }
    })(),
  )
  return code
}
