#!/usr/bin/env node
/**
 * Measures how many megabytes of UTF-8 are counted per second of CPU time, in texts of message size and in short ones:
 *
 *   npm run build && node tools/fit/speed.mjs --corpus DIR
 */
import { parseArgs } from 'node:util'
import { estimateTokens, newVisits, tokensOf, visit } from '../../dist/estimators/families.js'
import { families } from '../../dist/model/families.js'
import { transcriptSamples } from './texts.mjs'

const { values: options } = parseArgs({ options: { corpus: { type: 'string' } } })
if (!options.corpus) throw new Error('--corpus is needed')

const whole = transcriptSamples(options.corpus, 200_000, 1)
  .map(({ text }) => text)
  .join('\n')
const visits = newVisits()
const passes = {
  'one family (estimateTokens)': (text) => estimateTokens('o200k', text),
  [`all ${families.length} families (visit, tokensOf)`]: (text) => {
    visits.fill(0)
    visit(text, visits)
    return families.reduce((sum, family) => sum + tokensOf(family, visits), 0)
  },
}
const table = {}
for (const [name, pass] of Object.entries(passes))
  for (const size of [100, 2_000, 50_000]) {
    const texts = []
    for (let at = 0; at < whole.length; at += size) texts.push(whole.slice(at, at + size))
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    const speeds = []
    for (let round = 0; round < 7; round++) {
      const start = process.cpuUsage()
      for (const text of texts) pass(text)
      const { user, system } = process.cpuUsage(start)
      speeds.push(bytes / (user + system))
    }
    table[`${name}, ${size} characters a call`] = {
      'MB/s cpu, median of 7': Math.round(speeds.sort((a, b) => a - b)[3]),
    }
  }
console.table(table)
