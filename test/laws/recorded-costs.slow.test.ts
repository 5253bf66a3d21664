/**
 * What programs recorded themselves that calls cost, beside what the same calls cost here, over the corpus: the two agree to a
 * hundredth, or a term is named here that explains the difference.
 */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isApart, type RecordedCost } from '../../src/model/spending.ts'
import { runCli } from '../cli/run.ts'

const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'

/** By format and model why the program's figure is another, and what it then has to be. */
const terms: Readonly<Record<string, readonly [why: string, holds: (cost: RecordedCost) => boolean]>> = {
  'pi gemini-3-flash': [
    'pi had the price of fresh input for cached input',
    ({ kind, rate }) => kind === 'cacheRead' && rate === 0.5,
  ],
  'cline-ui anthropic/claude-sonnet-4.5': [
    'OpenRouter bills what is written to the cache at 1.25 of the price of input, and Cline records it as fresh',
    ({ recordedUsd, usd }) => recordedUsd > usd && recordedUsd < 1.25 * usd,
  ],
  'anthropic-messages mistralai/voxtral-small-24b-2507': [
    'sound has a price of its own, which no list of ours has',
    ({ calls }) => calls === 1,
  ],
}

describe.skipIf(!existsSync(corpus))('costs that programs recorded', () => {
  const folders = existsSync(corpus)
    ? readdirSync(corpus, { withFileTypes: true }).filter((one) => one.isDirectory() && one.name !== '_fixtures')
    : []
  const met = new Set<string>()

  it.each(folders.map(({ name }) => name))('agree with ours, or a term says why not: %s', async (folder) => {
    const { stdout } = await runCli(['spend', join(corpus, folder), '--output', 'json', '--no-cache'])
    if (stdout === '') return
    const costs = (JSON.parse(stdout) as { recordedCosts: RecordedCost[] }).recordedCosts
    const unexplained = costs.filter((cost) => {
      if (!isApart(cost.recordedUsd, cost.usd)) return false
      const key = `${cost.format} ${cost.model}`
      met.add(key)
      return terms[key]?.[1](cost) !== true
    })
    expect(unexplained).toEqual([])
  })

  it('need each term that is named', () => {
    expect(Object.keys(terms).filter((key) => !met.has(key))).toEqual([])
  })
})
