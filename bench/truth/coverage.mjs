/**
 * How far is a window off that nobody counted, and how often does it lie where ctxwin says? Where a run cannot test its own
 * predictions it gives the interval of others (`predictionInterval`, src/models/intervals.data.ts). Here it is measured, so
 * wide that it holds nine of ten requests of owners that it was not measured on.
 *
 *   npm run build && node bench/truth/coverage.mjs FOLDER… [--unseen FOLDER]… [--write]
 *
 * Prints the intervals, and how many of the requests of each owner they hold if they are measured without that owner. The
 * unseen are no part of the measurement: it says how many of their requests the intervals hold. `--write` writes them into
 * the program.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { foreseeTrace, foreseeTraceFrom } from '../../dist/app/calibrate.js'
import { readSources } from '../../dist/app/read-sources.js'
import { choose, estimators } from '../../dist/index.js'
import { errorOf } from './compaction.mjs'
import { coverageOf, intervalsOf } from './intervals.mjs'
import { ownerOf } from './manifest.mjs'
import { filesIn, signed, sourcesOf, table, unread } from './transcripts.mjs'

/** The fewest requests to calibrate on is four: with these the test says that there are too few. */
const few = 3
/**
 * The errors of each transcript that was tested, in percent of what was recorded.
 * @returns `{ program, test, estimator, owner, errors }` for each transcript, test and estimator
 */
export async function testsOf(files) {
  const tests = []
  for (const estimator of ['auto', 'bytes']) {
    const plan = { policies: [], estimators: [choose(estimators.get(estimator))], budgets: [] }
    const take = (trace, copyOf) => {
      if (copyOf !== null) return []
      const { format: program, file } = trace.head
      const add = (test, errors) => {
        if (errors.length > 0) tests.push({ program, test, estimator, owner: ownerOf(file), errors })
      }
      const { test, requests } = foreseeTrace(trace, plan)
      add(test, requests.map(errorOf))
      const recorded = foreseeTraceFrom(trace, plan, 0)
      const from = recorded[few]?.request
      if (from !== undefined) add('few-requests', foreseeTraceFrom(trace, plan, from).map(errorOf))
      return []
    }
    for await (const _ of readSources(sourcesOf(files), plan, {}, take, unread));
  }
  return tests
}

const words = {
  cut: 'behind a cut',
  half: 'second half, no cut',
  'few-requests': 'three known',
}

function coverageTable(coverage) {
  const head = ['format', 'estimator', 'requests', 'transcripts', 'owners', 'interval of', 'from %', 'to %', 'held %']
  const cells = coverage.map(({ program, test, estimator, transcripts, owners, row, part }) => [
    program,
    estimator,
    words[test],
    transcripts,
    owners,
    `${row.program ?? 'all'} (${row.transcripts} of ${row.owners})`,
    signed(row.low),
    signed(row.high),
    (100 * part).toFixed(1),
  ])
  return table([head, ...cells])
}

export const title = '## What to expect where nothing can be tested'

/** @returns Markdown */
export async function section(files) {
  const coverage = coverageOf(await testsOf(files), null).filter(({ estimator }) => estimator === 'auto')
  return [
    'Where a run cannot test its own predictions it gives the interval of others (`predictionInterval`): of its program, or of all, as\n',
    'wide as it must be to hold nine of ten requests of an owner who is left out, each transcript counting the same. Held: of the\n',
    'requests of owners that it was measured without. Without any usage it is composed: `node tools/fit/preambles.mjs --leave-out`.\n\n',
    coverageTable(coverage),
    '\n- **How sure:** how much wider was chosen with all owners at hand; chosen without the owner of most of Claude Code’s compactions\n',
    '  it held 64 % of the requests behind them. With `--estimator bytes` it is wider (`node bench/truth/coverage.mjs`).\n',
  ].join('')
}

/** The data of the program. */
function dataOf(rows) {
  const order = ({ program, estimator, test }) => `${program ?? '~'} ${estimator} ${test}`
  const lines = rows
    .toSorted((a, b) => (order(a) < order(b) ? -1 : 1))
    .map(({ program, test, estimator, transcripts, owners, low, high }) => {
      const of = program === null ? 'null' : `'${program}'`
      return `    { program: ${of}, test: '${test}', estimator: '${estimator}', transcripts: ${transcripts}, owners: ${owners}, low: ${low}, high: ${high} },`
    })
  return `/** Measured by \`node bench/truth/coverage.mjs\` on sessions that others recorded and published. */
import type { UsualInterval } from './table.ts'

export const intervals: { readonly table: readonly UsualInterval[] } = {
  table: [
${lines.join('\n')}
  ],
}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = {
    unseen: { type: 'string', multiple: true, default: [] },
    write: { type: 'boolean', default: false },
  }
  const { values, positionals } = parseArgs({ allowPositionals: true, options })
  const tests = await testsOf(filesIn(positionals))
  console.log(`Of owners that are left out of the measurement:\n\n${coverageTable(coverageOf(tests, null))}`)
  if (values.unseen.length > 0) {
    const unseen = await testsOf(filesIn(values.unseen))
    console.log(`Of the unseen:\n\n${coverageTable(coverageOf(tests, unseen))}`)
  }
  if (values.write) {
    writeFileSync(new URL('../../src/models/intervals.data.ts', import.meta.url), dataOf(intervalsOf(tests)))
  }
}
