/** What `export` has put into a store, as rows. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from 'node-sqlite3-wasm'
import { afterAll, expect } from 'vitest'
import { tables } from '../../src/tables/tables.ts'
import { runCli } from '../cli/run.ts'

/** A directory for one file of tests. */
export function scratch(): string {
  const directory = mkdtempSync(join(tmpdir(), 'ctxwin-stores-'))
  afterAll(() => rmSync(directory, { recursive: true }))
  return directory
}

export const few = ['fixtures/openai-chat/tools.jsonl', 'fixtures/openai-chat/cumulative-log.jsonl']
export const inputs = ['fixtures/claude-code/refactor.jsonl', 'fixtures/ikigai/clear.jsonl', ...few]
export const flags = ['--policy', 'ikigai,mask-tool-results', '--budget', '2k,20k']

export type Row = Readonly<Record<string, unknown>>
export type Rows = Readonly<Record<string, readonly Row[]>>

/** The same values, whatever a store makes of numbers, times and truths. */
export function plain(stored: Readonly<Record<string, Iterable<Row>>>): Rows {
  return Object.fromEntries(
    tables.map(({ name, columns, key }) => {
      const rows = Array.from(stored[name] ?? [], (row) =>
        Object.fromEntries(
          columns.map(({ name, type }) => {
            const value = row[name] ?? null
            if (value === null || value === '') return [name, null]
            if (type === 'boolean') return [name, value === true || value === 'true' || value === 1]
            if (type === 'integer' || type === 'real') return [name, Number(value)]
            return [name, type === 'timestamp' ? new Date(value as string).toISOString() : value]
          }),
        ),
      )
      const keyOf = (row: Row) => key.map((part) => String(row[part]).padStart(9, '0')).join(' ')
      return [name, rows.sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))]
    }),
  )
}

export async function exported(to: string, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(['export', ...inputs, '--to', to, ...flags, ...more])
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  return stderr
}

export function inNdjson(place: string): Rows {
  const rows = (name: string): Row[] =>
    readFileSync(join(place, `${name}.ndjson`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row)
  return plain(Object.fromEntries(tables.map(({ name }) => [name, rows(name)])))
}

export function inSqlite(file: string): Rows {
  const database = new Database(file)
  const stored = tables.map(({ name }) => [name, database.all(`SELECT * FROM "${name}"`) as Row[]])
  database.close()
  return plain(Object.fromEntries(stored))
}
