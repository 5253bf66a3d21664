/** Compares the policies of programs with slow, obvious implementations, over whole transcripts. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulate } from '../../../src/app/by-plan.ts'
import { caseOf, type Plan, sizersFor } from '../../../src/app/plan.ts'
import { choose } from '../../../src/base/chosen.ts'
import type { Params } from '../../../src/base/param.ts'
import bytes from '../../../src/estimators/bytes.ts'
import estimate from '../../../src/estimators/estimate.ts'
import type { Estimator } from '../../../src/estimators/estimator.ts'
import { type Block, type Message, textOf } from '../../../src/model/message.ts'
import { sentAsRecorded } from '../../../src/model/recorded.ts'
import type { Clearing, Compaction } from '../../../src/model/trace.ts'
import { priorPreamble } from '../../../src/models/preambles.ts'
import { policies } from '../../../src/policies/index.ts'
import { counter as forgeCounter } from '../../../src/policies/upstream/forge.ts'
import { summaryOf } from '../../../src/policies/upstream/forge-summary.ts'
import { messageBytes } from '../../../src/policies/upstream/ikigai.ts'
import { programCounter as mimirCounter } from '../../../src/policies/upstream/mimir.ts'
import { transcripts } from '../../laws/transcripts.ts'
import { headOf, messages, traceOf } from '../../simulator/arbitrary.ts'
import { counterOf, requests, shown } from '../requests.ts'

const isPrompt = (message: Message) => message.role === 'user' && message.origin === undefined
const isResponseAt = (list: readonly Message[], index: number) =>
  list[index]?.role === 'assistant' &&
  (list[index].responseId === undefined || list[index].responseId !== list[index - 1]?.responseId)
/** `content.len() / 4` */
const contentTokens = (message: Message) => Math.floor(Buffer.byteLength(textOf(message)) / 4)
const text = (text: string): Block[] => [{ type: 'text', text }]

describe('mimir-shipped', () => {
  /** The chat processor's loop on plain lists: the whole history with each question, one cut before each call. */
  function slowly(list: readonly Message[], budget: number): string[][] {
    const threshold = Math.trunc(Math.fround(Math.fround(budget) * Math.fround(0.8)))
    const sum = (messages: readonly Message[]) => messages.reduce((total, m) => total + mimirCounter.message(m), 0)
    const sent: string[][] = []
    let messages: Message[] = []
    let initial = 0
    let asked = false
    list.forEach((message, index) => {
      if (isResponseAt(list, index)) {
        if (asked) {
          messages = list.slice(0, index)
          initial = messages.length
        }
        asked = false
        const keep = Math.max(Math.max(0, messages.length - initial) + 6, 6)
        if (sum(messages) > threshold && messages.length > keep) {
          const skip = messages.length - keep
          const note = `[Context note: ${skip} earlier messages were truncated to manage context window. The conversation continues from the most recent ${keep} messages.]`
          messages = [{ role: 'system', line: 0, blocks: text(note) }, ...messages.slice(skip)]
        }
        sent.push(messages.map(shown))
      }
      messages.push(message)
      if (isPrompt(message)) asked = true
    })
    return sent
  }

  it('cuts as the program’s loop does', () => {
    fc.assert(
      fc.property(transcripts, fc.constantFrom(60, 200, 500, 2000), (list, budget) => {
        const setting = { budget, tokens: mimirCounter.message }
        expect(requests('mimir-shipped', list, setting)).toEqual(slowly(list, budget))
      }),
      { numRuns: 80, endOnFailure: true },
    )
  })
})

describe('mimir', () => {
  /** The document's four steps on a plain list. A pair is an exchange; what is in front of the first leaves with it. */
  function slowly(list: readonly Message[], budget: number, preamble: number): string[][] {
    const sent: string[][] = []
    let messages: Message[] = []
    let gone = 0
    const estimate = () => messages.reduce((sum, message) => sum + contentTokens(message), preamble)
    const callsIn = (some: readonly Message[]) =>
      some.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === 'call' ? [block.id] : [])))
    const answersIn = (some: readonly Message[]) =>
      some.flatMap(({ role, callId }) => (role === 'tool' ? [callId] : []))
    /** Where the messages can begin: at a prompt with three pairs behind it, and with no result of a call before it. */
    const nextStart = () => {
      const prompts = messages.flatMap((message, index) => (isPrompt(message) ? [index] : []))
      return prompts.slice(1, -3).find((start) => {
        const calls = callsIn(messages.slice(0, start))
        return !answersIn(messages.slice(start)).some((id) => calls.includes(id as string))
      })
    }
    for (const [index, message] of list.entries()) {
      if (isResponseAt(list, index)) {
        while (estimate() > 0.8 * budget) {
          const start = nextStart()
          if (start === undefined) break
          const rest = messages.slice(start)
          gone += start - (messages[0]?.line === 0 ? 1 : 0)
          const note = `[Context note: ${gone} earlier messages were truncated to manage context window. The conversation continues from the most recent ${rest.length} messages.]`
          messages = [{ role: 'system', line: 0, blocks: text(note) }, ...rest]
        }
        sent.push(messages.map(shown))
      }
      // A result whose call has left does not come in.
      const called = callsIn(list.slice(0, index))
      const isLate = message.role === 'tool' && called.includes(message.callId as string)
      if (!isLate || callsIn(messages).includes(message.callId as string)) messages.push(message)
      else gone++
    }
    return sent
  }

  it('drops pairs as its document says', () => {
    let windows = 0
    fc.assert(
      fc.property(
        transcripts,
        fc.constantFrom(50, 100, 300, 1000),
        fc.constantFrom(0, 40),
        (list, budget, preamble) => {
          const sent = requests('mimir', list, { budget, preamble, tokens: contentTokens })
          expect(sent).toEqual(slowly(list, budget, preamble))
          windows += sent.length
        },
      ),
      { numRuns: 300, endOnFailure: true },
    )
    expect(windows).toBeGreaterThan(2000)
  })

  it('keeps the current exchange and three pairs, and says how many messages are gone', () => {
    const list: Message[] = Array.from({ length: 12 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      line: index + 1,
      blocks: text('x'.repeat(360)),
    }))
    const sent = requests('mimir', list, { budget: 1000, tokens: mimirCounter.message })
    expect(sent.map((request) => request.length)).toEqual([1, 3, 5, 7, 8, 8])
    expect(sent[4]?.[0]).toBe(
      'system: [Context note: 2 earlier messages were truncated to manage context window. The conversation continues from the most recent 7 messages.]',
    )
    expect(sent[5]?.[0]).toContain('[Context note: 4 earlier messages')
  })
})

describe('as-recorded', () => {
  it('drops what the agent dropped, and puts its summary in the place', () => {
    const list: Message[] = ['a', 'b', 'c', 'd', 'e', 'f'].map((word, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      line: index + 1,
      blocks: text(word),
    }))
    const summary: Message = { role: 'user', line: 9, blocks: text('so far') }
    const compactions = [
      { at: 3, keptFrom: 2, summary: [summary], line: 9 },
      { at: 5, keptFrom: 5, summary: [summary], line: 9 },
    ]
    expect(requests('as-recorded', list, { budget: 1, tokens: () => 1, compactions })).toEqual([
      ['user: a'],
      ['user: so far', 'user: c'],
      ['user: so far'],
    ])
  })
})

describe('as-recorded, whatever the agent did', () => {
  const plan: Plan = {
    policies: [choose(policies.get('as-recorded'))],
    estimators: [choose(estimate)],
    budgets: [0],
  }
  /** At which requests the context was changed, and from which message on. */
  const cuts = fc.array(fc.record({ at: fc.nat(40), back: fc.nat(20), clears: fc.boolean(), restored: fc.boolean() }), {
    maxLength: 4,
  })

  it('sends what the walk of the recorded requests adds up, also without a budget', () => {
    fc.assert(
      fc.property(messages, cuts, fc.array(fc.nat(40), { maxLength: 2 }), (list, places, resets) => {
        const said = (line: number, words: string): Message => ({ role: 'user', line, blocks: text(words) })
        const compactions: Compaction[] = []
        const clearings: Clearing[] = []
        for (const { at, back, clears, restored } of places.toSorted((a, b) => a.at - b.at)) {
          if (at === 0 || at >= list.length) continue
          const from = Math.max(0, at - back)
          const results = list.flatMap(({ role }, index) =>
            role === 'tool' && index >= from && index < at ? [index] : [],
          )
          if (clears)
            clearings.push({ at, left: new Map(results.map((index) => [index, text('gone')])), restored, line: at })
          else
            compactions.push({
              at,
              keptFrom: from,
              summary: [said(at, 'so far')],
              restored: [said(at, 'a file')],
              line: at,
            })
        }
        const trace = traceOf(list, sizersFor(plan)(headOf('openai')), 'openai', {
          compactions,
          clearings,
          resets,
        })
        const sizes = caseOf(trace, plan).sizes
        const walked = [...sentAsRecorded(trace, sizes)].map(({ units }) => sizes.tokens(sizes.preamble + units))
        const [run] = simulate(trace, plan, 'request')
        expect(run!.rows!.map(({ sentTokens }) => sentTokens)).toEqual(walked)
      }),
    )
  })
})

describe('as-recorded, where the provider counted anew', () => {
  const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 })
  const plan: Plan = {
    policies: [choose(policies.get('as-recorded'))],
    estimators: [choose(estimate)],
    budgets: [0],
    preamble: 0,
  }
  const said = (words: number): Block[] => text('word '.repeat(words))

  it('lets the oldest results go where the context shrank and nothing says why, and says how often', () => {
    const list = [40_000, 80_000, 50_000, 50_100].flatMap((input, index): Message[] => [
      { role: 'user', line: 3 * index + 1, blocks: said(10) },
      {
        role: 'assistant',
        line: 3 * index + 2,
        blocks: [{ type: 'call', id: `c${index}`, name: 'read', input: {} }],
        usage: usage(input),
      },
      { role: 'tool', line: 3 * index + 3, blocks: said(index < 2 ? 40_000 : 10), callId: `c${index}` },
    ])
    const trace = traceOf(list, sizersFor(plan)(headOf('anthropic')), 'anthropic')
    const [run] = simulate(trace, plan, 'request')
    const sent = run!.rows!.map(({ sentTokens }) => sentTokens)
    expect(sent[2]).toBe(50_000)
    expect(Math.abs(sent[3]! - 50_100)).toBeLessThan(100)
    expect(run!.recorded?.unexplainedCuts).toBe(1)
    expect(run!.validity).toMatchObject({ orphanCalls: 0, orphanResults: 0 })
  })

  it('puts in what a compaction brought along and nobody recorded', () => {
    const summary: Message = { role: 'user', line: 9, blocks: said(100) }
    const list = [10, 20, 30_000].flatMap((input, index): Message[] => [
      { role: 'user', line: 2 * index + 1, blocks: said(10) },
      { role: 'assistant', line: 2 * index + 2, blocks: [], usage: usage(input) },
    ])
    const trace = traceOf(list, sizersFor(plan)(headOf('anthropic')), 'anthropic', {
      compactions: [{ at: 4, keptFrom: 4, summary: [summary], line: 9 }],
    })
    const [run] = simulate(trace, plan, 'request')
    expect(run!.rows![2]!.sentTokens).toBe(30_000)
  })
})

describe('a transcript without its head', () => {
  const plan: Plan = {
    policies: [choose(policies.get('drop-oldest'))],
    estimators: [choose(estimate)],
    budgets: [60_000],
  }
  const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 })
  const list: Message[] = [
    { role: 'user', line: 1, blocks: text('[what was said before this file begins]'), origin: 'injected' },
    ...[110_000, 110_020, 110_040, 110_060].flatMap((input, index): Message[] => [
      { role: 'user', line: 2 * index + 1, blocks: text('What now?') },
      { role: 'assistant', line: 2 * index + 2, blocks: text('This.'), usage: usage(input) },
    ]),
  ]
  const head = { headless: true, format: 'claude-code', version: '2.1.7' }
  const trace = traceOf(list, sizersFor(plan)(headOf('anthropic')), 'anthropic', { head })

  it('splits what stood in front into the usual preamble and unknown history, which a policy may drop', () => {
    const [run] = simulate(trace, plan, 'request')
    const { tokens } = priorPreamble({ program: head.format, version: head.version, agent: 'main', recorded: false })
    expect(run!.preambleTokens).toBe(Math.round(tokens))
    expect(run!.preambleTokens + run!.unknownHistoryTokens!).toBeGreaterThan(109_900)
    expect(run!.rows!.at(-1)!.sentTokens).toBeLessThan(60_000)
  })

  it('takes for the preamble what the user says it is, or what is left behind a compaction', () => {
    expect(simulate(trace, { ...plan, preamble: 30_000 })[0]).toMatchObject({ preambleTokens: 30_000 })
    const summary: Message = { role: 'user', line: 9, blocks: text('So far.') }
    const cut = traceOf(
      list.map((message) => (message.usage?.input === 110_060 ? { ...message, usage: usage(25_000) } : message)),
      sizersFor(plan)(headOf('anthropic')),
      'anthropic',
      { head, compactions: [{ at: 7, keptFrom: 7, summary: [summary], line: 9 }] },
    )
    const [run] = simulate(cut, plan)
    expect(Math.abs(run!.preambleTokens - 25_000)).toBeLessThan(50)
  })

  it('calls nothing unknown where no more stood in front than is usual', () => {
    const whole = traceOf(
      list.map((message) => (message.usage ? { ...message, usage: usage(message.usage.input - 70_000) } : message)),
      sizersFor(plan)(headOf('anthropic')),
      'anthropic',
      { head },
    )
    expect(simulate(whole, plan)[0]).toMatchObject({ unknownHistoryTokens: 0 })
  })
})

describe('ikigai-shipped', () => {
  const usage = (input: number) => ({ input, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 })
  const list: Message[] = [900, 1000, 2500, 2600].flatMap((input, index) => [
    { role: 'user', line: 2 * index + 1, blocks: text('q') },
    { role: 'assistant', line: 2 * index + 2, blocks: text(`answer ${index}`), usage: usage(input) },
  ])

  it('weighs a turn by how much the recorded input grew', () => {
    // Turns have 900, 100 and 1500 tokens: the first leaves when the third has ended.
    const sent = requests('ikigai-shipped', list, { budget: 2000, tokens: () => 1 })
    expect(sent.map((request) => request.length)).toEqual([1, 3, 5, 5])
  })

  it('weighs a turn by its bytes where nothing is recorded', () => {
    const bare = list.map(({ usage: _, ...message }) => message)
    expect(messageBytes(bare[1] as Message)).toBe(8)
    const sent = requests('ikigai-shipped', bare, { budget: 4, tokens: () => 1 })
    expect(sent.map((request) => request.length)).toEqual([1, 3, 5, 5])
  })
})

describe('forge-shipped', () => {
  const call = (name: string, input: object): Block => ({ type: 'call', id: 'c', name, input })

  it('writes the summary that forge’s own snapshot shows', () => {
    const messages: Omit<Message, 'line'>[] = [
      { role: 'user', blocks: text('Please read the config file') },
      { role: 'user', blocks: text('left out: consecutive') },
      { role: 'assistant', blocks: [call('read', { path: '/home/me/config.toml' })] },
      { role: 'tool', callId: 'c', blocks: text('lost') },
      { role: 'assistant', blocks: [...text('Now.'), call('shell', { command: 'cargo test' }), call('other', {})] },
    ]
    const lined = messages.map((message, index) => ({ ...message, line: index + 1 }))
    expect(summaryOf(lined, '/home/me').split('## Summary\n')[1]).toBe(`
### 1. User

\`\`\`\`
Please read the config file
\`\`\`\`

### 2. Assistant

**Read:** \`config.toml\`
\`\`\`\`
Now.
\`\`\`\`
**Execute:** 
\`\`\`
cargo test
\`\`\`
**MCP:** \`other\`


---

Proceed with implementation based on this context.
`)
  })

  it('evicts everything from the first assistant message on, the question just asked included', () => {
    const list: Message[] = Array.from({ length: 6 }, (_, index) => ({
      role: index % 2 === 0 ? 'user' : 'assistant',
      line: index + 1,
      blocks: text(`message ${index}`),
    }))
    const sent = requests('forge-shipped', list, { budget: 9, tokens: forgeCounter.message })
    expect(sent[1]?.length).toBe(3)
    // Decided by what was sent (three messages of three tokens): the user message, one summary and the answer are left.
    expect(sent[2]?.map((line) => line.slice(0, 20))).toEqual([
      'user: message 0',
      'user: Use the follow',
      'assistant: message 3'.slice(0, 20),
      'user: message 4',
    ])
    expect(sent[2]?.[1]).toContain('message 2')
  })
})

describe('--measure native', () => {
  const planOf = (policy: string, estimator: Estimator<Params>, given = {}): Plan => ({
    policies: [choose(policies.get(policy), given)],
    estimators: [choose(estimator)],
    budgets: [100_000],
    native: true,
  })
  const tools = [{ name: 'read', description: 'Reads a file.' }]
  const preamble = { system: [{ role: 'system', line: 1, blocks: text('You are terse.') }] as Message[], tools }
  const traceFor = (list: readonly Message[], plan: Plan) =>
    traceOf(list, sizersFor(plan)(headOf('openai')), 'openai', { preamble: { ...preamble, complete: true } })

  it.each(policies.all.flatMap(({ name, native }) => (native && 'message' in native ? [[name, native] as const] : [])))(
    '%s believes its program’s own count',
    (name, native) => {
      const given = 'keepFirst' in policies.get(name).params ? { keepFirst: 99 } : {}
      const plan = planOf(name, bytes, given)
      fc.assert(
        fc.property(transcripts, (list) => {
          const trace = traceFor(list, plan)
          const [run] = simulate(trace, plan)
          // Nothing is cut or masked at this budget, so each request has all messages before it.
          let believed = 0
          for (let request = 0; request < trace.requests; request++) {
            const before = (trace.messages ?? []).slice(0, trace.requestAt(request))
            const units = before.reduce((sum, one) => sum + native.message(one), native.preamble(trace.preamble))
            believed += Math[native.roundsUp ? 'ceil' : 'floor'](units / (native.unitsPerToken ?? 1))
          }
          expect(run?.sentTokens).toBe(run?.fullTokens)
          expect(run?.believedTokens).toBe(believed)
        }),
        { numRuns: 20, endOnFailure: true },
      )
    },
  )

  it('ikigai counts the bytes of the request, whatever the run counts', () => {
    fc.assert(
      fc.property(transcripts, fc.constantFrom(100, 300, 1000), (list, budget) => {
        const [native, own] = [planOf('ikigai', estimate), planOf('ikigai', bytes)]
        const [believing, counting] = [native, own].map(
          (plan) => simulate(traceFor(list, plan), { ...plan, budgets: [budget] })[0],
        )
        expect(believing?.believedTokens).toBe(counting?.sentTokens)
        expect([...(believing?.cuts ?? [])].map(({ request }) => request)).toEqual(
          [...(counting?.cuts ?? [])].map(({ request }) => request),
        )
      }),
      { numRuns: 40, endOnFailure: true },
    )
  })

  it('the documents have a quarter of the bytes, and their programs something for each message', () => {
    const quarter = (words: string) => Math.floor(Buffer.byteLength(words) / 4)
    const said = fc.string({ unit: 'binary', maxLength: 40 })
    const perMessage = { mimir: 0, 'mimir-shipped': 10, duragent: 0, 'duragent-shipped': 4, exchange: 0 }
    for (const [name, more] of Object.entries(perMessage)) {
      const { message } = counterOf(name)
      fc.assert(
        fc.property(said, (words) => {
          expect(message({ role: 'user', line: 1, blocks: text(words) })).toBe(quarter(words) + more)
        }),
      )
    }
  })
})
