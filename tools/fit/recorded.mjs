#!/usr/bin/env node
/**
 * Tests the Claude families on recorded responses of Anthropic's count_tokens for texts that were not fitted on. They are
 * in a checkout of github.com/sanderland/ctok (Rosetta Code in hundreds of programming languages, MultiPL-E).
 *
 *   npm run build && node tools/fit/recorded.mjs --ctok DIR
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { gunzipSync } from 'node:zlib'
import { estimateTokens } from '../../dist/estimators/families.js'
import { oracles } from './oracles.mjs'
import { errors } from './regression.mjs'

const { values: options } = parseArgs({ options: { ctok: { type: 'string' } } })
if (!options.ctok) throw new Error('--ctok is needed')

/** `frame`: tokens of the message around the text. `factor`: on o200k counts, as other tools use it. */
const families = {
  'claude-4.6': { record: 'v3', frame: 7, factor: 1.18 },
  'claude-4.7': { record: 'v4.7', frame: 11, factor: 1.43 },
}
const o200k = await oracles.o200k.open()
const table = {}
for (const [name, key] of Object.entries({ rosetta: 'id', rosetta_holdout: 'id', multipl_e: 'lang' })) {
  const folder = join(options.ctok, 'tests/fixtures')
  const lines = gunzipSync(readFileSync(join(folder, `${name}.jsonl.gz`)))
    .toString()
    .trim()
    .split('\n')
  const documents = lines.map((line) => JSON.parse(line))
  const recorded = JSON.parse(readFileSync(join(folder, `${name}_counts.json`), 'utf8'))
  const texts = documents.map(({ text }) => text)
  const openai = o200k(texts)
  for (const [family, { record, frame, factor }] of Object.entries(families)) {
    const counts = documents.map((document) => recorded[record].counts[document[key]] - frame)
    table[`${name}, ${family}`] = errors(
      texts.map((text) => estimateTokens(family, text)),
      counts,
    )
    table[`${name}, ${family}, o200k x ${factor}`] = errors(
      openai.map((count) => count * factor),
      counts,
    )
    table[`${name}, ${family}, bytes / 4`] = errors(
      texts.map((text) => Buffer.byteLength(text) / 4),
      counts,
    )
  }
}
console.table(table)
