import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { publishedSchema } from '../../schema.ts'
import { runCli } from '../run.ts'

const home = mkdtempSync(join(tmpdir(), 'ctxwin-session-list-'))
afterAll(() => rmSync(home, { recursive: true }))

const world = { cwd: home, env: { HOME: home } }
const ids = {
  'claude-code/refactor.jsonl': '53ea19c1-7d2b-4c3e-9f00-1234567890ab',
  'claude-code/compaction.jsonl': '53ea19c1-8888-4c3e-9f00-1234567890ab',
  'claude-code/sidechain.jsonl': 'ab12cd34-0000-4c3e-9f00-1234567890ab',
}
for (const [fixture, id] of Object.entries(ids)) {
  const file = join(home, `.claude/projects/-app/${id}.jsonl`)
  mkdirSync(dirname(file), { recursive: true })
  copyFileSync(`fixtures/${fixture}`, file)
}

interface Row {
  readonly id: string
  readonly usd: number | null
  readonly percent: number
  readonly last: string | null
  readonly requests: number
  readonly requestsWithoutUsage: number
  readonly largestPrompt: number | null
  readonly tokens: Readonly<Record<string, number>>
}

async function listed(...argv: readonly string[]): Promise<readonly Row[]> {
  const { code, stdout, stderr } = await runCli(['sessions', ...argv, '--json'], world)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout).sessions
}

describe('ctxwin sessions', () => {
  it('has a row for each session, the dearest first, with its share of the money', async () => {
    const { stdout } = await runCli(['sessions', '--json'], world)
    const { violations } = publishedSchema('sessions')
    const data = JSON.parse(stdout)
    expect(violations(data)).toEqual([])
    const rows: readonly Row[] = data.sessions
    expect(rows).toHaveLength(3)
    const costs = rows.map(({ usd }) => usd ?? 0)
    expect(costs).toEqual(costs.toSorted((a, b) => b - a))
    expect(costs.reduce((sum, usd) => sum + usd, 0)).toBeCloseTo(data.total.usd, 4)
    for (const { usd, percent } of rows) expect(percent).toBeCloseTo((100 * (usd ?? 0)) / data.total.usd, 1)
  })

  it('draws how the window of a session grew, whole or not at all', async () => {
    const rowIn = async (columns: number): Promise<string> => {
      const { stdout } = await runCli(['sessions'], { ...world, env: { ...world.env, COLUMNS: String(columns) } })
      return stdout.split('\n').find((line) => line.includes('Give me')) ?? ''
    }
    const rows: readonly { readonly promptCurve: readonly number[] }[] = JSON.parse(
      (await runCli(['sessions', '--json'], world)).stdout,
    ).sessions
    const { promptCurve } = rows[0] as (typeof rows)[number]
    const most = Math.max(...promptCurve)
    const drawn = promptCurve.map((size) => '▁▂▃▄▅▆▇█'[Math.min(7, Math.floor((8 * size) / most))]).join('')
    expect(drawn).toHaveLength(12)
    for (const columns of [120, 160, 200]) expect(await rowIn(columns)).toContain(` ${drawn} `)
    for (let columns = 40; columns < 120; columns += 5)
      expect((await rowIn(columns)).match(/[▁-█]+/)?.[0] ?? drawn).toBe(drawn)
    expect(await rowIn(60)).not.toMatch(/[▁-█]/)
  })

  it.each([
    ['date', ({ last }: Row) => Date.parse(last ?? '')],
    ['requests', ({ requests, requestsWithoutUsage }: Row) => requests + requestsWithoutUsage],
    ['tokens', ({ tokens }: Row) => Object.values(tokens).reduce((sum, count) => sum + count)],
    ['prompt', ({ largestPrompt }: Row) => largestPrompt ?? 0],
  ])('sorts by %s, the highest first, and lists as many as --top says', async (by, figure) => {
    const all = await listed('--sort', by)
    expect(all).toHaveLength(3)
    expect(all.map(figure)).toEqual(all.map(figure).toSorted((a, b) => b - a))
    expect(await listed('--sort', by, '--top', '2')).toEqual(all.slice(0, 2))
  })

  it('has the same rows in NDJSON, and in CSV', async () => {
    const rows = await listed('--sort', 'date')
    const { stdout } = await runCli(['sessions', '--sort', 'date', '--output', 'ndjson'], world)
    expect(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual(rows)
    const csv = (await runCli(['sessions', '--sort', 'date', '--output', 'csv'], world)).stdout.trimEnd().split('\n')
    expect(csv).toHaveLength(1 + rows.length)
    expect(csv[0]).toMatch(/^id,session,file,format,/)
  })

  it('names each by as much of its id as tells it from the others, and history takes it', async () => {
    const { stdout } = await runCli(['sessions'], { ...world, env: { ...world.env, COLUMNS: '120' } })
    for (const word of ['53ea19c1-7', '53ea19c1-8', 'ab12cd34']) {
      expect(stdout).toMatch(new RegExp(` ${word}$`, 'm'))
      expect(await runCli(['history', word], world)).toMatchObject({ code: 0 })
    }
    const [, first] = /\n {4}ctxwin history (\S+)\n$/.exec(stdout) ?? []
    expect(first).toBe((await listed())[0]?.id)
  })

  it('names a file that is somewhere else by its path, in quotes where a shell wants them', async () => {
    const file = join(home, "it's elsewhere.jsonl")
    copyFileSync('fixtures/claude-code/refactor.jsonl', file)
    expect((await listed(file)).map(({ id }) => id)).toEqual([file])
    const { stdout } = await runCli(['sessions', file], world)
    expect(stdout).toContain(`\n    ctxwin history $'${file.replace("'", '\\x27')}'\n`)
  })

  it('names a file by its path, too, where a file in the working directory has the name of its id', async () => {
    const cwd = mkdtempSync(join(home, 'cwd-'))
    writeFileSync(join(cwd, 'ab12cd34'), '')
    const { stdout } = await runCli(['sessions', '--json'], { ...world, cwd })
    const words = JSON.parse(stdout).sessions.map(({ id }: Row) => id)
    expect(words.toSorted()).toEqual([
      join(home, `.claude/projects/-app/${Object.values(ids)[2]}.jsonl`),
      '53ea19c1-7',
      '53ea19c1-8',
    ])
  })

  it('lists sessions of which nothing was billed', async () => {
    const { code, stdout } = await runCli(['sessions', 'fixtures/openai-chat/tools.jsonl'])
    expect(code).toBe(0)
    expect(stdout).toContain('no usage is recorded')
    expect(stdout).toContain('ctxwin history fixtures/openai-chat/tools.jsonl')
  })

  it.each([
    [['--sort', 'age'], '--sort: "age" is not one of cost, date, requests, tokens, prompt'],
    [['--top', 'few'], '--top: "few" is not a number of rows such as 10'],
    [['--top', '3', '--full'], '--full and --top contradict each other: give one of them'],
  ])('%j is refused', async (argv, line) => {
    const { code, stderr } = await runCli(['sessions', ...argv], world)
    expect({ code, stderr }).toEqual({ code: 2, stderr: `ctxwin: ${line}\n` })
  })
})

/** A session of Claude Code on a day of October that compacts at a window of so many tokens. */
function compacting(nth: number, date: number, window: number): string {
  const sessionId = `00000000-0000-4000-8000-${String(nth).padStart(12, '0')}`
  const records: object[] = []
  const add = (type: string, rest: object, isRoot = false): void => {
    const uuid = `${sessionId}-${records.length}`
    const before = records.length === 0 ? null : `${sessionId}-${records.length - 1}`
    const timestamp = new Date(Date.UTC(2026, 9, date, 9, records.length)).toISOString()
    const parents = isRoot ? { parentUuid: null, logicalParentUuid: before } : { parentUuid: before }
    records.push({ type, uuid, ...parents, sessionId, cwd: '/home/ada/app', timestamp, ...rest })
  }
  const answer = (tokens: number): void => {
    const usage = {
      input_tokens: 10,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: tokens,
      output_tokens: 5,
    }
    const content = [{ type: 'text', text: 'Done.' }]
    const message = { id: `m${nth}-${records.length}`, role: 'assistant', model: 'claude-sonnet-4-5', content, usage }
    add('assistant', { requestId: `r${nth}-${records.length}`, message })
  }
  add('user', { message: { role: 'user', content: `Part ${nth}.` } })
  answer(window / 2)
  add('user', { message: { role: 'user', content: 'Go on.' } })
  answer(window)
  add('system', { subtype: 'compact_boundary', content: 'Conversation compacted' }, true)
  add('user', { isCompactSummary: true, message: { role: 'user', content: 'So far nothing.' } })
  add('user', { message: { role: 'user', content: 'Go on.' } })
  answer(20_000)
  return records.map((one) => `${JSON.stringify(one)}\n`).join('')
}

describe('ctxwin sessions --changed', () => {
  // From the eleventh on the agent compacts at 120k, and each request costs less.
  const folder = join(home, 'moved')
  mkdirSync(folder)
  for (let nth = 1; nth <= 20; nth++) {
    writeFileSync(join(folder, `${nth}.jsonl`), compacting(nth, nth, nth > 10 ? 120_000 + nth : 160_000 + nth))
  }

  it('is what the list proposes where an agent compacts elsewhere', async () => {
    const { stdout } = await runCli(['sessions', folder], world)
    expect(stdout).toContain('claude-code with claude-sonnet-4-5 compacts at about 120k since 11 Oct 2026')
    expect(stdout).toContain(`ctxwin sessions --changed 2026-10-11 ${folder}`)
    const { moved } = JSON.parse((await runCli(['sessions', folder, '--json'], world)).stdout)
    expect(moved).toEqual([
      {
        ...{ program: 'claude-code', model: 'claude-sonnet-4-5', day: '2026-10-11' },
        ...{ tokensBefore: 160_021, tokensAfter: 120_031, sessionsBefore: 10, sessionsAfter: 10 },
      },
    ])
    expect(JSON.parse((await runCli(['sessions', '--json'], world)).stdout).moved).toEqual([])
  })

  it('holds what came against what was promised', async () => {
    const { violations } = publishedSchema('changed')
    const { stdout } = await runCli(['sessions', folder, '--changed', '2026-10-11', '--json'], world)
    const data = JSON.parse(stdout)
    expect(violations(data)).toEqual([])
    const [program] = data.programs
    expect([program.program, program.sessionsBefore, program.sessionsAfter]).toEqual(['claude-code', 10, 10])
    const [input] = program.figures
    expect(input.percent).toBeCloseTo(-23, 0)
    expect(input.high).toBeLessThan(0)
    const { stdout: table } = await runCli(['sessions', folder, '--changed', '2026-10-11'], world)
    expect(table).toContain('Surely cheaper')
    expect(table).toMatch(/compacts at, median +160k +120k/)
  })

  it('shows no dollars to those who have a plan', async () => {
    const { stdout } = await runCli(['sessions', folder, '--changed', '2026-10-11', '--plan'], world)
    expect(stdout).not.toContain('$')
    expect(stdout).toMatch(/input, a session +100 % +77 %/)
  })

  it.each([
    [['--changed', 'yesterday'], '--changed'],
    [['--changed', '2026-02-30'], '--changed'],
    [['--changed', '2026-10-11', '--top', '3'], '--top'],
  ])('refuses %j in a line', async (flags, word) => {
    const { code, stdout, stderr } = await runCli(['sessions', folder, ...flags], world)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(word)
    expect(stderr.trim().split('\n').length).toBeLessThanOrEqual(2)
  })
})
