import { describe, expect, it } from 'vitest'
import { totalsOf } from '../../src/app/analyse.ts'
import type { Cost, Cut, Run } from '../../src/model/run.ts'
import { notesOf } from '../../src/reports/notes.ts'
import { money } from '../../src/reports/numbers.ts'
import { RunNames } from '../../src/reports/run-names.ts'
import table from '../../src/reports/table.ts'
import { options, sampleRun, simulationOf } from './samples.ts'

function priced(change: Partial<Cost>, others: Partial<Run> = {}): Run {
  const cost = { ...sampleRun().cost, ...change }
  return sampleRun({ ...others, cost: { ...cost, paid: cost.input + cost.summaries } })
}

const print = (runs: readonly Run[], width = 120): string =>
  [...table.render(simulationOf(runs), { ...options, width })].join('')

const sentences = (run: Run): readonly string[] =>
  notesOf(simulationOf([run]), new RunNames([run]), 'first').flatMap(({ items }) =>
    items.flatMap((item) => item.sentences),
  )

describe('money lost while tokens are saved', () => {
  const losing = priced({ input: 6, summaries: 0.5, inputFull: 2.5, savedPercent: -160 })

  it('is said in words', () => {
    expect(sentences(losing)).toContain(
      'tools.jsonl: 26.0 % fewer tokens cost 2.60 times as much, $6.50 instead of $2.50: 5 of 6 requests break the prompt cache',
    )
    expect(print([losing])).toContain('Tokens saved, money lost')
  })

  it('is not said of a run that saves both, or neither', () => {
    expect(print([priced({})])).not.toContain('money lost')
    expect(print([priced({ input: 6, inputFull: 2.5 }, { sentTokens: 9000 })])).not.toContain('money lost')
  })

  it('says tokens where no price is known, and more where pruning made something of nothing', () => {
    const free = priced({ unit: 'input-token-equivalents', input: 1200, inputFull: 0, prefixBreaks: 1 })
    expect(sentences(free)).toContain(
      'tools.jsonl: 26.0 % fewer tokens cost more, 1.2k token equivalents instead of 0 token equivalents: 1 of 6 requests break the prompt cache',
    )
  })
})

describe('a cut', () => {
  const cut = (breakEvenRequests?: number): string | undefined => {
    const { breakEvenRequests: _, ...bare } = sampleRun().cuts.at(0) as Cut
    return sentences(
      sampleRun({ cuts: [{ ...bare, ...(breakEvenRequests === undefined ? {} : { breakEvenRequests }) }] }),
    )[0]
  }

  it('says when it breaks even', () => {
    expect(cut(6.2)).toMatch(/900 tokens, breaks even after 7 requests$/)
    expect(cut(1)).toMatch(/900 tokens, breaks even after 1 request$/)
    expect(cut(0)).toMatch(/900 tokens, at no extra cost: the cache had expired$/)
    expect(cut()).toMatch(/900 tokens$/)
  })
})

describe('totals', () => {
  it('add money up, and are those of the priced transcripts where some have no price', () => {
    const one = priced({ input: 1, inputFull: 4, summaries: 0.5, output: 2, prefixBreaks: 1 })
    const two = priced({ input: 2, inputFull: 4, summaries: 0.5, output: 1, prefixBreaks: 2 })
    expect(totalsOf([one, two])[0]?.cost).toEqual({
      unit: 'usd',
      transcripts: 2,
      pricesAsOf: '2026-11-01',
      paid: 4,
      input: 3,
      inputFull: 8,
      output: 3,
      summaries: 1,
      savedPercent: 50,
      cacheHitPercent: 91.2,
      prefixBreaks: 3,
    })
    const other = priced({ unit: 'input-token-equivalents' })
    expect(totalsOf([one, other, two])[0]?.cost).toMatchObject({ unit: 'usd', transcripts: 2, input: 3 })
    expect(totalsOf([other, other])[0]?.cost).toMatchObject({ unit: 'input-token-equivalents', transcripts: 2 })
    expect(print([one, other]).replace(/\s+/g, ' ')).toContain(
      'Prices are known for 1 of 2 transcripts: cost is of these, in USD',
    )
    expect(print([one, two])).not.toContain('total cost')
  })
})

describe('money', () => {
  it.each([
    [0, '0.00'],
    [0.0000234, '0.000023'],
    [0.0042, '0.0042'],
    [0.999, '1.00'],
    [0.6, '0.60'],
    [0.049, '0.049'],
    [1.934, '1.93'],
    [-5.5, '-5.50'],
    [1203.7, '1,204'],
    [3_000_000, '3,000,000'],
  ])('%d is %s', (value, text) => {
    expect(money(value)).toBe(text)
  })
})
