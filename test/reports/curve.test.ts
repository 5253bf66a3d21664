import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Curve, CurvePoint } from '../../src/model/curve.ts'
import { addLosses, percent } from '../../src/model/run.ts'
import { bar } from '../../src/reports/chart.ts'
import { renderCurves } from '../../src/reports/curve.ts'
import { widthOf } from '../../src/reports/text.ts'

function point(budget: number, sent: number, lost: number, cost: number): CurvePoint {
  const losses = addLosses([{ total: 110, selfSourced: 10, mentionLost: 0, sourceLost: lost }])
  return {
    budget,
    fullTokens: 1000,
    sentTokens: sent,
    savedTokens: 1000 - sent,
    savedPercent: percent(1000 - sent, 1000),
    peakTokens: 10,
    overBudgetRequests: 0,
    overBudgetExchanges: 3,
    cost: {
      unit: 'usd',
      transcripts: 2,
      pricesAsOf: '2026-01-01',
      input: cost,
      inputFull: 2,
      output: 1,
      summaries: 0,
      savedPercent: 0,
      prefixBreaks: 0,
    },
    references: { ...losses, ...counts, headline: losses, named: losses },
  }
}

const counts = { exchangesHit: 0, partlyLost: 0, faults: 0, known: 0, foretold: 0 }

const curve: Curve = {
  policy: 'ikigai',
  params: { keepLast: 1 },
  estimator: 'bytes',
  method: 'one-pass',
  transcripts: 2,
  exchanges: 9,
  requests: 40,
  bill: null,
  points: [point(8000, 200, 30, 0.5), point(64_000, 600, 1, 1), point(100_000, 800, 0, 1.4), point(0, 1000, 0, 2)],
  knee: { budget: 64_000, heldPercent: 99, of: 'headline' },
}

function print(curves: readonly Curve[], width = 80): string {
  const text = renderCurves({ schemaVersion: 1, tolerancePercent: 1, curves, diagnostics: [] }, { width, color: false })
  return [...text].join('')
}

describe('the chart of a curve', () => {
  it('says the knee in one sentence', () => {
    const words = print([curve]).replaceAll(/\s+/g, ' ')
    expect(words).toContain('64k holds 99 % of what was used later; 100k, which holds all of it, costs 1.40x as much.')
  })

  it('marks the row of the knee, and only that', () => {
    const marked = print([curve])
      .split('\n')
      .filter((line) => line.startsWith('▸'))
    expect(marked).toHaveLength(1)
    expect(marked[0]).toMatch(/64k .*40\.0 % .*1\.0 % +0\.50x +3$/)
  })

  it('says so when no budget is good enough, and when nothing was used again', () => {
    expect(print([{ ...curve, points: [point(8000, 200, 30, 0.5)], knee: null }])).toContain(
      'No budget here holds 99 % of what was used later; the best holds 70 %.',
    )
    const nothing = addLosses([])
    const bare = point(8000, 200, 0, 0.5)
    const references = { ...nothing, ...counts, headline: nothing, named: nothing }
    expect(print([{ ...curve, points: [{ ...bare, references }], knee: null }])).toContain('there is nothing to lose')
  })

  it('does without references', () => {
    const { references: _, ...bare } = point(8000, 200, 0, 0.5)
    const text = print([{ ...curve, points: [bare], knee: null }])
    expect(text).not.toContain('lost')
    expect(text).toMatch(/8k █+.*80\.0 % +0\.25x +3\n/)
  })

  it('says of how many transcripts the cost is, where some have no known price', () => {
    expect(print([{ ...curve, transcripts: 3 }]).replace(/\s+/g, ' ')).toContain(
      'cost is of 2 of the 3 transcripts, in USD: the models of the others have no known price',
    )
    expect(print([curve])).not.toContain('cost is of')
  })

  it('is never wider than the terminal', () => {
    for (const width of [60, 80, 120, 200]) {
      const widest = Math.max(...print([curve], width).split('\n').map(widthOf))
      expect(widest).toBeLessThanOrEqual(width)
    }
  })
})

describe('a bar', () => {
  it('is as long as its part, to an eighth of a cell, and padded', () => {
    fc.assert(
      fc.property(fc.double({ min: 0, max: 1, noNaN: true }), fc.integer({ min: 1, max: 60 }), (part, width) => {
        const drawn = bar(part, width)
        expect([...drawn]).toHaveLength(width)
        const eighths = [...drawn].reduce(
          (sum, cell) => sum + (cell === ' ' ? 0 : 0x2590 - (cell.codePointAt(0) ?? 0)),
          0,
        )
        expect(Math.abs(eighths - part * width * 8)).toBeLessThanOrEqual(1)
        expect(eighths > 0).toBe(part > 0)
      }),
    )
  })
})
