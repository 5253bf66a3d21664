import { describe, expect, it } from 'vitest'
import { runCli } from '../run.ts'

const file = 'fixtures/claude-code/refactor.jsonl'

describe('ctxwin spend', () => {
  it('names the choices where a word is none of them', async () => {
    const { code, stderr } = await runCli(['spend', file, '--by', 'hour'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr:
        'ctxwin: --by: "hour" is not one of project, model, session, day, kind, part, tool, definition, compaction, agent, result, cause, miss\n',
    })
    expect((await runCli(['spend', file, '--top', '0'])).code).toBe(2)
  })

  it.each([60, 80])('says of every row which transcript it is of, in %i columns', async (width) => {
    const rowsOf = async (by: string): Promise<string[]> => {
      const argv = ['spend', 'fixtures/claude-code', 'fixtures/opencode', '--by', by]
      const { stdout } = await runCli(argv, { env: { COLUMNS: String(width) } })
      const [, rows = ''] = /─\n((?:.+\n)+?)(?:A wider terminal|\n)/.exec(stdout) ?? []
      return rows.split('\n').filter((row) => row !== '' && !row.includes('all else'))
    }
    for (const by of ['compaction', 'miss', 'result']) {
      const rows = await rowsOf(by)
      expect(rows.length).toBeGreaterThan(4)
      for (const row of rows) expect(row).toMatch(/^\S*\.jsonl? /)
    }
    const agents = (await rowsOf('agent')).filter((row) => !row.includes('not known'))
    expect(agents.length).toBeGreaterThan(0)
    for (const row of agents) expect(row).toMatch(/^\S*\.jsonl? /)
  })

  it('shows as many rows as --top says, and with --by all of them', async () => {
    const rows = async (...words: string[]) =>
      (await runCli(['spend', file, ...words])).stdout.split('\n').filter((line) => line.startsWith('tool '))
    expect(await rows('--top', '4')).toHaveLength(1)
    expect(await rows('--by', 'part', '--top', '3')).toHaveLength(5)
  })

  it('says that nothing is recorded, instead of tables of nothing', async () => {
    const { code, stdout, stderr } = await runCli(['spend', 'fixtures/openai-chat/tools.jsonl'])
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ctxwin: cost unknown: no usage is recorded\n',
    })
  })

  it('gives a reason in words where no cause of the misses is recorded', async () => {
    const turn = (at: number, read: number, write: number) => {
      const common = { sessionId: 's1', cwd: '/a', version: '2.0.0', timestamp: `2026-03-01T09:00:0${at}.000Z` }
      const cache = { cache_read_input_tokens: read, cache_creation_input_tokens: write }
      const usage = { input_tokens: 1, ...cache, output_tokens: 5 }
      const asked = { role: 'user', content: `Question ${at}: ${'one two three '.repeat(10_000)}` }
      const model = 'claude-sonnet-4-5-20250929'
      const content = [{ type: 'text', text: 'An answer.' }]
      const said = { id: `m${at}`, type: 'message', role: 'assistant', model, content, usage }
      const parentUuid = at === 1 ? null : `a${at - 1}`
      return [
        { ...common, type: 'user', uuid: `u${at}`, parentUuid, message: asked },
        { ...common, type: 'assistant', uuid: `a${at}`, parentUuid: `u${at}`, requestId: `r${at}`, message: said },
      ]
    }
    const records = [...turn(1, 0, 40_000), ...turn(2, 40_000, 30_000), ...turn(3, 50_000, 50_000)]
    const stdin = records.map((record) => `${JSON.stringify(record)}\n`).join('')
    const { stdout } = await runCli(['spend', '-'], { stdin })
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain('Main cause: unexplained (100.0 % of these tokens)')
  })
})
