import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { RunningSession } from '../../../src/app/advise.ts'
import { ownCompaction, withOwn } from '../../../src/app/answer/own-compaction.ts'
import { adviceOn } from '../../../src/app/by-plan.ts'
import type { Plan } from '../../../src/app/plan.ts'
import { choose } from '../../../src/base/chosen.ts'
import auto from '../../../src/estimators/auto.ts'
import { policies } from '../../../src/policies/index.ts'
import { readers } from '../../../src/readers/index.ts'
import { answeredAt, runningSession } from '../running.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-own-'))
afterAll(() => rmSync(directory, { recursive: true, maxRetries: 10, retryDelay: 500 }))
const path = join(directory, 'session.jsonl')
const rounds = Array.from({ length: 30 }, (_, nth) => ({ result: nth % 3 === 0 ? 40_000 : 6_000 }))
writeFileSync(path, runningSession(rounds).join(''))

const own: Plan = { policies: [], estimators: [choose(auto)], budgets: [], references: true }
const named = (policy: string): Plan => ({ ...own, policies: [choose(policies.get(policy))], budgets: [200_000] })

describe('a program’s own way of compacting', () => {
  it.each([
    ['claude-code', 'claude-code-auto'],
    ['codex', 'codex-compact'],
    ['opencode', 'opencode-compact'],
    ['pi', 'pi-compact'],
    ['gemini-cli', 'gemini-compress'],
    ['copilot-cli', 'copilot-compact'],
    ['openai-chat', undefined],
  ])('of %s is %s', (format, policy) => {
    expect(ownCompaction({ format })?.plugin.name).toBe(policy)
  })

  it('is one for each program, and sticky; what needs the text is none for advice, which keeps none', () => {
    const all = policies.all.filter(({ compacts }) => compacts)
    const programs = all.flatMap(({ availableIn = [] }) => availableIn)
    expect(new Set(programs).size).toBe(programs.length)
    expect(readers.all.map(({ program }) => program)).toEqual(expect.arrayContaining(programs))
    for (const { kind, text, withoutText = false, availableIn: [format = ''] = [] } of all) {
      expect(kind).toBe('sticky')
      expect(ownCompaction({ format }) === null).toBe(text && !withoutText)
    }
  })
})

describe('where nobody names a policy', () => {
  it('takes the program’s own at the window of the model, and what is named instead', async () => {
    const { trace } = await new RunningSession(path).read()
    const chosen = (plan: Plan) => {
      const { policies, budgets } = withOwn(trace, plan)
      return [policies[0]?.plugin.name, budgets[0]]
    }
    expect(chosen(own)).toEqual(['claude-code-auto', 200_000])
    expect(chosen({ ...own, budgets: [120_000] })).toEqual(['claude-code-auto', 120_000])
    expect(chosen({ ...own, policies: [choose(policies.get('ikigai'))] })).toEqual(['ikigai', 'own'])
    expect(chosen(named('drop-oldest'))).toEqual(['drop-oldest', 200_000])
  })
})

describe('without the text', () => {
  it.each([
    // Five files of 1,500 tokens, or the names of larger ones.
    ['claude-code-auto', {}, 8_000],
    // All prompts, and some of them, one of which is cut in its middle.
    ['codex-compact', {}, 5_000],
    ['codex-compact', { userTokens: 105 }, 5_000],
    ['copilot-compact', {}, 5_000],
  ])('%s with %j leaves about as much as with it', async (policy, values, least) => {
    const plan = { ...named(policy), policies: [choose(policies.get(policy), values)] }
    const leaves = async (keepMessages: boolean) => {
      const { trace } = await new RunningSession(path, plan, { keepMessages }).read()
      expect(trace.messages === null).toBe(!keepMessages)
      const { cut } = adviceOn(trace, plan, answeredAt(rounds.length))
      if (!cut) throw new Error('no cut')
      return cut
    }
    const [without, withText] = [await leaves(false), await leaves(true)]
    expect(without.tokensBefore).toBe(withText.tokensBefore)
    expect(withText.tokensAfter).toBeGreaterThan(least)
    expect(Math.abs(without.tokensAfter - withText.tokensAfter)).toBeLessThan(150)
  })
})
