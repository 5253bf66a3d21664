import { appendFileSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { advise, RunningSession } from '../../src/app/advise.ts'
import type { Plan } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import { CtxwinError } from '../../src/base/errors.ts'
import auto from '../../src/estimators/auto.ts'
import type { Advice } from '../../src/model/advice.ts'
import { policies } from '../../src/policies/index.ts'
import { answeredAt, runningSession } from './running.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-advise-'))
afterAll(() => rmSync(directory, { recursive: true, maxRetries: 10, retryDelay: 500 }))
let files = 0

function written(lines: readonly string[]): string {
  const path = join(directory, `${++files}.jsonl`)
  writeFileSync(path, lines.join(''))
  return path
}

function planOf(budget: number, policy = 'drop-oldest'): Plan {
  return { policies: [choose(policies.get(policy))], estimators: [choose(auto)], budgets: [budget], references: true }
}

const minute = 60_000
const rounds = Array.from({ length: 20 }, () => ({ result: 8_000 }))
const last = answeredAt(rounds.length - 1)

const asked = (budget: number, now: number, policy?: string): Promise<Advice> =>
  advise(new RunningSession(written(runningSession(rounds)), planOf(budget, policy)), now)

describe('advise', () => {
  it('knows how large the next request is: what the provider counted last, and what came since', async () => {
    const { context, requests } = await asked(30_000, last)
    expect(requests).toBe(40)
    expect(context.window).toBe(200_000)
    expect(context.recordedTokens).toBeGreaterThan(40_000)
    expect(context.tokens - (context.recordedTokens as number)).toBeLessThan(200)
    expect(context.lowTokens).toBeLessThanOrEqual(context.tokens)
    expect(context.highTokens).toBeGreaterThanOrEqual(context.tokens)
  })

  it('calls the cache warm for as long as its entries live, and then cold', async () => {
    const until = last + 5 * minute
    expect((await asked(30_000, until)).cache).toMatchObject({ state: 'warm', coldFrom: until, life: 300 })
    expect((await asked(30_000, until + 1)).cache).toMatchObject({ state: 'cold', coldFrom: until })
  })

  it('says to cut what is due when the cache is cold: it costs less than going on', async () => {
    const { verdict, reason, cut } = await asked(30_000, last + 6 * minute)
    expect({ verdict, reason, due: cut?.due }).toEqual({ verdict: 'cut', reason: 'pays', due: true })
    expect(cut?.now).toEqual(cut?.cold)
    expect(cut?.now.next).toBeLessThan(0)
    expect(cut?.now.breakEvenRequests).toBe(0)
  })

  it('says to wait while the cache is warm and a cut would take more requests than are expected', async () => {
    const { verdict, reason, cut, left } = await asked(44_000, last + minute)
    expect({ verdict, reason }).toEqual({ verdict: 'wait', reason: 'dear' })
    expect(cut?.now.next).toBeGreaterThan(0)
    expect(cut?.now.breakEvenRequests).toBeGreaterThan(left.expected)
    expect(cut?.cold.next).toBeLessThan(0)
  })

  it('prices the cut as the price list has it: what stays is written anew instead of being read', async () => {
    const { context, cache, cut } = await asked(30_000, last + minute)
    if (!cut) throw new Error('no cut')
    // Claude Sonnet 4.5, in dollars per million tokens: 3 for input, a tenth of it to read, a quarter more to write.
    const [read, write] = [0.3, 3.75]
    const before = read * cache.servedTokens + write * (context.tokens - cache.servedTokens)
    const least = write * (cut.tokensAfter - 6_000) + read * 6_000
    expect(cut.tokensBefore).toBe(context.tokens)
    expect(cut.now.next * 1e6).toBeGreaterThan(least - before)
    expect(cut.now.next * 1e6).toBeLessThanOrEqual(write * cut.tokensAfter - before)
    const written = write * (cut.tokensAfter - cut.tokensBefore)
    // Dollars are rounded to millionths.
    expect(Math.abs(cut.cold.next * 1e6 - written)).toBeLessThanOrEqual(0.5)
  })

  it('takes what the policy would take now, where none is due yet', async () => {
    const { cut } = await asked(60_000, last + 6 * minute)
    expect(cut?.due).toBe(false)
    expect(cut?.roomTokens).toBeGreaterThan(10_000)
    expect(cut?.roomRequests).toBeGreaterThan(10)
    expect(cut?.takenTokens).toBeGreaterThan(0)
    expect(cut?.tokensAfter).toBe((cut?.tokensBefore ?? 0) - (cut?.takenTokens ?? 0))
  })

  it('tells a request that is over the model’s window', async () => {
    const large = Array.from({ length: 20 }, () => ({ result: 48_000 }))
    const session = new RunningSession(written(runningSession(large)), planOf(100_000))
    expect(await advise(session, last)).toMatchObject({ verdict: 'cut', reason: 'over-window' })
  })

  it('does not call unused what a response has used since, and says what was used lately', async () => {
    const using = runningSession(rounds.map((round, nth) => (nth > 16 ? { ...round, uses: 0 } : round)))
    const plain = (await asked(30_000, last)).cut
    const { cut } = await advise(new RunningSession(written(using), planOf(30_000)), last)
    expect(cut?.unusedTokens).toBeLessThan(plain?.unusedTokens ?? 0)
    expect(plain?.usedLatelyTokens).toBe(0)
    expect(cut?.usedLatelyTokens).toBeGreaterThan(1_500)
  })

  it('counts the summary that a model would have to write', async () => {
    const { cut } = await asked(30_000, last, 'openai-compact')
    expect(cut?.now.summary).toBeGreaterThan(0)
    expect(cut?.now.next).toBeGreaterThan(cut?.now.summary ?? Infinity)
  })

  it('has nothing to cut without a budget', async () => {
    expect(await asked(0, last)).toMatchObject({ verdict: 'wait', reason: 'nothing-to-cut', cut: null })
  })

  it('refuses a policy that has no next cut', async () => {
    await expect(asked(30_000, last, 'duragent')).rejects.toThrow(/duragent: a policy that shows another view/)
  })
})

describe('RunningSession', () => {
  it('comes to the same whether it was asked before or not, and reads only what was appended', async () => {
    const lines = runningSession(Array.from({ length: 60 }, () => ({ result: 8_000 })))
    const path = written(lines.slice(0, 56))
    const session = new RunningSession(path, planOf(30_000))
    await session.advise(last)
    for (const line of lines.slice(56)) {
      const before = statSync(path).size
      appendFileSync(path, line)
      const { bytes, change } = await session.read()
      expect(change).toBe('grown')
      // Up to 64 KB are read again rather than written down.
      expect(bytes).toBeLessThan(line.length + 65_536)
      expect(bytes).toBeLessThan(before)
      expect(await session.advise(last)).toEqual(await advise(new RunningSession(path, planOf(30_000)), last))
    }
  })

  it('takes a line for what it is when it is whole', async () => {
    const [first = '', second = ''] = runningSession(rounds)
    const path = written([first, second.slice(0, -20)])
    const session = new RunningSession(path, planOf(30_000))
    const { requests } = await session.advise(last)
    appendFileSync(path, second.slice(-20))
    expect([requests, (await session.advise(last)).requests]).toEqual([3, 4])
  })

  it.each([
    ['shorter', (lines: readonly string[]) => lines.slice(0, 30)],
    ['longer, with another beginning', (lines: readonly string[]) => [...lines.slice(1), ...lines.slice(0, 1), ' \n']],
    [
      'longer, with other last lines',
      (lines: readonly string[]) => [...lines.slice(0, -1), (lines.at(-1) ?? '').replaceAll('fine', 'done'), ' \n'],
    ],
  ])('begins anew with a file that was replaced by one that is %s', async (_, replaced) => {
    const lines = runningSession(Array.from({ length: 60 }, () => ({ result: 4_000 })))
    const path = written(lines)
    const session = new RunningSession(path, planOf(30_000))
    await session.advise(last)
    writeFileSync(path, replaced(lines).join(''))
    expect((await session.read()).change).toBe('replaced')
    expect(await session.advise(last)).toEqual(await advise(new RunningSession(path, planOf(30_000)), last))
  })

  it.each([false, true])(
    'knows a file that was emptied before it was written anew for another (text kept: %s)',
    async (keepMessages) => {
      const lines = runningSession(rounds)
      const path = written(lines)
      const session = new RunningSession(path, planOf(30_000), { keepMessages })
      expect((await session.read()).change).toBe('first')
      writeFileSync(path, '')
      await expect(session.read()).rejects.toThrow(CtxwinError)
      await expect(session.read()).rejects.toThrow(CtxwinError)
      writeFileSync(path, lines.slice(0, 6).join(''))
      expect((await session.read()).change).toBe('replaced')
      appendFileSync(path, lines[6] as string)
      expect((await session.read()).change).toBe('grown')
    },
  )

  it('takes the session, not its sub-agents', async () => {
    const lines = runningSession(rounds)
    const side = lines.map((line) =>
      line.replaceAll('"isSidechain":false', '"isSidechain":true,"agentId":"a1"').replaceAll('-8000-', '-9000-'),
    )
    const { trace } = await new RunningSession(written([...lines, ...side]), planOf(30_000)).read()
    expect(trace.head.parent).toBe(null)
  })

  it('says that a file is not there', async () => {
    await expect(advise(join(directory, 'none.jsonl'))).rejects.toThrow(/none\.jsonl: there is no such file/)
  })
})
