import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { along, letter, placed, scale, ticks } from '../../../src/reports/html/figures.ts'

describe('ticks', () => {
  it('are round, ascending and within the ends', () => {
    const amount = fc.double({ min: 0, max: 1e6, noNaN: true })
    fc.assert(
      fc.property(amount, amount, fc.integer({ min: 2, max: 10 }), (a, b, about) => {
        const [least, most] = [Math.min(a, b), Math.max(a, b)]
        fc.pre(most - least > 1e-3)
        const found = ticks(least, most, about)
        expect(found.length).toBeLessThanOrEqual(about + 1)
        for (const [at, tick] of found.entries()) {
          expect(tick).toBeGreaterThanOrEqual(least - (most - least) * 1e-6)
          expect(tick).toBeLessThanOrEqual(most + (most - least) * 1e-6)
          if (at > 0) expect(tick).toBeGreaterThan(found[at - 1]!)
        }
      }),
    )
    expect(ticks(183, 694, 6)).toEqual([200, 300, 400, 500, 600])
    expect(ticks(5, 5, 4)).toEqual([5])
  })
})

describe('scale', () => {
  it('puts all in the middle where there is one value', () => {
    expect(scale([7, 7], [0, 100])(7)).toBe(50)
    expect(scale([0, 10], [100, 0])(2)).toBe(80)
  })
})

describe('placed', () => {
  const area = { left: 0, top: 0, right: 400, bottom: 300 }
  const label = fc.record({
    text: fc.string({ minLength: 1, maxLength: 24 }),
    x: fc.integer({ min: 0, max: 400 }),
    y: fc.integer({ min: 0, max: 300 }),
  })

  it('puts no label on another, none outside, and tells the first one wherever there is room', () => {
    fc.assert(
      fc.property(fc.array(label, { maxLength: 4 }), (labels) => {
        const boxes = placed(labels, area, []).map(({ text, anchor, at: [x, y] }) => {
          const width = text.length * letter.width
          const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2
          return { left, right: left + width, top: y - 11, bottom: y + 3 }
        })
        for (const [at, box] of boxes.entries()) {
          expect(box.left).toBeGreaterThanOrEqual(-0.01)
          expect(box.right).toBeLessThanOrEqual(400.01)
          for (const other of boxes.slice(at + 1)) {
            const apart =
              box.right <= other.left + 0.02 ||
              other.right <= box.left + 0.02 ||
              box.bottom <= other.top + 0.02 ||
              other.bottom <= box.top + 0.02
            expect(apart).toBe(true)
          }
        }
      }),
    )
  })

  it('keeps clear of lines where it can', () => {
    const line = along([
      [100, 100],
      [200, 112],
    ])
    expect(line.length).toBeGreaterThan(100 / 6)
    expect(line.at(-1)).toEqual([200, 112])
    const [moved] = placed([{ text: 'today', x: 100, y: 100 }], area, [], line)
    expect(moved).toMatchObject({ anchor: 'end', at: [90, 104] })
  })

  it('leaves out what would cover a dot, unless it is strong', () => {
    const everywhere = Array.from({ length: 40 * 30 }, (_, at) => [10 * (at % 40), 10 * Math.floor(at / 40)] as const)
    const today = { text: 'today', x: 100, y: 100 }
    expect(placed([today], area, everywhere)).toEqual([])
    expect(placed([{ ...today, strong: true }], area, everywhere)).toHaveLength(1)
  })

  it('keeps clear of dots where it can', () => {
    const [alone] = placed([{ text: 'today', x: 100, y: 100 }], area, [])
    expect(alone).toMatchObject({ anchor: 'start', at: [110, 104] })
    const [moved] = placed([{ text: 'today', x: 100, y: 100 }], area, [[120, 102]])
    expect(moved).toMatchObject({ anchor: 'end', at: [90, 104] })
  })
})
