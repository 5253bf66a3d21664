import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { historyOf, sessionPicture, simulate } from '../../src/app/by-plan.ts'
import { readSources } from '../../src/app/files/read-sources.ts'
import { caseOf, firstCell, type Plan, sizersFor } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import { estimators } from '../../src/estimators/index.ts'
import type { Message } from '../../src/model/message.ts'
import type { PictureRun, SessionPicture } from '../../src/model/session-picture.ts'
import type { Trace } from '../../src/model/trace.ts'
import { policies } from '../../src/policies/index.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import type { Observer } from '../../src/simulator/replay.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { headOf, messages, traceOf } from './arbitrary.ts'
import { planOf } from './plan.ts'

const sum = (list: readonly number[]): number => list.reduce((all, one) => all + one, 0)
const runOf = ({ runs }: SessionPicture): PictureRun => runs[0] as PictureRun

/** Thinking in every fourth answer, so that it has to be told from what is said. */
function thoughtful(list: readonly Message[]): Message[] {
  return list.map((message, index) =>
    message.role === 'assistant' && index % 4 === 0
      ? { ...message, blocks: [{ type: 'thinking', text: 'hm'.repeat(index) }, ...message.blocks] }
      : message,
  )
}

const summary: Message = { role: 'user', line: 1, blocks: [{ type: 'text', text: 'What was done so far.' }] }

const names = [
  'ikigai',
  'drop-messages',
  'langchain-trim',
  'mask-tool-results',
  'forge',
  'keep-all',
  'as-recorded',
] as const

/** Tokens of each kind at each request, by a look at the whole window. */
function seen(trace: Trace, plan: Plan): Record<string, number>[] {
  const moments: Record<string, number>[] = []
  const observer: Observer = {
    request(_, window) {
      const units: Record<string, number> = { tool: 0, user: 0, inserted: 0 }
      for (const { index, message, units: added } of window.messages()) {
        const kind = index < 0 ? 'inserted' : message.role
        units[kind] = (units[kind] ?? 0) + added
      }
      moments.push(units)
    },
  }
  simulateOne(firstCell(trace, plan), [observer])
  return moments
}

/** The prompt of an exchange was compacted, its answer was not, and the next prompt has no answer. */
const answeredBehindCompaction = {
  list: (['user', 'assistant', 'user', 'assistant', 'user'] as const).map(
    (role, at): Message => ({ role, line: at + 1, blocks: [{ type: 'text', text: 'word' }] }),
  ),
  budget: 0,
  resets: [],
  compacted: [3],
}

describe('the picture of a session', () => {
  describe.each(names)('under %s', (name) => {
    const policy = choose(policies.get(name) as Policy)
    const random = fc.record({
      list: messages,
      budget: fc.integer({ min: 0, max: 400 }),
      resets: fc.array(fc.nat(59)),
      compacted: fc.uniqueArray(fc.nat(59), { maxLength: 3 }),
    })
    type Random = typeof random extends fc.Arbitrary<infer T> ? T : never
    const read = ({ list, budget, resets, compacted }: Random) => {
      const plan = planOf(policy, budget)
      const compactions = compacted
        .filter((at) => at < list.length)
        .sort((a, b) => a - b)
        .map((at) => ({ at, keptFrom: at, summary: [{ ...summary, line: at + 1 }], line: at + 1 }))
      const preamble = { system: [], complete: true }
      const trace = traceOf(thoughtful(list), sizersFor(plan)(headOf('openai')), 'openai', {
        preamble,
        resets,
        compactions,
      })
      return { plan, trace }
    }

    it('stacks parts that add up to the tokens of each request', () => {
      fc.assert(
        fc.property(random, (one) => {
          const { plan, trace } = read(one)
          const [run] = simulate(trace, plan, 'request')
          const { parts, sent, largest } = runOf(sessionPicture(trace, plan))
          expect(sent).toEqual(run?.rows?.map(({ sentTokens }) => sentTokens))
          expect(largest).toEqual(sent.map((_, request) => request))
          expect(sent.map((_, column) => sum(parts.map((part) => part.tokens[column] as number)))).toEqual(sent)
          expect(Math.min(0, ...parts.flatMap((part) => [...part.tokens]))).toBe(0)
        }),
        { numRuns: 20 },
      )
    })

    it('gives each kind what a look at the whole window finds of it', () => {
      fc.assert(
        fc.property(random, (one) => {
          const { plan, trace } = read(one)
          const { sizes } = caseOf(trace, plan)
          const { parts } = runOf(sessionPicture(trace, plan))
          for (const [request, units] of seen(trace, plan).entries()) {
            for (const kind of ['tool', 'user', 'inserted']) {
              const tokens = sum(
                parts.filter((part) => part.kind === kind).map((part) => part.tokens[request] as number),
              )
              // A part is a difference of two sums that were rounded up, and so may be those of its tools.
              const found = sizes.tokens(units[kind] as number)
              if (!(Math.abs(tokens - found) <= 2))
                expect.fail(`${kind} in request ${request}: ${tokens}, not ${found}`)
            }
          }
        }),
        { numRuns: 20 },
      )
    })

    it('has those exchanges outside that history has at each request', () => {
      fc.assert(
        fc.property(random, (one) => {
          const { plan, trace } = read(one)
          const { absences } = runOf(sessionPicture(trace, plan))
          for (const request of [...Array(trace.requests).keys(), null]) {
            const at = request ?? trace.requests
            const outside = absences.filter(({ from, to }) => from <= at && (to === null || to > at))
            const expected = historyOf(trace, plan, request).outside.map(({ exchange }) => exchange)
            expect(outside.map(({ exchange }) => exchange).sort((a, b) => a - b)).toEqual(expected)
          }
        }),
        { numRuns: 15, examples: [[answeredBehindCompaction]] },
      )
    })
  })

  const files = ['fixtures/claude-code/refactor.jsonl', 'fixtures/claude-code/compaction.jsonl']
  const plan: Plan = {
    policies: [choose(policies.get('ikigai')), choose(policies.get('as-recorded'))],
    estimators: [choose(estimators.get('auto'))],
    budgets: [8_000],
    references: true,
  }
  async function each(take: (trace: Trace) => void): Promise<void> {
    for await (const { taken } of readSources(files.map(openFile), plan, { keepMessages: true }, (trace) => {
      take(trace)
      return []
    }))
      expect(taken).toEqual([])
  }

  it('has the cuts, the costs, the cache and the lost uses of its runs', async () => {
    let [uses, cuts] = [0, 0]
    await each((trace) => {
      const runs = simulate(trace, plan)
      for (const [at, picture] of sessionPicture(trace, plan).runs.entries()) {
        const run = runs[at] as (typeof runs)[number]
        expect(picture.policy).toBe(run.policy)
        expect(picture.cuts.map(({ request, tokensBefore }) => [request, tokensBefore])).toEqual(
          [...run.cuts].map(({ request, tokensBefore }) => [request, tokensBefore]),
        )
        cuts += picture.cuts.length
        const { read, added, missed, readCost, addedCost, missedCost } = picture.cache
        expect(sum(read)).toBe(run.exact.cacheHitTokens)
        expect(sum([...read, ...added, ...missed])).toBe(run.sentTokens)
        expect(sum([...readCost, ...addedCost, ...missedCost])).toBeCloseTo(run.cost.input, 3)
        expect([picture.costInput, picture.costSummaries]).toEqual([run.cost.input, run.cost.summaries])
        const { lost } = historyOf(
          trace,
          { ...plan, policies: [plan.policies[at] as (typeof plan.policies)[number]] },
          null,
        )
        const content = lost.filter(({ termClass }) => termClass === 'content')
        expect(sum(picture.arcs.map((arc) => arc.uses))).toBe(content.length)
        for (const { examples } of picture.arcs) {
          for (const { line, seenLine, term } of examples)
            expect(content).toContainEqual(expect.objectContaining({ line, seenLine, term }))
        }
        uses += content.length
      }
    })
    expect(uses).toBeGreaterThan(0)
    expect(cuts).toBeGreaterThan(0)
  })

  it('shows the largest request of each column where there are more requests than columns', async () => {
    await each((trace) => {
      const fine = sessionPicture(trace, plan)
      const coarse = sessionPicture(trace, plan, { columns: 3 })
      expect(coarse.columns).toBeLessThanOrEqual(3)
      const [all, few] = [runOf(fine), runOf(coarse)]
      for (const [column, tokens] of few.sent.entries()) {
        const from = column * coarse.requestsPerColumn
        expect(tokens).toBe(Math.max(...all.sent.slice(from, from + coarse.requestsPerColumn)))
        expect(all.sent[few.largest[column] as number]).toBe(tokens)
        expect(sum(few.parts.map((part) => part.tokens[column] as number))).toBe(tokens)
      }
      expect(sum(few.cuts.map((cut) => cut.cuts))).toBe(all.cuts.length)
      expect(sum(few.cache.missed)).toBe(sum(all.cache.missed))
      expect(sum(few.arcs.map(({ uses }) => uses))).toBe(sum(all.arcs.map(({ uses }) => uses)))
    })
  })

  it('has no words of the transcript where they are not asked for', async () => {
    await each((trace) => {
      const { title, exchanges, runs } = sessionPicture(trace, plan, { words: false })
      expect([title, ...exchanges.map((exchange) => exchange.title)].filter((words) => words !== null)).toEqual([])
      for (const { arcs, parts } of runs) {
        for (const { examples } of arcs) for (const { term } of examples) expect(term).toBe(null)
        for (const { tool } of parts) expect(tool).toBe(null)
      }
      expect(exchanges.flatMap(({ tools }) => tools)).toEqual([])
    })
  })
})
