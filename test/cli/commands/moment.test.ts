/** What one command prints as a number, another reads as `--at`. */
import { describe, expect, it } from 'vitest'
import { runCli, wordsOf } from '../run.ts'

const file = 'fixtures/claude-code/refactor.jsonl'
const replay = [file, '--budget', '16k', '--estimator', 'bytes']

const at = (command: string, moment: string) => runCli([...wordsOf(command), ...replay, '--at', moment])

describe('a moment', () => {
  it('has the number that simulate prints, in history and its request', async () => {
    const [{ stdout }, rows] = await Promise.all([
      runCli(['simulate', ...replay, '--cuts', 'all']),
      runCli(['simulate', ...replay, '--by', 'request', '--output', 'ndjson']),
    ])
    const tokens = rows.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { request: number; sentTokens: number })
    const cuts = [...stdout.matchAll(/before request ([\d,]+): [^→]*→\s+([\d,]+)\s+tokens/g)]
    expect(cuts.length).toBeGreaterThan(3)
    for (const [, number, after] of [cuts[0], cuts.at(-1)] as unknown as [string, string, string][]) {
      const { stdout: picture } = await at('history', number)
      expect(picture).toMatch(new RegExp(`^ikigai at 16k, before request ${number}[ ,]`))
      const { request, sentTokens } = tokens[Number(number) - 1] as (typeof tokens)[number]
      expect(request).toBe(Number(number) - 1)
      const view = JSON.parse((await runCli(['history', ...replay, '--at', number, '--output', 'json'])).stdout)
      expect(view).toMatchObject({ request, tokens: sentTokens })
      // A cut falls before the user's next message is there.
      expect(sentTokens).toBeGreaterThanOrEqual(Number(after.replaceAll(',', '')))
      const { messages } = JSON.parse((await at('history --request', number)).stdout) as {
        messages: { role: string }[]
      }
      expect(messages.at(-1)?.role).toBe('user')
    }
  })

  it('after the last response is one more than there are requests, and the default', async () => {
    for (const command of ['history', 'history --request']) {
      expect((await at(command, '36')).stdout).toBe((await runCli([...wordsOf(command), ...replay])).stdout)
    }
  })

  it('is the last request of an exchange in both commands', async () => {
    for (const command of ['history', 'history --request']) {
      expect((await at(command, 'e1')).stdout).toBe((await at(command, '3')).stdout)
    }
  })

  it.each(['0', '37', '-1', '1.5', '01', 'e0', 'e99', 'x', '', '1,0', '12,34,567'])('%j is none', async (moment) => {
    for (const command of ['history', 'history --request']) {
      const { code, stderr } = await runCli([...wordsOf(command), ...replay, `--at=${moment}`])
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('a request from 1 to 36') })
    }
  })
})
