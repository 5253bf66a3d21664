import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { RunningSession } from '../../../src/app/advise.ts'
import { readSources } from '../../../src/app/files/read-sources.ts'
import { openTraceCache } from '../../../src/cache/traces.ts'
import { sessionsIn } from '../../../src/readers/databases/index.ts'
import { type Export, rowsOf, statements } from '../../readers/databases/opencode-rows.ts'
import { writeDatabase, writeInLog } from '../../readers/databases/writing.ts'
import { zip } from '../../readers/lines/zip.ts'
import { runCli } from '../run.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-homes-'))
afterAll(() => rmSync(top, { recursive: true }))

const day = 86_400_000
const now = Date.UTC(2026, 10, 20)

/** A session of so many requests, a day ago or longer. */
function session(id: string, requests: number, daysAgo: number, more: Partial<Export['info']> = {}): Export {
  const start = now - daysAgo * day
  const said = (text: string) => [{ type: 'text', text }]
  return {
    info: { id, directory: `/work/${id}`, version: '1.18.9', ...more },
    messages: Array.from({ length: requests }, (_, at) => [
      { info: { id: `msg_${id}_${at}a`, role: 'user', time: { created: start + 2 * at } }, parts: said(`${id} ${at}`) },
      {
        info: {
          id: `msg_${id}_${at}b`,
          role: 'assistant',
          modelID: 'claude-sonnet-4-5',
          providerID: 'anthropic',
          time: { created: start + 2 * at + 1 },
          tokens: { input: 1000, output: 10, reasoning: 0, cache: { read: 0, write: 0 } },
        },
        parts: said('Yes.'),
      },
    ]).flat(),
  }
}

/** The rows of sessions, written when their messages were. */
function rows(sessions: readonly Export[]) {
  const tables = sessions.map((one) => {
    const { session, message, part } = rowsOf(one)
    const times = one.messages.map(({ info }) => (info.time as { created: number }).created)
    return {
      session: session.map((row) => ({ ...row, time_updated: times[0]! })),
      message: message.map((row, at) => ({ ...row, time_created: times[at]!, time_updated: times[at]! })),
      part: part.map((row) => ({ ...row, id: `prt_${one.info.id}_${row.id}` })),
    }
  })
  return {
    session: tables.flatMap(({ session }) => session),
    message: tables.flatMap(({ message }) => message),
    part: tables.flatMap(({ part }) => part),
  }
}

const sessions = [
  session('ses_old1', 1, 9),
  session('ses_new1', 3, 1),
  session('ses_sub1', 1, 1.1, { parentID: 'ses_new1' }),
]

let number = 0
function home(): {
  path: string
  database: string
  world: { cwd: string; env: { HOME: string }; terminal: true; now: number }
} {
  const path = join(top, `home-${number++}`)
  mkdirSync(join(path, '.local/share/opencode'), { recursive: true })
  const database = join(path, '.local/share/opencode/opencode.db')
  writeDatabase(database, { statements, rows: rows(sessions) })
  return { path, database, world: { cwd: path, env: { HOME: path }, terminal: true, now } }
}

const idsIn = (stdout: string): string[] =>
  (JSON.parse(stdout) as { sessions: { file: string }[] }).sessions.map(({ file }) => file.replace(/^.*!\//, '')).sort()

describe('sessions in the database of a home', () => {
  const { path, database, world } = home()
  const run = (...argv: string[]) => runCli(argv, world)

  it('are found and billed as if they had been named', async () => {
    const found = await run('spend', '--output', 'json')
    expect(found).toMatchObject({ code: 0, stderr: '' })
    const named = await run('spend', database, '--output', 'json')
    const { total } = JSON.parse(found.stdout)
    expect(total).toEqual(JSON.parse(named.stdout).total)
    expect(total.requests).toBe(5)
  })

  it('are listed, and history takes their ids', async () => {
    expect(idsIn((await run('sessions', '--output', 'json')).stdout)).toEqual(['ses_new1', 'ses_old1'])
    expect((await run('history', 'ses_o')).stdout).toContain('ses_old1 0')
    expect((await run('history', 'ses_')).stderr).toContain('3 sessions have ids that begin with ses_')
    expect((await run('history', `${database}!/ses_new1`)).stdout).toContain('ses_new1 2')
    expect((await run('history', `${database}!/ses_none`)).stderr).toContain('it is not in there')
  })

  it('count with their sub-agents in the picture of one', async () => {
    const { stdout } = await run('history', 'ses_new1', '--output', 'json')
    expect(JSON.parse(stdout).spent.family).toMatchObject({ files: 2, transcripts: 2 })
  })

  it('are chosen by their own dates and directories', async () => {
    const ids = async (...argv: string[]) => idsIn((await run('sessions', '--output', 'json', ...argv)).stdout)
    expect(await ids('--since', '2d')).toEqual(['ses_new1'])
    expect(await ids('--since', '..2026-11-12')).toEqual(['ses_old1'])
    expect(await ids('--project', '/work/ses_old1')).toEqual(['ses_old1'])
    expect(await ids('--last', '1')).toEqual(['ses_new1'])
    const { stderr } = await run('spend', '--since', '2d')
    expect(stderr).toBe('ctxwin: left out: 1 unread file by --since\n')
    expect((await run('history')).stderr).toContain('~/.local/share/opencode/opencode.db!/ses_new1')
  })

  it('are read in a directory, and of other databases is said that they are none', async () => {
    writeDatabase(join(path, '.local/share/opencode/other.db'), { statements: ['CREATE TABLE t (x)'] })
    const { code, stderr, stdout } = await run('spend', path, '--output', 'json')
    expect({ code, stderr }).toEqual({ code: 0, stderr: 'ctxwin: 1 file skipped: no conversation\n' })
    expect(JSON.parse(stdout).total.requests).toBe(5)
  })

  it('are found though a home of another program cannot be read, which is named', async () => {
    mkdirSync(join(path, '.local/share/goose/sessions'), { recursive: true })
    const statements = ['CREATE TABLE sessions (id, working_dir)', 'CREATE TABLE messages (id, session_id, role)']
    writeDatabase(join(path, '.local/share/goose/sessions/sessions.db'), { statements })
    const { code, stderr } = await run('spend')
    expect(code).toBe(0)
    expect(stderr.split(/\s+/).join(' ')).toContain(
      'skipped: cannot read ~/.local/share/goose/sessions/sessions.db: it is a database of goose in a form that is not read',
    )
  })
})

it('sees what stands only in the log of a database whose file is old', async () => {
  const { database, world } = home()
  writeInLog(database, { rows: rows([session('ses_log1', 1, 0)]) })
  const old = (now - 30 * day) / 1000
  utimesSync(database, old, old)
  const { stdout } = await runCli(['sessions', '--since', '12h', '--output', 'json'], { ...world, now: now + 1000 })
  expect(idsIn(stdout)).toEqual(['ses_log1'])
})

it('has a database in an archive left out, with what to do', async () => {
  const { path, database, world } = home()
  const bytes = readFileSync(database)
  writeFileSync(join(path, 'a.zip'), zip([{ name: 'opencode.db', bytes }]))
  expect(await runCli(['simulate', 'a.zip'], world)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('1 file skipped: not read in an archive (a.zip!/opencode.db)'),
  })
})

it('reads again only the session of which a row has changed', async () => {
  const { path, database } = home()
  const settings = { directory: join(path, 'cache'), build: 'a', limit: 1e9, now: () => Date.now() }
  const read = async () => {
    const seen: string[] = []
    const sources = sessionsIn(database).map(({ source, id }) => ({
      ...source,
      chunks: {
        *[Symbol.iterator]() {
          seen.push(id)
          yield* source.chunks as Iterable<Uint8Array>
        },
      },
    }))
    const plan = { policies: [], estimators: [], budgets: [] }
    const requests: number[] = []
    for await (const { taken } of readSources(sources, plan, { traces: openTraceCache(settings) }, ({ requests }) => [
      requests,
    ]))
      requests.push(...taken)
    return { seen, requests }
  }
  expect(await read()).toEqual({ seen: ['ses_old1', 'ses_new1', 'ses_sub1'], requests: [1, 3, 1] })
  expect(await read()).toEqual({ seen: [], requests: [1, 3, 1] })
  writeInLog(database, {
    rows: { ...rows([session('ses_new1', 4, 1)]), session: [] },
    statements: ["DELETE FROM message WHERE session_id = 'ses_new1'", "DELETE FROM part WHERE session_id = 'ses_new1'"],
  })
  expect(await read()).toEqual({ seen: ['ses_new1'], requests: [1, 4, 1] })
})

it('follows a session of a running program', async () => {
  const { database } = home()
  const running = new RunningSession(`${database}!/ses_old1`)
  expect(await running.read()).toMatchObject({ change: 'first' })
  expect(await running.read()).toMatchObject({ change: 'same' })
  writeInLog(database, { statements: ["UPDATE part SET data = replace(data, 'Yes', 'Yes, it is'), time_updated = 5"] })
  const { change, trace } = await running.read()
  expect(change).toBe('grown')
  expect(trace.requests).toBe(1)
  appendFileSync(`${database}-wal`, 'torn')
  expect(await running.read()).toMatchObject({ change: 'same' })
})
