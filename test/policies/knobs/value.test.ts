/** What messages are worth, and what it pays to take: from the definitions, and by a look at every place where the prompt could be cut. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../../src/model/message.ts'
import { composed } from '../../../src/policies/knobs/knobs.ts'
import type { Unit } from '../../../src/policies/knobs/unit.ts'
import { contentsOf } from '../../../src/policies/knobs/value/contents.ts'
import { Signals, signals } from '../../../src/policies/knobs/value/signals.ts'
import { byWeights, shippedModels } from '../../../src/policies/knobs/value/valuing.ts'
import weights from '../../../src/policies/knobs/value/weights.data.json' with { type: 'json' }
import { Worth } from '../../../src/policies/knobs/value/worth.ts'
import type { Entry, Window } from '../../../src/policies/policy.ts'
import { EditableWindow } from '../../../src/simulator/window.ts'
import { areaUnder, chanceOf, logistic } from '../../../tools/fit/logistic.mjs'
import { traceOf as traceOfSaid, worked } from '../../references/transcripts.ts'
import { traceOf } from '../../simulator/arbitrary.ts'
import { requests, Talk } from '../requests.ts'

/** As one history: nothing is taken back, and nothing begins anew. */
const conversations = worked.map((list) => traceOfSaid(list, []).messages ?? [])

const say = (text: string): Message => ({ role: 'user', line: 1, blocks: [{ type: 'text', text }] })

describe('what is looked at in a message', () => {
  const lines = (text: string) => contentsOf(say(text)).lines
  const names = (text: string) => contentsOf(say(text)).names

  it('is a long line without the number or the sign in front of it', () => {
    const [line] = lines('export function alpha(one: string): void {')
    for (const shown of ['   12→\t', '12:', '+', '-  ', '  ']) {
      expect(lines(`${shown}export function  alpha(one: string): void {`)).toEqual([line])
    }
    expect(lines('too short\n\n')).toEqual([])
  })

  it('is a file however much of its path is said, an address, a commit', () => {
    const [file] = names('file.ts')
    for (const said of ['src/file.ts', './a/file.ts', '(see lib/file.ts).']) expect(names(said)).toEqual([file])
    expect(names('just words, and 12 of them: a/b 3.14')).toEqual([])
    expect(names('at 3f2a9c1d5 again')).toHaveLength(1)
  })

  it('is what a call does and what it is about', () => {
    const of = (name: string, input: unknown) =>
      contentsOf({ role: 'assistant', line: 1, blocks: [{ type: 'call', id: 'c', name, input }] }).calls[0]
    expect(of('Read', { file_path: 'src/a.ts' })).toEqual({ id: 'c', deed: 'read', about: names('a.ts') })
    expect(of('Bash', { command: 'cd x && rg foo src/a.ts' })?.deed).toBe('search')
    expect(of('shell', JSON.stringify({ command: ['bash', '-lc', 'npm test'] }))?.deed).toBe('shell')
    expect(of('exec_command', { cmd: "sed -n '1,80p' a.ts" })?.deed).toBe('read')
    expect(of('str_replace_editor', { path: 'a.ts', new_str: 'x'.repeat(600) })?.deed).toBe('edit')
    expect(of('WebSearch', { query: 'b.ts' })?.deed).toBe('other')
    expect(of('Grep', {})?.deed).toBe('search')
  })

  it('is how much of it are arguments, and how much is thought', () => {
    const blocks: Message['blocks'] = [
      { type: 'thinking', text: 'ab' },
      { type: 'text', text: 'a' },
      { type: 'call', id: 'c', name: 'x', input: { deep: ['abcde', { more: 'ab' }] } },
    ]
    expect(contentsOf({ role: 'assistant', line: 1, blocks }).shares).toEqual({ inputs: 0.7, thoughts: 0.2 })
  })
})

/** The signals that depend on other messages, each counted anew. */
function slowly(list: readonly Message[], at: number, until: number) {
  const own = contentsOf(list[at] as Message)
  const isAgent = (index: number) => list[index]?.role === 'assistant'
  const later = Array.from({ length: until - at - 1 }, (_, nth) => at + 1 + nth)
  const has = (index: number, of: 'lines' | 'names', hash: number) =>
    contentsOf(list[index] as Message)[of].includes(hash)
  /** Who brings a line in, or a name. */
  const brings = (index: number, of: 'lines' | 'names') => of === 'lines' || !isAgent(index)
  const repeated = (of: 'lines' | 'names') =>
    brings(at, of) ? own[of].filter((hash) => later.some((index) => brings(index, of) && has(index, of, hash))) : []
  const taken = (of: 'lines' | 'names') =>
    later.filter(
      (index) =>
        isAgent(index) &&
        brings(at, of) &&
        own[of].some(
          (hash) =>
            has(index, of, hash) && !later.some((other) => other < index && brings(other, of) && has(other, of, hash)),
        ),
    )
  const lines = repeated('lines').length
  return {
    repeated: own.lines.length === 0 ? 0 : lines / own.lines.length,
    lines: Math.log1p(own.lines.length - lines),
    names: Math.log1p(own.names.length - repeated('names').length),
    used: Math.log1p(taken('lines').length),
    named: Math.log1p(taken('names').length),
  }
}

/** A window that holds the messages so far. */
function windowOf(list: readonly Message[]) {
  const sizes = {
    ...{ preamble: 0, joins: () => 0 },
    of: () => 10,
    message: () => 10,
    tokens: (units: number) => units,
    units: (tokens: number) => tokens,
  }
  const trace = traceOf(list, [])
  return { trace, window: new EditableWindow(trace, { budget: 1, sent: sizes, believed: null, keepsDropped: false }) }
}

it('the signals are those of their definitions, whichever runs were over the messages before', () => {
  let repeated = 0
  fc.assert(
    fc.property(conversations, (list) => {
      for (let run = 0; run < 2; run++) {
        const { window } = windowOf(list)
        const known = new Signals()
        const entries: Entry[] = []
        for (let index = 0; index < list.length; index++) {
          const entry = window.append(index)
          entries.push(entry)
          known.message(entry, 10)
          if (index % 3 !== 2) continue
          for (const [at, one] of entries.entries()) {
            const values = new Float64Array(signals.length)
            known.read(known.placeOf(one) as number, values)
            const found = Object.fromEntries(signals.map((name, nth) => [name, values[nth]]))
            const slow = slowly(list, at, index + 1)
            expect(found).toMatchObject(slow)
            if (slow.repeated > 0) repeated++
            const answers = (to: number) => entries.slice(0, to).filter(({ isResponse }) => isResponse).length
            expect(found.age).toBeCloseTo(Math.log1p(answers(index + 1) - answers(at + 1)), 12)
          }
        }
      }
    }),
    { numRuns: 60 },
  )
  expect(repeated).toBeGreaterThan(100)
})

describe('the fit', () => {
  const rows = Array.from({ length: 400 }, (_, at) => Float64Array.of(1, Math.sin(at), Math.cos(at * at)))
  const labels = rows.map((row, at) => (Math.sin(at * 7.3) < -0.4 + 1.5 * (row[1] as number) ? 1 : 0))

  it('finds where no coefficient can be bettered', () => {
    const weights = rows.map((_, at) => 1 + (at % 3))
    const fitted = logistic(rows, labels, { weights, ridge: 2 })
    const loss = (by: Float64Array) =>
      rows.reduce((sum, row, at) => {
        const chance = chanceOf(row, by)
        return sum - (weights[at] as number) * Math.log(labels[at] ? chance : 1 - chance)
      }, 0) + by.slice(1).reduce((sum, value) => sum + value * value, 0)
    for (const column of [0, 1, 2]) {
      for (const step of [-0.01, 0.01]) {
        const other = fitted.map((value: number, at: number) => value + (at === column ? step : 0))
        expect(loss(other)).toBeGreaterThan(loss(fitted))
      }
    }
  })

  it('is judged by how often a positive is before a negative', () => {
    const scores = rows.map((row) => Math.round(5 * (row[1] as number)))
    let [before, pairs] = [0, 0]
    for (const [one, score] of scores.entries()) {
      for (const [other, lower] of scores.entries()) {
        if (labels[one] !== 1 || labels[other] !== 0) continue
        pairs++
        before += score > lower ? 1 : score === lower ? 0.5 : 0
      }
    }
    expect(areaUnder(scores, labels)).toBeCloseTo(before / pairs, 12)
  })
})

describe('the coefficients', () => {
  it('are of the signals, and give the chance that they were fitted for', () => {
    expect(Object.keys(weights.learned)).toEqual(['intercept', ...signals])
    const { window } = windowOf([say('go')])
    const entry = window.append(0)
    const known = new Signals()
    known.message(entry, 10)
    const place = known.placeOf(entry) as number
    const values = new Float64Array(signals.length)
    known.read(place, values)
    const learned: Readonly<Record<string, number>> = weights.learned
    const score = signals.reduce((sum, name, at) => sum + (learned[name] as number) * (values[at] as number), 0)
    const chance = 1 / (1 + Math.exp(-score - weights.learned.intercept))
    expect(byWeights(shippedModels.learned, 1, 1).chance(known, place)).toBeCloseTo(chance, 12)
    const odds = byWeights(shippedModels.learned, 1, 3).chance(known, place)
    expect(odds / (1 - odds)).toBeCloseTo((3 * chance) / (1 - chance), 12)
  })
})

describe('what pays', () => {
  const one = fc.record({
    tokens: fc.integer({ min: 1, max: 900 }),
    chance: fc.constantFrom(0, 0.01, 0.05, 0.5),
    open: fc.boolean(),
  })
  const asked = fc.record({ requests: fc.constantFrom(5, 40), times: fc.constantFrom(1, 2) })

  it('is the cut with the most gain, of all that could be made', () => {
    let [cuts, whole] = [0, 0]
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 12 }), asked, fc.boolean(), (rows, ask, isCold) => {
        const entries = rows.map(({ tokens }, index) => ({
          ...{ index, tokens, inside: true, replaced: false, message: null, role: 'user', exchange: 0, calls: 0 },
          ...{ previous: null as unknown, isResponse: index === rows.length - 1 },
        }))
        for (const [at, entry] of entries.entries()) entry.previous = entries[at - 1] ?? null
        const window = { last: entries.at(-1), tokensOf: (entry: { tokens: number }) => entry.tokens }
        const price = 1000
        const chances = { price, chance: (_: Signals, place: number) => (rows[place] as (typeof rows)[number]).chance }
        const prices = { read: 0.1, write: 1.25, seconds: 300 }
        const worth = new Worth(chances, (_entry, tokens) => tokens, prices)
        for (const entry of entries) worth.message(window as never, entry as never)
        const open = entries.filter(({ index }) => rows[index]?.open)
        const units = open.map((entry) => ({ entries: [entry], tokens: entry.tokens }) as never as Unit)
        const unrecorded = { recordedInput: null, largestInput: null }
        const moment = { messages: rows.length, answered: false, ...unrecorded, idleSeconds: isCold ? 301 : 300 }
        const taken = worth.paying(window as never as Window, units, moment, ask).map((unit) => unit.entries[0]?.index)

        const saved = 0.1 * ask.requests + (isCold ? 1.15 : 0)
        const gainOf = (index: number) => {
          const row = rows[index] as (typeof rows)[number]
          return row.tokens * saved - row.chance * price
        }
        const good = open.map(({ index }) => index).filter((index) => gainOf(index) > 0)
        let [best, most]: [number[], number] = [[], 0]
        for (const from of good) {
          const leave = good.filter((index) => index >= from)
          const gain = leave.reduce((sum, index) => sum + gainOf(index), 0)
          // The last message is new: it is written in any case.
          const kept = entries.slice(from, -1).filter(({ index }) => !leave.includes(index))
          const cost = isCold ? 0 : 1.15 * kept.reduce((sum, { tokens }) => sum + tokens, 0)
          if (gain - cost > most + 1e-9 && gain >= ask.times * cost) [best, most] = [leave, gain - cost]
        }
        expect(taken).toEqual(best)
        if (best.length > 0) cuts++
        if (best.length > 0 && best.length < good.length) whole++
      }),
      { numRuns: 500 },
    )
    expect(cuts).toBeGreaterThan(50)
    expect(whole).toBeGreaterThan(10)
  })
})

const pays = (target: string, more: Readonly<Record<string, string>> = {}) => ({
  trigger: 'pays:40:1/over',
  unit: 'step',
  protect: 'last:1',
  order: 'value',
  target,
  ...more,
})

describe('a composition that goes by worth', () => {
  const talk = new Talk().user('do')
  for (const nth of '01234') talk.calls({ name: 'Read', input: { path: `${nth}.ts` }, result: nth.repeat(100) })
  talk.assistant('done')
  const last = (given: Readonly<Record<string, unknown>>, budget = 10_000) =>
    requests('knobs', talk.messages, { budget, given })
      .at(-1)
      ?.map((row) => row.replace('tool: ', '').slice(0, 4))

  it('drops what is not likely to be used, and keeps what would be missed', () => {
    expect(last(pays('value:0'))).toEqual(['user', 'assi', '4444'])
    expect(last(pays('value:1000k'))).toHaveLength(11)
    expect(last(pays('stay:2:0:0'))).toEqual(['user', 'assi', '2222', 'assi', '3333', 'assi', '4444'])
    // A call is of the rest.
    expect(last(pays('stay:0:5:5'))).toHaveLength(11)
    expect(last(pays('stay:0:5:0'))).toEqual(['user', 'assi', '4444'])
  })

  it('holds a watermark besides, by what is least likely to be used', () => {
    expect(last(pays('value:1000k+watermark:0.5'), 350)).toEqual(['user', 'assi', '3333', 'assi', '4444'])
    expect(last(pays('aged:1000k+watermark'), 350)).toEqual(['user', 'assi', '2222', 'assi', '3333', 'assi', '4444'])
  })

  it('leaves the watermark alone where only what pays is a reason to act', () => {
    // Each step is dropped as it pays, and the last two are over half of the budget.
    const kept = last(pays('stay:1:0:0+watermark:0.5'), 350)
    expect(kept).toEqual(['user', 'assi', '3333', 'assi', '4444'])
    expect(last(pays('stay:3:0:0+watermark:0.5'), 10_000)).toHaveLength(9)
  })

  it('does at each request of a longer transcript what it did where that ended', () => {
    fc.assert(
      fc.property(
        conversations,
        fc.constantFrom('value:300', 'aged:200', 'value:90+watermark:0.5', 'stay:2:1:1'),
        (list, target) => {
          for (const more of [{}, { operation: 'strip', unit: 'message' }] as const) {
            const given = pays(target, more)
            const whole = requests('knobs', list, { budget: 400, given })
            const half = structuredClone(list.slice(0, list.length >> 1))
            const before = requests('knobs', half, { budget: 400, given })
            expect(whole.slice(0, before.length)).toEqual(before)
          }
        },
      ),
      { numRuns: 60 },
    )
  })

  it.each([
    ['target', { trigger: 'pays' }],
    ['target', { target: 'value:9' }],
    ['operation', pays('value:9', { operation: 'offload' })],
    ['operation', { order: 'value', operation: 'truncate:9' }],
    ['state', pays('value:9', { state: 'view' })],
  ])('refuses a %s that it cannot value: %j', (knob, given) => {
    expect(() => composed(given as never)).toThrow(`knobs:${knob}`)
  })

  it.each([
    { target: 'value' },
    { target: 'value:9:0' },
    { target: 'stay:1:2' },
    { target: 'value:9+least:2' },
    { target: 'value:9+keep:2' },
    { trigger: 'pays:0' },
    { trigger: 'pays:40:0.5' },
    { trigger: 'pays+end' },
  ])('refuses %j', (given) => {
    expect(() => composed(given as never)).toThrow('knobs')
  })
})
