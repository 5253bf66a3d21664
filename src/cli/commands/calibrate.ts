/** `calibrate`: each estimator against the usage that transcripts recorded. */

import { billTrace, summariseBills } from '../../app/bill/bill.ts'
import { calibrateTrace, planWithBytes, summarise } from '../../app/calibrate.ts'
import { type CalibratedPiece, calibratedPiece } from '../../app/files/piece-shapes.ts'
import type { Column, Sheet } from '../../app/index.ts'
import { DependenceSums, dependenceRows } from '../../app/quality/dependence.ts'
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
  // The last estimator measures bytes for the others. The one before it, which runs use by default, is held to the
  // bill.
  const billed = plan.estimators.length - 2
  const losses = new DependenceSums()
  const files = (await read()).read({
    plan,
    reads: { keepMessages: isWhole },
    measure: (trace): CalibratedPiece => ({
      rows: calibrateTrace(trace, plan),
      bill: billTrace(trace, plan, billed),
      lost: isWhole ? dependenceRows(trace, plan, billed) : null,
    }),
    copied: null,
    piece: calibratedPiece(losses.rows.length),
    start: (): CalibratedPiece[] => [],
    add: (part, piece) => part.push(piece),
  })
  const pieces: CalibratedPiece[] = []
  for await (const { part } of files) for (const piece of part) pieces.push(piece)
  for (const { lost } of pieces) if (lost) losses.add(lost)
  const rows = pieces.flatMap((piece) => piece.rows)
  const compared = rows.length / (plan.estimators.length - 1)
  return {
    found: pieces.length,
    result(looks, code) {
      if (pieces.length > compared) {
        const tell = rows.length === 0 ? call.world.say : call.world.note
        tell(`no usage to compare with in ${pieces.length - compared} of ${pieces.length} transcripts`)
      }
      if (rows.length === 0) return code === 0 && pieces.length > 0 ? 2 : code
      // Programs get every row.
      if (!report.forPeople) return report.rows(calibratedColumns, rows, looks)
      const draw = <T>(sheet: Sheet<T>): string[] => [...report.sheet(sheet, looks)]
      const isMany = compared > 1
      const off = sheetOf(offBy, calibrationSummaryColumns, summarise(rows))
      const tables = [
        isMany ? draw(off) : [...report.rows(calibratedColumns, distinct(rows), looks)],
        ...billTables(pieces).map((sheet) => draw(sheet)),
        ...lossTables(losses).map((sheet) => draw(sheet)),
        ...(isMany ? [draw(farthestOff(pieces.flatMap((piece) => piece.rows[billed] ?? [])))] : []),
      ]
      return tables.flatMap((text, at) => (at === 0 ? text : ['\n', ...text]))
    },
  }
})

const offBy = 'How far each estimator is off on requests that it had not seen'

function sheetOf<T>(title: string, columns: readonly Column<T>[], items: readonly T[]): Sheet<T> {
  return { captions: [], title, columns, items, marked: () => false, notes: [], data: items }
}

function billTables(pieces: readonly CalibratedPiece[]) {
  const bills = pieces.flatMap(({ bill }) => bill ?? [])
  const title = 'How far the modelled bill is off, by what the cache is taken to serve'
  return bills.length > 0 ? [sheetOf(title, billColumns, summariseBills(bills))] : []
}

function lossTables({ rows }: DependenceSums) {
  const isAny = rows.some(({ outside, part, inside }) => outside.edits + part.edits + inside.edits > 0)
  return isAny ? [sheetOf('Edits that are reported as lost, by where their old text was', dependenceColumns, rows)] : []
}

function farthestOff(rows: readonly Calibrated[]): Sheet<Calibrated> {
  const off = ({ foresight }: Calibrated): number => foresight?.meanAbsolutePercent ?? -1
  const farthest = rows.filter(({ foresight }) => foresight).toSorted((a, b) => off(b) - off(a))
  const hidden = farthest.length - shown
  const more = hidden > 0 ? ` (${several(hidden, 'more transcript')}: --output csv)` : ''
  return sheetOf(`Transcripts that are farthest off${more}`, calibratedColumns, farthest.slice(0, shown))
}
