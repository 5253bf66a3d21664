/** What a program gives a function of the library is as it has to be, or one line names the option that is not. */
import { beforeAll, describe, expect, it } from 'vitest'
import * as library from '../../src/app/index.ts'
import { fixture } from '../readers/reading.ts'

const { choose, estimators, openFile, policies } = library

/** None of them is right for any option. */
const odd: readonly unknown[] = [Number.NaN, Infinity, 7n, Symbol('s'), {}, 'lamp\nlamp', -1, [null], { name: 'x' }]

const path = fixture('openai-chat', 'tools.jsonl')
const files = () => [openFile(path)]
const plan = {
  policies: [choose(policies.get('drop-oldest'))],
  estimators: [choose(estimators.get('bytes'))],
  budgets: [100],
}
let trace: library.FullTrace

beforeAll(async () => {
  for await (const one of library.readTraces(files(), { plan })) trace ??= one
})

/** The line that is said; undefined where all is well. Any other error fails the test. */
async function lineOf(ask: () => unknown): Promise<string | undefined> {
  try {
    const given = await ask()
    if (Symbol.asyncIterator in Object(given)) for await (const _ of given as AsyncIterable<unknown>);
    return undefined
  } catch (error) {
    if (!(error instanceof library.CtxwinError)) throw error
    return error.message
  }
}

/** Each function that is given a plan. */
const planned: Readonly<Record<string, (plan: never) => unknown>> = {
  simulateSources: (plan) => library.simulateSources(files(), plan),
  recommendSources: (plan) => library.recommendSources(files(), plan),
  readTraces: (plan) => library.readTraces(files(), { plan }),
  simulate: (plan) => library.simulate(trace, plan),
  historyOf: (plan) => library.historyOf(trace, plan, null),
  requestBodyAt: (plan) => library.requestBodyAt(trace, plan, 0),
  RunningSession: (plan) => new library.RunningSession(path, plan),
}

describe.each(Object.keys(planned))('%s', (name) => {
  const ask = planned[name] as (plan: unknown) => unknown

  it('takes a plan as it has to be', async () => {
    expect(await lineOf(() => ask(plan))).toBeUndefined()
    expect(await lineOf(() => ask({ ...plan, model: null, provider: null, prices: undefined }))).toBeUndefined()
  })

  it('names what of it is not', async () => {
    for (const key of [
      'policies',
      'estimators',
      'budgets',
      'preamble',
      'model',
      'provider',
      'prices',
      'cache',
      'baseline',
      'native',
      'references',
      'copies',
    ]) {
      for (const value of odd) {
        // Any text may be a model.
        if (key === 'model' && typeof value === 'string') continue
        for (const given of [
          { ...plan, [key]: value },
          { ...plan, [key]: [value] },
        ]) {
          expect(await lineOf(() => ask(given)), key).toMatch(
            new RegExp(`^a plan: \`${key}[.\\w]*\` has to be [^\\n]+$`),
          )
        }
      }
    }
    for (const budget of ['0%', '101%', '50', '%', 'half%']) {
      expect(await lineOf(() => ask({ ...plan, budgets: [budget] }))).toMatch(/^a plan: `budgets.0` has to be/)
    }
    expect(await lineOf(() => ask({ ...plan, budget: 5 }))).toBe(
      'unknown option of a plan "budget". Did you mean "budgets"?',
    )
    for (const none of [null, 'plan', 5, [plan]])
      expect(await lineOf(() => ask(none))).toMatch(/^a plan: give an object/)
    expect(await lineOf(() => ask({ policies: [], estimators: [] }))).toMatch(/^a plan: `budgets` has to be/)
  })
})

describe('settings', () => {
  it.each([
    [
      'simulateSources',
      library.simulateSources,
      ['format', 'largestUnpacked', 'column', 'branches', 'keepMessages', 'accepts', 'by', 'apart'],
    ],
    [
      'recommendSources',
      library.recommendSources,
      ['format', 'largestUnpacked', 'column', 'accepts', 'policies', 'budgets', 'sessions', 'risk', 'tolerance'],
    ],
  ] as const)('of %s', async (name, ask, keys) => {
    for (const key of keys) {
      for (const value of odd) {
        if (typeof value === 'string' && (key === 'column' || key === 'format')) continue
        const line = await lineOf(() => ask(files(), plan, { [key]: value } as never))
        expect(line, key).toMatch(new RegExp(`^${name}: \`${key}[.\\w]*\` has to be [^\\n]+$`))
      }
    }
    expect(await lineOf(() => ask(files(), plan, { colum: 'x' } as never))).toMatch(
      /^unknown option of .* Did you mean "column"\?$/,
    )
  })

  it('sources, traces and requests are named', async () => {
    for (const none of [...odd.filter((one) => !Array.isArray(one)), null, undefined]) {
      expect(await lineOf(() => library.simulateSources(none as never, plan))).toMatch(
        /^ctxwin: `sources` has to be a list/,
      )
      expect(await lineOf(() => library.simulateSources([none] as never, plan))).toMatch(
        /^ctxwin: each of `sources` has to be/,
      )
      expect(await lineOf(() => library.simulate(none as never, plan))).toMatch(/^ctxwin: `trace[.\w]*` has to be/)
      if (none == null) continue
      expect(await lineOf(() => library.historyOf(trace, plan, none as never))).toMatch(/^ctxwin: `request` has to be/)
      expect(await lineOf(() => library.requestBodyAt(trace, plan, none as never))).toMatch(
        /^ctxwin: `request` has to be/,
      )
      expect(await lineOf(() => library.simulateSources(files(), plan, {}, none as never))).toMatch(
        /^ctxwin: `unread` has to be/,
      )
    }
    expect(await lineOf(() => openFile(5 as never))).toMatch(/^openFile: `path` has to be/)
    expect(await lineOf(() => library.advise(null as never))).toMatch(/^RunningSession: `path` has to be/)
    expect(await lineOf(() => library.advise(path, Number.NaN))).toMatch(/^advise: `now` has to be/)
  })
})

describe('plugins of the user’s own', () => {
  it.each([
    ['definePolicy', library.definePolicy, { name: 'mine', start: () => ({}) }],
    ['defineReader', library.defineReader, { name: 'mine', read: () => ({}) }],
    ['defineEstimator', library.defineEstimator, { name: 'mine', meter: () => ({}), scale: () => ({}) }],
    ['defineReport', library.defineReport, { name: 'mine', render: () => [], sheet: () => [], rows: () => [] }],
  ] as [string, (given: never) => unknown, Record<string, unknown>][])(
    '%s names what is missing',
    async (name, define, whole) => {
      expect(await lineOf(() => define(whole as never))).toBeUndefined()
      for (const key of Object.keys(whole)) {
        const { [key]: _, ...rest } = whole
        expect(await lineOf(() => define(rest as never))).toMatch(new RegExp(`^${name}: \`${key}\` has to be`))
      }
      expect(await lineOf(() => define(null as never))).toMatch(new RegExp(`^${name}: give an object`))
    },
  )

  it('a policy that starts with no occasions, a param that is none, a name that is no text', async () => {
    const silent = library.definePolicy({ name: 'silent', start: (() => undefined) as never })
    const asked = { ...plan, policies: [choose(silent)] }
    expect(await lineOf(() => library.simulate(trace, asked))).toMatch(
      /^silent cannot be used as a policy: its `start` does not return/,
    )
    expect(
      await lineOf(() => library.definePolicy({ name: 'x', start: () => ({}), params: { keep: 2 } as never })),
    ).toMatch(/^definePolicy: `params.keep` has to be made with/)
    expect(await lineOf(() => choose({ name: 'x' } as never))).toMatch(/^choose: `params` has to be/)
    expect(await lineOf(() => choose(silent, 5 as never))).toMatch(/^choose: `values` has to be/)
    expect(await lineOf(() => policies.get(null as never))).toMatch(/^unknown policy "null"/)
    expect(await lineOf(() => library.compose('mine', null as never))).toMatch(/is not a list of at least one step/)
    const unset = { keep: library.integer({ def: 2, help: '' } as never) }
    expect(await lineOf(() => library.definePolicy({ name: 'x', start: () => ({}), params: unset }))).toMatch(
      /^definePolicy: `params.keep.default` has to be made with/,
    )
  })
})
