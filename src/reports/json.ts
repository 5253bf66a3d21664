/** `json`: everything, for programs. Its shape is a public contract: docs/schema/simulate.schema.json. */
import { jsonText } from '../base/json-text.ts'
import type { Run, Simulation } from '../model/run.ts'
import { type Column, runColumns } from './columns.ts'
import type { Report } from './report.ts'
import { safeJson } from './safe.ts'

/** The keys of a run in the order of the contract, whatever order it was put together in. */
const runKeys = [...new Set(runColumns.map(({ key }) => key.split('.')[0] as string)), 'rows'] as (keyof Run)[]

export function runData(run: Run): Record<string, unknown> {
  return Object.fromEntries(runKeys.filter((key) => run[key] !== undefined).map((key) => [key, run[key]]))
}

/** A thing as an object: one key for each of its columns. */
export function itemData<T>(columns: readonly Column<T>[], item: T): Record<string, unknown> {
  const entries = columns.map(({ key, value }) => [key, value(item)] as const)
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
}

/** Any data as the JSON that ctxwin prints: two spaces, harmless on a terminal. */
export function printJson(data: unknown): string {
  return `${safeJson(jsonText(data, 2))}\n`
}

const json: Report = {
  name: 'json',
  summary: 'everything, for programs',

  *render({ schemaVersion, runs, totals, diagnostics }: Simulation) {
    yield `{\n  "schemaVersion": ${schemaVersion},\n`
    yield* list('runs', runs.map(runData))
    yield* list('totals', totals)
    yield* list('diagnostics', diagnostics, '\n}\n')
  },

  *sheet({ data }) {
    yield printJson(data)
  },

  *rows(columns, items) {
    yield printJson(items.map((item) => itemData(columns, item)))
  },
}

export default json

/** One chunk an element, so that a thousand runs are never one string. */
function* list(key: string, items: readonly unknown[], end = ',\n'): Iterable<string> {
  yield `  "${key}": [`
  for (const [index, item] of items.entries()) {
    const text = safeJson(JSON.stringify(item, null, 2)).replaceAll('\n', '\n    ')
    yield `${index === 0 ? '' : ','}\n    ${text}`
  }
  yield `${items.length === 0 ? '' : '\n  '}]${end}`
}
