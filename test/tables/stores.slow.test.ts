import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { Database } from 'node-sqlite3-wasm'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tables } from '../../src/tables/tables.ts'
import { runCli } from '../cli/run.ts'
import { programs, type Server, startServer } from './postgres-server.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-stores-'))
afterAll(() => rmSync(directory, { recursive: true }))

const few = ['fixtures/openai-chat/tools.jsonl', 'fixtures/openai-chat/cumulative-log.jsonl']
const inputs = ['fixtures/claude-code/refactor.jsonl', 'fixtures/ikigai/clear.jsonl', ...few]
const flags = ['--policy', 'ikigai,mask-tool-results', '--budget', '2k,20k']

type Row = Readonly<Record<string, unknown>>
type Rows = Readonly<Record<string, readonly Row[]>>

/** The same values, whatever a store makes of numbers, times and truths. */
function plain(stored: Readonly<Record<string, Iterable<Row>>>): Rows {
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

async function exported(to: string, ...more: string[]): Promise<string> {
  const { code, stdout, stderr } = await runCli(['export', ...inputs, '--to', to, ...flags, ...more])
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  return stderr
}

function inNdjson(place: string): Rows {
  const rows = (name: string): Row[] =>
    readFileSync(join(place, `${name}.ndjson`), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Row)
  return plain(Object.fromEntries(tables.map(({ name }) => [name, rows(name)])))
}

function inSqlite(file: string): Rows {
  const database = new Database(file)
  const stored = tables.map(({ name }) => [name, database.all(`SELECT * FROM "${name}"`) as Row[]])
  database.close()
  return plain(Object.fromEntries(stored))
}

async function inPostgres(address: string): Promise<Rows> {
  const client = new Client(address)
  await client.connect()
  const stored: [string, Row[]][] = []
  for (const { name } of tables) stored.push([name, (await client.query<Row>(`SELECT * FROM "${name}"`)).rows])
  await client.end()
  return plain(Object.fromEntries(stored))
}

describe('the stores of export', () => {
  let truth: Rows
  beforeAll(async () => {
    const place = join(directory, 'ndjson')
    await exported(`ndjson:${place}`)
    truth = inNdjson(place)
  })

  it('have something in every table', () => {
    for (const { name } of tables) expect(truth[name]?.length, name).toBeGreaterThan(2)
  })

  it('sqlite holds the same rows as ndjson', async () => {
    const file = join(directory, 'same.db')
    await exported(`sqlite:${file}`)
    expect(inSqlite(file)).toEqual(truth)
  })

  it('parquet holds the same rows as ndjson', async () => {
    const place = join(directory, 'parquet')
    await exported(`parquet:${place}`)
    const read = async (name: string) =>
      parquetReadObjects({ file: await asyncBufferFromFile(join(place, `${name}.parquet`)) })
    const stored = await Promise.all(tables.map(async ({ name }) => [name, await read(name)] as const))
    expect(plain(Object.fromEntries(stored))).toEqual(truth)
  })

  it('csv has a line for each row, under the names of the columns', async () => {
    const place = join(directory, 'csv')
    await exported(`csv:${place}`)
    for (const { name, columns } of tables) {
      const [head, ...lines] = readFileSync(join(place, `${name}.csv`), 'utf8')
        .trimEnd()
        .split('\n')
      expect(head).toBe(columns.map((column) => column.name).join())
      expect(lines).toHaveLength(truth[name]?.length ?? 0)
    }
  })

  it('write the same bytes for the same transcripts', async () => {
    for (const store of ['csv', 'parquet', 'ndjson']) {
      const places = ['once', 'twice'].map((time) => join(directory, `${store}-${time}`))
      for (const place of places) await exported(`${store}:${place}`)
      // As text: comparing buffers element by element takes seconds.
      const [once, twice] = places.map((place) =>
        readdirSync(place).map((name) => [name, readFileSync(join(place, name), 'latin1')]),
      )
      expect(once).toEqual(twice)
    }
  })

  it('replace the rows of a transcript that is exported again, and leave those of others', async () => {
    const file = join(directory, 'again.db')
    await exported(`sqlite:${file}`)
    const [tools, again] = ['fixtures/openai-chat/tools.jsonl', ['--to', `sqlite:${file}`, '--budget', '100']]
    await runCli(['export', tools, ...again])
    const stored = inSqlite(file)
    const ofTools = (stored.transcripts ?? []).filter((row) => row.file === tools).map(({ id }) => id)
    const runs = (stored.runs ?? []).filter((row) => ofTools.includes(row.transcript_id))
    expect(runs.map(({ budget }) => budget)).toEqual(ofTools.map(() => 100))
    expect(stored.transcripts).toEqual(truth.transcripts)
    const others = (rows: Rows) => (rows.runs ?? []).filter((row) => !ofTools.includes(row.transcript_id))
    expect(others(stored)).toEqual(others(truth))
  })

  it('leave with --resume what is there already, and export what is not', async () => {
    const file = join(directory, 'resumed.db')
    await runCli(['export', ...few, '--to', `sqlite:${file}`, ...flags])
    expect(await exported(`sqlite:${file}`, '--resume')).toMatch(
      /exported \d+ transcripts in \d+ runs under .+; \d+ transcripts there/,
    )
    expect(inSqlite(file)).toEqual(truth)
  })

  it('refuse a database that is none, or has other tables, and say so in a line', async () => {
    const none = join(directory, 'none.db')
    writeFileSync(none, 'This is no database, and long enough to see that it is none. '.repeat(20))
    const refused = await runCli(['export', ...inputs, '--to', `sqlite:${none}`])
    expect(refused).toMatchObject({ code: 2, stderr: `ctxwin: cannot write sqlite:${none}: file is not a database\n` })
    const other = join(directory, 'other.db')
    const database = new Database(other)
    database.exec('CREATE TABLE messages (id INTEGER PRIMARY KEY)')
    database.close()
    const foreign = await runCli(['export', ...inputs, '--to', `sqlite:${other}`])
    expect(foreign).toMatchObject({
      code: 2,
      stderr: `ctxwin: sqlite:${other} already has a table messages with other columns: drop it, or name another database\n`,
    })
  })

  it('leave files as they are where no transcript was read', async () => {
    const place = join(directory, 'kept')
    await runCli(['export', few[0] as string, '--to', `csv:${place}`])
    const before = readFileSync(join(place, 'messages.csv'), 'utf8')
    const { code } = await runCli(['export', join(directory, 'nothing.jsonl'), '--to', `csv:${place}`])
    expect(code).toBe(2)
    expect(readFileSync(join(place, 'messages.csv'), 'utf8')).toBe(before)
  })

  it('store the text of messages only if they are asked to', async () => {
    const place = join(directory, 'content')
    expect(truth.messages?.every(({ content }) => content === null)).toBe(true)
    await runCli(['export', 'fixtures/openai-chat/tools.jsonl', '--to', `ndjson:${place}`, '--content'])
    expect(inNdjson(place).messages?.every(({ content }) => typeof content === 'string')).toBe(true)
  })

  it('are created by the statements of --ddl', async () => {
    const { code, stdout } = await runCli(['export', '--ddl', 'sqlite'])
    expect(code).toBe(0)
    const database = new Database()
    database.exec(stdout)
    const created = database.all("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY rowid")
    expect(created.map(({ name }) => name)).toEqual(tables.map(({ name }) => name))
    database.close()
  })
})

describe.skipIf(programs === null)('postgres (skipped where no server is installed)', () => {
  let server: Server
  beforeAll(async () => {
    server = await startServer(programs as string)
  })
  afterAll(async () => {
    await server.stop()
  })

  it('holds the same rows as sqlite, replaces them and resumes', async () => {
    const file = join(directory, 'beside.db')
    await exported(`sqlite:${file}`)
    await exported(server.address)
    expect(await inPostgres(server.address)).toEqual(inSqlite(file))
    await exported(server.address)
    expect(await inPostgres(server.address)).toEqual(inSqlite(file))
    expect(await exported(server.address, '--resume')).toMatch(
      /exported 0 transcripts in 0 runs under .+; \d+ transcripts there/,
    )
  })

  it('is told without the password when it refuses', async () => {
    const address = new URL(server.address)
    const refused = await runCli([
      'export',
      ...inputs,
      '--to',
      `postgresql://nobody:secret@localhost/postgres?${address.searchParams}`,
    ])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain('role "nobody" does not exist')
    expect(refused.stderr).not.toContain('secret')
    const malformed = await runCli(['export', ...inputs, '--to', 'postgresql://nobody:secret@[/postgres'])
    expect(malformed.code).toBe(2)
    expect(malformed.stderr).not.toContain('secret')
  })
})
