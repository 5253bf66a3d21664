import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { studentReach } from '../../src/base/student.ts'
import { preambles } from '../../src/models/preambles.data.ts'
import { ninetyPercent, ownPreambles, type PreambleOf, priorPreamble } from '../../src/models/preambles.ts'
import { rowsOf } from '../../tools/fit/hierarchy.mjs'

const lamp: PreambleOf = { program: 'lamp', version: '1.2.3', agent: 'main', recorded: false }
const session = (owner: string, tokens: number, rest: Partial<PreambleOf> = {}) => ({ ...lamp, ...rest, owner, tokens })

const somePreambles = fc
  .array(
    fc.record({
      program: fc.constantFrom('lamp', 'shade', 'bulb'),
      owner: fc.constantFrom('ada', 'bea', 'cai', 'dee', 'eve'),
      agent: fc.constantFrom('main' as const, 'sub' as const),
      recorded: fc.boolean(),
      version: fc.constantFrom('1.2.3', '1.2.30', '2.0.0', undefined),
      tokens: fc.integer({ min: 200, max: 90_000 }),
    }),
    { minLength: 1, maxLength: 30 },
  )
  // Of a single value there is no spread.
  .map((all) => [...all, session('fay', 1000), session('fay', 3000), session('gus', 9000)])

const someHead = fc.record({
  program: fc.constantFrom('lamp', 'shade', 'a program that nobody published'),
  agent: fc.constantFrom('main' as const, 'sub' as const),
  recorded: fc.boolean(),
  version: fc.constantFrom('1.2.3', '1.9.0', '0.1.0', undefined),
})
const tokens = fc.integer({ min: 200, max: 90_000 })

const mean = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length

describe('the table of preambles', () => {
  it('leans from level to level towards the one above, by n of n + 1 owners', () => {
    const sessions = [
      session('ada', 10_000),
      session('ada', 14_000),
      session('bea', 30_000),
      session('bea', 5000, { agent: 'sub' }),
      session('cai', 1000, { program: 'shade' }),
    ]
    const log = Math.log
    const ada = mean([log(10_000), log(14_000)])
    const all = mean([mean([ada, mean([log(30_000), log(5000)])]), log(1000)])
    const program = (2 * mean([ada, mean([log(30_000), log(5000)])]) + all) / 3
    const main = (2 * mean([ada, log(30_000)]) + program) / 3
    const version = (2 * mean([ada, log(30_000)]) + main) / 3
    const sub = (log(5000) + program) / 2
    const table = rowsOf(sessions)
    const priorOf = (of: Partial<PreambleOf>) => priorPreamble({ ...lamp, ...of }, [], table)
    expect(priorOf({}).tokens).toBe(Math.round(Math.exp(version)))
    expect(priorOf({ version: undefined }).tokens).toBe(Math.round(Math.exp(main)))
    expect(priorOf({ agent: 'sub', version: undefined }).tokens).toBe(Math.round(Math.exp(sub)))
    expect(priorOf({ program: 'bulb' })).toMatchObject({ tokens: Math.round(Math.exp(all)), basis: 'all' })
  })

  it('counts an owner once, however many sessions that one has', () => {
    fc.assert(
      fc.property(somePreambles, someHead, fc.integer({ min: 2, max: 5 }), (sessions, of, times) => {
        const [one] = sessions
        const more = sessions.flatMap((each) => (each.owner === one!.owner ? Array(times).fill(each) : [each]))
        const [once, often] = [sessions, more].map((all) => priorPreamble(of, [], rowsOf(all)))
        expect(Math.abs(often!.tokens - once!.tokens)).toBeLessThanOrEqual(1)
      }),
    )
  })

  it('says nothing of the order of its sessions', () => {
    fc.assert(
      fc.property(somePreambles, someHead, (sessions, of) => {
        const [one, other] = [sessions, sessions.toReversed()].map((all) => priorPreamble(of, [], rowsOf(all)))
        expect(other!.tokens).toBe(one!.tokens)
        expect(other!.sd).toBeCloseTo(one!.sd, 9)
      }),
    )
  })

  it('takes the versions of four owners together, and of the nearest that there are', () => {
    const sessions = [1, 2, 3, 4, 5].map((patch) =>
      session(`owner ${patch}`, 1000 * patch, { version: `1.2.${10 * patch}` }),
    )
    const table = rowsOf([...sessions, session('zoe', 500, { program: 'shade', version: undefined })])
    const owners = table.filter(({ from }) => from !== null).map(({ from, owners: count }) => [from, count])
    expect(owners).toEqual([10, 20, 30, 40, 50].map((patch) => [`1.2.${patch}`, 4]))
    const of = (version: string) => priorPreamble({ ...lamp, version }, [], table).tokens
    expect(of('1.2.17')).toBe(of('1.2.10'))
    expect(of('0.9.0')).toBe(of('1.2.10'))
    expect(of('2.0.0')).toBe(of('1.2.50'))
    expect(of('1.2.50')).toBeGreaterThan(of('1.2.10'))
  })

  it('is wider for a program that one owner speaks for, and widest for one of nobody', () => {
    const width = (program: string, recorded: boolean): number => {
      const { low, high } = ninetyPercent(priorPreamble({ program, version: undefined, agent: 'main', recorded }))
      return high / low
    }
    const few = preambles.table.filter(({ owners, agent }) => owners === 1 && agent === null)
    expect(few.length).toBeGreaterThan(0)
    for (const { program, recorded } of few) {
      expect(width(program!, recorded!)).toBeGreaterThan(width('claude-code', false))
      expect(width(program!, recorded!)).toBeGreaterThan(width('codex', true))
    }
    expect(width('a program that nobody published', false)).toBeGreaterThan(width('claude-code', false))
  })
})

describe('priorPreamble', () => {
  it('is surer with each session of the user’s own, and comes to what they had', () => {
    fc.assert(
      fc.property(someHead, tokens, (of, one) => {
        let before = priorPreamble(of)
        for (let count = 1; count <= 64; count *= 2) {
          const now = priorPreamble(of, Array(count).fill(one))
          expect(now.sd).toBeLessThan(before.sd)
          expect(now.degrees).toBeGreaterThan(before.degrees)
          expect(Math.abs(Math.log(now.tokens / one))).toBeLessThanOrEqual(
            Math.abs(Math.log(before.tokens / one)) + 1e-9,
          )
          expect(now).toMatchObject({ basis: 'own', sessions: count })
          before = now
        }
        expect(before.tokens / one).toBeGreaterThan(0.9)
        expect(before.tokens / one).toBeLessThan(1.1)
      }),
    )
  })

  it('weighs the table and the own sessions by how much each varies', () => {
    const [row] = preambles.table
    const of: PreambleOf = { program: row!.program!, version: undefined, agent: 'main', recorded: row!.recorded! }
    const { tokens: usual } = priorPreamble(of)
    const own = [20_000, 30_000]
    // Each is a measurement of the logarithm, the table's with the spread of owners, the others' with that of sessions.
    const measured = [[Math.log(usual), row!.between], ...own.map((one) => [Math.log(one), row!.within])] as const
    const weights = measured.map(([, sd]) => 1 / sd! ** 2)
    const total = weights.reduce((sum, weight) => sum + weight, 0)
    const log = measured.reduce((sum, [value], at) => sum + (weights[at]! / total) * value!, 0)
    const prior = priorPreamble(of, own)
    expect(prior.tokens).toBeCloseTo(Math.exp(log), 6)
    expect(prior.sd).toBeCloseTo(Math.sqrt(1 / total + row!.within ** 2), 9)
  })

  it('grows with what the own sessions had', () => {
    fc.assert(
      fc.property(someHead, fc.array(tokens, { minLength: 1, maxLength: 6 }), (of, own) => {
        const more = own.map((one, at) => (at === 0 ? one + 1000 : one))
        expect(priorPreamble(of, more).tokens).toBeGreaterThan(priorPreamble(of, own).tokens)
      }),
    )
  })

  it('holds nine of ten of what it draws', () => {
    const prior = priorPreamble(lamp, [4000, 5000])
    const { low, high } = ninetyPercent(prior)
    expect(low * high).toBeCloseTo(prior.tokens ** 2, 3)
    expect(Math.log(high / prior.tokens) / prior.sd).toBeCloseTo(studentReach(prior.degrees, 0.9), 9)
  })
})

describe('ownPreambles', () => {
  const known = (tokens: number, of: Partial<PreambleOf> = {}) => ({ of: { ...lamp, ...of }, tokens })

  it('takes those of the same program and kind, and of the nearest version', () => {
    const all = [
      known(1, { program: 'shade' }),
      known(2, { agent: 'sub' }),
      known(3, { recorded: true }),
      known(4, { version: '1.2.9' }),
      known(5, { version: '1.2.2' }),
      known(6, { version: '1.3.0' }),
    ]
    expect(ownPreambles(lamp, all)).toEqual([4, 5])
    expect(ownPreambles({ ...lamp, version: '1.4.0' }, all)).toEqual([6])
    expect(ownPreambles({ ...lamp, version: '1.0.0' }, all)).toEqual([4, 5])
    expect(ownPreambles({ ...lamp, version: undefined }, all)).toEqual([4, 5, 6])
    expect(ownPreambles({ ...lamp, program: 'bulb' }, all)).toEqual([])
  })
})
