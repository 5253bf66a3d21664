/**
 * Plants faults one at a time and runs the tests that should find each of them. A fault that no test finds is told by its
 * name, and fails the command:
 *
 *     npm run mutants                                    all of list.mjs
 *     npm run mutants -- --only NAME
 *     npm run mutants -- --changed [COMMIT]              those of files that differ from a commit; default: where this branch began
 *     npm run mutants -- --sample 0.1                    a tenth, always the same
 *     npm run mutants -- --changed --sample 0.1 --seconds 60
 *     npm run mutants -- --list FILE                     faults of another list
 *     npm run mutants -- --random N ...                  faults of no list: random/run.mjs
 *
 * Nothing is written to a source: a run that is killed leaves nothing behind.
 */
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { baseOf, changedSince, chosenOf } from './choose.mjs'
import { outdated } from './plant.mjs'
import { Tests } from './tests.mjs'

const root = resolve(import.meta.dirname, '../..')

function stop(code, ...lines) {
  for (const line of lines) console.error(line)
  process.exit(code)
}

function wordsOf(args) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        only: { type: 'string' },
        changed: { type: 'boolean', default: false },
        sample: { type: 'string' },
        seconds: { type: 'string', default: 'Infinity' },
        list: { type: 'string', default: resolve(import.meta.dirname, 'list.mjs') },
        random: { type: 'string' },
        seed: { type: 'string', default: '1' },
        room: { type: 'string', multiple: true },
        whole: { type: 'boolean', default: false },
        found: { type: 'string' },
        workers: { type: 'string', default: String(availableParallelism()) },
      },
    })
  } catch (error) {
    return stop(2, error.message)
  }
}

const { values, positionals } = wordsOf(process.argv.slice(2))
const numberOf = (flag) => {
  const number = Number(values[flag])
  return number > 0 ? number : stop(2, `--${flag}: ${values[flag]} is no number above 0`)
}
const began = performance.now()
const most = numberOf('seconds')
const left = () => Math.max(0, most - (performance.now() - began) / 1000)

if (values.random !== undefined || values.found !== undefined) {
  const { roomsIn, tryAgain, tryAtRandom } = await import('./random/run.mjs')
  const foundFile = values.found && resolve(values.found)
  if (values.random === undefined) stop((await tryAgain({ root, foundFile, left })) > 0 ? 1 : 0)
  const rooms = values.room ?? roomsIn(root)
  for (const room of rooms) if (!roomsIn(root).includes(room)) stop(2, `--room: there is no src/${room}/`)
  const how = { count: numberOf('random'), seed: values.seed, rooms, isWhole: values.whole, foundFile }
  stop((await tryAtRandom({ root, left, ...how })) > 0 ? 1 : 0)
}

const { mutants } = await import(resolve(values.list))

const stale = outdated(mutants, root)
if (stale.length > 0) stop(1, ...stale)

/** Null where nobody asks for it, or nobody knows. */
function changedFiles() {
  if (!values.changed) return positionals.length > 0 ? stop(2, `${positionals[0]}: only --changed takes a word`) : null
  const base = positionals[0] ?? baseOf(root)
  if (base === null) console.log('no earlier commit is known here: nothing is chosen by what has changed')
  return base && (changedSince(base, root) ?? stop(2, `${base}: there is no such commit`))
}

const sample = values.sample === undefined ? null : numberOf('sample')
const chosen = chosenOf(mutants, { only: values.only ?? null, changed: changedFiles(), sample })
if (chosen.length === 0 && values.only !== undefined) stop(2, `${values.only}: no fault of that name is planted`)

const tests = new Tests(root)
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => process.exit(1))
process.on('exit', () => tests.stop())

// A test that fails anyway would seem to find everything.
const sound = await tests.run([...new Set(chosen.flatMap((mutant) => mutant.tests))], null, values.workers, left())
if (sound.state === 'failed' || sound.state === 'broken')
  stop(1, 'without a planted fault these tests should pass:', sound.said)

const outcomes = new Map(chosen.map((mutant) => [mutant, 'left out']))
const width = Math.max(0, ...chosen.map(({ name }) => name.length))
const waiting = chosen.values()
async function work() {
  for (const mutant of waiting) {
    if (left() === 0) return
    const start = performance.now()
    const { state, said } = await tests.run(mutant.tests, mutant, 1, left())
    if (state === 'late') return
    outcomes.set(mutant, state)
    const seconds = ((performance.now() - start) / 1000).toFixed(1).padStart(5)
    console.log(`${mutant.name.padEnd(width)} ${seconds} s  ${words[state]}${state === 'passed' ? '' : said}`)
  }
}
const words = { failed: '', endless: 'does not end', passed: 'NOT FOUND', broken: 'BREAKS THE MODULE: ' }
await Promise.all(Array.from({ length: numberOf('workers') }, work))

const those = (...states) => chosen.filter((mutant) => states.includes(outcomes.get(mutant)))
console.log(`${those('failed', 'endless').length} of ${chosen.length} planted faults are found by the tests`)
const late = those('left out')
if (late.length > 0) console.log(`left out after ${most} s: ${late.map(({ name }) => name).join(', ')}`)
for (const { name, file, why } of those('passed')) console.error(`not found: ${name} in ${file} (${why})`)
for (const { name, file } of those('broken')) console.error(`breaks ${file} before any test can find it: ${name}`)
if (those('passed', 'broken').length > 0) process.exitCode = 1
