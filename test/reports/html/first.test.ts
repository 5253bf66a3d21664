/** The first screen: what its three numbers say. */
import { describe, expect, it } from 'vitest'
import { noCacheFit } from '../../../src/measures/cache-fit.ts'
import type { Page, PageProgram } from '../../../src/model/page.ts'
import type { Child } from '../../../src/reports/html/element.ts'
import { firstView } from '../../../src/reports/html/views/first.ts'
import { tilesOf } from '../../../src/reports/html/views/tiles.ts'
import { candidate, program, samplePage, session } from './sample-page.ts'

const textOf = (child: Child): string => (typeof child === 'string' ? child : child.children.map(textOf).join(' '))
const bill = {
  usd: 12,
  input: 10,
  output: 2,
  beside: 0,
  requests: 24,
  sideCalls: 0,
  estimatedOutputs: 0,
  ...noCacheFit,
}
const months = (count: number, ...programs: readonly PageProgram[]): Page => ({
  ...samplePage,
  bill: { ...bill, transcripts: 12 },
  programs,
  sessions: [
    session({ first: '2026-01-01T00:00:00.000Z', last: new Date(Date.UTC(2026, 0, 1 + 30 * count)).toISOString() }),
  ],
})
const figures = (page: Page): string[] => tilesOf(page).map(({ figure, words }) => `${figure} ${words}`)

describe('the three numbers', () => {
  it('are what was spent, what could be saved a month, and what that risks', () => {
    expect(figures(months(2, program()))).toEqual([
      '$12.00 spent, about $6.00 a month; $10.00 of it for input',
      '$0.20 – 1.00 a month could be saved after re-reading: 4 to 20 % of the input',
      '1 in 50 later uses of content would need a second look',
    ])
  })

  it('add up over programs, and name the largest risk', () => {
    const other = program({
      name: 'codex',
      outcome: 'set',
      points: [candidate({ low: 10, high: 30, extraPercent: 0 })],
    })
    expect(figures(months(1, program(), other, program({ name: 'pi', outcome: 'keep' }))).slice(1)).toEqual([
      '$1.40 – 5.00 a month could be saved after re-reading: 7 to 25 % of the input',
      '1 in 50 later uses of content would need a second look',
    ])
  })

  it('are of all sessions where these are of less than a month', () => {
    expect(figures(months(0.5, program()))[1]).toMatch(/^\$0\.40 – 2\.00 of it could have been saved/)
  })

  it('promise nothing where nothing is to be set', () => {
    const keep = program({ outcome: 'keep', keepReason: 'loses-more' })
    expect(figures(months(2, keep)).slice(1)).toEqual([
      'Nothing to change: what is cheaper forgets too much',
      '1 in 50 later uses of content would need a second look with claude-code-auto at 160k: too many',
    ])
    const dearest = program({ outcome: 'keep', keepReason: 'nothing-cheaper' })
    expect(figures(months(2, dearest))[1]).toBe('Nothing to change: no setting is cheaper than what you have')
    expect(figures(months(2, program({ outcome: 'too-few-sessions', costed: 3 })))[1]).toBe(
      'Too few sessions to say what could be saved',
    )
    expect(figures(months(2, program({ outcome: 'nothing-to-set', best: null, points: [] })))[2]).toMatch(/^None/)
  })

  it('are of tokens where nothing was billed', () => {
    expect(figures(samplePage)[0]).toMatch(/^1\.0k tokens sent in 2 sessions\. No bill/)
  })
})

describe('the first screen', () => {
  it('has a card for each program, with its words as they are and what can be pasted', () => {
    const words = textOf(firstView(months(2, program())))
    expect(words).toContain('Set claude-code-auto at 160k: it saves $0.40 to $2.00.')
    expect(words).toContain('"autoCompactWindow": 160000 Copy')
    expect(words).toContain('Of 2 settings, one costs less than what you have, and it loses more.')
  })

  it('tells programs that have no card in a line', () => {
    const names = ['a', 'b', 'c', 'd', 'e'].map((name) => program({ name }))
    expect(textOf(firstView(months(2, ...names)))).toContain('And 2 more programs: d $12.00, e $12.00.')
  })
})
