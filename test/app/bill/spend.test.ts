import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import { readSessions } from '../../../src/app/bill/sessions.ts'
import { spend } from '../../../src/app/bill/spend.ts'
import {
  choose,
  estimators,
  lookupModel,
  openFile,
  policies,
  type Source,
  simulateSources,
} from '../../../src/app/index.ts'
import {
  type Missed,
  type RecordedCost,
  type Spending,
  type SpendingSum,
  tokenKinds,
} from '../../../src/model/spending.ts'
import { ratesFor } from '../../../src/models/lookup.ts'
import { recordedCostWords } from '../../../src/reports/bill.ts'
import json from '../../../src/reports/json.ts'
import { spendingData } from '../../../src/reports/spending.ts'
import { spentSentence } from '../../../src/reports/spending-words.ts'
import { options } from '../../reports/samples.ts'
import { publishedSchema } from '../../schema.ts'

const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] }
const all = 1000
const fixtures = ['claude-code/refactor.jsonl', 'claude-code/compaction.jsonl', 'claude-code/sidechain.jsonl'].map(
  (name) => `fixtures/${name}`,
)
const files = () => fixtures.map((name) => openFile(name))
const source = (name: string, records: readonly unknown[]): Source => ({
  name,
  chunks: [Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''))],
})
const sum = <T>(list: readonly T[], value: (one: T) => number | null): number =>
  list.reduce((total, one) => total + (value(one) ?? 0), 0)

interface Counts {
  readonly input_tokens: number
  readonly output_tokens: number
  readonly cache_read_input_tokens?: number
  readonly cache_creation_input_tokens?: number
  readonly cache_creation?: { readonly ephemeral_1h_input_tokens?: number }
}

/** Each response's usage as its last line has it, read off the raw file. */
interface Raw {
  readonly model: string
  readonly day: string
  /** Of a sub-agent, which may stand in the file of its session. */
  readonly aside: boolean
  readonly usage: Counts
}

function rawUsage(file: string): Raw[] {
  const found = new Map<string, Raw>()
  for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
    const { type, message, requestId, timestamp, isSidechain: aside = false } = JSON.parse(line)
    if (type !== 'assistant' || !message.usage || message.model === '<synthetic>') continue
    const key = `${message.id}:${requestId}`
    const day = found.get(key)?.day ?? timestamp.slice(0, 10)
    found.set(key, { model: message.model, day, aside, usage: message.usage })
  }
  return [...found.values()]
}

/** Millionths of a dollar may be lost in each row. */
const cents = 4

function expectSums(spending: Spending): void {
  const { total, projects, models, days, sessions, kinds, cells, parts, tools, causes, misses } = spending
  for (const rows of [projects, models, days, sessions, cells] as readonly (readonly SpendingSum[])[]) {
    expect(sum(rows, ({ usd }) => usd)).toBeCloseTo(total.usd ?? 0, cents)
    expect(sum(rows, ({ requests }) => requests)).toBe(total.requests)
    for (const kind of tokenKinds) {
      expect(sum(rows, ({ tokens }) => tokens[kind])).toBe(total.tokens[kind])
      expect(sum(rows, ({ cost }) => cost[kind] ?? 0)).toBeCloseTo(total.cost[kind] ?? 0, cents)
    }
  }
  expect(sum(kinds, ({ usd }) => usd)).toBeCloseTo(total.usd ?? 0, cents)
  expect(sum(parts, ({ usd }) => usd)).toBeCloseTo(total.usd ?? 0, cents)
  expect(sum(tools, ({ usd }) => usd)).toBeCloseTo(total.usd ?? 0, cents)
  const input = sum(tokenKinds, (kind) => (kind === 'output' ? 0 : total.tokens[kind]))
  // Each part is rounded to whole tokens.
  expect(Math.abs(sum(parts, ({ carriedTokens }) => carriedTokens) - input)).toBeLessThanOrEqual(parts.length)
  const missing: readonly (readonly { readonly missed: Missed }[])[] = [projects, models, days, sessions, cells]
  for (const rows of [...missing, causes.map((one) => ({ missed: one }))]) {
    expect(sum(rows, ({ missed }) => missed.requests)).toBe(total.missed.requests)
    expect(sum(rows, ({ missed }) => missed.tokens)).toBe(total.missed.tokens)
    expect(sum(rows, ({ missed }) => missed.usd)).toBeCloseTo(total.missed.usd ?? 0, cents)
  }
  expect(misses.length).toBe(total.missed.requests)
  expect(sum(misses, ({ tokens }) => tokens)).toBe(total.missed.tokens)
  expect(sum(misses, ({ usd }) => usd)).toBeCloseTo(total.missed.usd ?? 0, cents)
}

describe('what was spent', () => {
  it('is the usage of the raw files, by kind of token, model and day', async () => {
    const { total, models, days } = await spend(readingHere(files(), {}), plan, all)
    const raw = fixtures.flatMap(rawUsage)
    const read = (one: Counts): number => one.cache_read_input_tokens ?? 0
    const hour = (one: Counts): number => one.cache_creation?.ephemeral_1h_input_tokens ?? 0
    const written = (one: Counts): number => one.cache_creation_input_tokens ?? 0
    expect(total.requests).toBe(raw.length)
    expect(total.tokens.input).toBe(sum(raw, ({ usage }) => usage.input_tokens))
    expect(total.tokens.cacheRead).toBe(sum(raw, ({ usage }) => read(usage)))
    expect(total.tokens.cacheWrite).toBe(sum(raw, ({ usage }) => written(usage) - hour(usage)))
    expect(total.tokens.cacheWrite1h).toBe(sum(raw, ({ usage }) => hour(usage)))
    const cost = sum(raw, ({ model, usage }) => {
      const rates = ratesFor(lookupModel(model)!, 0)!
      const writes = (written(usage) - hour(usage)) * rates.cacheWrite + hour(usage) * rates.cacheWrite1h
      return (usage.input_tokens * rates.input + read(usage) * rates.cacheRead + writes) / 1e6
    })
    expect((total.usd ?? 0) - (total.cost.output ?? 0)).toBeCloseTo(cost, cents)
    for (const { model, requests } of models) expect(requests).toBe(raw.filter((one) => one.model === model).length)
    for (const { day, requests } of days) expect(requests).toBe(raw.filter((one) => one.day === day).length)
  })

  it('is the sum of all calls of a response, each at the price of its model', async () => {
    const file = 'fixtures/claude-code/advisor.jsonl'
    const { total, models } = await spend(readingHere([openFile(file)], {}), plan, all)
    const calls = new Map<string, { model: string; usage: Counts }[]>()
    for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const { type, message } = JSON.parse(line)
      if (type !== 'assistant') continue
      const told = message.usage.iterations.map((usage: Counts & { model?: string }) => {
        return { model: usage.model ?? message.model, usage }
      })
      calls.set(message.id, told)
    }
    const raw = [...calls.values()].flat()
    expect(raw).toHaveLength(5)
    expect(total.requests).toBe(5)
    expect(total.tokens.input).toBe(sum(raw, ({ usage }) => usage.input_tokens))
    expect(total.tokens.cacheRead).toBe(sum(raw, ({ usage }) => usage.cache_read_input_tokens ?? 0))
    expect(total.tokens.output).toBe(sum(raw, ({ usage }) => usage.output_tokens))
    for (const { model, tokens, usd } of models) {
      const own = raw.filter((call) => call.model === model)
      const rates = ratesFor(lookupModel(model as string)!, 0)!
      const cost = sum(own, ({ usage }) => {
        const written = usage.cache_creation_input_tokens ?? 0
        const input = usage.input_tokens * rates.input + (usage.cache_read_input_tokens ?? 0) * rates.cacheRead
        return (input + written * rates.cacheWrite1h + usage.output_tokens * rates.output) / 1e6
      })
      expect(tokens.cacheWrite1h).toBe(sum(own, ({ usage }) => usage.cache_creation_input_tokens ?? 0))
      expect(usd).toBeCloseTo(cost, cents)
    }
  })

  it('is the running total that Codex itself has counted, rolled back turns included', async () => {
    const file = 'fixtures/codex/rollback.jsonl'
    const spending = await spend(readingHere([openFile(file)], {}), plan, all)
    const totals = [...readFileSync(file, 'utf8').matchAll(/"total_token_usage":(\{[^}]*\})/g)]
    const { input_tokens, cached_input_tokens } = JSON.parse(totals.at(-1)?.[1] ?? '')
    const { tokens, requests } = spending.total
    expect([tokens.input + tokens.cacheRead, tokens.cacheRead]).toEqual([input_tokens, cached_input_tokens])
    expect(requests).toBe(3)
    expect(spending.parts.find(({ part }) => part === 'beside')).toMatchObject({ count: 1, carriedTokens: 5100 })
    expectSums(spending)
  })

  it('says how many requests have no recorded usage, of transcripts that have some', async () => {
    const chunks: Uint8Array[] = []
    for await (const chunk of session('a', [{ id: '1' }, { id: '2' }, { id: '3' }]).chunks) chunks.push(chunk)
    const bare = Buffer.concat(chunks)
      .toString()
      .replace(/"usage":\{[^}]*\}/, '"usage":{}')
    const { total } = await spend(readingHere([{ name: 'a', chunks: [Buffer.from(bare)] }], {}), plan, all)
    expect(total).toMatchObject({ requests: 2, requestsWithoutUsage: 1, withoutUsage: 0 })
  })

  it('is what simulate says was spent', async () => {
    const both = () => [...files(), openFile('fixtures/codex/rollback.jsonl')]
    const { total } = await spend(readingHere(both(), {}), plan, all)
    const simulated = { ...plan, policies: [choose(policies.get('keep-all'))], budgets: [0] }
    const { runs, totals } = await simulateSources(both(), simulated)
    expect(total.usd).toBeCloseTo(totals[0]?.spent?.usd ?? 0, cents)
    expect(totals[0]?.spent?.sideCalls).toBe(1)
    expect(total.requests).toBe(sum(runs, ({ recordedCalls }) => recordedCalls))
    expect(total.requestsWithoutUsage).toBe(sum(runs, ({ requestsWithoutUsage }) => requestsWithoutUsage))
    expect(total.unpricedRequests).toBe(sum(runs, ({ unpricedCalls }) => unpricedCalls))
    for (const [part, usd] of Object.entries(total.billed)) {
      expect(usd, part).toBeCloseTo(totals[0]?.spent?.[part as keyof typeof total.billed] ?? 0, cents)
    }
    expect(total.billed.beside).toBeGreaterThan(0)
    expect(total).toMatchObject({
      requests: (totals[0]?.spent?.requests ?? 0) + 1,
      estimatedOutputs: totals[0]?.spent?.estimatedOutputs,
    })
  })

  it('counts the requests with a price of a transcript that has others, too, as ctxwin alone does', async () => {
    const mixed = () => [
      session('mixed', [{ id: '1' }, { id: '2', model: 'nobody-knows-it' }, { id: '3' }]),
      session('known', [{ id: '4' }]),
      openFile('fixtures/codex/rollback.jsonl'),
    ]
    const { total, sessions } = await spend(readingHere(mixed(), {}), plan, all)
    expect(total.unpricedRequests).toBe(1)
    const alone = await readSessions(readingHere(mixed(), {}), plan)
    const { usd, input, output, beside, requests, sideCalls } = alone.totals.spent!
    expect(usd).toBe(total.usd)
    expect({ input, output, beside }).toEqual(total.billed)
    expect(requests + sideCalls).toBe(total.requests - total.unpricedRequests)
    expect(sideCalls).toBe(total.sideCalls)
    expect(alone.totals.requests).toBe(total.allRequests)
    expect(alone.sessions.map((one) => [one.file, one.spent])).toEqual(sessions.map((one) => [one.file, one.usd]))
  })

  it('says of how many transcripts the usage leaves out what was read from the cache', async () => {
    const messages = [{ role: 'user', content: 'go on '.repeat(2000) }]
    const records = Array.from({ length: 30 }, (_, at) => {
      const usage = { prompt_tokens: 9000 + 600 * at, completion_tokens: 50, total_tokens: 9050 + 600 * at }
      const message = { role: 'assistant', content: 'fine' }
      const response = {
        id: `c${at}`,
        object: 'chat.completion',
        model: 'gpt-5',
        usage,
        choices: [{ index: 0, message }],
      }
      messages.push({ role: 'user', content: 'go on' })
      const minute = String(at).padStart(2, '0')
      return {
        timestamp: `2026-11-02T10:${minute}:00Z`,
        request: { model: 'gpt-5', messages: [...messages] },
        response,
      }
    })
    const silent = () => [source('silent', records)]
    const { total } = await spend(readingHere([...silent(), ...files()], {}), plan, all)
    expect(total.withoutReads).toBe(1)
    const alone = await readSessions(readingHere([...silent(), ...files()], {}), plan)
    expect(alone.totals.spent?.usd).toBe(total.usd)
  })

  it('adds up to the same whichever way it is told', async () => {
    const spending = await spend(readingHere(files(), {}), plan, all)
    expect(spending.total.usd).toBeGreaterThan(0)
    expectSums(spending)
  })

  it('is told by session: the usage of its file, the largest request of it, and its share of the money', async () => {
    const { sessions, total } = await spend(readingHere(files(), {}), plan, all)
    expect(sessions).toHaveLength(fixtures.length)
    for (const { file, requests, tokens, largestPrompt, promptCurve, usd, percent, first, last } of sessions) {
      const raw = rawUsage(file)
      const inputOf = ({ usage }: Raw) =>
        usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0)
      expect(requests).toBe(raw.length)
      expect(tokens.input).toBe(sum(raw, ({ usage }) => usage.input_tokens))
      expect(largestPrompt).toBe(Math.max(...raw.map(inputOf)))
      const own = raw.filter(({ aside }) => !aside)
      const inputs = (own.length > 0 ? own : raw).map(inputOf)
      const parts = Math.min(12, inputs.length)
      const partOf = (at: number) => Math.ceil(((at + 1) * parts) / inputs.length) - 1
      const stretch = (part: number) => inputs.filter((_, at) => partOf(at) === part)
      expect(promptCurve).toEqual(Array.from({ length: parts }, (_, part) => Math.max(...stretch(part))))
      expect(percent).toBeCloseTo((100 * (usd ?? 0)) / (total.usd ?? 0), 1)
      const days = raw.map(({ day }) => day).sort()
      expect([first?.slice(0, 10), last?.slice(0, 10)]).toEqual([days[0], days.at(-1)])
    }
  })

  it('ranks every table of money by money, with the share of it in each row', async () => {
    const spending = await spend(readingHere(files(), {}), plan, all)
    const { total, projects, models, sessions, kinds, parts, tools, results, causes, misses } = spending
    const ofTools = tools.filter(({ of }) => of === 'results')
    type Priced = { readonly usd: number | null; readonly percent: number }
    for (const rows of [projects, models, sessions, kinds, parts, ofTools, results, causes, misses] as Priced[][]) {
      expect(rows.length).toBeGreaterThan(0)
      const amounts = rows.map(({ usd }) => usd ?? 0)
      expect(amounts).toEqual(amounts.toSorted((a, b) => b - a))
      for (const { usd, percent } of rows) expect(percent).toBeCloseTo((100 * (usd ?? 0)) / (total.usd ?? 0), 1)
    }
    expect(tools.slice(-2).map(({ of }) => of)).toEqual(['rest', 'output'])
  })

  it('has as many of the dearest results and misses as were asked for', async () => {
    const few = await spend(readingHere(files(), {}), plan, 2)
    const many = await spend(readingHere(files(), {}), plan, all)
    expect(few.results).toEqual(many.results.slice(0, 2))
    expect(many.results.map(({ usd }) => usd)).toEqual(many.results.map(({ usd }) => usd).sort((a, b) => b! - a!))
  })
})

interface Turn {
  readonly id: string
  readonly model?: string
  readonly cwd?: string
  readonly tool?: string
}

/** A session of Claude Code, a prompt, a call and its result for each turn. */
/** @param billed what the provider says of each response beside its counts */
function session(name: string, turns: readonly Turn[], billed: object = {}): Source {
  const records = turns.flatMap(({ id, model = 'claude-opus-4-5', cwd = '/home/me/app', tool = 'Read' }, index) => {
    const common = { sessionId: name, cwd, timestamp: `2026-11-0${index + 1}T10:00:00Z` }
    const usage = { input_tokens: 10, cache_read_input_tokens: 20_000 * index, output_tokens: 50 }
    const call = { type: 'tool_use', id: `call-${id}`, name: tool, input: { file_path: 'a' } }
    const message = {
      id,
      role: 'assistant',
      model,
      content: [call],
      usage: { ...usage, cache_creation_input_tokens: 20_000, ...billed },
    }
    const result = { type: 'tool_result', tool_use_id: `call-${id}`, content: 'x'.repeat(4000) }
    return [
      { ...common, type: 'user', uuid: `${name}${id}a`, message: { role: 'user', content: `do ${id}` } },
      { ...common, type: 'assistant', uuid: `${name}${id}b`, requestId: `req-${id}`, message },
      { ...common, type: 'user', uuid: `${name}${id}c`, message: { role: 'user', content: [result] } },
    ]
  })
  return source(name, records)
}

describe('calls that are billed at other terms', () => {
  const usual = {
    speed: 'standard',
    inference_geo: 'global',
    service_tier: 'standard',
    server_tool_use: { web_search_requests: 0 },
  }
  const other = {
    speed: 'fast',
    inference_geo: 'us',
    service_tier: 'priority',
    server_tool_use: { web_search_requests: 2 },
  }

  it('are told, each once, and priced as any other where a source says nothing of them', async () => {
    const turns = [{ id: '1' }, { id: '2' }]
    const plain = await spend(readingHere([session('a', turns, usual)], {}), plan, all)
    const sources = () => [
      session('a', turns, other),
      session('b', turns, other),
      session('c', [{ id: '3' }], { speed: 'fast' }),
    ]
    const spending = await spend(readingHere(sources(), {}), plan, all)
    expect(plain.terms).toEqual([])
    expect(spending.terms).toEqual([
      { term: 'fast', calls: 3, priced: 0 },
      { term: 'us', calls: 2, priced: 0 },
      { term: 'priority', calls: 2, priced: 0 },
      { term: 'search', calls: 2, priced: 2 },
    ])
    const alone = await spend(readingHere([session('a', turns, other)], {}), plan, all)
    // Two requests with two searches each.
    expect(alone.total.usd).toBeCloseTo((plain.total.usd as number) + 4 * 0.01, 6)
    expect(alone.total.billed).toEqual({ ...plain.total.billed, beside: 4 * 0.01 })
    const simulated = { ...plan, policies: [choose(policies.get('keep-all'))], budgets: [0] }
    const { runs } = await simulateSources([session('a', turns, other)], simulated)
    expect(runs[0]?.terms).toEqual(alone.terms)
  })
})

describe('calls at terms that a source states', () => {
  const opus = (billed: object) =>
    session(
      'a',
      [
        { id: '1', model: 'claude-opus-5' },
        { id: '2', model: 'claude-opus-5' },
      ],
      billed,
    )

  it('are priced at them, each factor of all tokens, and what the model makes of them is, too', async () => {
    const plain = await spend(readingHere([opus({})], {}), plan, all)
    const usd = plain.total.usd as number
    for (const [billed, factor] of [
      [{ speed: 'fast' }, 2],
      [{ inference_geo: 'us' }, 1.1],
      [{ service_tier: 'batch' }, 0.5],
      [{ speed: 'fast', inference_geo: 'us' }, 2.2],
    ] as const) {
      const { total, terms } = await spend(readingHere([opus(billed)], {}), plan, all)
      expect(total.usd).toBeCloseTo(usd * factor, 5)
      expect(terms.every(({ calls, priced }) => calls === priced)).toBe(true)
      const simulated = { ...plan, policies: [choose(policies.get('keep-all'))], budgets: [0] }
      const modelled = async (of: object) => (await simulateSources([opus(of)], simulated)).runs[0]?.exact.todayRecorded
      expect(await modelled(billed)).toBeCloseTo(((await modelled({})) as number) * factor, 5)
    }
  })

  it('are those of a response on several lines, and its searches are counted once', async () => {
    const said = { role: 'assistant', id: 'm', model: 'claude-opus-5' }
    const usage = { input_tokens: 1000, output_tokens: 50, speed: 'fast', server_tool_use: { web_search_requests: 3 } }
    const line = (uuid: string, text: string) => ({
      ...{ sessionId: 's', timestamp: '2026-11-01T10:00:00Z', type: 'assistant', uuid, parentUuid: null },
      message: { ...said, content: [{ type: 'text', text }], usage },
    })
    const asked = { ...line('1', ''), type: 'user', message: { role: 'user', content: 'go' } }
    const { total, terms } = await spend(
      readingHere([source('s', [asked, line('2', 'a'), line('3', 'b')])], {}),
      plan,
      all,
    )
    expect(terms).toEqual([
      { term: 'fast', calls: 1, priced: 1 },
      { term: 'search', calls: 1, priced: 1 },
    ])
    expect(total.usd).toBeCloseTo((2 * (1000 * 5 + 50 * 25)) / 1e6 + 3 * 0.01, 6)
    // A search has a fee, and is no request.
    expect(total).toMatchObject({ requests: 1, allRequests: 1, sideCalls: 0, billed: { beside: 3 * 0.01 } })
    expect(spentSentence(total, '1 transcript')).toContain(', searches of the web $0.03. 1 request')
  })
})

describe('what a program recorded that its calls cost', () => {
  const timestamp = Date.parse('2026-11-01T10:00:00Z')
  /** A session of pi, whose own table has another price for cached tokens. @param costs of each response, as recorded */
  const piSession = (costs: readonly (number | undefined)[]): Source =>
    source('p', [
      { type: 'session', version: 3, id: 'p', timestamp: '2026-11-01T10:00:00Z', cwd: '/home/me' },
      ...costs.flatMap((total, index) => {
        const usage = { input: 100, output: 50, cacheRead: 10_000 * (index + 1), cacheWrite: 0 }
        const cost = total === undefined ? {} : { cost: { total } }
        const content = [{ type: 'text', text: 'x' }]
        const answer = {
          role: 'assistant',
          model: 'gemini-3-flash',
          stopReason: 'stop',
          timestamp,
          content,
          usage: { ...usage, ...cost },
        }
        const parent = index === 0 ? null : `b${index - 1}`
        const at = { type: 'message', timestamp: '2026-11-01T10:00:00Z' }
        return [
          { ...at, id: `a${index}`, parentId: parent, message: { role: 'user', content: 'go', timestamp } },
          { ...at, id: `b${index}`, parentId: `a${index}`, message: answer },
        ]
      }),
    ])
  // Gemini 3 Flash: 0.50 in, 3 out, 0.05 cached; pi takes 0.50 for cached, too.
  const theirs = [0, 1, 2, 3].map((index) => (100 * 0.5 + 50 * 3 + 10_000 * (index + 1) * 0.5) / 1e6)
  const costsOf = async (costs: readonly (number | undefined)[]) =>
    (await spend(readingHere([piSession(costs)], {}), plan, all)).recordedCosts

  it('stands beside what they cost here, with the price that makes the difference', async () => {
    const usd = [0, 1, 2, 3].reduce((sum, index) => sum + (100 * 0.5 + 50 * 3 + 10_000 * (index + 1) * 0.05) / 1e6, 0)
    const [row, ...others] = await costsOf(theirs)
    expect(others).toEqual([])
    expect(row).toMatchObject({ format: 'pi', model: 'gemini-3-flash', calls: 4, kind: 'cacheRead', rate: 0.5 })
    expect(row?.usd).toBeCloseTo(usd, 6)
    expect(row?.recordedUsd).toBeCloseTo(
      theirs.reduce((sum, one) => sum + one, 0),
      6,
    )
  })

  it('is nothing where a subscription paid, and leaves out calls without it', async () => {
    expect(await costsOf([0, 0, 0, 0])).toEqual([])
    expect(await costsOf([undefined, undefined])).toEqual([])
    expect((await costsOf([...theirs, undefined])).map(({ calls }) => calls)).toEqual([4])
  })

  it('is told in a line with both figures', async () => {
    const [row] = await costsOf(theirs)
    const words = recordedCostWords([row as RecordedCost], (usd) => `$${usd}`)
    expect(words).toEqual([
      `pi recorded $${row?.recordedUsd}, and these prices make it $${row?.usd}: its own table charges cached tokens of gemini-3-flash at $0.5 per million`,
    ])
    expect(
      recordedCostWords([{ ...(row as RecordedCost), recordedUsd: (row?.usd as number) * 1.005 }], String),
    ).toEqual([])
  })

  it('is of the session as a whole where a printed stream says no more', async () => {
    const file = openFile('fixtures/claude-code/stream-json.jsonl')
    const { recordedCosts, total } = await spend(readingHere([file], {}), plan, all)
    expect(recordedCosts).toMatchObject([{ format: 'claude-code', model: null, recordedUsd: 0.01, usd: total.usd }])
  })

  it('is not held against the tokens of some of its requests', async () => {
    const { recordedCosts, total } = await spend(readingHere([openFile('fixtures/crush/session.jsonl')], {}), plan, all)
    expect(total).toMatchObject({ requests: 1, requestsWithoutUsage: 2 })
    expect(recordedCosts).toEqual([])
  })
})

describe('a response that two files have', () => {
  it('is counted once, though one file goes on where the other ended', async () => {
    const one = await spend(readingHere([session('a', [{ id: '1' }, { id: '2' }])], {}), plan, all)
    const more = [{ id: '1' }, { id: '2' }, { id: '3' }]
    const both = await spend(readingHere([session('a', more.slice(0, 2)), session('b', more)], {}), plan, all)
    const whole = await spend(readingHere([session('b', more)], {}), plan, all)
    expect(one.total.requests).toBe(2)
    expect(both.total).toMatchObject({ requests: 3, repeatedResponses: 2, usd: whole.total.usd })
    expectSums(both)
  })

  it('is counted where its file can be read, though the file that had it first cannot be read to its end', async () => {
    async function* torn() {
      yield* session('a', [{ id: '1' }]).chunks
      throw new Error('gone')
    }
    const sources = [{ name: 'a', chunks: torn() }, session('b', [{ id: '1' }])]
    const { total } = await spend(
      readingHere(sources, {}, () => {}),
      plan,
      all,
    )
    expect(total).toMatchObject({ requests: 1, repeatedResponses: 0, transcripts: 1 })
  })
})

describe('what is unknown', () => {
  it('is no money: a model without a price counts in the tokens alone', async () => {
    const turns = [{ id: '1' }, { id: '2', model: 'nobody-knows-it' }]
    const { total, models, cells } = await spend(readingHere([session('a', turns)], {}), plan, all)
    expect(total).toMatchObject({ requests: 2, unpricedRequests: 1, tokens: { cacheWrite: 40_000 } })
    expect(models.find(({ model }) => model === 'nobody-knows-it')).toMatchObject({ usd: null, unpricedRequests: 1 })
    expect(total.usd).toBeCloseTo(
      sum(cells, ({ usd }) => usd),
      9,
    )
    const only = await spend(readingHere([session('a', turns.slice(1))], {}), plan, all)
    expect(only.total.usd).toBeNull()
    expect(only.parts.every(({ usd }) => usd === null)).toBe(true)
  })

  it('is not guessed: a transcript without usage is told apart', async () => {
    const { total } = await spend(readingHere([openFile('fixtures/openai-chat/tools.jsonl')], {}), plan, all)
    expect(total).toMatchObject({ transcripts: 2, withoutUsage: 2, requests: 0, usd: null })
  })
})

describe('names', () => {
  it('of projects are as long as it takes to tell them apart', async () => {
    const places = ['/home/me/app', '/home/you/app', '/home/me/lib', 'app']
    const sessions = places.map((cwd, index) => session(`s${index}`, [{ id: `${index}`, cwd }]))
    const { projects } = await spend(readingHere(sessions, {}), plan, all)
    expect(Object.fromEntries(projects.map(({ cwd, project }) => [cwd, project]))).toEqual({
      '/home/me/app': 'me/app',
      '/home/you/app': 'you/app',
      '/home/me/lib': 'lib',
      app: 'app',
    })
  })

  it('of tools have the MCP server apart', async () => {
    const turns = [{ id: '1', tool: 'mcp__issue_tracker__find__all' }, { id: '2', tool: 'Read' }, { id: '3' }]
    const { parts, results } = await spend(readingHere([session('a', turns)], {}), plan, all)
    const tools = parts.filter(({ part }) => part === 'tool').map(({ tool, server }) => [server, tool])
    expect(tools).toEqual([
      ['issue_tracker', 'find__all'],
      [null, 'Read'],
    ])
    // The first result is in the two requests that follow it, the last in none.
    expect(results.map(({ line, requests }) => [line, requests])).toEqual([
      [3, 2],
      [6, 1],
    ])
  })
})

describe('docs/schema/spend.schema.json', () => {
  const { violations } = publishedSchema('spend')

  it('accepts what is printed', async () => {
    for (const sources of [files(), [session('a', [{ id: '1', model: 'nobody-knows-it' }])]]) {
      const spending = await spend(readingHere(sources, {}), plan, all)
      expect(violations(JSON.parse([...json.sheet(spendingData(spending, null), options)].join('')))).toEqual([])
    }
  })
})

describe('definitions of tools', () => {
  const usage = { input_tokens: 100, cache_read_input_tokens: 900, cache_creation_input_tokens: 0, output_tokens: 20 }
  const tool = (name: string, words: number) => ({
    name,
    description: 'word '.repeat(words),
    input_schema: { type: 'object', properties: { path: { type: 'string' } } },
  })
  const asked = { role: 'user', content: 'Read it' }
  const call = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'mcp__files__read', input: {} }] }
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: 'text' }] }
  const tools = [tool('mcp__files__read', 40), tool('mcp__files__write', 120), tool('idle', 40)]
  const log = [
    { messages: [asked], response: { ...call, usage } },
    {
      messages: [asked, call, result],
      response: { role: 'assistant', content: [{ type: 'text', text: 'Done' }], usage },
    },
  ].map(({ messages, response }) => ({
    request: { model: 'claude-sonnet-4-5-20250929', system: 'Be brief', tools, messages },
    response: { model: 'claude-sonnet-4-5-20250929', type: 'message', ...response },
  }))

  it('stand apart, with their server, their calls and what they cost, and all rows are all that was spent', async () => {
    const { total, definitions, parts } = await spend(readingHere([source('log.jsonl', log)], {}), plan, all)
    const own = definitions.filter(({ of }) => of === 'definition')
    expect(own.map(({ server, tool: name, calls }) => [server, name, calls])).toEqual([
      ['files', 'write', 0],
      ['files', 'read', 1],
      [null, 'idle', 0],
    ])
    expect(sum(definitions, ({ usd }) => usd)).toBeCloseTo(total.usd ?? 0, cents)
    expect(sum(parts, ({ usd }) => usd)).toBeCloseTo(total.usd ?? 0, cents)
    // The cache served all of the head.
    for (const { usd, carriedTokens } of own) expect(usd).toBeCloseTo(carriedTokens * 0.3e-6, 5)
    expect(parts.filter(({ part }) => part === 'definition')).toHaveLength(3)
  })
})
