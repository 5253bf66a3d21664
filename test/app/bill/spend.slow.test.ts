/** The sums of `spend` over everything there is: each table's rows come to the same money, and to that of single requests. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runCli } from '../../cli/run.ts'
import { sampled } from '../../whole.ts'

const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'
const folders = [...readdirSync('fixtures', { withFileTypes: true }).filter((entry) => entry.isDirectory())].map(
  ({ name }) => `fixtures/${name}`,
)
const recorded = ['claude-code', 'codex-rollout', 'pi', 'opencode-export', 'gemini-cli', 'copilot-cli', 'litellm-log']
  .map((name) => join(corpus, name))
  .filter((path) => existsSync(path))
  .flatMap((path) => {
    const entries = readdirSync(path, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    return sampled(entries.map(({ parentPath, name }) => join(parentPath, name)).sort(), 16)
  })

interface Money {
  readonly usd: number | null
}

/** Half a cent. */
const cents = 2
const sum = (rows: readonly Money[]): number => rows.reduce((total, { usd }) => total + (usd ?? 0), 0)

describe.each([['fixtures', folders], ...(recorded.length > 0 ? [['the corpus', recorded] as const] : [])] as const)(
  '%s',
  (_, inputs) => {
    it('come to the same money by every table, every session of the list, and ctxwin alone', {
      timeout: 120_000,
    }, async () => {
      const cwd = process.cwd()
      const json = async (...argv: readonly string[]) => JSON.parse((await runCli([...argv, '--json'], { cwd })).stdout)
      const { total, causes, misses, results, tools, ...lists } = await json('spend', ...inputs, '--top', '999999')
      expect(total.usd).toBeGreaterThan(0)
      const all = { ...lists, tools } as Record<string, readonly Money[]>
      for (const name of ['projects', 'models', 'sessions', 'days', 'kinds', 'parts', 'tools', 'cells']) {
        expect(sum(all[name] ?? []), name).toBeCloseTo(total.usd, cents)
      }
      expect(total.billed.input + total.billed.output + total.billed.beside).toBeCloseTo(total.usd, cents)
      expect(sum(causes)).toBeCloseTo(total.missed.usd, cents)
      expect(sum(misses)).toBeCloseTo(total.missed.usd, cents)
      const ofTools = tools.filter(({ of }: { of: string }) => of === 'results')
      // A single result is rounded to a millionth, and there are tens of thousands.
      expect(Math.abs(sum(results) - sum(ofTools))).toBeLessThan(0.01 + results.length * 5e-7)
      const alone = await json(...inputs)
      const { usd, input, output, beside, requests, sideCalls } = alone.totals.spent
      expect({ usd, input, output, beside }).toEqual({ usd: total.usd, ...total.billed })
      expect(requests + sideCalls).toBe(total.requests - total.unpricedRequests)
      expect(alone.totals.requests).toBe(total.allRequests)
      expect(alone.totals.requestsElsewhere).toBeLessThanOrEqual(total.repeatedResponses)
      const spent = ({ sessions }: { sessions: readonly { file: string; session: string | null }[] }, key: string) =>
        new Map(sessions.map((one) => [`${one.file} ${one.session}`, one[key as keyof typeof one]]))
      const listed = await json('sessions', ...inputs)
      expect(spent(alone, 'spent')).toEqual(spent(listed, 'usd'))
      expect(listed.total).toEqual(total)
      expect(listed.sessions.map(({ id: _, ...row }: { id: string }) => row)).toEqual(all.sessions)
    })
  },
)

const unknown = join(corpus, 'pi/pinion05__agent-complex-task')

it.skipIf(!existsSync(unknown))(
  'counts the output of a model whose tokenizer is not known as it is recorded',
  async () => {
    let recorded = 0
    for (const name of readdirSync(unknown)) {
      const usages = readFileSync(join(unknown, name), 'utf8').matchAll(/"usage":\{"input":\d+,"output":(\d+)/g)
      for (const [, output] of usages) recorded += Number(output)
    }
    const { stdout } = await runCli(['spend', unknown, '--json'], { cwd: process.cwd() })
    const { total } = JSON.parse(stdout)
    expect(recorded).toBeGreaterThan(0)
    expect([total.tokens.output, total.estimatedOutputs]).toEqual([recorded, 0])
  },
)
