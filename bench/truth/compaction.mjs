/**
 * How well are requests without recorded input predicted? Each transcript's input is hidden from its first cut on (without
 * a cut: from its middle on), its output is not, and the sizes that `as-recorded` then predicts are compared with what was recorded. What a
 * run says of requests in which that cannot be tested (`predictionInterval`) is measured here too.
 *
 *   npm run build && node bench/truth/compaction.mjs FOLDER… [--unseen FOLDER]…
 */

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { foreseeTrace, foreseeTraceFrom } from '../../dist/app/calibrate.js'
import { readSources } from '../../dist/app/read-sources.js'
import { choose, estimators } from '../../dist/index.js'
import { filesIn, quantile, sourcesOf, table, unread } from './transcripts.mjs'

export const title = 'Windows after a cut'

const planOf = (estimator) => ({ policies: [], estimators: [choose(estimators.get(estimator))], budgets: [] })
const auto = planOf('auto')
const kinds = { first: 'first behind a cut', later: 'later', half: 'second half, no cut' }

/**
 * @param files that the rules may have been learned from
 * @param unseen files of other projects
 * @returns Markdown
 */
export async function section(files, unseen) {
  const known = { groups: new Map(), untested: 0 }
  const others = { groups: new Map(), untested: 0 }
  const isUnseen = new Set(unseen)
  const take = (trace, copyOf) => {
    if (copyOf === null) compare(trace, isUnseen.has(trace.head.file) ? others : known)
    return []
  }
  for await (const _ of readSources(sourcesOf([...files, ...unseen]), auto, {}, take, unread));
  return sectionOf(known, others, unseen.length === 0 ? [] : await intervalsOf(unseen))
}

function compare(trace, to) {
  const { format } = trace.head
  const foreseen = foreseeTrace(trace, auto)
  if (foreseen.requests.length === 0) to.untested++
  for (const { recorded, foreseen: tokens, first } of foreseen.requests) {
    const kind = kinds[foreseen.test === 'half' ? 'half' : first ? 'first' : 'later']
    const key = `${format}\n${kind}`
    const group = to.groups.get(key) ?? { format, kind, recorded: 0, tokens: 0, errors: [] }
    to.groups.set(key, group)
    group.recorded += recorded
    group.tokens += tokens
    group.errors.push((100 * Math.abs(tokens - recorded)) / recorded)
  }
}

function tableOf({ groups }) {
  const mean = (errors) => errors.reduce((sum, error) => sum + error, 0) / errors.length
  const rows = [...groups.entries()]
    .sort()
    .map(([, { format, kind, recorded, tokens, errors }]) => [
      format,
      kind,
      errors.length,
      mean(errors).toFixed(1),
      quantile(errors, 0.5).toFixed(1),
      quantile(errors, 0.9).toFixed(1),
      `${tokens < recorded ? '−' : '+'}${Math.abs((100 * (tokens - recorded)) / recorded).toFixed(1)}`,
    ])
  return table([['format', 'requests', 'n', 'mean off %', 'median %', 'p90 %', 'bias %'], ...rows])
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

const errorOf = ({ recorded, foreseen }) => (100 * (foreseen - recorded)) / recorded

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
  const signed = (percent) => `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(1)}`
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

/** @param intervals of the unseen; empty if there are none */
function sectionOf(known, others, intervals) {
  const untested = (of) => `Not tested, for too few requests with usage on either side: ${of.untested} transcripts.\n`
  return [
    'The recorded input behind the first cut of a transcript is hidden (without a cut: that of its second half), and each request\n',
    'behind is predicted as `as-recorded` sends it; the recorded output is known, as it is where another policy is tried. Off, in percent\n',
    'of what was recorded, by request.\n\n',
    tableOf(known),
    `\n${untested(known)}`,
    ...(intervals.length > 0
      ? [
          '\nThe same in transcripts of other projects, of which nothing was learned:\n\n',
          tableOf(others),
          `\n${untested(others)}`,
          '\nWhere a run cannot test its own predictions, it gives those of these other projects (`predictionInterval`): how far nine\n',
          'of ten requests were off, each transcript counting the same, and in `all` each format. `none known` is of what messages\n',
          'add, without a preamble that is not recorded.\n\n',
          intervalTable(intervals),
        ]
      : []),
    '\n- **May be claimed:** how large a request is that nobody has seen, to the means of these tables; where usage is recorded,\n',
    '  `as-recorded` is set right by it behind each cut and is nearer.\n',
    '- **How sure:** the rules for what Claude Code puts back in behind a compaction, and the tokens of what is recorded nowhere, were\n',
    '  learned from sessions of one repository (versions 2.0.76 to 2.1.42). They hold in other projects with these versions. What\n',
    '  versions from 2.1.43 to the first that records attachments put in is not known: in one project 11,000 to 24,000 tokens came\n',
    '  in behind a compaction by 2.1.49 of which nothing is written down, and they are in the second table in full.\n',
    '- **May not be claimed:** a cut that is not recorded (a context that shrinks without a word) is foreseen by nobody, and counts in\n',
    '  full in the tables. A policy that the agent never ran is as far off as `as-recorded`, and further by what it changes.\n',
    '  What a hosted web search of Codex found is written down nowhere. In the one session with searches each of 13 put in about 7,000\n',
    '  tokens, and all were gone when the user interrupted the agent: one session makes no rule, and with so many tokens for each\n',
    '  call, later windows there were 47 % off instead of 17 %.\n',
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const options = { unseen: { type: 'string', multiple: true, default: [] } }
  const { values, positionals } = parseArgs({ allowPositionals: true, options })
  console.log(await section(filesIn(positionals), values.unseen.length > 0 ? filesIn(values.unseen) : []))
}
