/** `ndjson`: one run, finer row or lost reference per line, as in the JSON. It has no totals and no diagnostics. */
import { stringify } from 'ndjson'
import { safeJson } from '../base/quoting.ts'
import { dataOf } from './column.ts'
import { runLosses, runRows, simulationColumns } from './columns/rows.ts'
import type { Report } from './report.ts'

const ndjson: Report = {
  name: 'ndjson',
  summary: 'one run a line, for streams',

  *render({ runs }, { by }, columns = simulationColumns) {
    if (by === 'transcript') return yield* ndjsonLines(runs.map(dataOf(columns.run)))
    const [row, loss] = [dataOf(columns.row), dataOf(columns.loss)]
    for (const run of runs) {
      yield* ndjsonLines([...runRows(run).map(row), ...runLosses(run).map(loss)])
    }
  },

  *sheet({ items }) {
    yield* ndjsonLines(items)
  },

  *rows(columns, items) {
    yield* ndjsonLines(items.map(dataOf(columns)))
  },
}

export default ndjson

/** Items as lines. */
export function* ndjsonLines(items: readonly unknown[]): Iterable<string> {
  const stream = stringify()
  for (const item of items) {
    stream.write(item)
    // The package uses the system's line ending; the output must have the same bytes everywhere.
    yield `${safeJson(String(stream.read())).trimEnd()}\n`
  }
}
