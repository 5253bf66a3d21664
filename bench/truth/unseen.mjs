/**
 * How well are requests without recorded input predicted in projects that nothing was learned from, and what does a run say of
 * requests in which it cannot test that (`predictionInterval`)?
 *
 *   npm run build && node bench/truth/unseen.mjs FOLDER…
 */
import { fileURLToPath } from 'node:url'
import { foreseeTrace, foreseeTraceFrom } from '../../dist/app/calibrate.js'
import { readSources } from '../../dist/app/read-sources.js'
import { errorOf, measureIn, planOf, tableOf } from './compaction.mjs'
import { daysOf } from './groups.mjs'
import { filesIn, signed, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '### In projects that nothing was learned from'

/**
 * What a run says of windows that it cannot test, and how far it was off in transcripts of other projects.
 * @param files of projects that nothing was learned from
 * @returns Markdown
 */
export async function section(files) {
  const found = await measureIn(files)
  const today = new Date().toISOString().slice(0, 10)
  const days = daysOf(found.all.map(({ origin }) => origin))
  return [
    `Measured on ${today}, on transcripts of other projects from which nothing was learned, recorded ${days}:\n\n`,
    tableOf(found),
    `\nNot tested, for too few requests with usage on either side: ${found.untested} transcripts.\n\n`,
    'Where a run cannot test its own predictions, it gives those of these other projects (`predictionInterval`): how far nine\n',
    'of ten requests were off, each transcript counting the same, and in `all` each format. `none known` is of what messages\n',
    'add, without a preamble that is not recorded.\n\n',
    intervalTable(await intervalsOf(files)),
  ].join('')
}

/** The fewest requests to calibrate on is four: with these the test says that there are too few. */
const few = 3
/** A format with fewer transcripts does not count among all. */
const fewest = 10
/** Growth of fewer tokens is not compared, where the preamble is not known. */
const least = 2000

/**
 * The errors of nine of ten requests, by format, estimator and what the estimator knows of the transcript; each transcript
 * counts the same. They are what a run gives as its `predictionInterval` where it cannot test its own.
 * @param files of projects that nothing was learned from
 */
export async function intervalsOf(files) {
  const rows = measured.get(files) ?? (await measureIntervals(files))
  measured.set(files, rows)
  return rows
}

/** For the page and for the program, and reading takes minutes. */
const measured = new WeakMap()

async function measureIntervals(files) {
  const groups = new Map()
  const add = (program, test, estimator, errors) => {
    if (errors.length === 0) return
    const key = JSON.stringify([program, test, estimator])
    groups.set(key, [...(groups.get(key) ?? []), errors])
  }
  for (const estimator of ['auto', 'bytes']) {
    const plan = planOf(estimator)
    const take = (trace, copyOf) => {
      if (copyOf !== null) return []
      const { format } = trace.head
      const { test, requests } = foreseeTrace(trace, plan)
      add(format, test, estimator, requests.map(errorOf))
      const recorded = foreseeTraceFrom(trace, plan, 0)
      const from = recorded[few]?.request
      if (from !== undefined) add(format, 'few-requests', estimator, foreseeTraceFrom(trace, plan, from).map(errorOf))
      add(format, 'no-usage', estimator, trace.preamble.complete ? recorded.map(errorOf) : growthErrors(recorded))
      return []
    }
    for await (const _ of readSources(sourcesOf(files), plan, {}, take, unread));
  }
  const rows = []
  const all = new Map()
  for (const [key, transcripts] of groups) {
    const [program, test, estimator] = JSON.parse(key)
    rows.push(rowOf(program, test, estimator, [transcripts]))
    if (transcripts.length < fewest) continue
    const known = JSON.stringify([test, estimator])
    all.set(known, [...(all.get(known) ?? []), transcripts])
  }
  for (const [key, formats] of all) rows.push(rowOf(null, ...JSON.parse(key), formats))
  return rows.sort(compareRows)
}

/** @param formats the errors of the requests of each transcript, for each format */
function rowOf(program, test, estimator, formats) {
  const [low, high] = [0.05, 0.95].map((share) => Math.round(10 * quantileOf(formats, share)) / 10)
  return { program, test, estimator, transcripts: formats.flat().length, low, high }
}

/** Without usage nothing tells the preamble, and a run says so: what is compared is how much the messages add. */
function growthErrors([first, ...later]) {
  return later
    .map(({ recorded, foreseen }) => ({ recorded: recorded - first.recorded, foreseen: foreseen - first.foreseen }))
    .filter(({ recorded }) => recorded >= least)
    .map(errorOf)
}

/** The value below which a share of the errors lies, if each transcript weighs as much as any other of its format, and each format too. */
function quantileOf(formats, share) {
  const weighted = formats
    .flatMap((transcripts) =>
      transcripts.flatMap((errors) =>
        errors.map((error) => ({ error, weight: 1 / errors.length / transcripts.length })),
      ),
    )
    .sort((a, b) => a.error - b.error)
  let sum = 0
  for (const { error, weight } of weighted) {
    sum += weight
    if (sum >= share * formats.length - 1e-9) return error
  }
  return null
}

function compareRows(a, b) {
  const words = ({ program, estimator, test }) => `${program === null ? '~' : program} ${estimator} ${test}`
  return words(a) < words(b) ? -1 : 1
}

function intervalTable(rows) {
  const cells = rows.map(({ program, test, estimator, transcripts, low, high }) => [
    program ?? 'all',
    estimator,
    tests[test],
    transcripts,
    signed(low),
    signed(high),
  ])
  return table([['format', 'estimator', 'requests', 'transcripts', 'from %', 'to %'], ...cells])
}

const tests = {
  cut: 'behind a cut',
  half: 'second half, no cut',
  'few-requests': 'three known',
  'no-usage': 'none known',
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
