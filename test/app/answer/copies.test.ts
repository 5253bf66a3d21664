import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import { readSessions } from '../../../src/app/bill/sessions.ts'
import { spend } from '../../../src/app/bill/spend.ts'
import { choose, estimators, policies, recommendSources, simulateSources } from '../../../src/app/index.ts'
import type { Plan } from '../../../src/app/plan.ts'
import type { Source } from '../../../src/readers/lines/source.ts'
import table from '../../../src/reports/table.ts'

const plan: Plan = {
  policies: [choose(policies.get('ikigai')), choose(policies.get('keep-all'))],
  estimators: [choose(estimators.get('bytes'))],
  budgets: [15_000],
}

const named = (name: string, text: string): Source => ({ name, chunks: [Buffer.from(text)] })
const fixture = (file: string) => readFileSync(`fixtures/${file}`, 'utf8')
const session = fixture('claude-code/refactor.jsonl')
const other = fixture('claude-code/split-response.jsonl')
const beginning = session.trimEnd().split('\n').slice(0, -14).join('\n')
const unread = () => {}

describe('a session that is stored in two files', () => {
  it('counts once in the totals of simulate and the candidates of recommend', async () => {
    const twice = () => [named('a', session), named('b', other), named('backup/a', session)]
    const once = () => [named('a', session), named('b', other)]
    const [doubled, single] = [await simulateSources(twice(), plan), await simulateSources(once(), plan)]
    expect(doubled.totals).toEqual(single.totals)
    expect(doubled.totals[0]?.transcripts).toBe(2)
    const asked = { policies: plan.policies, budgets: plan.budgets }
    const decided = async (sources: Source[]) => (await recommendSources(sources, plan, asked)).decisions
    expect(await decided(twice())).toEqual(await decided(once()))
  })

  it('has runs of its own, and it is said what they are copies of', async () => {
    const { runs, totals, diagnostics, schemaVersion } = await simulateSources(
      [named('x/a', session), named('x/b', session)],
      plan,
    )
    expect(runs.map(({ transcript, copyOf }) => [transcript, copyOf])).toEqual([
      ['x/a', undefined],
      ['x/a', undefined],
      ['x/b', 'x/a'],
      ['x/b', 'x/a'],
    ])
    const { copyOf: _, transcript: __, ...copy } = runs[2]!
    expect({ ...copy, transcript: 'x/a' }).toEqual(runs[0])
    expect(diagnostics.filter(({ code }) => code === 'copy')).toEqual([
      { file: 'x/b', line: 0, code: 'copy', message: 'the session that x/a has too: counted once in totals' },
    ])
    const options = { width: 100, color: false, cuts: 'none', by: 'transcript' } as const
    const printed = [...table.render({ schemaVersion, runs, totals, diagnostics }, options)].join('')
    expect(printed).toMatch(/^a · a copy left out · 35 requests · /m)
    expect(printed).toContain('the session that x/a has too')
  })

  it('is told by the ids of its responses, whatever else its files have', async () => {
    const longer = `${session.trimEnd()}\n{"type":"summary","summary":"later","leafUuid":"0"}\n`
    const { totals } = await simulateSources([named('a', session), named('b', longer)], plan)
    expect(totals[0]?.transcripts).toBe(1)
  })

  it('is a copy even where its end is missing', async () => {
    const { runs } = await simulateSources([named('a', session), named('b', beginning)], plan)
    expect(runs.map(({ copyOf }) => copyOf)).toEqual([undefined, undefined, 'a', 'a'])
  })

  it('is not guessed from what was said: rows of a data set may well be the same', async () => {
    const text = '{"messages":[{"role":"user","content":"hi"},{"role":"assistant","content":"ho"}]}\n'
    const { totals, diagnostics } = await simulateSources([named('a', text), named('b', text + text)], plan)
    expect([totals[0]?.transcripts, diagnostics]).toEqual([3, []])
  })

  it('is no copy of one in a file that could not be counted', async () => {
    function* torn() {
      yield Buffer.from(session)
      throw Object.assign(new Error('read error'), { code: 'EIO' })
    }
    const { totals, runs } = await simulateSources(
      [{ name: 'a', chunks: torn() }, named('b', session)],
      plan,
      {},
      unread,
    )
    expect(runs.map(({ transcript }) => transcript)).toEqual(['b', 'b'])
    expect(totals[0]?.transcripts).toBe(1)
  })
})

describe('a response that two files have', () => {
  it('counts once in simulate, sessions and spend, and the second run says how many it leaves out', async () => {
    const both = () => [named('a', beginning), named('b', session)]
    const [first] = (await simulateSources([named('a', beginning)], plan)).runs
    const { runs, totals, diagnostics, schemaVersion } = await simulateSources(both(), plan)
    const whole = await simulateSources([named('b', session)], plan)
    expect(first!.requests).toBeGreaterThan(10)
    expect(runs.map(({ requests, requestsElsewhere }) => [requests, requestsElsewhere])).toEqual([
      [first!.requests, undefined],
      [first!.requests, undefined],
      [35 - first!.requests, first!.requests],
      [35 - first!.requests, first!.requests],
    ])
    const { usd, ...spent } = whole.totals[1]!.spent!
    // A run's money is rounded to a millionth, and so is each of two.
    const counted = { ...spent, usd: expect.closeTo(usd, 5), input: expect.closeTo(spent.input, 5) }
    expect(totals[1]!.spent).toEqual({ ...counted, transcripts: 2 })
    expect(totals[1]!.fullTokens).toBe(whole.totals[1]!.fullTokens)
    const options = { width: 200, color: false, cuts: 'none', by: 'transcript' } as const
    const printed = [...table.render({ schemaVersion, runs, totals, diagnostics }, options)].join('')
    expect(printed).toContain(` 35 requests · ${first!.requests} more are in an earlier file, too · `)
    const spending = await spend(readingHere(both(), {}), plan, 1)
    expect([spending.total.requests, spending.total.repeatedResponses]).toEqual([35, first!.requests])
    expect(spending.total.usd).toBeCloseTo(usd, 5)
    const sessions = await readSessions(readingHere(both(), {}), plan)
    expect([sessions.totals.requests, sessions.totals.requestsElsewhere]).toEqual([35, first!.requests])
    expect(sessions.totals.spent).toEqual({ ...counted, transcripts: 2 })
  })

  it('is two where its usage differs', async () => {
    const changed = session.replace('"cache_read_input_tokens":13', '"cache_read_input_tokens":14')
    expect(changed).not.toBe(session)
    const { totals } = await simulateSources([named('a', session), named('b', changed)], plan)
    expect([totals[0]?.transcripts, totals[0]?.spent?.requests]).toEqual([2, 36])
  })

  it('does not count in a file that could not be read', async () => {
    function* torn() {
      yield Buffer.from(beginning)
      throw Object.assign(new Error('read error'), { code: 'EIO' })
    }
    const { runs } = await simulateSources([{ name: 'a', chunks: torn() }, named('b', session)], plan, {}, unread)
    expect(runs[0]!.requestsElsewhere).toBeUndefined()
    expect(runs[0]!.requests).toBe(35)
  })

  it('is not left out of a run that stands by itself', async () => {
    const { runs } = await simulateSources([named('a', beginning), named('b', session)], plan, { apart: true })
    const alone = await simulateSources([named('b', session)], plan)
    expect(runs.slice(2)).toEqual(alone.runs)
  })
})
