#!/usr/bin/env node
/**
 * Measures the cost of counting: whole runs of `simulate` over one transcript with each estimator, and only the messages'
 * text with other packages, in interleaved rounds. Prints medians.
 *
 *   npm run build && node bench/estimators.mjs [--rounds 5] TRANSCRIPT
 */
import { readFileSync } from 'node:fs'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import { Tokenizer } from 'ai-tokenizer'
import * as o200k from 'ai-tokenizer/encoding/o200k_base'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { estimators, policies, simulateSources } from '../dist/app/index.js'
import { resolveParams } from '../dist/base/param.js'
import { readTranscripts } from '../dist/readers/read.js'

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { rounds: { type: 'string', default: '5' } },
})
const [file] = positionals
if (!file) throw new Error('name a transcript')
const bytes = readFileSync(file)
const source = () => ({ name: file, chunks: [bytes] })
const keepAll = policies.get('keep-all')
const planWith = (plugin) => ({
  policies: [{ plugin: keepAll, values: resolveParams('keep-all', keepAll.params, {}) }],
  estimators: [{ plugin, values: resolveParams(plugin.name, plugin.params, {}) }],
  budgets: [0],
  preamble: 'auto',
  model: null,
  provider: null,
  native: false,
})

const texts = []
await readTranscripts(source(), { format: 'auto', sizersFor: () => [], keepMessages: true }, (trace) => {
  for (const { blocks } of trace.messages) for (const block of blocks) if (block.type === 'text') texts.push(block.text)
})
const other = new Tokenizer(o200k)
const contestants = Object.fromEntries([
  ...estimators.all.map((plugin) => [
    `simulate --estimator ${plugin.name}`,
    () => simulateSources([source()], planWith(plugin), { format: 'auto' }),
  ]),
  [
    'gpt-tokenizer, the texts alone',
    () => texts.forEach((text) => void countTokens(text, { disallowedSpecial: new Set() })),
  ],
  ['ai-tokenizer, the texts alone', () => texts.forEach((text) => void other.encode(text, 'all'))],
])

const times = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]))
for (let round = 0; round < Number(options.rounds); round++)
  for (const [name, run] of Object.entries(contestants)) {
    const start = performance.now()
    await run()
    times[name].push(performance.now() - start)
  }
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1]
const base = median(times['simulate --estimator bytes'])
console.log(
  `${(bytes.length / 1e6).toFixed(1)} MB, ${texts.length} texts, ${(texts.join('').length / 1e6).toFixed(1)} M characters; first round included`,
)
console.table(
  Object.fromEntries(
    Object.entries(times).map(([name, list]) => {
      const ms = median(list)
      return [
        name,
        {
          ms: Math.round(ms),
          'MB/s': Math.round(bytes.length / 1e3 / ms),
          'x bytes': Math.round((10 * ms) / base) / 10,
        },
      ]
    }),
  ),
)
