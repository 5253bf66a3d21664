/**
 * Whatever an agent tells a window, it is given a request with a size, or one line that says what is wrong. What was told wrong is
 * as if it had not been told: the window goes on.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { choose } from '../../src/base/chosen.ts'
import { CtxwinError } from '../../src/base/errors.ts'
import { estimators } from '../../src/estimators/index.ts'
import { anthropic, type LiveRequest, live, liveWindow, summarisingWindow } from '../../src/live/index.ts'
import type { Message } from '../../src/model/message.ts'
import { policies } from '../../src/policies/index.ts'
import { changedValue } from '../mutations.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { cases } from '../whole.ts'
import { libraries } from './libraries.ts'
import { tried } from './tried.ts'
import { historyOf, wires } from './wires.ts'

const round: Record<string, unknown> = { type: 'text' }
round.content = [round]

const throwing = Object.defineProperty({ type: 'text', [fc.toStringMethod]: () => 'throwing' }, 'text', {
  enumerable: true,
  get: () => {
    throw new TypeError('no')
  },
})

const deep = JSON.parse(`${'['.repeat(5_000)}1${']'.repeat(5_000)}`)

/** What JSON has no word for, or hardly. */
const beyond: readonly unknown[] = [
  ...[undefined, Number.NaN, Infinity, -Infinity, 7n, Symbol('s'), () => 1, new Date(Number.NaN), new Map([[1, 2]])],
  ...[new Uint8Array(9), round, throwing, deep, Object.create(null), [null], [undefined], 1000.5, '1000', -1],
]

const odd: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...beyond),
  fc.anything({ withBigInt: true, withDate: true, withMap: true, withSparseArray: true, withTypedArray: true }),
)

const oddly = (value: unknown): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 9, arbitrary: changedValue(value).chain((once) => changedValue(once, beyond)) },
    { weight: 9, arbitrary: changedValue(value, beyond) },
    odd,
  )

/** Those that change messages in every way, and those that ask a model. */
const names = [
  ...tried,
  'knobs:trigger=always,operation=strip+drop-thinking,target=all',
  'knobs:trigger=always,operation=truncate:9+dedupe,target=all',
  'summarise-oldest:tokens=30',
  'opencode-compact:reserve=20,tail=30,summaryTokens=9',
]

interface Api {
  readonly api: never
  readonly historyOf: (messages: readonly Message[]) => readonly unknown[]
}

const apis: readonly Api[] = [
  ...wires.map(
    (wire): Api => ({
      api: wire.api as never,
      historyOf: (messages) => historyOf(wire, traceOf(messages as Message[], [() => 1], wire.provider)),
    }),
  ),
  ...libraries.map(({ form, elementsOf }): Api => ({ api: form as never, historyOf: elementsOf })),
]

const text = (words: number) => ({ type: 'text', text: 'word '.repeat(words) }) as const
const call = (id: string) => ({ type: 'call', id, name: 'read', input: { path: `${id}.ts` } }) as const

/** Everything that a policy may change: prompts, answers, calls beside words, results side by side. */
const messages = (
  [
    { role: 'user', blocks: [text(60)] },
    { role: 'assistant', blocks: [text(9), call('a'), call('b')] },
    { role: 'tool', callId: 'a', toolName: 'read', blocks: [text(80)] },
    { role: 'tool', callId: 'b', toolName: 'read', blocks: [text(80)], continues: true },
    { role: 'assistant', blocks: [text(30)] },
    { role: 'user', blocks: [text(20)] },
    { role: 'assistant', blocks: [call('c')] },
    { role: 'tool', callId: 'c', toolName: 'read', blocks: [text(80)] },
    { role: 'user', blocks: [text(9)] },
  ] satisfies Omit<Message, 'line'>[]
).map((message, at): Message => ({ ...message, line: at + 1 }))

/** Some of the requests of a history, the last of them with all of it. */
const partsOf = (history: unknown): unknown[] =>
  Array.isArray(history) ? [0.4, 0.7, 1].map((share) => history.slice(0, Math.ceil(history.length * share))) : [history]

const options = { budget: 90, estimator: 'bytes', summarise: () => 'Lamps.' } as const

type Said = LiveRequest<unknown> | string

/** What is given, or the line that says why nothing is. Any other error fails the test. */
async function said(ask: () => unknown): Promise<Said> {
  try {
    const given = (await ask()) as LiveRequest<unknown>
    expect(Number.isSafeInteger(given.tokens) && given.tokens >= 0).toBe(true)
    expect(Array.isArray(given.messages)).toBe(true)
    return given
  } catch (error) {
    if (!(error instanceof CtxwinError)) throw error
    expect(error.message).toMatch(/^[^\n]{9,300}$/)
    return error.message
  }
}

/** The same options with a function that summarises, if they are readable. */
function summarising(given: unknown): never {
  try {
    return { ...Object(given), summarise: () => 'Lamps.' } as never
  } catch {
    return given as never
  }
}

const isRefused = (given: Said): boolean => typeof given === 'string'

const runs = (numRuns: number) => ({ numRuns: cases(numRuns), endOnFailure: true })

describe('a window', () => {
  const history = apis.map(({ historyOf }) => historyOf(messages))
  const at = (nth: number) => ({ api: apis[nth]?.api as never, history: history[nth] as readonly unknown[] })
  const drawn = fc.record({ nth: fc.nat(apis.length - 1), policy: fc.constantFrom(...names) })

  it('takes any history, or says which message is none', async () => {
    const odd = drawn.chain((one) => fc.tuple(fc.constant(one), oddly(at(one.nth).history)))
    const seen = { given: 0, refused: 0 }
    await fc.assert(
      fc.asyncProperty(odd, async ([{ nth, policy }, other]) => {
        const { api, history } = at(nth)
        const window = live(policy, { ...options, api })
        for (const part of partsOf(other)) {
          const given = await said(() => window.next(part as never, { at: 1 }))
          seen[isRefused(given) ? 'refused' : 'given']++
          if (typeof given === 'string') expect(given).toMatch(/^message \d+ of the history|^next: give the history/)
        }
        expect(isRefused(await said(() => window.next(history as never, { at: 2 })))).toBe(false)
      }),
      runs(400),
    )
    expect(seen.given).toBeGreaterThan(seen.refused)
    expect(seen.refused).toBeGreaterThan(50)
  })

  it('goes on as if what was told wrong had not been told', async () => {
    const usage = {
      input_tokens: 70,
      output_tokens: 9,
      cache_read_input_tokens: 3,
      cache_creation: { ephemeral_1h_input_tokens: 2 },
    }
    const known = [
      usage,
      { prompt_tokens: 80, prompt_tokens_details: { cached_tokens: 7 } },
      { inputTokens: 90, outputTokens: 2 },
    ]
    const told = fc.constantFrom(...known).chain((usage) => oddly({ usage, at: 5 }))
    let refused = 0
    await fc.assert(
      fc.asyncProperty(drawn, fc.array(told, { minLength: 3, maxLength: 3 }), async ({ nth, policy }, odds) => {
        const { api, history } = at(nth)
        const [one, other] = [live(policy, { ...options, api }), live(policy, { ...options, api })]
        for (const [turn, part] of partsOf(history).entries()) {
          const given = await said(() => one.next(part as never, odds[turn] as never))
          // What is taken may well be believed: then nothing can be compared any more.
          if (!isRefused(given)) return
          refused++
          const now = { at: turn }
          const [mended, plain] = [
            await said(() => one.next(part as never, now)),
            await said(() => other.next(part as never, now)),
          ]
          // Some forms write their messages themselves.
          expect(JSON.stringify(mended)).toBe(JSON.stringify(plain))
          expect(one.state).toEqual(other.state)
        }
      }),
      runs(400),
    )
    expect(refused).toBeGreaterThan(120)
  })

  it('refuses usage that no API counts, and says so', () => {
    for (const count of [1000.5, '1000', -1, Number.NaN, Infinity, 1e9, true, {}]) {
      for (const usage of [
        { input_tokens: count },
        { prompt_tokens: count },
        { inputTokens: count },
        { input_tokens: 1, cache_read_input_tokens: count },
      ]) {
        const window = live('drop-oldest', { api: 'anthropic', budget: 90 })
        expect(() => window.next([{ role: 'user', content: 'Hi.' }], { usage })).toThrow(
          /^next: `usage` has to have the counts/,
        )
      }
    }
  })

  it('takes options, a state and parts as they have to be, or names what is not', async () => {
    const { api, history } = at(0)
    const before = live('summarise-oldest:tokens=30', { ...options, api })
    for (const part of partsOf(history)) await before.next(part as never, { at: 1, usage: { input_tokens: 300 } })
    const state = JSON.parse(JSON.stringify(before.state))
    expect(state.summaries.length).toBeGreaterThan(0)
    const whole = {
      ...{ budget: 90, model: 'claude-opus-4-5', cwd: '/lamp', preamble: 20, api: 'anthropic', estimator: 'bytes' },
      ...{ cache: { read: 0.1, write: 1.25, seconds: 300 }, system: [{ type: 'text', text: 'You are a lamp.' }] },
      ...{ tools: [{ name: 'read', input_schema: { type: 'object' } }], state },
    }
    const parts = {
      policy: choose(policies.get('drop-oldest')),
      estimator: choose(estimators.get('bytes')),
      form: anthropic,
    }
    const seen = { given: 0, refused: 0 }
    const ask = async (window: () => { next: (history: never, told: object) => unknown }) => {
      const given = await said(() => window().next(history as never, { at: 1 }))
      seen[isRefused(given) ? 'refused' : 'given']++
    }
    const { budget, cache, state: _ } = whole
    await fc.assert(
      fc.asyncProperty(oddly(whole), odd, oddly({ budget, cache }), async (given, any, few) => {
        await ask(() => live('summarise-oldest:tokens=30', summarising(given)))
        await ask(() => live('drop-oldest', given as never))
        await ask(() => live(any as never, whole as never))
        await ask(() => live('summarise-oldest:tokens=30', { ...whole, summarise: any } as never))
        await ask(() => live('summarise-oldest:tokens=30', { ...whole, summarise: () => any } as never))
        await ask(() => liveWindow(parts as never, few as never))
        await ask(() => summarisingWindow(parts as never, summarising(few)))
        for (const part of ['policy', 'estimator', 'form'])
          await ask(() => liveWindow({ ...parts, [part]: any } as never, { budget }))
        await ask(() => liveWindow(any as never, { budget }))
        await said(() => choose(any as never, any as never))
      }),
      runs(100),
    )
    expect(Math.min(seen.given, seen.refused)).toBeGreaterThan(120)
  })
})
