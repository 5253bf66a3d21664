/**
 * The laws of a case: its key changes with each of its inputs and with nothing else, and what is kept by that key never comes
 * back for other inputs.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readTraces } from '../../src/app/analyse.ts'
import { caseOf, type Plan } from '../../src/app/plan.ts'
import { redactionBy } from '../../src/app/redaction/redaction.ts'
import { choose } from '../../src/base/chosen.ts'
import auto from '../../src/estimators/auto.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { Estimator } from '../../src/estimators/estimator.ts'
import type { Memos } from '../../src/model/memos.ts'
import type { TraceRun } from '../../src/model/run.ts'
import { type PlainTrace, Trace } from '../../src/model/trace.ts'
import { builtinModels, lookupModel } from '../../src/models/lookup.ts'
import type { CacheRule, ModelInfo, ModelTable } from '../../src/models/table.ts'
import { policies } from '../../src/policies/index.ts'
import { openFile } from '../../src/readers/lines/source.ts'
import { references } from '../../src/references/digest.ts'
import { Case, type CaseInputs } from '../../src/simulator/case.ts'
import { baselineFor, simulateOne } from '../../src/simulator/simulate.ts'

const plan: Plan = {
  policies: [],
  estimators: [choose<Estimator>(auto), choose<Estimator>(bytes)],
  budgets: [],
  references: true,
}
const { value: first } = await readTraces([openFile('fixtures/claude-code/refactor.jsonl')], { plan }).next()
const plain = (first as Trace).plain()

/** The transcript, of which nothing has been found yet. */
const fresh = (head: Partial<PlainTrace['head']> = {}, digest = true): Trace =>
  Trace.of({ ...plain, head: { ...plain.head, ...head }, digest: digest ? plain.digest : null }, references)

const { inputs: usual } = caseOf(fresh(), plan)
const ikigai = policies.get('ikigai')
const named = lookupModel(plain.head.model as string) as ModelInfo

/** The table with one of its models, or all its cache rules, otherwise. */
const withModel = (change: Partial<ModelInfo>): ModelTable => ({
  ...builtinModels,
  models: builtinModels.models.map((one) => (one === named ? { ...one, ...change } : one)),
})
const withRules = (change: Partial<CacheRule>): ModelTable => ({
  ...builtinModels,
  cacheRules: builtinModels.cacheRules.map((rule) => ({ ...rule, ...change })),
})
const heldAgainst = (policy: CaseInputs['baseline']['policy']): Partial<CaseInputs> => ({
  baseline: { name: 'other', policy },
})

/** Each of them changes one input. */
const changes: Readonly<Record<string, Partial<CaseInputs>>> = {
  'the estimator': { estimator: choose<Estimator>(bytes), meters: { ...usual.meters, own: 1 } },
  'the version of the estimator': { estimator: { ...usual.estimator, plugin: { ...auto, version: auto.version + 1 } } },
  'a param of the estimator': { estimator: { ...usual.estimator, values: { other: 1 } } },
  'the preamble': { preamble: 12_345 },
  'what other sessions tell': { own: [12_345] },
  'the model': { model: 'claude-opus-4-5' },
  'the provider': { provider: 'openai' },
  'a price': { prices: withModel({ price: { input: 1, output: 2 } }) },
  'a former price': { prices: withModel({ formerPrices: [{ until: '2027-01-01', input: 9, output: 9 }] }) },
  'the window of the model': { prices: withModel({ contextWindow: 54_321 }) },
  'how long the cache lives': { prices: withRules({ ttl: 1 }) },
  'the shortest prefix that is cached': { prices: withRules({ minPrefix: 1_000_000 }) },
  'what the cache serves': { cache: 'ideal' },
  'the baseline': heldAgainst(choose(policies.get('keep-all'))),
  'a baseline with a budget': heldAgainst(choose(ikigai)),
  'a param of the baseline': heldAgainst(choose(ikigai, { keepLast: 2 })),
  'the version of the baseline': heldAgainst({ ...usual.baseline.policy, plugin: { ...ikigai, version: '9' } }),
  'whether policies count as their programs do': { native: true },
  'whether references are measured': { references: false },
  'whether copies are': { copies: true },
}

/** Each of them changes what else a figure follows from: the transcript as it was read. */
const readings: Readonly<Record<string, Trace>> = {
  'another model that is recorded': fresh({ model: 'gpt-5' }),
  'another provider': fresh({ provider: 'openai' }),
  'a window that is recorded': fresh({ window: 77_000 }),
  'no digest': fresh({}, false),
  'a redaction': fresh().redacted(redactionBy('one', builtinModels)),
  'another redaction': fresh().redacted(redactionBy('other', builtinModels)),
}

/** The same values in new objects, with the fields of each in the order that the numbers say. */
function otherwise(value: unknown, order: () => number): unknown {
  if (Array.isArray(value)) return value.map((item) => otherwise(item, order))
  if (typeof value !== 'object' || value === null || value instanceof Map) return value
  const fields = Object.entries(value).map(([name, field]) => [order(), name, otherwise(field, order)] as const)
  return Object.fromEntries(fields.sort(([one], [other]) => one - other).map(([, ...field]) => field))
}

/** Some of the changes together; of `native` nothing is said, as the transcript was not read for the counters of programs. */
const someChanges = fc.uniqueArray(fc.constantFrom(...Object.keys(changes).filter((name) => !changes[name]?.native)), {
  maxLength: 3,
})
const inputsWith = (names: readonly string[]): CaseInputs =>
  Object.assign({}, usual, ...names.map((name) => changes[name]))

const runOf = (facts: Case): TraceRun =>
  simulateOne({ policy: choose(policies.get('drop-oldest')), facts, budget: 3000 }, [])

describe('the key of a case', () => {
  const key = new Case(fresh(), usual).key

  it('is another one for each change of an input, and of what is read', () => {
    const keys = Object.values(changes).map((change) => new Case(fresh(), { ...usual, ...change }).key)
    const read = Object.values(readings).map((trace) => new Case(trace, usual).key)
    // Whether no digest is read or nobody wants it comes to the same.
    expect(new Set([key, ...keys, ...read]).size).toBe(1 + keys.length + read.length - 1)
    expect(new Case(readings['no digest'] as Trace, usual).key).toBe(
      new Case(fresh(), { ...usual, references: false }).key,
    )
  })

  it('names every input, so that a new one needs a line here', () => {
    const changed = new Set(Object.values(changes).flatMap((change) => Object.keys(change)))
    expect([...changed].sort()).toEqual(Object.keys(usual).sort())
  })

  it('is the same for the same values, whatever objects hold them', () => {
    const orders = fc.infiniteStream(fc.nat())
    fc.assert(
      fc.property(someChanges, orders, fc.nat(9), (names, order, column) => {
        const inputs = inputsWith(names)
        const other = otherwise(inputs, () => order.next().value) as CaseInputs
        const meters = { ...inputs.meters, own: column, spare: column + 1 }
        expect(new Case(fresh(), { ...other, meters }).key).toBe(new Case(fresh(), inputs).key)
      }),
      { numRuns: 20 },
    )
  })
})

it('a run has the same figures whatever was found and kept before, by cases with other inputs', () => {
  fc.assert(
    fc.property(someChanges, someChanges, (some, others) => {
      const [one, other] = [inputsWith(some), inputsWith(others)]
      const memos: Memos = new Map()
      const kept = fresh()
      kept.keep(memos)
      const before = runOf(new Case(kept, one))
      expect(runOf(new Case(kept, other))).toEqual(runOf(new Case(fresh(), other)))
      const known = memos.size
      expect(runOf(new Case(kept, one))).toEqual(before)
      expect(memos.size).toBe(known)
    }),
    { numRuns: 25 },
  )
})

it('a baseline is that of its own budget where it goes by one, and found once where it does not', () => {
  const budgets = fc.array(fc.constantFrom(0, 2000, 4000, 100_000), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(fc.constantFrom('ikigai', 'keep-all', 'as-recorded'), budgets, (name, asked) => {
      const inputs: CaseInputs = { ...usual, ...heldAgainst(choose(policies.get(name))) }
      const facts = new Case(fresh(), inputs)
      for (const budget of asked) {
        expect(baselineFor(facts, budget)).toEqual(baselineFor(new Case(fresh(), inputs), budget))
      }
    }),
    { numRuns: 15 },
  )
})
