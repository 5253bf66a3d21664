import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { answeredAt, runningSession } from '../../app/running.ts'
import { keptIn } from '../../cache/kept.ts'
import { publishedSchema } from '../../schema.ts'
import { runCli } from '../run.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-advise-'))
afterAll(() => rmSync(directory, { recursive: true, maxRetries: 10, retryDelay: 500 }))

const rounds = Array.from({ length: 20 }, () => ({ result: 8_000 }))
const session = join(directory, 'session.jsonl')
writeFileSync(session, runningSession(rounds).join(''))
const now = answeredAt(rounds.length - 1) + 60_000
const cold = now + 3_600_000
const flags = ['--budget', '30k', '--policy', 'drop-oldest', '--no-cache']

describe('ctxwin advise', () => {
  it('has the answer in its first line, and the figures below', async () => {
    const { code, stdout, stderr } = await runCli(['advise', session, ...flags], { now })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [answer, ...figures] = stdout
      .trimEnd()
      .replace(/\n +(?=\d+ requests)/, ' ')
      .split('\n')
    expect(answer).toMatch(
      /^Cut now: a cut now costs \$0\.\d+ and saves \$0\.\d+ a request\. It pays after \d+ requests?, with about \d+ more requests to come\.$/,
    )
    expect(figures.map((line) => line.slice(0, 10).trim())).toEqual(
      expect.arrayContaining(['window   4', 'cache    w', 'policy   d', 'a cut    i']),
    )
  })

  it('comes as JSON that is as its schema says', async () => {
    for (const at of [now, cold]) {
      const { stdout } = await runCli(['advise', session, ...flags, '--json', '--now', String(at)])
      expect(publishedSchema('advise').violations(JSON.parse(stdout))).toEqual([])
    }
  })

  it('begins where the provider counted last, whatever counts the rest', async () => {
    const { stdout } = await runCli(['advise', session, ...flags, '-e', 'bytes', '--json'], { now })
    const { tokens, recordedTokens } = JSON.parse(stdout).context
    // Since then there is one answer.
    expect(tokens - recordedTokens).toBeGreaterThanOrEqual(0)
    expect(tokens - recordedTokens).toBeLessThan(100)
  })

  it('is one line for a status line', async () => {
    const { stdout } = await runCli(['advise', session, ...flags, '-O', 'line'], { now: cold })
    expect(stdout).toMatch(/^4\dk 2\d% · cache cold for 56 min · cut now \(-\d+k\): costs nothing\n$/)
  })

  it.each([
    [['--now', 'soon'], '--now: "soon" is not a time such as 2026-11-22T09:30:00Z'],
    [['--output', 'csv'], '--output: "csv" is not one of table, json, line'],
    [
      ['--policy', 'duragent'],
      'duragent: a policy that shows another view of the whole history before each request, and so has no next cut',
    ],
  ])('refuses %j', async (more, words) => {
    expect(await runCli(['advise', session, '--no-cache', ...more])).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: ${words}\n`,
    })
  })

  it('goes by a policy that needs the text, too', async () => {
    const argv = ['advise', session, '--budget', '30k', '--policy', 'anthropic-clear-tool-uses', '--json']
    const { cut } = JSON.parse((await runCli(argv, { now })).stdout)
    expect(cut).toMatchObject({ due: true, messages: 17 })
  })

  it('keeps where it stopped among what is kept of transcripts, and nowhere without a home', async () => {
    const env = { CTXWIN_CACHE_DIR: join(directory, 'cache') }
    const first = await runCli(['advise', session], { env, now })
    expect(keptIn(join(directory, 'cache/traces'))).toHaveLength(1)
    expect(await runCli(['advise', session], { env, now })).toEqual(first)
    expect((await runCli(['cache', '--clear'], { env })).code).toBe(0)
    expect(keptIn(join(directory, 'cache/traces'))).toEqual([])
  })
})

describe('ctxwin advise --hook', () => {
  const told = (more: object, moment = cold) => {
    const stdin = JSON.stringify({ transcript_path: session, model: { id: 'claude-sonnet-4-5' }, ...more })
    return runCli(['advise', '--hook', ...flags], { stdin, now: moment })
  }

  it('prints the line for a status line', async () => {
    const { code, stdout } = await told({})
    expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^4\dk .* cut now .*\n$/) })
  })

  it('counts by the window that the name of the model says', async () => {
    const share = async (id: string) => {
      const stdin = JSON.stringify({ transcript_path: session, model: { id } })
      const { stdout } = await runCli(['advise', '--hook', '--no-cache'], { stdin, now: cold })
      return Number(/^\d+k (\d+)%/.exec(stdout)?.[1])
    }
    const [usual, long] = [await share('claude-sonnet-4-5'), await share('claude-sonnet-4-5[1m]')]
    expect(usual / long).toBeCloseTo(5, 0)
  })

  it('tells the user of a hook only when a cut pays', async () => {
    const { stdout } = await told({ hook_event_name: 'Stop' })
    expect(JSON.parse(stdout)).toEqual({ systemMessage: expect.stringMatching(/^ctxwin: 4\dk .* cut now/) })
    const stdin = JSON.stringify({ transcript_path: session, hook_event_name: 'Stop' })
    // Long before the budget the policy would take a single exchange, and that does not pay.
    const dear = ['--policy', 'drop-oldest', '--budget', '100k', '--no-cache']
    expect((await runCli(['advise', '--hook', ...dear], { stdin, now })).stdout).toBe('')
  })

  it.each([
    ['', 'standard input names no transcript_path'],
    ['[1]', 'standard input names no transcript_path'],
    [JSON.stringify({ transcript_path: join(directory, 'gone.jsonl') }), 'there is no such file'],
  ])('never fails: %j', async (stdin, words) => {
    const { code, stdout, stderr } = await runCli(['advise', '--hook', ...flags], { stdin })
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
    expect(stderr).toContain(words)
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
  })
})
