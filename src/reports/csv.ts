/**
 * `csv`: the scalar values for spreadsheets, one row per run, or per exchange, request or lost reference. A cell that a
 * spreadsheet would take for a formula gets an apostrophe in front (OWASP, CSV Injection), and so does what stands
 * behind a semicolon, which parts cells where the comma is in numbers. Control characters are shown as escapes, so a
 * record is always one line. A missing value is an empty cell.
 */
import { stringify } from 'csv-stringify/sync'
import { safe } from '../base/quoting.ts'
import { type Column, flatColumns } from './column.ts'
import { runLosses, runRows, simulationColumns } from './columns/rows.ts'
import type { Report } from './report.ts'

const csv: Report = {
  name: 'csv',
  summary: 'scalar values, one run a row, for spreadsheets',

  *render({ runs }, { by }, columns = simulationColumns) {
    if (by === 'transcript') return yield* records(columns.run, runs)
    if (by === 'reference') return yield* records(columns.loss, runs.flatMap(runLosses))
    yield* records(columns.row, runs.flatMap(runRows))
  },

  *sheet({ columns, items }) {
    yield* records(columns, items)
  },

  *rows(columns, items) {
    yield* records(columns, items)
  },
}

export default csv

const chunk = 500

function* records<T>(columns: readonly Column<T>[], items: readonly T[]): Iterable<string> {
  const flat = flatColumns(columns, items)
  yield csvLines([flat.map(({ key }) => key)])
  for (let from = 0; from < items.length; from += chunk) {
    yield csvLines(items.slice(from, from + chunk).map((item) => flat.map(({ value }) => value(item))))
  }
}

/** Rows as lines. */
export function csvLines(rows: readonly (readonly unknown[])[]): string {
  const cells = rows.map((row) => row.map(cell))
  return stringify(cells, { escape_formulas: true, cast: { boolean: String } })
}

function cell(value: unknown): unknown {
  const text = typeof value === 'object' && value !== null ? JSON.stringify(value) : value
  return typeof text === 'string' ? safe(text).replace(/;(?=[=+\-@＝＋－＠])/g, ";'") : text
}
