/**
 * Mutates transcripts and runs the commands on them to find crashes, endless runs and impossible figures (see judge.mjs):
 *
 *     npm run fuzz -- --files 2000 --seed 1 [--from DIR] [--minutes M] [--keep]
 *     npm run fuzz -- --case 1:17 [--from DIR]                shows case 17 of seed 1 and runs it
 *
 * The first file of each kind of failure is minimised and written to a temporary directory, or with --keep to
 * fixtures/damaged/, where test/damaged.slow.test.ts runs every command on it from then on.
 */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { estimators, policies, readers, reports } from '../../dist/app/index.js'
import { checkReporters } from '../../dist/check/reporters/index.js'
import { commands } from '../../dist/cli/inputs/commands.js'
import { setting } from '../../dist/cli/inputs/settings.js'
import { caseOf, kept, transcriptsIn } from './cases.mjs'
import { minimise } from './minimise.mjs'
import { Runner } from './runners.mjs'

const fixtures = fileURLToPath(new URL('../../fixtures', import.meta.url))

const { values } = parseArgs({
  options: {
    files: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    case: { type: 'string' },
    from: { type: 'string', multiple: true, default: [] },
    minutes: { type: 'string', default: 'Infinity' },
    workers: { type: 'string', default: String(Math.min(8, availableParallelism())) },
    keep: { type: 'boolean', default: false },
  },
})
const registries = { formats: readers, policies, estimators, reports, reporters: checkReporters }
const program = { commands, setting, registries }
const folders = [fixtures, ...values.from]
const transcripts = transcriptsIn(folders)
const [seed, only] = (values.case ?? values.seed).split(':').map(Number)
const numbers =
  only === undefined ? Array.from({ length: Number(values.files) }, (_, number) => number).values() : [only].values()

const began = performance.now()
const seconds = () => (performance.now() - began) / 1000
/** The first case of each kind of failure. */
const found = new Map()
let [files, lines] = [0, 0]
const seen = (number, failure) => {
  const key = `${failure.law}: ${failure.what}`
  const before = found.get(key)
  if (before) before.count++
  else {
    found.set(key, { ...failure, number, count: 1 })
    console.log(`case ${seed}:${number}  ${key}  ctxwin ${failure.line.map((word) => JSON.stringify(word)).join(' ')}`)
  }
}

if (only !== undefined) {
  const { path, mutations, name, bytes, lines } = caseOf(transcripts, seed, only, program)
  const file = join(mkdtempSync(join(tmpdir(), 'ctxwin-fuzz-case-')), encodeURIComponent(name))
  writeFileSync(file, bytes)
  console.log(`case ${values.case}: ${path}\n  ${mutations.join(', ')}: ${bytes.length} bytes\n  ${file}`)
  for (const line of lines) console.log(`  ctxwin ${line.map((word) => JSON.stringify(word)).join(' ')}`)
}

await Promise.all(
  Array.from({ length: only === undefined ? Number(values.workers) : 1 }, async () => {
    const runner = new Runner(folders)
    for (const number of numbers) {
      if (seconds() > Number(values.minutes) * 60) break
      const result = await runner.run({ seed, number })
      files++
      lines += result.ran
      for (const failure of result.failures) seen(number, failure)
      if (files % 1000 === 0) console.log(`${files} files, ${lines} command lines, ${Math.round(seconds())} s`)
    }
    runner.stop()
  }),
)

console.log(`${files} files, ${lines} command lines, ${Math.round(seconds())} s, ${found.size} kinds of failure`)
if (found.size > 0) {
  const directory = values.keep ? join(fixtures, kept) : mkdtempSync(join(tmpdir(), 'ctxwin-fuzz-found-'))
  mkdirSync(directory, { recursive: true })
  const runner = new Runner(folders)
  for (const [key, failure] of found) {
    const whole = caseOf(transcripts, seed, failure.number, program)
    const { bytes: small, byName } = await minimise(runner, whole, failure)
    const file = join(directory, `${slugOf(key)}${/\.(gz|zst)$/.exec(whole.name)?.[0] ?? ''}`)
    // A fixture cannot have such a name.
    if (!byName) writeFileSync(file, small)
    console.log(`\n${[`${key} (${failure.count} times)`, ...(failure.frames ?? [])].join('\n')}
  ctxwin ${failure.line.map((word) => JSON.stringify(word)).join(' ')}
  ${whole.path}: ${whole.mutations.join(', ')}
  ${byName ? `by its name, ${JSON.stringify(whole.name)}` : file} (${small.length} of ${whole.bytes.length} bytes)
  npm run fuzz -- --case ${seed}:${failure.number}${values.from.map((folder) => ` --from ${folder}`).join('')}`)
  }
  runner.stop()
  process.exitCode = 1
}

function slugOf(key) {
  const slug = key.toLowerCase().replaceAll(/[^a-z]+/g, '-')
  return `${slug.slice(0, 60).replace(/^-|-$/g, '')}.jsonl`
}
