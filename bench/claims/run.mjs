/**
 * Measures the figures that README and docs state anew, and prints each with what is stated and what it may move by; those that
 * moved further make the exit code 1.
 *
 *     npm run claims -- FOLDER… [--unseen FOLDER]… [--page docs/truth.md] [--moved]
 *
 * The folders hold the transcripts that the figures are of, which are no part of the repository: without them nothing is
 * measured, and what would have been is listed. --moved prints only what moved.
 */
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { claims, compare, partOf } from './claims.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const { values: options, positionals: folders } = parseArgs({
  allowPositionals: true,
  options: {
    unseen: { type: 'string', multiple: true, default: [] },
    page: { type: 'string' },
    moved: { type: 'boolean', default: false },
  },
})

/** The transcripts of some formats among those of the folders. */
async function filesOf(formats) {
  const { openFile, simulateSources, choose, policies, estimators } = await import('../../dist/app/index.js')
  const { filesIn } = await import('../truth/transcripts.mjs')
  const plan = {
    policies: [choose(policies.get('keep-all'))],
    estimators: [choose(estimators.get('bytes'))],
    budgets: [0],
    references: false,
  }
  const { runs } = await simulateSources(filesIn(folders).map(openFile), plan, {}, () => {})
  const files = runs.filter(({ format }) => formats.includes(format)).map(({ transcript }) => transcript)
  return [...new Set(files)]
}

/** What is measured on projects that nothing was learned from. */
const unseen = 'bench/truth/unseen.mjs'

/** What the program of a claim prints; null where there are no transcripts for it. */
async function measure({ program, words = [], formats }) {
  if (program.startsWith('bench/truth/')) {
    const { section } = await import(`../../${program}`)
    const { filesIn } = await import('../truth/transcripts.mjs')
    const given = program === unseen ? options.unseen : folders
    return given.length === 0 ? null : section(filesIn(given))
  }
  const files = await filesOf(formats)
  if (files.length === 0) return null
  return execFileSync(process.execPath, [program, ...words, ...files], { cwd: root, encoding: 'utf8', maxBuffer: 1e9 })
}

let [held, moved, skipped] = [0, 0, 0]
for (const claim of claims.filter(({ page }) => options.page === undefined || page === options.page)) {
  const place = `${claim.page}, ${claim.from}`
  const skip = (why) => {
    skipped++
    console.log(`${place}: skipped, ${why}`)
  }
  if (claim.why !== undefined) {
    skip(`as it ${claim.why}: ${claim.command}`)
    continue
  }
  if (folders.length === 0) {
    skip('as no folder of transcripts is named')
    continue
  }
  const measured = await measure(claim)
  if (measured === null) {
    skip(claim.formats ? `as no transcript is of ${claim.formats.join(', ')}` : 'as no unseen project is named')
    continue
  }
  console.log(place)
  for (const figure of compare(claim, partOf(readFileSync(root + claim.page, 'utf8'), claim), measured)) {
    if (figure.holds) held++
    else moved++
    if (figure.holds && options.moved) continue
    const now = figure.measured === null ? 'gone' : `measured ${figure.measured}`
    const word = figure.holds ? '' : '  MOVED'
    console.log(`  ${figure.name}: stated ${figure.stated}, ${now}, may move by ${figure.allowed.toFixed(2)}${word}`)
  }
}
console.log(`${held} figures hold, ${moved} moved, ${skipped} places skipped`)
if (moved > 0) process.exitCode = 1
