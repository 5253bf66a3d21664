/** `json`: all data, for programs. Its shape is a public contract: docs/schema/simulate.schema.json. */
import { jsonText } from '../base/json-text.ts'
import { safeJson } from '../base/quoting.ts'
import type { Simulation } from '../model/run.ts'
import { dataOf } from './column.ts'
import { simulationColumns } from './columns/rows.ts'
import { totalColumns } from './columns/total.ts'
import type { Report } from './report.ts'

/** Any data as JSON, indented by two spaces and harmless on a terminal. */
export const printJson = (data: unknown): string => `${safeJson(jsonText(data, 2))}\n`

const json: Report = {
  name: 'json',
  summary: 'everything, for programs',

  *render({ schemaVersion, runs, totals, diagnostics }: Simulation, _, columns = simulationColumns) {
    yield `{\n  "schemaVersion": ${schemaVersion},\n`
    yield* list('runs', runs.map(dataOf(columns.run)))
    yield* list('totals', totals.map(dataOf(totalColumns)))
    yield* list('diagnostics', diagnostics, '\n}\n')
  },

  *sheet({ data }) {
    yield printJson(data)
  },

  *rows(columns, items) {
    yield printJson(items.map(dataOf(columns)))
  },
}

export default json

/** One chunk per element, so that a thousand runs are never one huge string. */
function* list(key: string, items: readonly unknown[], end = ',\n'): Iterable<string> {
  yield `  "${key}": [`
  for (const [index, item] of items.entries()) {
    const text = safeJson(JSON.stringify(item, null, 2)).replaceAll('\n', '\n    ')
    yield `${index === 0 ? '' : ','}\n    ${text}`
  }
  yield `${items.length === 0 ? '' : '\n  '}]${end}`
}
