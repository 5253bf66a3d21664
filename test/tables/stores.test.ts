import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet'
import { Database } from 'node-sqlite3-wasm'
import { beforeAll, describe, expect, it } from 'vitest'
import { tables } from '../../src/tables/tables.ts'
import { runCli } from '../cli/run.ts'
import { exported, few, flags, inNdjson, inputs, inSqlite, plain, type Rows, scratch } from './exported.ts'

const directory = scratch()

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
