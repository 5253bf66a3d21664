/** What a probe may cost, against a model that bills all that reaches it, whether its answer arrives or not. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { ProbePrices } from '../../src/app/probe/dollars.ts'
import { mostOutput } from '../../src/app/probe/windows.ts'
import { openJournal, readEntries } from '../../src/cache/journal.ts'
import { type Model, Questions } from '../../src/clients/ask.ts'
import { Asked } from '../../src/clients/asked.ts'
import { keyOf } from '../../src/clients/journal.ts'
import { MostTokens } from '../../src/clients/most-tokens.ts'
import { PurseEmpty } from '../../src/clients/purse.ts'
import { NoAnswer, Retries } from '../../src/clients/retries.ts'
import { builtinModels } from '../../src/models/lookup.ts'

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ctxwin-asked-'))
  path = join(directory, 'probe.ndjson')
})
afterEach(() => rmSync(directory, { recursive: true }))

type Body = Readonly<Record<string, unknown>>
type Fate = 'answers' | 'refuses' | 'is lost'

/** Of claude-sonnet-4-5, per token: written to the cache, and of the answer. */
const [write, output] = [3.75e-6, 15e-6]
const prices = ProbePrices.of('claude-sonnet-4-5', 'anthropic', builtinModels)

/** A token for each byte of some messages, and for several of others. */
const bytesPerToken = (message: string): number => 1 + (message.length % 4)
const messagesOf = ({ messages }: Body) => messages as readonly { readonly content: string }[]
const tokensOf = (body: Body): number =>
  messagesOf(body).reduce(
    (sum, message) => sum + Math.floor(JSON.stringify(message).length / bytesPerToken(message.content)),
    300,
  )

/** Bills the dearest that a try can be, but for answers that arrive: these are short. */
function modelOf(fates: readonly Fate[]) {
  const rest = [...fates]
  const bill = { dollars: 0, tries: 0 }
  const retries = new Retries({ place: 'here', what: 'answer', perMinute: Infinity }, { patience: 0 })
  const model: Model = {
    baseUrl: 'http://127.0.0.1',
    count: async () => null,
    complete: (body, watch) =>
      retries.send(async () => {
        const fate = rest.shift() ?? 'answers'
        bill.tries++
        if (fate === 'refuses') throw Object.assign(new Error('busy'), { status: 503 })
        const input = tokensOf(body)
        bill.dollars += input * write + (fate === 'is lost' ? mostOutput : 20) * output
        if (fate === 'is lost') throw new NoAnswer('its answer broke off')
        const usage = { input, cacheRead: 0, cacheWrite: input, output: 20 }
        return { action: { calls: [], text: 'x' }, stop: null, model: null, usage }
      }, watch),
  }
  return { model, bill }
}

/** Asks for all of them, each twice, in one run: the requests of a session in their order, sessions at the same time. */
async function run(model: Model, sessions: readonly (readonly Body[])[], maxDollars: number | null) {
  const journal = openJournal(path)
  const asked = new Asked({
    questions: new Questions(model, 'anthropic', journal),
    prices,
    spent: journal.cost + journal.lostCost,
    maxDollars,
    maxRequests: null,
  })
  const given: boolean[] = []
  const ask = async (bodies: readonly Body[]) => {
    for (const body of bodies)
      for (const asking of ['first', 'again']) given.push('key' in (await asked.ask('answer', asking, body)))
  }
  const ended = await Promise.allSettled(sessions.map(ask))
  const errors = ended.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []))
  for (const error of errors) {
    if (!(error instanceof PurseEmpty) && (error as { code?: string }).code !== 'remote') throw error
  }
  const isEmpty = errors.some((error) => error instanceof PurseEmpty)
  journal.close()
  return { given, isEmpty }
}

const sizes = fc.array(fc.integer({ min: 0, max: 3000 }), { minLength: 1, maxLength: 5 })
/** Requests of one session: each begins as the one before it. */
const session = sizes.map((lengths) =>
  lengths.map((_, at): Body => ({ model: 'm', messages: lengths.slice(0, at + 1).map((length) => said(length)) })),
)
const said = (length: number) => ({ role: 'user', content: 'x'.repeat(length) })
const fates = fc.array(fc.constantFrom<Fate>('answers', 'refuses', 'is lost'), { maxLength: 40 })

describe('dollars', () => {
  it('never come to more than the limit, whatever fails, however often it is begun again', async () => {
    let empty = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(session, { minLength: 1, maxLength: 3 }),
        fc.array(fates, { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 5, max: 300 }),
        async (sessions, runs, cents) => {
          rmSync(path, { force: true })
          let billed = 0
          for (const faults of runs) {
            const { model, bill } = modelOf(faults)
            if ((await run(model, sessions, cents / 100)).isEmpty) empty++
            billed += bill.dollars
            const { cost, lostCost } = readEntries(path)
            expect(billed).toBeLessThanOrEqual((cost + lostCost) / 1e9 + 1e-6)
            expect(billed).toBeLessThanOrEqual(cents / 100)
          }
        },
      ),
      { numRuns: 60 },
    )
    expect(empty).toBeGreaterThan(5)
  })

  it('of tries that were lost are reckoned by what the answer to the same question tells', async () => {
    const body: Body = { model: 'm', messages: [said(400_003)] }
    const [bytes, tokens] = [JSON.stringify(said(400_003)).length, tokensOf(body)]
    await run(modelOf(Array.from({ length: 12 }, (): Fate => 'is lost')).model, [[body]], 100)
    const before = readEntries(path)
    expect(before.allLost).toBe(12)
    expect(before.lostCost / 1e9).toBeGreaterThan(12 * (bytes * write + mostOutput * output))
    expect(tokens).toBeLessThan(bytes / 3)
    await run(modelOf([]).model, [[body]], 100)
    const after = readEntries(path)
    expect(after.allLost).toBe(12)
    expect(after.lostCost / 1e9).toBeCloseTo(12 * (tokens * write + mostOutput * output), 6)
    expect(after.cost / 1e9).toBeCloseTo(2 * (tokens * write + 20 * output), 6)
  })

  it('that lost tries cannot have cost are there to be spent in the same run', async () => {
    const body: Body = { model: 'm', messages: [said(400_003)] }
    const worst = prices?.worst(new MostTokens().of(body)) as number
    // Without what comes back the second asking would not fit behind two tries at their worst.
    const { given } = await run(modelOf(['is lost', 'is lost']).model, [[body]], 3.2 * worst)
    expect(given).toEqual([true, true])
  })

  it('set aside for a request that goes on from an answered one are those of its end', async () => {
    const [start, longer] = [[said(400_003)], [said(400_003), said(11)]].map(
      (messages): Body => ({ model: 'm', messages }),
    ) as [Body, Body]
    const worst = (body: Body) => prices?.worst(new MostTokens().of(body)) as number
    // Enough for the bytes of one of them, as long as nothing is spent.
    const limit = worst(start) * 1.05
    const { given } = await run(modelOf([]).model, [[start, longer]], limit)
    expect(given).toEqual([true, true, true, true])
    expect(readEntries(path).cost / 1e9 + worst(longer)).toBeGreaterThan(limit)
  })

  it('are not fewer because a journal says so, which may be anybody’s', async () => {
    const body: Body = { model: 'm', messages: [said(400_003)] }
    const journal = openJournal(path)
    const usage = { input: 1, cacheRead: 0, cacheWrite: 0, output: 1 }
    const question = { kind: 'answer', api: 'anthropic', baseUrl: 'http://127.0.0.1', body } as const
    const planted = { action: { calls: [], text: 'x' }, stop: null, model: null, usage }
    journal.keep('answer', keyOf({ ...question, asking: 'first' }), planted)
    journal.close()
    const { model, bill } = modelOf([])
    expect(await run(model, [[body]], tokensOf(body) * write)).toEqual({ given: [true], isEmpty: true })
    expect(bill.tries).toBe(0)
  })

  it('are set aside once for two that ask the same at the same time', async () => {
    const body: Body = { model: 'm', messages: [said(10)] }
    const { model, bill } = modelOf(['is lost'])
    const { given } = await run(model, [[body], [body]], null)
    expect([given, bill.tries]).toEqual([[true, true, true, true], 3])
  })
})

describe('the most tokens of a request', () => {
  it('are never fewer than it has', () => {
    fc.assert(
      fc.property(fc.array(session, { minLength: 1, maxLength: 4 }), (sessions) => {
        const most = new MostTokens()
        for (const body of sessions.flat()) {
          expect(most.of(body)).toBeGreaterThanOrEqual(tokensOf(body))
          most.counted(body, tokensOf(body))
          expect(most.of(body)).toBeGreaterThanOrEqual(tokensOf(body))
        }
      }),
    )
  })

  it('are those of the request that it begins with, and the bytes behind', () => {
    const most = new MostTokens()
    const body = (...messages: object[]): Body => ({ model: 'm', messages })
    const bytes = (value: object) => Buffer.byteLength(JSON.stringify(value))
    const hidden = most.of(body(said(1000))) - bytes({ model: 'm' }) - bytes(said(1000))
    most.counted(body(said(1000)), 300)
    expect(most.of(body(said(1000)))).toBe(300 + hidden)
    expect(most.of(body(said(1000), said(50)))).toBe(300 + bytes(said(50)) + hidden)
    const without = bytes({ model: 'm', tools: [] }) + bytes(said(1000)) + hidden
    expect(most.of({ ...body(said(1000)), tools: [] })).toBe(without)
    const thoughtful = { role: 'assistant', content: [{ type: 'thinking', thinking: 'x'.repeat(500) }] }
    most.counted(body(thoughtful), 20)
    expect(most.of(body(thoughtful))).toBe(20 + hidden)
    expect(most.of(body(thoughtful, said(1)))).toBe(bytes({ model: 'm' }) + bytes(thoughtful) + bytes(said(1)) + hidden)
  })
})
