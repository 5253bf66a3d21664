import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../src/app/analyse.ts'
import type { Unread } from '../../src/app/files/read-sources.ts'
import { checkPolicy } from '../../src/app/own-policy.ts'
import type { Plan } from '../../src/app/plan.ts'
import { CtxwinError } from '../../src/base/errors.ts'
import { integer, resolveParams } from '../../src/base/param.ts'
import { estimators } from '../../src/estimators/index.ts'
import { definePolicy } from '../../src/policies/catalogue/define-policy.ts'
import type { Entry, Policy, PolicyRun, Window } from '../../src/policies/policy.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { fixture } from '../readers/reading.ts'

const halves = definePolicy({
  name: 'halves',
  summary: 'drop half of the messages',
  source: 'a test',
  params: { least: integer({ default: 2, min: 1, help: 'messages that stay' }) },
  kind: 'sticky',
  monotone: false,
  wholePairs: false,
  text: false,
  start: ({ least }) => ({
    request(window) {
      for (let half = window.count >> 1; half > 0 && window.count > least && window.first; half--) {
        window.drop(window.first, window.first)
      }
    },
  }),
})

const note = { role: 'user', blocks: [{ type: 'text', text: 'a note' }] } as const

/** A policy that calls `act` with each message. */
function acting(message: (window: Window, entry: Entry) => unknown): Partial<Policy> {
  return { name: 'mine', start: () => ({ message: message as PolicyRun['message'] & {} }) }
}

/** A policy that cannot be started again. */
function startingOnce(): Partial<Policy> {
  let isStarted = false
  return {
    name: 'mine',
    start() {
      if (isStarted) throw new RangeError('again')
      isStarted = true
      return { message() {} }
    },
  }
}

/** The error when something is refused, which can take a while. */
function refusalOf(act: () => unknown): string {
  try {
    act()
  } catch (error) {
    if (error instanceof CtxwinError) return error.message
    throw error
  }
  return 'nothing was refused'
}

describe('a policy of the user’s own', () => {
  it('is taken as it is when nothing is wrong with it', () => {
    expect(checkPolicy(halves, './mine.js')).toMatchObject({ name: 'halves', kind: 'sticky', source: 'a test' })
  })

  it('may leave out what it does not need', () => {
    const bare = checkPolicy({ name: 'bare', start: () => ({ request: () => {} }) }, './bare.js')
    expect(bare).toMatchObject({ summary: '', source: './bare.js', params: {}, kind: 'sticky', text: false })
  })

  it.each<[string, unknown, string | RegExp]>([
    ['nothing', undefined, 'its default export is not a policy'],
    ['a function', () => {}, 'its default export is not a policy'],
    [
      'a text that says how it is turned on',
      { name: 'mine', start: () => ({}), turnOn: () => 'in settings.json: "mine": true' },
      'its `turnOn` returns neither null nor { file, text, since?, note? }',
    ],
    [
      'a way to turn it on that fails',
      {
        name: 'mine',
        start: () => ({}),
        turnOn: () => {
          throw new Error('no')
        },
      },
      'its `turnOn` throws',
    ],
    ['no name', { start: () => ({}) }, 'it needs a `name`'],
    ['a name of its own kind', { name: 'My Policy', start: () => ({}) }, 'it needs a `name`'],
    ['no start', { name: 'mine' }, 'it needs `start(values, context)`'],
    ['another kind', { name: 'mine', kind: 'other', start: () => ({}) }, 'neither "sticky" nor "view"'],
    ['a param that is none', { name: 'mine', params: { n: 3 }, start: () => ({}) }, 'its param "n" is not a param'],
    ['no object', { name: 'mine', start: () => null }, 'does not return an object of occasions'],
    ['no occasion', { name: 'mine', start: () => ({ reqest: () => {} }) }, 'returns none of the occasions'],
    [
      'an occasion that is none',
      { name: 'mine', start: () => ({ request: 1 }) },
      'its `start` returns an occasion "request" that is not a function',
    ],
    [
      'an error when tried',
      {
        name: 'mine',
        start: () => ({
          request() {
            throw new Error('oh\nno')
          },
        }),
      },
      'on a small conversation with a budget of 1: its occasion "request" threw Error: oh',
    ],
    [
      'null thrown',
      acting(() => {
        throw null
      }),
      'its occasion "message" threw null',
    ],
    [
      'a promise',
      acting(async () => {
        throw new Error('late')
      }),
      'its occasion "message" returns a promise',
    ],
    [
      'a promise of a library',
      acting(() => Object.fromEntries([['then', () => {}]])),
      'its occasion "message" returns a promise',
    ],
    ['a start that is async', { name: 'mine', start: async () => ({}) }, 'its `start` returns a promise'],
    ['a window it has not', acting((window) => window.restore()), 'called restore, which only a `view` policy can'],
    ['text without saying so', acting((window, entry) => window.replace(entry, 'x')), 'without declaring `text`'],
    [
      'what is not inside',
      acting((window, entry) => {
        window.drop(entry, entry)
        window.drop(entry, entry)
      }),
      'called drop with an entry that is not inside',
    ],
    [
      'an order that is none',
      acting((window, entry) => entry.previous && window.drop(entry, entry.previous)),
      'with an end before its beginning',
    ],
    [
      'an entry of its own',
      acting((window, entry) => window.drop({ ...entry }, entry)),
      'called drop with something that is not an entry',
    ],
    [
      'garbage for a message',
      acting((window) => window.insert(null, { role: 'user', blocks: [5] } as never)),
      'with a message that has no role or no blocks',
    ],
    [
      'a size that is none',
      acting((window, entry) => window.summarise(entry, entry, note, Number.NaN)),
      'with something that is not a number of tokens',
    ],
    [
      'what does not say which entries stay',
      acting((window, entry) => window.summarise(entry, entry, note, 9, [entry] as never)),
      'with something that does not say which entries stay',
    ],
    [
      'a list it breaks',
      acting((_, entry) => {
        Object.assign(entry, { next: null })
      }),
      'threw TypeError',
    ],
    [
      'a text it changes',
      {
        ...acting((_, entry) => {
          Object.assign(entry.message?.blocks[0] ?? {}, { text: '' })
        }),
        text: true,
      },
      'threw TypeError',
    ],
    ['a budget that is none', { ...acting(() => {}), ownBudget: 'much' }, 'its `ownBudget` is neither a number'],
    ['seconds that are none', { ...acting(() => {}), seconds: -1 }, 'its `seconds` is not a number of seconds'],
    ['an error when the history starts anew', startingOnce(), 'its `start` threw RangeError: again'],
  ])('is refused: %s', (_, value, what) => {
    const said = refusalOf(() => checkPolicy(value, './mine.js'))
    expect(said).toContain('./mine.js cannot be used as a policy: ')
    expect(said).toMatch(what)
  })

  it('is refused where it has no end, after the seconds of a trial, whatever it asks for', () => {
    const endless = acting(() => {
      for (;;);
    })
    expect(refusalOf(() => checkPolicy({ ...endless, seconds: 60 }, './mine.js', 0.2))).toMatch(
      /^\.\/mine\.js cannot be used as a policy: .*its occasion "message" was still running after 0\.2 seconds$/,
    )
  })
})

describe('a policy of the user’s own that meets a transcript', () => {
  const plan = (...plugins: Policy[]): Plan => ({
    policies: plugins.map((plugin) => ({ plugin, values: resolveParams(plugin.name, plugin.params, {}) })),
    estimators: [{ plugin: estimators.get('bytes'), values: { bytesPerToken: 4 } }],
    budgets: [200],
    preamble: 0,
    model: null,
    provider: null,
    native: false,
    references: false,
  })
  const read = (name: string, plugin: Policy, unread?: Unread) =>
    simulateSources([openFile(fixture('claude-code', name))], plan(plugin), { format: 'auto', by: 'request' }, unread)

  it('is told where it failed, and nothing of what stands there', async () => {
    const own = checkPolicy(
      acting((window) => {
        if (window.count > 3 && window.budget === 200) throw new TypeError('secret text')
      }),
      './own-policy.test.ts',
    )
    const failed: unknown[] = []
    await read('refactor.jsonl', own, (_, error) => failed.push(error))
    expect(failed).toHaveLength(1)
    expect(failed[0]).toMatchObject({ name: 'CtxwinError', code: 'bad-policy' })
    expect(String((failed[0] as Error).message)).toMatch(
      /refactor\.jsonl, line \d+: its occasion "message" threw TypeError in its line \d+$/,
    )
  })

  it('has the time it asks for, and no more', async () => {
    const endless = (window: Window) => {
      if (window.budget === 200) for (;;);
    }
    const own = checkPolicy({ ...acting(endless), seconds: 0.2 }, './mine.js')
    await expect(read('refactor.jsonl', own)).rejects.toThrow(
      /line \d+: .*still running after 0\.2 seconds: set `seconds` in the policy/,
    )
  })
})

describe('a counter of the user’s own', () => {
  const counting = (message: () => unknown) => {
    const policy = { ...acting(() => {}), native: { summary: '', message, preamble: () => 0 }, seconds: 0.2 }
    const { native } = checkPolicy(policy, './mine.js')
    return native && 'message' in native && native.message({ role: 'user', blocks: [], line: 1 })
  }

  it('counts', () => {
    expect(counting(() => 7)).toBe(7)
  })

  it.each<[string, () => unknown, string]>([
    [
      'no end',
      () => {
        for (;;);
      },
      'its `native` counter was still running after 0.2 seconds',
    ],
    ['a promise', () => Promise.reject(new Error('late')), 'its `native` counter returns a promise'],
    ['no number', () => -1, 'its `native` counter returns what is no count'],
    [
      'an error',
      () => {
        throw null
      },
      'its `native` counter throws',
    ],
  ])('is refused: %s', (_, count, what) => {
    expect(() => counting(count)).toThrow(`./mine.js cannot be used as a policy: ${what}`)
  })
})
