import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { tables } from '../../src/tables/tables.ts'
import { runCli } from '../cli/run.ts'
import { exported, inputs, inSqlite, plain, type Row, type Rows, scratch } from './exported.ts'
import { programs, type Server, startServer } from './postgres-server.ts'

const directory = scratch()

async function inPostgres(address: string): Promise<Rows> {
  const client = new Client(address)
  await client.connect()
  const stored: [string, Row[]][] = []
  for (const { name } of tables) stored.push([name, (await client.query<Row>(`SELECT * FROM "${name}"`)).rows])
  await client.end()
  return plain(Object.fromEntries(stored))
}

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
