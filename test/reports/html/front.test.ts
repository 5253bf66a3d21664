/** What the page says of settings, against the settings themselves. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PageCandidate, PageProgram } from '../../../src/model/page.ts'
import type { Child } from '../../../src/reports/html/element.ts'
import { beats, frontOf, frontSentence } from '../../../src/reports/html/front.ts'
import { chartView } from '../../../src/reports/html/views/chart.ts'
import { tradeSentence } from '../../../src/reports/html/views/trade.ts'
import { candidate, program, samplePage } from './sample-page.ts'

const weighed = fc.record({ cost: fc.nat(9), lost: fc.nat(9) })
const anyProgram: fc.Arbitrary<PageProgram> = fc
  .record({
    paid: fc.integer({ min: 1, max: 9 }),
    presentLost: fc.nat(6),
    recordedLost: fc.nat(6),
    points: fc.array(fc.record({ net: fc.nat(12), lost: fc.nat(12), fits: fc.boolean() }), { maxLength: 12 }),
  })
  .map(({ points, ...rest }) =>
    program({ ...rest, uses: 12, best: null, points: points.map((one): PageCandidate => candidate(one)) }),
  )

/** The counts that a sentence claims: how many were tried, how many cost less, how many of these lose no more. */
function claims(sentence: string): { tried: number; cheaper: number; safe: number } {
  const number = (word: string | undefined): number => (word === 'one' || word === 'One' ? 1 : Number(word))
  const tried = /The one setting/.test(sentence) ? 1 : number(/(\d+) settings/.exec(sentence)?.[1])
  if (/^None|or more\.$/.test(sentence)) return { tried, cheaper: 0, safe: 0 }
  const cheaper = /^All|^The one/.test(sentence) ? tried : number(/settings, (one|\d+) costs?/.exec(sentence)?.[1])
  const some = /and (\d+) of those/.exec(sentence)?.[1]
  return { tried, cheaper, safe: some ? number(some) : /no more\.$/.test(sentence) ? cheaper : 0 }
}

describe('what is said of settings', () => {
  it('counts what is cheaper than what there is, and what of it loses no more', () => {
    fc.assert(
      fc.property(anyProgram, (one) => {
        const fit = one.points.filter(({ fits }) => fits)
        const sentence = frontSentence(one)
        const cheaper = fit.filter(({ net }) => net < one.paid)
        const safe = cheaper.filter(({ lost }) => lost <= one.presentLost)
        if (fit.length === 0) expect(sentence).toMatch(/^No setting was tried/)
        else expect(claims(sentence)).toEqual({ tried: fit.length, cheaper: cheaper.length, safe: safe.length })
      }),
      { numRuns: 1000 },
    )
  })

  it('names of the line nothing that is beaten, by a setting or by what there is', () => {
    fc.assert(
      fc.property(fc.array(weighed, { maxLength: 20 }), (all) => {
        const slow = all.filter((one) => !all.some((other) => beats(other, one)))
        expect(frontOf(all).toSorted(byPlace)).toEqual(slow.toSorted(byPlace))
      }),
      { numRuns: 1000 },
    )
  })

  it('draws as the line what no other and nothing there is beats', () => {
    fc.assert(
      fc.property(
        anyProgram.filter(({ points }) => points.length > 0),
        (one) => {
          const best = all(chartView(one, 600), 'circle').filter(({ attributes }) =>
            String(attributes.class).includes('best'),
          )
          const places = [
            ...one.points.filter(({ fits }) => fits).map(({ net, lost }) => ({ cost: net, lost })),
            { cost: one.paid, lost: one.presentLost },
            { cost: one.paid, lost: one.recordedLost },
          ]
          const unbeaten = one.points.filter(
            ({ net, lost, fits }) => fits && !places.some((other) => beats(other, { cost: net, lost })),
          )
          expect(best).toHaveLength(unbeaten.length)
        },
      ),
    )
  })

  it('says of the points of the page what they come to', () => {
    // One of three is cheaper twice, and each time loses more than today.
    expect(tradeSentence(samplePage)).toBe(
      '2 of 3 points cost less than today; none of those loses as little as the recorded agents, who read again what they missed.',
    )
    const forgetful = { ...samplePage, today: { ...samplePage.today, lost: 4 } }
    expect(tradeSentence(forgetful)).toContain('; 1 of those loses no more than the recorded agents')
    const cheap = { ...samplePage, today: { ...samplePage.today, costInput: 1 } }
    expect(tradeSentence(cheap)).toBe('None of 3 points costs less than today.')
  })
})

type Tree = Exclude<Child, string>

function all(tree: Tree, tag: string): Tree[] {
  const inner = tree.children
    .filter((child): child is Tree => typeof child !== 'string')
    .flatMap((one) => all(one, tag))
  return tree.tag === tag ? [tree, ...inner] : inner
}

function byPlace(a: { cost: number; lost: number }, b: { cost: number; lost: number }): number {
  return a.cost - b.cost || a.lost - b.lost
}
