import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterAll, describe, expect, it } from 'vitest'
import { csvHead, csvLines } from '../../../src/readers/lines/csv.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
import { readTranscripts } from '../../../src/readers/read.ts'
import { csvLines as written } from '../../../src/reports/csv.ts'
import { runCli } from '../../cli/run.ts'
import { fixtureText, linesOf, outlines, readSource, readText } from '../reading.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-tables-'))
afterAll(() => rmSync(directory, { recursive: true }))

interface Conversation {
  readonly id: string
  readonly model: string
  readonly messages: readonly unknown[]
}

/** The conversations of a fixture, and how they are read from it. */
const records = linesOf(fixtureText('openai-chat', 'tools.jsonl')) as readonly Conversation[]
const lines = records.map(({ id, model, messages }) => JSON.stringify({ id, model, messages })).join('\n')
const truth = async () => said(await readText(lines))

function said(read: Awaited<ReturnType<typeof readText>>) {
  return read.traces.map((trace, index) => ({
    conversation: trace.head.conversation,
    model: trace.head.model,
    outlines: outlines(read, index),
  }))
}

const fileOf = (name: string, bytes: string | Uint8Array): string => {
  const file = join(directory, name)
  writeFileSync(file, bytes)
  return file
}

/** A table of a column of JSON text, in Parquet of several groups. */
function inParquet(column: string, rows: readonly Conversation[]): Uint8Array {
  const data = (of: (row: Conversation) => unknown) => rows.map(of)
  const columnData = [
    { name: 'id', data: data(({ id }) => id), type: 'STRING' as const },
    { name: 'model', data: data(({ model }) => model), type: 'STRING' as const },
    { name: column, data: data(({ messages }) => JSON.stringify(messages)), type: 'STRING' as const },
    { name: 'completion', data: data(() => 'no answer to it'), type: 'STRING' as const },
  ]
  return new Uint8Array(parquetWriteBuffer({ columnData, rowGroupSize: 1 }))
}

describe('tables with a column of conversations', () => {
  it.each(['messages', 'conversations', 'trajectory', 'history'])(
    'Parquet with JSON text in %s is read as the same lines are',
    async (column) => {
      const file = fileOf(`${column}.parquet`, inParquet(column, records))
      expect(said(await readSource(openFile(file)))).toEqual(await truth())
    },
  )

  it('Parquet of DuckDB with nested lists of structs, compressed with Zstandard, is read as the same lines are', async () => {
    const read = await readSource(openFile(join(import.meta.dirname, 'nested.parquet')))
    const same = await truth()
    expect(said(read).map(({ outlines }) => outlines)).toEqual(same.map(({ outlines }) => outlines))
    expect(read.report).toMatchObject({ records: 2, used: 2, damagedLines: 0 })
  })

  it('CSV is read as the same lines are', async () => {
    const rows = records.map(({ id, model, messages }) => [id, model, JSON.stringify(messages)])
    const cells = [['id', 'model', 'messages'], ...rows]
    const text = cells.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\r\n')
    expect(said(await readText(text))).toEqual(await truth())
    const bytes = Buffer.from(text)
    const small = Array.from({ length: Math.ceil(bytes.length / 7) }, (_, at) => bytes.subarray(at * 7, at * 7 + 7))
    expect(said(await readSource({ name: 'text', chunks: small }))).toEqual(await truth())
  })

  it('JSONL with JSON text in the column is read as the same lines are, whether its format is named or not', async () => {
    const text = records.map((row) => JSON.stringify({ ...row, messages: JSON.stringify(row.messages) })).join('\n')
    expect(said(await readText(text)).map(({ outlines }) => outlines)).toEqual(
      (await truth()).map(({ outlines }) => outlines),
    )
    expect(said(await readText(text, 'openai-chat'))).toEqual(said(await readText(text)))
  })

  it('another column is named with --column', async () => {
    const file = fileOf('other.parquet', inParquet('talk', records))
    const refused = await runCli(['simulate', file])
    expect(refused.code).toBe(2)
    expect(refused.stderr).toContain(
      'no column messages, conversations, conversation, trajectory, history is in the table',
    )
    expect(refused.stderr).toContain('its columns: id, model, talk, completion')
    const { code, stdout } = await runCli(['simulate', file, '--column', 'talk', '--output', 'csv'])
    expect({ code, rows: stdout.trimEnd().split('\n').length }).toEqual({ code: 0, rows: 3 })
  })

  it('Parquet that comes by a pipe, or unpacks to too much is refused in a line', async () => {
    const bytes = inParquet('messages', records)
    const how = { format: 'auto', sizersFor: () => [], keepMessages: false }
    const whole = fileOf('whole.parquet', bytes)
    const piped = { name: '-', chunks: createReadStream(whole) }
    await expect(readTranscripts(piped, how, () => {})).rejects.toThrow(/name the file instead of a pipe/)
    await expect(readTranscripts(openFile(whole), { ...how, largestUnpacked: 100 }, () => {})).rejects.toThrow(
      /unpacks to more/,
    )
  })

  it('Parquet that is cut off anywhere is refused in a line', async () => {
    const bytes = inParquet('messages', records)
    const how = { format: 'auto', sizersFor: () => [], keepMessages: false }
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 4, max: bytes.length - 1 }), async (length) => {
        const cut = openFile(fileOf('cut.parquet', bytes.subarray(0, length)))
        await expect(readTranscripts(cut, how, () => {})).rejects.toThrow(/^cannot read .*its Parquet is damaged/)
      }),
    )
  })
})

describe('the rows of a CSV file', () => {
  it('are what was written, whatever the cells hold and however the bytes come', async () => {
    // What a spreadsheet would take for a formula is written with an apostrophe.
    const cell = fc.string({ unit: fc.constantFrom('a', ',', '"', ' ', '{', '}', 'é') })
    const table = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (rows, size) => {
        const text = written([['messages', 'id'], ...rows])
        const bytes = Buffer.from(text)
        const head = csvHead(bytes, ['messages']) as readonly string[]
        async function* chunks() {
          for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
        }
        const read: string[] = []
        for await (const line of csvLines('x', chunks(), head)) read.push(line.toString())
        expect(linesOf(read.join(''))).toEqual(rows.map(([messages, id]) => ({ messages, id })))
      }),
    )
  })

  it('begin with a head that names such a column, or are no table', () => {
    const headOf = (text: string) => csvHead(Buffer.from(text), ['messages'])
    expect(headOf('id,"messages"\r\n1,2')).toEqual(['id', 'messages'])
    expect(headOf('id,content\n1,2')).toBeNull()
    expect(headOf('{"messages":\n[]}')).toBeNull()
  })
})
