/** What a probe plans, sends, asks and finds, each computed again from the transcripts, the bodies of `window`, or by hand. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type FullTrace, readTraces } from '../../../src/app/analyse.ts'
import { readingHere } from '../../../src/app/analysis.ts'
import { firstCell, type Plan } from '../../../src/app/plan.ts'
import { marked, type ReadyProbe, type ReadySession, readySessions } from '../../../src/app/probe/bodies.ts'
import { dollarsOf, ProbePrices } from '../../../src/app/probe/dollars.ts'
import { planProbes, sampleOf } from '../../../src/app/probe/plan.ts'
import { preambleFor } from '../../../src/app/probe/preamble.ts'
import { foundIn, plannedPower, usageOf } from '../../../src/app/probe/result.ts'
import { mostSummaryTries, runProbes } from '../../../src/app/probe/run.ts'
import { mostOutput } from '../../../src/app/probe/windows.ts'
import { requestBodyAt } from '../../../src/app/window.ts'
import { choose } from '../../../src/base/chosen.ts'
import { uniform } from '../../../src/base/uniform.ts'
import { estimators } from '../../../src/estimators/index.ts'
import type { Message } from '../../../src/model/message.ts'
import type { Answer, NextAction } from '../../../src/model/probe.ts'
import type { AskedProbe, SessionPlan } from '../../../src/model/probed.ts'
import { builtinModels, lookupModel } from '../../../src/models/lookup.ts'
import { ratesAt } from '../../../src/models/pricing.ts'
import { policies } from '../../../src/policies/index.ts'
import { storedRun } from '../../../src/simulator/recorder.ts'
import { claudeSession } from '../bill/claude-session.ts'

const sources = [9, 10, 12].map((files, at) => ({
  name: `s${at}.jsonl`,
  chunks: [Buffer.from(claudeSession(at, files))],
}))
const planOf = (policy: string, budget: number): Plan => ({
  policies: [choose(policies.get(policy))],
  estimators: [choose(estimators.get('bytes'))],
  budgets: [budget],
})
const plan = planOf('drop-steps', 15_000)
const read = () => readingHere(sources, {})
const settings = { api: 'anthropic', model: 'some-model', preamble: null, withoutTools: true } as const
const drawnWith = async (more: { perSession?: number; probes?: number; seed?: number; withoutTools?: boolean }) =>
  (await planProbes(read(), plan, { ...settings, perSession: 10_000, probes: 10_000, seed: 1, ...more })).plan

/** By session: its trace, what was sent before each response under the policy and as recorded, and both bodies. */
async function truths() {
  const all = new Map<string, { trace: FullTrace; policy: Body[]; full: Body[]; sent: number[]; whole: number[] }>()
  for await (const trace of readTraces(sources, { plan })) {
    const requests = Array.from({ length: trace.requests }, (_, request) => request)
    const bodies = (of: Plan) => requests.map((request) => requestBodyAt(trace, of, request) as Body)
    const run = (of: Plan) => storedRun(trace, firstCell(trace, of), false)
    const asRecorded = planOf('as-recorded', 0)
    const sentOf = (of: Plan) => run(of).requests.map(({ sentTokens }) => sentTokens)
    all.set(trace.head.file, {
      ...{ trace, policy: bodies(plan), full: bodies(asRecorded), sent: sentOf(plan), whole: sentOf(asRecorded) },
    })
  }
  return all
}
type Body = Readonly<Record<string, unknown>> & {
  readonly messages: readonly { readonly role: string; readonly content: never }[]
}
let known: ReturnType<typeof truths> | null = null
const truth = () => (known ??= truths())

describe('a plan of every request', () => {
  it('has those whose bodies differ, with their sizes, and what the response called first', async () => {
    const every = await drawnWith({})
    const all = await truth()
    expect(every).toMatchObject({
      policy: 'drop-steps',
      budget: 15_000,
      model: 'some-model',
      api: 'anthropic',
      seed: 1,
    })
    expect([every.transcripts, every.among, every.sessions.length]).toEqual([3, 3, 3])
    let [requests, differing] = [0, 0]
    for (const session of every.sessions) {
      const { trace, policy, full, sent, whole } = all.get(session.file) as NonNullable<ReturnType<typeof all.get>>
      const apart = policy.flatMap((body, request) =>
        JSON.stringify(body) === JSON.stringify(full[request]) ? [] : [request],
      )
      expect(apart.length).toBeGreaterThan(3)
      // Behind a cut, a request does not begin with the one before.
      const texts = policy.map(({ messages }) => messages.map((message) => JSON.stringify(message)))
      const cuts = texts.flatMap((text, at) =>
        at > 0 && texts[at - 1]!.some((one, nth) => one !== text[nth]) ? [at] : [],
      )
      expect(session.probes.map(({ request }) => request)).toEqual(apart)
      expect([session.requests, session.differing]).toEqual([trace.requests, apart.length])
      expect(Object.values(session.unprobed).every((count) => count === 0)).toBe(true)
      requests += trace.requests
      differing += apart.length
      for (const [nth, probe] of session.probes.entries()) {
        const { request } = probe
        const call = trace.messages[trace.requestAt(request)]?.blocks.find(({ type }) => type === 'call') as
          | { name: string; input: { old_string: string } }
          | undefined
        expect(probe).toMatchObject({ tool: call?.name ?? null, weight: 1, outputTokens: null })
        expect([probe.fullTokens, probe.policyTokens]).toEqual([whole[request], sent[request]])
        // Nothing leaves what the agent had: each of its requests begins with the one before.
        const before = nth === 0 ? 0 : (session.probes[nth - 1]?.fullTokens as number)
        // But for what stands between the last two messages.
        expect(Math.abs(probe.fullShared - before)).toBeLessThan(nth === 0 ? 1 : 20)
        expect(probe.policyShared).toBeLessThan(probe.policyTokens)
        const needs =
          call?.name === 'Edit' &&
          !JSON.stringify(policy[request]).includes(JSON.stringify(call.input.old_string).slice(1, -1))
        expect(probe.loss !== 'none').toBe(needs)
        const age = request - cuts.findLast((one) => one <= request)!
        expect(probe.age).toBe(age <= 5 ? 'to 5' : 'to 25')
      }
    }
    expect([every.requests, every.differing, every.planned]).toEqual([requests, differing, differing])
  })

  it('asks about none where nothing is known of system prompt and tools, unless it is told to', async () => {
    const none = await planProbes(read(), plan, {
      ...settings,
      perSession: 9,
      probes: 9,
      seed: 1,
      preamble: { system: [], complete: false } as never,
      withoutTools: false,
    })
    expect(none.plan.sessions.map(({ preamble }) => preamble)).toEqual(none.plan.sessions.map(() => 'given'))
    const every = await drawnWith({ withoutTools: false })
    expect(every.sessions.every(({ preamble }) => preamble === 'rebuilt')).toBe(true)
  })
})

describe('a plan of some', () => {
  it('draws so many of a session and no more than are wanted, the same each time', async () => {
    const every = await drawnWith({})
    const some = await drawnWith({ perSession: 4, probes: 8, seed: 3 })
    expect([some.planned, some.among]).toEqual([8, 2])
    expect([some.requests, some.differing, some.transcripts]).toEqual([every.requests, every.differing, 3])
    for (const { file, probes } of some.sessions) {
      const whole = every.sessions.find((session) => session.file === file)?.probes ?? []
      const counts = (loss: boolean) => whole.filter((probe) => (probe.loss !== 'none') === loss).length
      expect(probes).toHaveLength(4)
      for (const lossy of [true, false]) {
        const own = probes.filter(({ loss }) => (loss !== 'none') === lossy)
        expect(own.reduce((sum, { weight }) => sum + weight, 0)).toBeCloseTo(own.length > 0 ? counts(lossy) : 0)
      }
      for (const { request, loss, age, tool } of probes)
        expect(whole.find((one) => one.request === request)).toMatchObject({ loss, age, tool })
    }
    expect(await drawnWith({ perSession: 4, probes: 8, seed: 3 })).toEqual(some)
    expect((await drawnWith({ perSession: 4, probes: 7, seed: 3 })).planned).toBe(4)
    expect((await drawnWith({ perSession: 4, probes: 2, seed: 3 })).planned).toBe(2)
  })

  it('is half of what lost something, as far as there are any, in the order of the requests', () => {
    const candidate = fc.record({
      loss: fc.constantFrom('content' as const, 'copied' as const, 'none' as const),
      age: fc.constantFrom('to 5' as const, 'older' as const),
      tool: fc.constantFrom('Read', 'Edit', null),
    })
    fc.assert(
      fc.property(
        fc.array(candidate, { maxLength: 30 }),
        fc.integer({ min: 0, max: 12 }),
        fc.nat(),
        (list, most, seed) => {
          const all = list.map((one, request) => ({ ...one, one: { request } as never }))
          const drawn = sampleOf(all, most, uniform(seed))
          const lossy = all.filter(({ loss }) => loss !== 'none').length
          const others = all.length - lossy
          const taken = drawn.filter(({ loss }) => loss !== 'none').length
          expect(drawn).toHaveLength(Math.min(most, all.length))
          const fair = Math.ceil(most / 2)
          expect(taken).toBe(others < most - fair ? Math.min(lossy, most - others) : Math.min(lossy, fair))
          const requests = drawn.map(({ one }) => (one as { request: number }).request)
          expect(requests).toEqual([...new Set(requests)].sort((a, b) => a - b))
          for (const { loss, weight } of drawn)
            expect(weight).toBe(loss === 'none' ? others / (drawn.length - taken) : lossy / taken)
          // At equal distances: of each kind as many as its share, give or take one.
          for (const kind of ['content', 'copied'] as const) {
            const share = (taken * all.filter(({ loss }) => loss === kind).length) / (lossy || 1)
            expect(Math.abs(drawn.filter(({ loss }) => loss === kind).length - share)).toBeLessThan(1.0001)
          }
        },
      ),
    )
  })
})

describe('what is sent', () => {
  it('are the bodies that `window` prints, for the model that is asked', async () => {
    const every = await drawnWith({})
    const all = await truth()
    const seen: string[] = []
    for await (const { plan: session, probes } of readySessions(read(), plan, every.sessions.slice(0, 2), {
      ...settings,
      isOwnServer: false,
    })) {
      seen.push(session.file)
      const { trace, policy, full } = all.get(session.file) as NonNullable<ReturnType<typeof all.get>>
      expect(probes.map(({ planned }) => planned)).toEqual(session.probes)
      for (const { about, full: whole, policy: some, placeholders, tokens, planned } of probes) {
        const { request } = about
        for (const [body, of] of [
          [whole(), full],
          [some(new Map()), policy],
        ] as const) {
          const { model: _, max_tokens: __, tools: ___, ...rest } = of[request] as Body
          expect(body).toMatchObject({ model: 'some-model', max_tokens: mostOutput, ...rest })
        }
        const answer = trace.messages[trace.requestAt(request)] as Message
        const call = answer.blocks.find(({ type }) => type === 'call') as { name: string; input: unknown } | undefined
        expect(about).toMatchObject({
          session: session.key,
          file: session.file,
          line: answer.line,
          cwd: '/home/ada/app',
          preamble: 'rebuilt',
        })
        expect(about.recorded).toEqual({ calls: call ? [{ name: call.name, input: call.input }] : [], text: '' })
        const kept = new Set((some(new Map()) as Body).messages.map((one) => JSON.stringify(one)))
        expect(about.left).toBe((whole() as Body).messages.filter((one) => !kept.has(JSON.stringify(one))).length)
        expect(about.used.length > 0).toBe(about.loss !== 'none')
        for (const { text } of about.used) expect(text.length).toBeLessThanOrEqual(601)
        expect(placeholders).toEqual([])
        // What stands in front is another thing, and the same in both, but for what stands between messages.
        const [more, less] = [tokens.full - planned.fullTokens, tokens.policy - planned.policyTokens]
        expect(Math.abs(more - less)).toBeLessThan(20)
        expect(more).not.toBe(0)
      }
    }
    expect(seen.sort()).toEqual(
      every.sessions
        .slice(0, 2)
        .map(({ file }) => file)
        .sort(),
    )
  })

  it.each([
    ['anthropic', false, 'max_tokens'],
    ['responses', false, 'max_output_tokens'],
    ['responses', true, 'max_output_tokens'],
    ['chat', false, 'max_completion_tokens'],
    ['chat', true, 'max_tokens'],
  ] as const)('says to %s how much may be written, on an own server %s: %s', async (api, isOwnServer, key) => {
    const { plan: some } = await planProbes(read(), plan, { ...settings, api, perSession: 1, probes: 1, seed: 1 })
    for await (const { probes } of readySessions(read(), plan, some.sessions, { ...settings, api, isOwnServer })) {
      const limits = Object.keys(probes[0]?.full() ?? {}).filter((one) => one.startsWith('max_'))
      expect(limits).toEqual([key])
    }
  })

  it('has marks at its end, and where it leaves what was asked before', () => {
    const message = (words: string, type = 'text') => ({
      role: 'user',
      content: [
        { type: 'text', text: 'x' },
        { type, text: words },
      ],
    })
    const body = (...words: string[]) => ({ model: 'm', messages: words.map((word) => message(word)) })
    const places = (one: object, before: object | null) =>
      (marked(one as never, before as never).messages as { content: { cache_control?: object }[] }[]).map(
        ({ content }) => content.map(({ cache_control }) => cache_control !== undefined),
      )
    const [no, end] = [
      [false, false],
      [false, true],
    ]
    expect(places(body('a', 'b', 'c'), null)).toEqual([no, no, end])
    expect(places(body('a', 'b', 'c', 'd'), body('a', 'b', 'x'))).toEqual([no, end, no, end])
    expect(places(body('a', 'b'), body('x'))).toEqual([no, end])
    expect(places({ messages: [message('t', 'thinking')] }, null)).toEqual([no])
    expect(places({ messages: [message('t', 'redacted_thinking'), { role: 'user', content: [] }] }, null)).toEqual([
      no,
      [],
    ])
    expect(marked(body('a') as never, null).model).toBe('m')
  })
})

describe('what stands in front', () => {
  const call = (name: string, input: unknown) => ({ type: 'call', id: 'c', name, input })
  const of = (preamble: object, given: object | null, ...calls: object[]) =>
    preambleFor(
      {
        preamble: { system: [], complete: false, ...preamble },
        messages: [{ blocks: calls }, { blocks: [{ type: 'text', text: 'x' }] }],
      } as never,
      given as never,
    )
  const [system, tools] = [['be kind'], [{ name: 'Read' }]]

  it('is as recorded, as given, made up of the calls, or not known', () => {
    expect(of({ complete: true }, { system, tools })).toEqual({ kind: 'recorded', instead: {} })
    expect(of({}, { system, tools })).toEqual({ kind: 'given', instead: { system, tools } })
    expect(of({ system: ['own'] }, { system, tools })).toEqual({ kind: 'given', instead: { system: ['own'], tools } })
    expect(of({ tools: [] }, { system, tools })).toEqual({ kind: 'given', instead: { system, tools: [] } })
    expect(of({ system, tools }, null)).toEqual({ kind: 'recorded', instead: {} })
    expect(of({ tools }, null)).toEqual({ kind: 'rebuilt', instead: { system: [], tools } })
    expect(of({ system }, null)).toEqual({ kind: 'recorded', instead: {} })
    expect(of({}, null)).toEqual({ kind: 'none', instead: {} })
  })

  it('has of each tool that is called the inputs, with their type where it is always the same', () => {
    const { kind, instead } = of(
      { system },
      null,
      call('Read', { path: 'a', line: 1, all: true }),
      call('Bash', { list: [], of: {}, no: null }),
      call('Read', { path: 2, line: 3 }),
    )
    expect(kind).toBe('rebuilt')
    const types = (given: Record<string, string>) =>
      Object.fromEntries(Object.entries(given).map(([name, type]) => [name, type === '' ? {} : { type }]))
    const tool = (name: string, given: Record<string, string>) => ({
      name,
      description: '',
      input_schema: { type: 'object', properties: types(given) },
    })
    expect(instead).toEqual({
      system,
      tools: [
        tool('Read', { path: '', line: 'number', all: 'boolean' }),
        tool('Bash', { list: 'array', of: 'object', no: 'null' }),
      ],
    })
  })
})

describe('what asking costs', () => {
  const probe = (full: number, fullShared: number, policy: number, policyShared: number, output: number | null) => ({
    ...{ fullTokens: full, fullShared, policyTokens: policy, policyShared, outputTokens: output },
  })
  const sessions = [
    { probes: [probe(90_000, 0, 40_000, 0, 300), probe(95_000, 80_000, 42_000, 30_000, null)], summaries: [] },
    { probes: [probe(10_000, 0, 9000, 0, 90_000)], summaries: [{ readTokens: 7000, writtenTokens: 2700 }] },
  ] as unknown as SessionPlan[]

  it.each([
    ['claude-sonnet-4-5', 'anthropic', true],
    ['claude-sonnet-4-5', 'chat', false],
    ['gpt-5', 'responses', false],
  ] as const)('%s through %s is what each request costs, added up', (model, api, marks) => {
    const prices = ProbePrices.of(model, api, builtinModels) as ProbePrices
    const info = lookupModel(model, builtinModels)
    const rates = (tokens: number) =>
      ratesAt(info as never, tokens, builtinModels, Number.NaN) as NonNullable<ReturnType<typeof ratesAt>>
    let [cold, cached] = [0, 0]
    for (const [tokens, shared, output] of [
      ...[
        [90_000, 0, 300],
        [40_000, 0, 300],
        [95_000, 80_000, 400],
        [42_000, 30_000, 400],
      ],
      ...[
        [10_000, 0, mostOutput],
        [9000, 0, mostOutput],
      ],
    ] as const) {
      const { input, read, write, output: out } = rates(tokens)
      // Both askings; of the second, all is in the cache.
      cold += 2 * tokens * input + 2 * output * out
      cached += (tokens - shared) * (marks ? write : input) + shared * read + tokens * read + 2 * output * out
    }
    const once = 7000 * rates(7000).input + 2700 * rates(7000).output
    const { cold: isCold, cached: isCached } = dollarsOf(sessions, prices) as { cold: number; cached: number }
    expect(isCold).toBeCloseTo(cold + once, 9)
    expect(isCached).toBeCloseTo(cached + once, 9)
    const { input, read, write, output } = rates(50_000)
    expect(prices.worst(50_000)).toBeCloseTo(50_000 * (marks ? write : input) + mostOutput * output, 9)
    const usage = { input: 50_000, cacheRead: 30_000, cacheWrite: 5000, output: 70 }
    expect(prices.used(usage)).toBeCloseTo(15_000 * input + 30_000 * read + 5000 * write + 70 * output, 9)
    expect(prices.used({ ...usage, cacheRead: 60_000 })).toBeCloseTo(60_000 * read + 5000 * write + 70 * output, 9)
  })

  it('is not known of a model without a price', () => {
    expect(ProbePrices.of('nobody-knows', 'chat', builtinModels)).toBeNull()
    expect(dollarsOf(sessions, null)).toEqual({ cold: null, cached: null })
  })
})

describe('a run', () => {
  const words = (text: string): Answer => ({ action: { calls: [], text }, stop: null, model: null, usage: null })
  const placeholder = (name: string) => ({ role: 'user', blocks: [], name }) as unknown as Message
  const ready = (session: string, request: number, placeholders: Message[] = []) =>
    ({
      about: { session, request },
      placeholders,
      full: () => ({ messages: [`${session}${request} full`] }),
      policy: (written: Map<Message, string>) => ({
        messages: [`${session}${request} policy ${[...written.values()].join()}`],
      }),
      summary: (one: Message & { name: string }, written: Map<Message, string>, mayCall: boolean) => ({
        messages: [`summary ${one.name} ${mayCall} ${[...written.values()].join()}`],
      }),
    }) as unknown as ReadyProbe
  async function* given(...sessions: ReadyProbe[][]): AsyncGenerator<ReadySession> {
    for (const probes of sessions) yield { plan: {} as never, probes }
  }
  const run = async (
    sessions: AsyncGenerator<ReadySession>,
    more: object = {},
    answer: (asked: string) => unknown = () => words('So it was.'),
  ) => {
    const asked: string[] = []
    const done: unknown[] = []
    const failed: string[] = []
    await runProbes(sessions, {
      respondent: {
        async ask(kind, asking, body) {
          const said = `${kind} ${asking}: ${(body as { messages: string[] }).messages.join()}`
          asked.push(said)
          const one = answer(said)
          return one !== null && typeof one === 'object' && 'failed' in one
            ? (one as never)
            : { key: said, answer: one as Answer }
        },
      },
      marks: false,
      cleaning: () => (body) => body,
      isEnough: async () => false,
      done: (probe) => void done.push([probe.request, probe.keys]),
      failed: ({ about }, reason) => void failed.push(`${about.request}: ${reason}`),
      ...more,
    })
    return { asked, done, failed }
  }
  const four = (name: string, written = '') => [
    `answer first: ${name} full`,
    `answer again: ${name} full`,
    `answer first: ${name} policy ${written}`,
    `answer again: ${name} policy ${written}`,
  ]

  it('asks twice with each window, and has each summary written once', async () => {
    const [one, two] = [placeholder('one'), placeholder('two')]
    const { asked, done } = await run(given([ready('a', 0), ready('a', 1, [one, two]), ready('a', 2, [one])]))
    expect(asked).toEqual([
      ...four('a0'),
      ...['summary first: summary one true ', 'summary first: summary two true So it was.'],
      ...four('a1', 'So it was.,So it was.'),
      ...four('a2', 'So it was.,So it was.'),
    ])
    expect(done).toEqual([
      [0, four('a0')],
      [1, four('a1', 'So it was.,So it was.')],
      [2, four('a2', 'So it was.,So it was.')],
    ])
  })

  it('asks for a summary again where the model only calls, and then may not', async () => {
    const silent = await run(given([ready('a', 1, [placeholder('one')]), ready('a', 2)]), {}, (said) =>
      words(said.startsWith('summary') ? ' \n' : 'x'),
    )
    expect(silent.asked.slice(0, mostSummaryTries)).toEqual([
      'summary first: summary one true ',
      'summary again: summary one false ',
    ])
    expect(silent.failed).toHaveLength(1)
    expect(silent.done.map((one) => (one as [number])[0])).toEqual([2])
    const second = await run(given([ready('a', 1, [placeholder('one')])]), {}, (said) =>
      words(said.startsWith('summary first') ? '' : ' kept '),
    )
    expect(second.done).toEqual([[1, four('a1', 'kept')]])
  })

  it('says why where nothing usable comes back, and goes on with the next', async () => {
    const { failed, done, asked } = await run(given([ready('a', 0), ready('a', 1)]), {}, (said) =>
      said === 'answer again: a0 full' ? { failed: 'no answer' } : words('x'),
    )
    expect([failed, done.length, asked.length]).toEqual([['0: no answer'], 1, 6])
  })

  it('ends where it is enough, or where the respondent throws, once all others have come back', async () => {
    let left = 6
    const enough = await run(given([ready('a', 0), ready('a', 1)], [ready('b', 0)]), {
      isEnough: async () => left-- <= 0,
    })
    expect(enough.asked.length).toBeLessThanOrEqual(6)
    expect(enough.done.length).toBeLessThanOrEqual(1)
    const late: string[] = []
    const wait = (said: string) => new Promise((resolve) => setTimeout(() => resolve(words(said)), 5))
    await expect(
      runProbes(given([ready('a', 0)], [ready('b', 0)]), {
        respondent: {
          async ask(_, asking, body) {
            const [name = ''] = (body as { messages: string[] }).messages
            if (name.startsWith('a')) throw new TypeError('no network')
            late.push(`${asking} ${name}`)
            return { key: name, answer: (await wait(name)) as Answer }
          },
        },
        ...{
          marks: false,
          cleaning: () => (body) => body,
          isEnough: async () => false,
          done: () => {},
          failed: () => {},
        },
      }),
    ).rejects.toThrow('no network')
    expect(late).toEqual(['first b0 full'])
  })

  it('marks what goes out of an answer, and never of a summary', async () => {
    const sent: string[] = []
    const body = { messages: [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] }
    const one = {
      ...ready('a', 0, [placeholder('one')]),
      full: () => body,
      policy: () => body,
      summary: () => body,
    } as unknown as ReadyProbe
    for (const marks of [true, false])
      await run(given([one]), {
        marks,
        respondent: {
          async ask(kind: string, _: string, __: unknown, out: unknown) {
            sent.push(`${kind} ${JSON.stringify(out).includes('cache_control')}`)
            return { key: 'k', answer: words('x') }
          },
        },
      })
    expect(sent).toEqual([
      'summary false',
      ...Array(4).fill('answer true'),
      'summary false',
      ...Array(4).fill('answer false'),
    ])
  })
})

describe('what was found', () => {
  const reads = (file_path: string): NextAction => ({ calls: [{ name: 'Read', input: { file_path } }], text: '' })
  const answer = (file: string, more: Partial<Answer> = {}): Answer => ({
    action: reads(file),
    stop: null,
    model: null,
    usage: null,
    ...more,
  })
  const probe = (session: string, request: number, more: Partial<AskedProbe> = {}): AskedProbe => ({
    ...{
      session,
      request,
      loss: 'none',
      age: 'to 5',
      tool: 'Read',
      weight: 1,
      file: `${session}.jsonl`,
      line: 7,
      cwd: null,
    },
    ...{ recorded: reads('/a'), preamble: 'rebuilt', left: 2, used: [], keys: ['', '', '', ''] },
    ...more,
  })
  const asked = (one: AskedProbe, ...files: string[]) => ({
    probe: one,
    answers: files.map((file) => answer(file)) as never,
  })

  it('is by session and request, each pair of answers compared, and every stratum a part of all', () => {
    const answered = [
      asked(probe('b', 3, { weight: 2, loss: 'content', tool: null }), '/a', '/a', '/b', '/a'),
      asked(probe('a', 9, { preamble: 'recorded', age: 'older' }), '/a', '/b', '/b', '/b'),
      asked(probe('b', 1), '/a', '/a', '/a', '/a'),
    ]
    const found = foundIn(answered)
    expect(found.probes).toBe(3)
    expect(found.preambles).toEqual({ recorded: 1, given: 0, rebuilt: 1, none: 0 })
    const by = (name: string) => found.strata.filter((one) => one.by === name).map(({ kind, probes }) => [kind, probes])
    expect([by('all'), by('loss'), by('age'), by('tool'), by('preamble')]).toEqual([
      [['all', 3]],
      [
        ['content', 1],
        ['none', 2],
      ],
      [
        ['older', 1],
        ['to 5', 2],
      ],
      [
        ['Read', 2],
        ['answer', 1],
      ],
      [
        ['rebuilt', 2],
        ['recorded', 1],
      ],
    ])
    // The floors are 1, 0 and 1; of the pairs with the policy's window half, half and all are the same.
    const [all] = found.strata
    expect(all).toMatchObject({ clusters: 2, floor: (2 * 1 + 0 + 1) / 4, across: (2 * 0.5 + 0.5 + 1) / 4, low: null })
    expect(all?.difference).toBeCloseTo((2 - 3) / 4 + 0.5 - 0.125 - 0.25 + 0.0 + (2.5 - 3) / 4 - (2 - 3) / 4 - 0.125)
    expect([found.across.same, found.floor.same, found.drift.same].map(({ part, whole }) => [part, whole])).toEqual([
      [8, 12],
      [2, 3],
      [5, 6],
    ])
    expect(found.differences).toEqual([
      expect.objectContaining({
        file: 'b.jsonl',
        request: 3,
        line: 7,
        left: 2,
        full: [reads('/a'), reads('/a')],
        policy: [reads('/b'), reads('/a')],
      }),
    ])
    expect(found.cutOff).toBe(0)
  })

  it('counts the answers that had to end', () => {
    const stops = ['max_tokens', 'length', 'max_output_tokens', 'incomplete', 'end_turn', 'stop', null, 'tool_use']
    const answered = [0, 4].map((from) => ({
      probe: probe('a', from),
      answers: stops.slice(from, from + 4).map((stop) => answer('/a', { stop })) as never,
    }))
    expect(foundIn(answered).cutOff).toBe(4)
  })

  it('has the usage of all that was answered', () => {
    const usage = { input: 100, cacheRead: 20, cacheWrite: 3, output: 4 }
    expect(usageOf([answer('/a', { usage }), answer('/a')], [answer('/a', { usage })])).toEqual({
      ...{ answers: 2, summaries: 1, input: 200, cacheRead: 40, cacheWrite: 6, output: 8 },
    })
  })

  it('expects nothing of fewer than five sessions', () => {
    expect(plannedPower({ planned: 40, among: 4 }, [])).toBeNull()
    const [few, many] = [plannedPower({ planned: 50, among: 5 }, []), plannedPower({ planned: 500, among: 50 }, [])]
    expect(few?.halfWidth).toBeGreaterThan(many?.halfWidth ?? Infinity)
  })
})
