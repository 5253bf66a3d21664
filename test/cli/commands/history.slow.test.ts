/** `history` of real sessions against `spend` of the same files; skipped where there is no corpus. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../run.ts'

const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'

/** The three largest sessions of a program, of those that are soon read. */
function largest(program: string): string[] {
  const folder = join(corpus, program)
  if (!existsSync(folder)) return []
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => /\.jsonl?$/.test(name) && statSync(name).isFile() && statSync(name).size < 2e6)
    .sort((a, b) => statSync(b).size - statSync(a).size)
    .slice(0, 3)
}

const sum = (list: readonly (number | null)[]): number => list.reduce<number>((total, one) => total + (one ?? 0), 0)

describe.each(['claude-code', 'codex-rollout', 'opencode-export', 'pi'])('the dollars of %s', (program) => {
  it.skipIf(!existsSync(corpus))('are those of spend, and add up', { timeout: 240_000 }, async () => {
    let told = 0
    for (const file of largest(program)) {
      const { stdout } = await runCli(['history', file, '--json', '--no-cache'])
      const { spent, policy, budget } = JSON.parse(stdout)
      expect([policy, budget]).toEqual(['as-recorded', 0])
      const { stdout: spending } = await runCli(['spend', file, '--json', '--no-cache', '--top', '100000'])
      if (spent === null) continue
      told++
      const { total, causes, results } = JSON.parse(spending)
      expect(spent.file).toEqual({ transcripts: total.transcripts, usd: total.usd })
      expect(sum(spent.billed.map((one: { usd: number }) => one.usd)) + (spent.beside.usd ?? 0)).toBeCloseTo(
        spent.usd,
        3,
      )
      expect(sum(spent.exchanges.map((one: { usd: number }) => one.usd)) + (spent.beside.usd ?? 0)).toBeCloseTo(
        spent.usd,
        3,
      )
      expect(sum(spent.causes.map((one: { usd: number }) => one.usd))).toBeCloseTo(spent.missed.usd ?? 0, 3)
      if (total.transcripts > 1) continue
      expect(spent.usd).toBe(total.usd)
      expect(spent.causes).toEqual(causes)
      expect(spent.results).toEqual(results.slice(0, 10))
    }
    expect(told).toBeGreaterThan(0)
  })
})
