import { describe, expect, test } from 'vitest'
import { newVisits, states, visit } from '../../src/estimators/automaton.ts'
import { errors, median, regress } from '../../tools/fit/regression.mjs'
import { pieces, random, strings } from '../../tools/fit/texts.mjs'

const letters = 'etaoinshrdlucmfwypvbgkjqxz'
const alphabet = `${letters}${letters.toUpperCase()}0123456789    \n\t"'.,;(){}/\\-_=+абвгд漢字かな한글`

function syntheticTexts(count: number): string[] {
  const next = random(7)
  return Array.from({ length: count }, () =>
    Array.from({ length: 60 }, () =>
      alphabet[Math.floor(next() * alphabet.length)]!.repeat(1 + Math.floor(next() * 4)),
    ).join(''),
  )
}

describe('the fit', () => {
  const rows = syntheticTexts(900).map((text) => {
    const visits = newVisits()
    visit(text, visits)
    return visits
  })
  const truth = Float64Array.from(states, (_, id) => ((id * 29) % 17) / 10)
  const exact = rows.map((row) => row.reduce((sum, visits, id) => sum + visits * truth[id]!, 0))
  const seen = states.map((_, id) => rows.reduce((sum, row) => sum + row[id]!, 0))

  // It takes no more rounds for the weights to be made anew once, which is what makes little of absurd counts.
  const reweighted = { rounds: 2 }

  test('recovers the coefficients that made the counts', () => {
    const found: Float64Array = regress(rows, exact, { ...reweighted, ridge: 1e-6 })
    const common = states.map((_, id) => id).filter((id) => seen[id]! > 500)
    expect(common.length).toBeGreaterThan(60)
    for (const id of common) expect(Math.abs(found[id]! - truth[id]!), states[id]!).toBeLessThan(0.05)
  })

  test('is not led astray by a few texts with absurd counts', () => {
    const counts = exact.map((count, at) => (at % 20 === 0 ? count * 5 : count))
    const found: Float64Array = regress(rows, counts, { ...reweighted, ridge: 1e-6 })
    const estimates = rows.map((row) => row.reduce((sum, visits, id) => sum + visits * found[id]!, 0))
    expect(errors(estimates, exact).median).toBeLessThan(1)
  })

  test('leaves a state that no text visits at its prior', () => {
    const found: Float64Array = regress(rows, exact, {
      rounds: 1,
      prior: new Float64Array(states.length).fill(0.75),
    })
    for (const [id, name] of states.entries()) if (seen[id] === 0) expect(found[id], name).toBeCloseTo(0.75, 6)
  })

  test('never gives a negative coefficient', () => {
    const next = random(3)
    const found: Float64Array = regress(
      rows,
      exact.map(() => 50 * next()),
    )
    expect(Math.min(...found)).toBeGreaterThanOrEqual(0)
  })
})

describe('the texts', () => {
  test('are cut without losing or splitting anything but short rests', () => {
    const text = 'a line of words 😀\n'.repeat(400)
    const cut = [...pieces(text, random(1))] as string[]
    expect(text.startsWith(cut[0]!)).toBe(true)
    expect(cut.join('').length).toBeGreaterThan(text.length - 200)
    expect(cut.every((piece) => !/[\ud800-\udbff]$/.test(piece))).toBe(true)
  })

  test('leave out ids, signatures and copies for a UI', () => {
    const long = 'x'.repeat(30)
    const record = {
      uuid: long,
      toolUseResult: { stdout: long },
      message: {
        content: [
          { text: `${long}1`, signature: long },
          { type: 'tool_use', input: { command: `${long}2` } },
        ],
      },
    }
    expect([...strings(record)]).toEqual([`${long}1`, `{"command":"${long}2"}`])
  })
})

test('the median is the middle value', () => {
  expect(median([5, 1, 9])).toBe(5)
})
