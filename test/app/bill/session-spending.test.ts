/** What `history` says of a session's dollars, held against the raw file and against `spend`. */
import { readdirSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import { FileSpending } from '../../../src/app/bill/session-spending.ts'
import { spend } from '../../../src/app/bill/spend.ts'
import { readSources } from '../../../src/app/files/read-sources.ts'
import { choose, estimators, openFile, type Source, type Trace } from '../../../src/app/index.ts'
import { findExchanges } from '../../../src/model/exchanges.ts'
import { type ByKind, type ExplainedSpending, type RecordedCost, tokenKinds } from '../../../src/model/spending.ts'
import { requestSheet, spendingLines } from '../../../src/reports/session-spending.ts'

const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] }
const sum = <T>(list: readonly T[], value: (one: T) => number | null): number =>
  list.reduce((total, one) => total + (value(one) ?? 0), 0)
/** Each request may lose half a millionth of a dollar. */
const cents = 4

/** Every transcript of a file, with what it cost. */
async function spentOf(source: Source): Promise<{ trace: Trace; spent: ExplainedSpending | null }[]> {
  const file = new FileSpending(plan)
  const traces: Trace[] = []
  const take = (trace: Trace): [] => {
    file.add(trace)
    traces.push(trace)
    return []
  }
  for await (const _ of readSources([source], plan, { keepMessages: true }, take, () => {}));
  return traces.map((trace) => ({ trace, spent: file.of(trace) }))
}

async function onlyOf(source: Source): Promise<{ trace: Trace; spent: ExplainedSpending }> {
  const [first] = await spentOf(source)
  return first as { trace: Trace; spent: ExplainedSpending }
}

const source = (records: readonly unknown[]): Source => ({
  name: 'a.jsonl',
  chunks: [Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))],
})

/** A session of Claude Code: `said` is what the user said before a response, and the usage of that. */
function session(
  turns: readonly { said?: string; compacts?: true; input: number; read: number; write: number }[],
): Source {
  let uuid = 0
  let parentUuid: string | null = null
  const common = (type: string) => {
    const record = {
      type,
      uuid: `u${++uuid}`,
      parentUuid,
      sessionId: 's',
      timestamp: new Date(1.77e12 + 6e4 * uuid).toISOString(),
    }
    parentUuid = record.uuid
    return record
  }
  return source(
    turns.flatMap(({ said, compacts, input, read, write }, at) => {
      const usage = {
        input_tokens: input,
        cache_read_input_tokens: read,
        cache_creation_input_tokens: write,
        output_tokens: 10,
      }
      const content = [{ type: 'text', text: `answer ${at}` }]
      const cut = compacts
        ? [
            {
              ...common('system'),
              subtype: 'compact_boundary',
              content: 'Conversation compacted',
              parentUuid: null,
              logicalParentUuid: `u${uuid - 1}`,
            },
            { ...common('user'), isCompactSummary: true, message: { role: 'user', content: 'So far: all.' } },
          ]
        : []
      return [
        ...cut,
        ...(said === undefined ? [] : [{ ...common('user'), message: { role: 'user', content: said } }]),
        {
          ...common('assistant'),
          requestId: `r${at}`,
          message: { id: `m${at}`, role: 'assistant', model: 'claude-sonnet-4-5', content, usage },
        },
      ]
    }),
  )
}

/** Of programs that record usage, each in its own way. */
const programs = ['claude-code', 'codex', 'opencode', 'pi', 'gemini-cli', 'copilot-cli', 'qwen-code']
const files = programs.flatMap((program) =>
  readdirSync(`fixtures/${program}`).map((name) => `fixtures/${program}/${name}`),
)

describe.each(files)('%s', (file) => {
  it('costs what spend says, and its parts add up', async () => {
    const all = await spentOf(openFile(file))
    const spending = await spend(
      readingHere([openFile(file)], {}, () => {}),
      plan,
      1000,
    )
    for (const { trace, spent } of all) {
      if (spent === null) {
        expect(
          trace.sideCalls.length + [...Array(trace.requests).keys()].filter((one) => trace.usage(one)).length,
        ).toBe(0)
        continue
      }
      const { usd, billed, beside, exchanges, causes, missed, requests, tokens } = spent
      expect(spent.file).toEqual({ transcripts: spending.total.transcripts, usd: spending.total.usd })
      if (all.length === 1) {
        expect({ usd, requests, missed, tokens }).toMatchObject(pickTotal(spending.total))
        expect(spent.parts).toEqual(spending.parts)
        expect(spent.results).toEqual(spending.results.slice(0, 10))
        expect(spent.misses).toEqual(spending.misses.slice(0, 10))
        expect(spent.causes).toEqual(spending.causes)
      }
      expect(sum(billed, (one) => one.usd) + (beside.usd ?? 0)).toBeCloseTo(usd ?? 0, cents)
      expect(billed.length + beside.calls).toBe(requests)
      expect(sum(exchanges, (one) => one.usd)).toBeCloseTo(
        sum(billed, (one) => one.usd),
        cents,
      )
      expect(sum(exchanges, (one) => one.requests)).toBe(billed.length)
      expect(sum(causes, (one) => one.usd)).toBeCloseTo(missed.usd ?? 0, cents)
      expect(sum(billed, (one) => one.missedUsd)).toBeCloseTo(missed.usd ?? 0, cents)
      expect(billed.filter(({ cause }) => cause !== null).length).toBe(missed.requests)
      expect(sum(spent.parts, (one) => one.usd)).toBeCloseTo(
        sum(tokenKinds, (kind) => spent.cost[kind]),
        3,
      )
      // Each exchange, counted over its own messages.
      for (const { index, from, to } of findExchanges(trace.whole)) {
        const own = billed.filter(
          ({ request }) => trace.whole.requestAt(request) >= from && trace.whole.requestAt(request) < to,
        )
        const listed = exchanges.find(({ exchange }) => exchange === index)
        expect(listed?.requests ?? 0).toBe(own.length)
        expect(listed?.usd ?? 0).toBeCloseTo(
          sum(own, (one) => one.usd),
          cents,
        )
        const share = usd ? (100 * sum(own, (one) => one.usd)) / usd : 0
        expect(listed?.percent ?? 0).toBeCloseTo(share, 1)
        expect(listed?.tokens ?? 0).toBe(sum(own, (one) => sum(tokenKinds, (kind) => one.tokens[kind])))
      }
      expect(exchanges.map((one) => one.usd ?? -1)).toEqual(exchanges.map((one) => one.usd ?? -1).sort((a, b) => b - a))
    }
  })
})

function pickTotal({
  usd,
  requests,
  missed,
  tokens,
}: {
  usd: number | null
  requests: number
  missed: object
  tokens: ByKind
}) {
  return { usd, requests, missed, tokens }
}

describe('a request', () => {
  it('costs its recorded usage at the list price of its model', async () => {
    const turns = [
      { said: 'One', input: 10, read: 0, write: 9000 },
      { said: 'Two', input: 7, read: 9000, write: 500 },
    ]
    const { spent } = await onlyOf(session(turns))
    // Claude Sonnet 4.5, in dollars a million tokens: input 3, read from the cache 0.3, written to it 3.75, output 15.
    const dollars = turns.map(({ input, read, write }) => (3 * input + 0.3 * read + 3.75 * write + 15 * 10) / 1e6)
    expect(spent.billed.map(({ usd }) => usd)).toEqual(dollars.map((one) => expect.closeTo(one, 6)))
    expect(spent.usd).toBeCloseTo((dollars[0] ?? 0) + (dollars[1] ?? 0), 6)
  })
})

describe('a cut', () => {
  const grown = { input: 10, read: 50_000, write: 100 }

  it('stands where the agent compacted, with the input before and behind it', async () => {
    const { spent } = await onlyOf(
      session([
        { said: 'One', ...grown },
        { said: 'Two', ...grown },
        { compacts: true, said: 'Three', input: 10, read: 0, write: 9000 },
      ]),
    )
    expect(spent.cuts).toEqual([{ cut: 'compaction', request: 2, tokensBefore: 50_110, tokensAfter: 9010 }])
    expect(spent.billed.map(({ cut }) => cut)).toEqual([null, null, 'compaction'])
    expect(spendingLines(spent, null, 80)).toContain('Compacted before request 3 (50k to 9.0k tokens)')
  })

  it('that was written down too early stands where the usage shows it', async () => {
    const { spent } = await onlyOf(
      session([
        { said: 'One', ...grown },
        { said: 'Two', ...grown },
        { compacts: true, input: 10, read: 50_000, write: 400 },
        { said: 'Three', input: 10, read: 0, write: 9000 },
        { said: 'Four', input: 10, read: 9000, write: 100 },
      ]),
    )
    expect(spent.cuts).toEqual([{ cut: 'compaction', request: 3, tokensBefore: 50_410, tokensAfter: 9010 }])
  })

  it('that nothing tells of is found by the usage alone', async () => {
    const { spent } = await onlyOf(
      session([
        { said: 'One', ...grown },
        { said: 'Two', ...grown },
        { said: 'Three', input: 10, read: 0, write: 9000 },
        { said: 'Four', input: 10, read: 9000, write: 100 },
      ]),
    )
    expect(spent.cuts).toEqual([{ cut: 'unrecorded', request: 2, tokensBefore: 50_110, tokensAfter: 9010 }])
  })
})

describe('the lines above a picture', () => {
  it('name the dearest of all, to the cent of spend, in so many columns', async () => {
    const { spent } = await onlyOf(openFile('fixtures/claude-code/refactor.jsonl'))
    const [dearest] = [...spent.exchanges].sort((a, b) => (b.usd ?? 0) - (a.usd ?? 0))
    const text = spendingLines(spent, 3, 80).join('\n')
    expect(text).toMatch(new RegExp(`^Spent \\$${spent.usd?.toFixed(2)} in ${spent.billed.length} requests: `))
    expect(text).toContain(`Dearest exchange: ${(dearest?.exchange ?? 0) + 1} "`)
    expect(text).toContain('\nThis request: $')
    for (const width of [40, 80, 120]) {
      for (const line of spendingLines(spent, null, width)) expect(line.length).toBeLessThanOrEqual(width)
    }
  })

  it('name no request where only sums beside them are recorded', async () => {
    const { spent } = await onlyOf(openFile('fixtures/claude-code/refactor.jsonl'))
    const sums = { ...spent, usd: 2, billed: [], exchanges: [], beside: { calls: 9, usd: 2 } }
    const [first, second] = spendingLines(sums, null, 200)
    expect(first).toMatch(/^Spent \$2\.00, all of it in 9 calls outside the conversation: \$\d\.\d+ for input, /)
    expect(second).not.toContain('Dearest exchange')
    const [both] = spendingLines({ ...sums, billed: spent.billed }, null, 200)
    expect(both).toMatch(/^Spent \$2\.00 in 35 requests: .*; \$2\.00 in 9 calls outside the conversation$/)
  })

  it('say what the program itself recorded where that is another sum, with the price that makes the difference', async () => {
    const { spent } = await onlyOf(session([{ said: 'One', input: 10, read: 0, write: 9000 }]))
    const one = {
      format: 'pi',
      model: 'lamp-1',
      calls: 9,
      recordedUsd: 4.177,
      usd: 1.118,
      kind: 'cacheRead',
      rate: 0.5,
    }
    const other = { ...spent, recordedCosts: [one as RecordedCost] }
    expect(spent.recordedCosts).toEqual([])
    expect(spendingLines(other, null, 200)).toContain(
      'pi recorded $4.18, and these prices make it $1.12: its own table charges cached tokens of lamp-1 at $0.50 per million',
    )
  })

  it('have tokens where no price is known, and say where nothing is', async () => {
    const { spent } = await onlyOf(session([{ said: 'One', input: 10, read: 0, write: 9000 }]))
    const unpriced = { ...spent, usd: null, missed: { ...spent.missed, usd: null } }
    expect(spendingLines(unpriced, null, 80)[0]).toBe(
      'Sent in 1 request: 9.0k tokens of input, 10 of output; no price is known',
    )
    expect(spendingLines(null, null, 80)).toEqual(['Cost unknown: no usage is recorded.'])
  })

  it('name every request in the table, with the sum up to it', async () => {
    const { spent } = await onlyOf(openFile('fixtures/claude-code/refactor.jsonl'))
    const { items } = requestSheet(spent)
    expect(items.length).toBe(spent.billed.length)
    for (const [at, { sum: so }] of items.entries()) {
      expect(so).toBeCloseTo(
        sum(spent.billed.slice(0, at + 1), (one) => one.usd),
        9,
      )
    }
    expect(items.at(-1)?.sum).toBeCloseTo(spent.usd ?? 0, cents)
  })
})
