/** The window that `ctxwin emit --for python` prints gives, request by request, what `live` gives. */
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type CachePrices, CtxwinError, openFile, readTraces } from '../../src/app/index.ts'
import { type Params, resolveParams } from '../../src/base/param.ts'
import { live } from '../../src/live/index.ts'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { policies } from '../../src/policies/index.ts'
import { nineKnobs } from '../../src/policies/knobs/knobs.ts'
import { contentsOf } from '../../src/policies/knobs/value/contents.ts'
import { keepsPairs, type Policy } from '../../src/policies/policy.ts'
import { subjects } from '../laws/subjects.ts'
import { transcripts } from '../laws/transcripts.ts'
import { valueWithOther } from '../mutations.ts'
import { traceOf as traceOfSaid, worked } from '../references/transcripts.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { cases, sampled } from '../whole.ts'
import { beside, mixed } from './mixed.ts'
import { hasPython, Python, type PythonAnswer, type PythonCase, source, weights } from './python.ts'
import { planFor } from './tried.ts'
import { type Element, historyOf, placesIn, wires } from './wires.ts'

type Values = Readonly<Record<string, unknown>>

const knobs = policies.get('knobs')
const asksNoModel = ({ operation }: Values) => !/summarise/.test(String(operation))

/** Random words of a knob, from how they are written in its table. */
function wordsOf(words: Readonly<Record<string, unknown>>, joins: string): fc.Arbitrary<string> {
  const word = fc
    .constantFrom(...Object.keys(words).filter((written) => !written.startsWith('summarise')))
    .chain((written) => fc.tuple(...written.split(/(?=\[)|:/).map(argument)))
    .map((parts) => parts.filter((part) => part !== '').join(':'))
  return fc
    .array(fc.tuple(word, fc.constantFrom(...joins)), { minLength: 1, maxLength: 3 })
    .map((all) => all.flat().slice(0, -1).join(''))
}

function argument(written: string): fc.Arbitrary<string> {
  const plain = written.replace(/^\[|\]$/g, '')
  const known: Readonly<Record<string, fc.Arbitrary<string>>> = {
    N: fc.integer({ min: 0, max: 12 }).map(String),
    EDITS: fc.constantFrom('0', '3', '9'),
    SHELL: fc.constantFrom('0', '2'),
    REST: fc.constantFrom('0', '1', '4'),
    ODDS: fc.constantFrom('1', '0.25', '7.5'),
    REQUESTS: fc.constantFrom('4', '40', '200'),
    TIMES: fc.constantFrom('1', '1.5', '4'),
    TOKENS: fc.constantFrom('5', '40', '200', '0.1k'),
    AMOUNT: fc.constantFrom('0.5', '0.9', '1-20', '1-0.1k', '250', '1'),
    F: fc.constantFrom('0', '0.3', '0.5', '1'),
    SECONDS: fc.constantFrom('0', '100', '400'),
    TEXT: fc.constantFrom('word word', 'nowhere'),
    'NAME/…': fc.constantFrom('read', 'read/Read', 'nobody'),
    'head|tail|both': fc.constantFrom('head', 'tail', 'both'),
  }
  const one = known[plain] ?? fc.constant(plain)
  return written.endsWith(']') ? fc.oneof(one, fc.constant('')) : one
}

const caches: readonly CachePrices[] = [
  { read: 0.1, write: 1.25, seconds: 300 },
  { read: 0.25, write: 1, seconds: 60 },
]

const texts = [
  '',
  '',
  '[gone]',
  '[{count} {units} {kept}]',
  '{tool} {head:9}…{tail:7}\\n{rest:4} {lines} {tokens} {characters}',
]

/** Compositions of random words that go together. */
const random: fc.Arbitrary<Values> = fc
  .record(
    {
      ...Object.fromEntries(
        Object.entries(nineKnobs).map(([name, { words }]) => [
          name,
          name === 'trigger'
            ? wordsOf(words, '++/')
            : ['protect', 'operation', 'target', 'repair'].includes(name)
              ? wordsOf(words, '+')
              : fc.constantFrom(...Object.keys(words)),
        ]),
      ),
      text: fc.constantFrom(...texts),
      role: fc.constantFrom('user', 'assistant', 'system'),
    },
    { requiredKeys: [] },
  )
  .map((given) => resolved(given))
  .filter((values) => values !== null)

/** Those that go by what messages are worth. */
const valued: fc.Arbitrary<Values> = fc
  .record({
    trigger: fc
      .tuple(
        fc.constantFrom('pays', 'pays:9', 'pays:200:1'),
        fc.constantFrom('', '/over', '+every:2', '+over:0.5/over'),
      )
      .map((words) => words.join('')),
    unit: fc.constantFrom('message', 'step', 'result', 'pair'),
    protect: fc.constantFrom('nothing', 'last:1', 'last:2+user', 'unseen'),
    order: fc.constantFrom('oldest', 'newest', 'value'),
    operation: fc.constantFrom('drop', 'mask', 'strip', 'strip+drop-thinking', 'mask+drop-thinking'),
    target: fc
      .tuple(
        fc.constantFrom(
          'value:300',
          'value:9:3',
          'value:0.05k:0.1',
          'aged:90',
          'aged:2k:4',
          'stay:3:1:0',
          'stay:9:0:1',
        ),
        fc.constantFrom('', '+watermark', '+watermark:0.5'),
      )
      .map((words) => words.join('')),
    repair: fc.constantFrom('pairs', 'none'),
  })
  .map((given) => resolved(given))
  .filter((values) => values !== null)

const conversations = worked.map((list) => (traceOfSaid(list, []).messages ?? []) as Message[])

function resolved(given: Values): Values | null {
  try {
    const values = resolveParams('knobs', knobs.params as Params, given)
    knobs.start(values as never, {} as never)
    return asksNoModel(values) ? values : null
  } catch {
    return null
  }
}

const listed = subjects
  .filter(({ policy, values }) => policy.name === 'knobs' && asksNoModel(values))
  .map(({ values }) => values)

type Asked = Required<Pick<PythonCase, 'budget' | 'cache' | 'history' | 'requests'>> &
  Pick<PythonCase, 'model' | 'system' | 'tools'> & { readonly history: readonly Element[] }

const toolNames = [
  'Read',
  'apply_patch',
  'TodoWrite',
  'write_stdin',
  'Bash',
  'WebFetch',
  'ls',
  'tools',
  'Glob',
  'agent',
]

/** What tools show of lines, and what may be a name or just not. */
const pieces = [
  '12',
  '7:',
  '  9\u2192\t',
  '+',
  '-',
  '|',
  'const twelve = units',
  'é',
  '😀',
  '\ud83d',
  '\n',
  '\r\n',
  '\t',
  ' ',
  '.',
]
const nameLike = [
  'a.b',
  './a',
  'src/x_1',
  'abc123',
  'abcd123',
  '1234567',
  '.env',
  'a/',
  '~/b',
  'v1.2.',
  '--flag',
  'x'.repeat(121),
]
const commands = ['cd a && cat ', 'sed -i ', 'rg ', 'ls', '>> ', '2>&1 ', '> b', 'tee ', 'npm test', '<> c', 'head\n']
const text = fc
  .array(fc.constantFrom(...pieces, ...nameLike, ...commands), { maxLength: 14 })
  .map((all) => all.join(''))
const tree = fc.oneof(
  text,
  fc.record({ command: text, n: fc.nat() }),
  fc.array(fc.record({ path: text, edits: fc.array(text) })),
)
/** As text, which a model may have broken off. */
const inputs = fc.oneof(
  tree,
  fc
    .tuple(tree, fc.nat({ max: 2 }))
    .map(([given, cut]) => JSON.stringify(given).slice(0, cut === 0 ? undefined : -cut)),
)

/** What leaves, is put in, is changed and comes back. */
const counted = [
  {},
  { repair: 'none', text: '[{count} gone]', role: 'assistant' },
  { state: 'view', order: 'middle', repair: 'results', text: '[{units}]', role: 'system' },
  { trigger: 'always', unit: 'result', protect: 'nothing', operation: 'mask', target: 'all' },
  { trigger: 'always', unit: 'step', protect: 'nothing', operation: 'strip', target: 'all' },
].map((given) => resolved(given) as Values)

/** Of tokens as there are in recorded sessions. */
const worthy = ['value:20k+watermark:0.75', 'value:3k:2', 'aged:9k', 'stay:80:20:2+watermark'].flatMap((target) =>
  ['drop', 'strip+drop-thinking', 'mask'].map(
    (operation) => resolved({ trigger: 'pays:80:1/over', unit: 'step', order: 'value', target, operation }) as Values,
  ),
)

/** What goes out by `live`, as Python answers it. */
function liveAnswer(api: 'anthropic' | 'chat', values: Values, { history, requests, ...options }: Asked): PythonAnswer {
  const window = live(policyOf(values), { api, ...options, estimator: 'bytes' })
  return requests.map(({ length, at }) => {
    const { messages, tokens } = window.next(history.slice(0, length) as never, {
      at: at === null ? Number.NaN : at * 1000,
    })
    return [
      tokens,
      (messages as readonly object[] as readonly Element[]).map((message) => {
        const place = history.indexOf(message)
        return place < 0 ? message : place
      }),
    ]
  })
}

/** The same of a history with something odd in it: what live refuses is said. */
function oddAnswers(api: 'anthropic' | 'chat', values: Values, { budget, cache, history, requests }: Asked): unknown[] {
  const window = live(policyOf(values), { api, budget, cache, estimator: 'bytes' })
  return requests.map(({ length, at }) => {
    try {
      const { messages, tokens } = window.next(history.slice(0, length) as never, { at: Number(at) * 1000 })
      const place = (message: unknown) => history.indexOf(message as Element)
      return [tokens, (messages as readonly object[]).map((one) => (place(one) < 0 ? one : place(one)))]
    } catch (error) {
      if (error instanceof CtxwinError) return error.message
      throw error
    }
  })
}

/** Words may have commas, which a policy's name may not. */
const policyOf = (values: Values): Policy => ({
  ...knobs,
  params: {},
  wholePairs: keepsPairs(knobs, values),
  start: (_, context) => knobs.start(values as never, context),
})

/** The same message with what its model thought. */
function withThought(message: Element): Element {
  const { role, content } = message
  if (role !== 'assistant') return message
  if (!Array.isArray(content)) return { ...message, reasoning_content: 'Let me think.' }
  return { ...message, content: [{ type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' }, ...content] }
}

describe.skipIf(!hasPython)('the window in Python', () => {
  let python: Python
  beforeAll(() => {
    python = new Python()
  })
  afterAll(() => python.end())

  it('sees in calls and texts what live sees', async () => {
    const sorted = (hashes: readonly number[]) => hashes.map((hash) => hash >>> 0).sort((one, other) => one - other)
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...toolNames), inputs, async (name, input) => {
        const block = { type: 'call', id: 'a', name, input } as const
        const { lines, names, calls } = contentsOf({ role: 'assistant', line: 1, blocks: [block] })
        expect(await python.look(name, input)).toEqual([calls[0]?.deed, sorted(lines), sorted(names)])
      }),
      { numRuns: cases(200) },
    )
  })

  it('says in a line what is no data, no option and no word of a knob, and goes on', () => {
    const { status, stderr } = spawnSync('python3', [join(import.meta.dirname, 'doors.py'), source], {
      encoding: 'utf8',
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  })

  for (const wire of wires) {
    const { api } = wire
    if (api === 'responses') continue
    const same = async (values: Values, asked: Asked) => {
      const answer = await python.ask({ api, knobs: values, weights, ...asked })
      expect(answer).toEqual(liveAnswer(api, values, asked))
      return answer
    }

    it(`sends what live sends of messages of ${api}`, { timeout: 120_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.oneof(transcripts, conversations),
          fc.oneof(fc.constantFrom(...listed), random, valued),
          fc.integer({ min: 50, max: 900 }),
          fc.array(fc.constantFrom(null, 1, 90, 360), { maxLength: 6 }),
          fc.record({
            words: fc.constantFrom('word', 'wörd', 'w😀', '\ud83d'),
            thinks: fc.boolean(),
            takesBack: fc.nat({ max: 5 }),
          }),
          fc.constantFrom(...caches),
          async (messages, values, budget, pauses, { words, thinks, takesBack }, cache) => {
            const plain = historyOf(wire, traceOf(messages, [() => 1], wire.provider))
            const said = JSON.parse(JSON.stringify(plain).replaceAll('word', words)) as Element[]
            const history = thinks ? said.map(withThought) : said
            let now = 1_000_000
            const requests = placesIn(wire, history).map((length, nth) => {
              const pause = pauses[nth % pauses.length] ?? null
              now += pause ?? 0
              return { length, at: pause === null ? null : now }
            })
            // The agent takes messages back, and goes on.
            const again = takesBack === 0 ? [] : requests.slice(-takesBack)
            await same(values, { budget, cache, history, requests: [...requests, ...again] })
          },
        ),
        { numRuns: cases(50) },
      )
    })

    it(`counts what live counts of all that ${api} has`, { timeout: 120_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(mixed[api], beside, fc.constantFrom(...counted), async (history, besides, values) => {
          const requests = history.map((_, at) => ({ length: at + 1, at }))
          await same(values, { budget: 150, cache: caches[0] as CachePrices, history, requests, ...besides })
        }),
        { numRuns: cases(100) },
      )
    })

    it(`goes by what messages of ${api} are worth, as live does`, { timeout: 120_000 }, async () => {
      const changed = new Set<string>()
      await fc.assert(
        fc.asyncProperty(
          conversations,
          valued,
          fc.integer({ min: 50, max: 900 }),
          fc.constantFrom(null, 1, 90),
          fc.constantFrom(...caches),
          fc.boolean(),
          async (messages, values, budget, pause, cache, thinks) => {
            const plain = historyOf(wire, traceOf(messages, [() => 1], wire.provider))
            const history = thinks ? plain.map(withThought) : plain
            const requests = placesIn(wire, history).map((length, nth) => ({
              length,
              at: pause === null ? null : nth ** 2 * pause,
            }))
            const answer = await same(values, { budget, cache, history, requests })
            const isChanged = ([, sent]: PythonAnswer[number], nth: number) => sent.length !== requests[nth]?.length
            if (answer.some(isChanged)) changed.add(String(values.target))
          },
        ),
        { numRuns: cases(80) },
      )
      expect(changed.size).toBeGreaterThan(5)
    })

    it(`takes what live takes of messages of ${api}, or says which of them it does not`, {
      timeout: 120_000,
    }, async () => {
      const short = transcripts.filter((all) => all.length < 24)
      const odd = fc.tuple(short, fc.constantFrom(...listed)).chain(([messages, values]) => {
        const history = historyOf(wire, traceOf(messages, [() => 1], wire.provider))
        return fc.record({
          values: fc.constant(values),
          other: valueWithOther(history).chain(valueWithOther),
        })
      })
      const seen = { same: 0, both: 0, alone: 0 }
      await fc.assert(
        fc.asyncProperty(odd, fc.integer({ min: 50, max: 900 }), async ({ values, other }, budget) => {
          const history = other as Element[]
          const lengths = [0.4, 0.7, 1].map((share) => Math.ceil(history.length * share))
          const requests = lengths.map((length, nth) => ({ length, at: nth }))
          const [cache] = caches as [CachePrices]
          const answers = await python.askOddly({ api, knobs: values, weights, cache, budget, history, requests })
          const given = oddAnswers(api, values, { budget, cache, history, requests })
          for (const [nth, answer] of answers.entries()) {
            const own = given[nth]
            if (typeof answer === 'string') {
              expect(answer).toMatch(/^message \d+ of the history/)
              seen[typeof own === 'string' ? 'both' : 'alone']++
              break
            }
            expect(answer).toEqual(own)
            seen.same++
          }
        }),
        { numRuns: cases(100), endOnFailure: true },
      )
      expect(Math.min(seen.same, seen.both)).toBeGreaterThan(20)
    })

    it.skipIf(!existsSync(corpus))(`does so on real transcripts, as of ${api}`, { timeout: 120_000 }, async () => {
      let requests = 0
      for (const [turn, file] of some().entries()) {
        for await (const trace of tracesOf(file)) {
          if (trace.requests === 0 || trace.messages === null) continue
          const history = historyOf(wire, trace)
          const budget = Math.max(200, Math.ceil(JSON.stringify(history).length / 8))
          const places = placesIn(wire, history)
          const asked = places.filter((_, nth) => nth % Math.ceil(places.length / 15) === 0)
          const cache = caches[turn % caches.length] as CachePrices
          const timed = asked.map((length) => ({ length, at: null }))
          for (const all of [listed, worthy])
            await same(all[turn % all.length] as Values, { budget, cache, history, requests: timed })
          requests += asked.length
        }
      }
      expect(requests).toBeGreaterThan(90)
    })
  }
})

const corpus = '../shared/corpus'

/** Nothing of what is no transcript. */
async function* tracesOf(file: string): AsyncGenerator<Trace> {
  try {
    yield* readTraces([openFile(file)], { plan: planFor('knobs', 0) })
  } catch (error) {
    if (!(error instanceof CtxwinError)) throw error
  }
}

/** Some files of the corpus that are not large, of every format. */
function some(): string[] {
  const files = readdirSync(corpus, { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(jsonl|json|traj)$/.test(name) && !name.includes('damaged'))
    .map((name) => join(corpus, name))
    .filter((file) => statSync(file).size < 400_000)
    .sort()
  return sampled(files, 9)
}
