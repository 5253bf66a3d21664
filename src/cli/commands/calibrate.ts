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
import { framed } from '../inputs/frame.ts'
import { planOf, reportOrPart } from '../inputs/options.ts'

/** What is compared when nobody names an estimator. */
const usual = 'bytes,openai,estimate,calibrated,auto'

/** Of many transcripts a person is shown those that are farthest off. */
const shown = 10

/** "auto" is one of the others: the same row twice tells people nothing. */
function distinct(rows: readonly Calibrated[]): readonly Calibrated[] {
  return rows.filter((row, at) => rows.findIndex(({ estimator }) => estimator === row.estimator) === at)
}

export const run = framed(reportOrPart, async ({ call, session, settings, report, read }) => {
  const estimator = settings.get('estimator')
  const chosen =
    estimator?.origin === 'default' ? new Map(settings).set('estimator', { ...estimator, value: usual }) : settings
  // A part must have everything, as any report may be made of it.
  const isWhole = report.forPeople === true || call.parts !== undefined
  const plan = planWithBytes({
    ...(await planOf({ ...session, settings: chosen }, call.world)),
    // Losses are compared with where the content stood, which only reports for people show.
    references: isWhole,
  })
  const reading = await read()
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
  const compared = rows.length / (plan.estimators.length - 1)
  return {
    found: transcripts,
    result(looks, code) {
      if (transcripts > compared) {
        const tell = rows.length === 0 ? call.world.say : call.world.note
        tell(`no usage to compare with in ${transcripts - compared} of ${transcripts} transcripts`)
      }
      if (rows.length === 0) return code === 0 && transcripts > 0 ? 2 : code
      // Programs get every row.
      if (!report.forPeople) return report.rows(calibratedColumns, rows, looks)
      const titled = <T>(title: string, columns: readonly Column<T>[], items: readonly T[]): string[] => [
        ...report.sheet({ captions: [], title, columns, items, marked: () => false, notes: [], data: items }, looks),
      ]
      const farthest = farthestOff(ofBilled)
      return joined(
        compared > 1
          ? titled(
              'How far each estimator is off on requests that it had not seen',
              calibrationSummaryColumns,
              summarise(rows),
            )
          : [...report.rows(calibratedColumns, distinct(rows), looks)],
        bills.length > 0 &&
          titled(
            'How far the modelled bill is off, by what the cache is taken to serve',
            billColumns,
            summariseBills(bills),
          ),
        losses.rows.some(({ outside, part, inside }) => outside.edits + part.edits + inside.edits > 0) &&
          titled('Edits that are reported as lost, by where their old text was', dependenceColumns, losses.rows),
        compared > 1 && titled(farthest.title, calibratedColumns, farthest.rows),
      )
    },
  }
})

/** Texts with an empty line between two. */
function joined(...texts: readonly (readonly string[] | false)[]): string[] {
  return texts.flatMap((text, at) => (text === false ? [] : at === 0 ? text : ['\n', ...text]))
}

function farthestOff(rows: readonly Calibrated[]) {
  const off = ({ foresight }: Calibrated): number => foresight?.meanAbsolutePercent ?? -1
  const farthest = rows.filter(({ foresight }) => foresight).toSorted((a, b) => off(b) - off(a))
  const hidden = farthest.length - shown
  const more = hidden > 0 ? ` (${several(hidden, 'more transcript')}: --output csv)` : ''
  return { title: `Transcripts that are farthest off${more}`, rows: farthest.slice(0, shown) }
}
