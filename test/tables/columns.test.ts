/** Each column of a table is the field of its row that it is named after. */
import { describe, expect, it } from 'vitest'
import { runColumns } from '../../src/reports/columns/run.ts'
import { ddl } from '../../src/tables/ddl.ts'
import { rowsOf, tables } from '../../src/tables/tables.ts'
import { sampleRun } from '../reports/samples.ts'

/** What says of itself where it stands. */
function standIn(path: string): unknown {
  return new Proxy(() => path, { get: (_, key) => (key === 'at' ? path : standIn(`${path}.${String(key)}`)) })
}
const places = (table: string): Record<string, string> => {
  const { columns } = tables.find(({ name }) => name === table) as (typeof tables)[number]
  const of = Object.fromEntries(['id', 'transcript', 'row'].map((key) => [key, standIn(key)]))
  const pathOf = (value: unknown) => (value as { readonly at: string }).at.replace(/^row\./, '')
  // A hash is made of words.
  const told = columns.filter(({ name }) => name !== 'key_hash')
  return Object.fromEntries(told.map(({ name, value }) => [name, pathOf(value(of as never))]))
}
const leaving = { evicted_at: 'left.time', evicted_request: 'left.request', evicted_by: 'left.by' }
const common = {
  id: 'index',
  agent_id: 'id',
  line: 'line',
  created_at: 'time',
  request_id: 'request',
  exchange_id: 'exchange',
  message_id: 'message',
}

describe('the columns', () => {
  it.each<[string, Record<string, string>]>([
    [
      'transcripts',
      {
        id: 'id',
        ...Object.fromEntries(
          ['file', 'conversation', 'format', 'provider', 'model', 'parent'].map((key) => [key, `head.${key}`]),
        ),
        ...{
          project: 'head.cwd',
          title: 'title',
          inherited_messages: 'head.forkMessage',
        },
        ...{
          recorded_by: 'head.version',
          started_at: 'firstTime',
          ended_at: 'lastTime',
        },
        ...{
          message_count: 'messages',
          exchange_count: 'exchanges',
          request_count: 'requests',
        },
      },
    ],
    [
      'messages',
      {
        ...{
          ...common,
          message_id: '',
          ...leaving,
          role: 'role',
          kind: 'kind',
          tool_name: 'tool',
          content: 'text',
          token_count: 'tokens',
        },
        ...{ in_sliding_window: 'inside', replaced: 'replaced', step: 'step', rereads_id: 'rereads' },
      },
    ],
    [
      'exchanges',
      {
        ...{
          ...common,
          ...{ line: '', request_id: '', exchange_id: '', message_id: '' },
          ...leaving,
          start_msg_id: 'first',
          end_msg_id: 'last',
        },
        ...{
          state: 'state',
          title: 'title',
          token_count: 'tokens',
          request_count: 'requests',
          tool_calls: 'toolCalls',
          in_sliding_window: 'inside',
        },
      },
    ],
    [
      'requests',
      {
        ...{
          ...common,
          request_id: '',
          message_id: '',
          response_msg_id: 'message',
          model: 'model',
          message_count: 'messages',
        },
        ...{ full_tokens: 'fullTokens', sent_tokens: 'sentTokens', over_budget: 'over', cached_tokens: 'bill.cached' },
        ...{
          written_tokens: 'bill.written',
          output_tokens: 'bill.outputTokens',
          cost_input: 'bill.input',
          cost_output: 'bill.output',
        },
        ...Object.fromEntries(
          ['input', 'cached', 'written', 'output'].map((key) => [`recorded_${key}`, `recorded.${key}`]),
        ),
      },
    ],
    [
      'cuts',
      {
        ...common,
        exchange_count: 'exchanges',
        tokens_before: 'tokensBefore',
        tokens_after: 'tokensAfter',
        break_even_requests: 'breakEvenRequests',
      },
    ],
    [
      'references',
      {
        ...{
          ...common,
          ...{ line: '', created_at: '', exchange_id: '' },
          class: 'termClass',

          mention_id: 'mention',
        },
        ...{ source_id: 'source', lost: 'lost', lost_at: 'left.time', lost_request: 'left.request' },
      },
    ],
  ])('of %s', (name, expected) => {
    expect(places(name)).toEqual(Object.fromEntries(Object.entries(expected).filter(([, path]) => path !== '')))
  })

  it('of references have a hash by kind and term, and none of a term that is not known', () => {
    const column = tables.at(-1)?.columns.find(({ name }) => name === 'key_hash')
    const hash = (termClass: string, term: string | null) =>
      column?.value({ agent: '', row: { termClass, term } } as never)
    expect(hash('content', null)).toBeNull()
    expect(hash('content', 'a.c')).toBe(hash('path', 'a.c'))
    expect(new Set([hash('path', 'a.c'), hash('url', 'a.c'), hash('path', 'b.c')]).size).toBe(3)
  })

  it('of runs are the figures of a run that are one value, under their keys', () => {
    const run = sampleRun({ damagedLines: 3 })
    const [{ columns } = { columns: [] }] = tables.filter(({ name }) => name === 'runs')
    const row = { id: 'i', transcript: 't', run }
    const cells = Object.fromEntries(columns.map(({ name, value }) => [name, value(row as never)]))
    const figures = runColumns.filter(({ unit }) => unit !== 'list')
    expect(Object.keys(cells)).toEqual([
      'id',
      'transcript_id',
      ...figures.map(({ key }) => key.replace(/\./g, '_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)),
    ])
    expect([cells.id, cells.transcript_id]).toEqual(['i', 't'])
    for (const [at, { key }] of figures.entries()) {
      const found = key
        .split('.')
        .reduce<unknown>((one, part) => (one as Record<string, unknown> | null | undefined)?.[part], run)
      const cell = Object.values(cells)[at + 2]
      expect([key, cell]).toEqual([
        key,
        found === undefined
          ? null
          : typeof found === 'object' && found !== null
            ? JSON.stringify(found)
            : (cell ?? null) && found,
      ])
    }
    for (const { name, type } of columns) {
      const cell = cells[name]
      if (cell === null) continue
      expect([name, typeof cell]).toEqual([
        name,
        { integer: 'number', real: 'number', boolean: 'boolean' }[type as 'real'] ?? 'string',
      ])
    }
  })

  it('have a type that there is, and a meaning in words', () => {
    for (const { columns } of tables)
      for (const { type, meaning, name } of columns) {
        expect(['uuid', 'text', 'integer', 'real', 'boolean', 'timestamp']).toContain(type)
        expect(name).toMatch(/^[a-z][a-z\d_]*$/)
        expect(meaning).not.toMatch(/^(uuid|text|integer|real|boolean|timestamp)$/)
      }
  })
})

describe('the rows', () => {
  it('are of each run, with an id of their own, the same each time', () => {
    const of = (nth: number, ...keys: string[]) => {
      const transcript = { head: { file: 'a.jsonl', conversation: null }, messages: 7 } as never
      const row = (name: string) => [{ name }, { name }]
      const stored = {
        run: sampleRun(),
        messages: row('m'),
        exchanges: row('e'),
        requests: row('r'),
        cuts: row('c'),
        references: row('f'),
      }
      return rowsOf(
        transcript,
        nth,
        keys.map((key) => ({ key, stored: stored as never })),
        4,
      )
    }
    const two = of(0, 'a', 'b')
    expect(two.messages).toBe(7)
    expect(new Set([two.id, ...two.agents]).size).toBe(3)
    expect(of(0, 'a', 'b')).toEqual(two)
    expect(of(1, 'a').id).not.toBe(two.id)
    const names = two.filled.map(({ table, rows }) => [table.name, rows.length])
    expect(names).toEqual([
      ['transcripts', 1],
      ['runs', 2],
      ...['messages', 'exchanges', 'requests', 'cuts', 'references'].map((name) => [name, 4]),
    ])
    const [, runs, messages] = two.filled as readonly {
      rows: readonly { id: string; transcript: string; run: { damagedLines: number } }[]
    }[]
    expect(runs?.rows.map(({ id, transcript, run }) => [id, transcript, run.damagedLines])).toEqual(
      two.agents.map((agent) => [agent, two.id, 4]),
    )
    expect(messages?.rows.map(({ id }) => id)).toEqual(two.agents.flatMap((agent) => [agent, agent]))
    for (const [at, name] of ['m', 'e', 'r', 'c', 'f'].entries())
      expect((two.filled[at + 2]?.rows as readonly { row: { name: string } }[] | undefined)?.[0]?.row.name).toBe(name)
  })
})

it.each(['sqlite', 'postgres'] as const)(
  'the statements for %s have each column with its type, its key and its owner',
  (dialect) => {
    const text = [...ddl(dialect)].join('')
    const types = {
      sqlite: ['TEXT', 'INTEGER', 'REAL', 'TEXT', 'TEXT'],
      postgres: ['TEXT', 'BIGINT', 'DOUBLE PRECISION', 'UUID', 'TIMESTAMPTZ'],
    }[dialect]
    for (const { name, columns, key, owner, meaning } of tables) {
      const quoted = (word: string) => `"?${word}"?`
      const [body = ''] =
        new RegExp(`-- [^\\n]*\\nCREATE TABLE IF NOT EXISTS ${quoted(name)} \\([^;]*;\\n`).exec(text) ?? []
      expect(body.startsWith(`-- ${meaning}\n`)).toBe(true)
      const lines = body.split('\n').slice(2)
      for (const [at, column] of columns.entries()) {
        const type = {
          text: types[0],
          integer: types[1],
          real: types[2],
          uuid: types[3],
          timestamp: types[4],
          boolean: 'BOOLEAN',
        }[column.type]
        expect(lines[at]).toMatch(
          new RegExp(`^  ${quoted(column.name)} ${type}${column.nullable ? '' : ' NOT NULL'},$`),
        )
      }
      expect(lines[columns.length]).toMatch(new RegExp(`^  PRIMARY KEY \\(${key.map(quoted).join(', ')}\\)`))
      expect(body.includes('FOREIGN KEY')).toBe(owner !== undefined)
      const index = new RegExp(`CREATE INDEX IF NOT EXISTS ${quoted(`${name}_${owner?.column}`)} ON`)
      expect(index.test(text)).toBe(owner !== undefined && owner.column !== key[0])
    }
  },
)
