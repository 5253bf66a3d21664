import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Database } from 'node-sqlite3-wasm'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tables } from '../../src/tables/tables.ts'
import { withTables } from '../../tools/docs/tables.mjs'
import { runCli } from '../cli/run.ts'
import { programs, type Server, startServer } from './postgres-server.ts'

const page = readFileSync(new URL('../../docs/queries.md', import.meta.url), 'utf8')
const queries = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].map(([, sql]) => sql as string)

const files = ['refactor', 'compaction', 'microcompact'].map((name) => `fixtures/claude-code/${name}.jsonl`)

async function exported(to: string): Promise<void> {
  const flags = ['--budget', '16k', '--policy', 'ikigai,as-recorded,drop-messages']
  const { code } = await runCli(['export', ...files, '--to', to, ...flags])
  expect(code).toBe(0)
}

type Rows = readonly Readonly<Record<string, unknown>>[]

/** Values that both databases have alike: numbers as numbers, truths as 0 and 1, times as texts. */
function alike(rows: Rows): Rows {
  const one = (value: unknown): unknown => {
    if (value instanceof Date) return value.toISOString()
    if (typeof value === 'boolean') return Number(value)
    return typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : value
  }
  return rows.map((row) => Object.fromEntries(Object.entries(row).map(([key, value]) => [key, one(value)])))
}

describe('docs/queries.md', () => {
  const directory = mkdtempSync(join(tmpdir(), 'ctxwin-queries-'))
  let database: Database
  let agent: string
  let server: Server | undefined
  let client: Client | undefined
  beforeAll(async () => {
    const file = join(directory, 'windows.db')
    await exported(`sqlite:${file}`)
    database = new Database(file)
    const run = database.get(
      `SELECT runs.id FROM runs JOIN transcripts ON transcripts.id = transcript_id WHERE policy = 'ikigai' AND file = '${files[0]}'`,
    )
    agent = run?.id as string
    if (programs === null) return
    server = await startServer(programs)
    await exported(server.address)
    client = new Client(server.address)
    await client.connect()
  })
  afterAll(async () => {
    await client?.end()
    await server?.stop()
    database.close()
    rmSync(directory, { recursive: true })
  })

  const inSqlite = (sql: string): Rows =>
    alike(database.all(sql, sql.includes('$1') ? { $1: agent } : undefined) as Rows)

  it('has the tables as they are declared: npm run renew', () => {
    expect(page).toBe(withTables(page, tables))
  })

  it('has ten questions', () => {
    expect(page.match(/^### \d+\. /gm)).toHaveLength(10)
  })

  it.each(queries)('answers in SQLite:\n%s', (sql) => {
    expect(inSqlite(sql).length).toBeGreaterThan(0)
  })

  it('tells of what was in the window at a request what the request carried', () => {
    const sql = queries.find((query) => query.includes('requests.agent_id, requests.id, COUNT(*)')) as string
    const carried = new Map(
      database
        .all('SELECT agent_id, id, message_count FROM requests')
        .map(({ agent_id, id, message_count }) => [`${agent_id} ${id}`, message_count]),
    )
    const answers = inSqlite(sql).filter(({ agent_id }) => agent_id === agent)
    expect(answers.length).toBeGreaterThan(10)
    for (const { agent_id, id, messages } of answers) expect(messages).toBe(carried.get(`${agent_id} ${id}`))
  })

  describe.skipIf(programs === null)('in PostgreSQL (skipped where no server is installed)', () => {
    it.each(queries)('answers the same:\n%s', async (sql) => {
      const answer = await client?.query<Rows[number]>(sql, sql.includes('$1') ? [agent] : [])
      expect(alike(answer?.rows ?? [])).toEqual(inSqlite(sql))
    })
  })
})
