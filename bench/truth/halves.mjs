/**
 * Does the answer hold? The sessions of each program are split in two halves, sixty times: what to set is decided on one half, and
 * held against what that comes to in the other. An answer of Keep counts, too: of it the best candidate is judged, so that
 * saying Keep is no way out. Then a saving of 15 % is planted among the candidates, and has to be found.
 *
 *   npm run build && node bench/truth/halves.mjs FOLDER…
 */
import { fileURLToPath } from 'node:url'
import { decide } from '../../dist/app/answer/decide.js'
import { Decisions } from '../../dist/app/answer/decisions.js'
import { extraLossIn, halves, savingIn } from '../../dist/app/answer/forecast.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { filesIn, quantile, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## What is promised, and what comes of it'

const splits = 60
const planted = 0.15
/** Fewer sessions give halves of which none can have a verdict. */
const fewest = 10
const tolerance = { over: 'baseline', percent: 0 }

/** @returns by program: what the decision is made of, with the owner of each session */
async function measuredIn(files) {
  const decisions = new Decisions({ policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] })
  const take = (trace, copyOf) => {
    if (copyOf === null) decisions.add(decisions.measure(trace))
    return []
  }
  for await (const _ of readSources(sourcesOf(files), decisions.plan, {}, take, unread));
  return decisions.measurements().filter(({ measured }) => measured.costed >= fewest && measured.tried > 0)
}

/** Some of the sessions. */
function partOf(measured, sessions) {
  const cut = (column) => Float64Array.from(sessions, (at) => column[at])
  const columns = (of) => ({
    paid: cut(of.paid),
    rereads: cut(of.rereads),
    unsure: cut(of.unsure),
    lost: cut(of.lost),
    summarised: cut(of.summarised),
    expected: cut(of.expected),
  })
  const figures = (one) => ({ ...one, columns: columns(one.columns) })
  return {
    ...measured,
    transcripts: sessions.length,
    costed: cut(measured.baseline.columns.paid).filter((paid) => paid > 0).length,
    uses: cut(measured.uses),
    baseline: figures(measured.baseline),
    present: columns(measured.present),
    candidates: measured.candidates.map(figures),
  }
}

/** With one more candidate, which costs so much less than what was paid and loses what the present setting loses. */
function withPlanted(measured) {
  const { baseline, present } = measured
  const nothing = new Float64Array(measured.transcripts)
  const columns = {
    ...present,
    paid: baseline.columns.paid.map((paid) => paid * (1 - planted)),
    rereads: nothing,
    unsure: nothing,
  }
  const one = { ...baseline, setting: 'planted', policy: 'planted', budget: null, edits: 1, columns }
  return { ...measured, tried: measured.tried + 1, candidates: [...measured.candidates, one] }
}

/** What one half says, and what the other comes to. */
function held(measured, one, other) {
  const decision = decide(partOf(measured, one), tolerance)
  const { best, outcome } = decision
  if (best === null) return null
  const figures = measured.candidates.find(({ setting, budget }) => setting === best.setting && budget === best.budget)
  const { columns, edits } = figures
  const sample = { paid: measured.baseline.columns.paid, uses: measured.uses, lost: measured.present.expected }
  const paid = columns.paid.map((own, at) => own + columns.rereads[at])
  const tried = { paid, unsure: columns.unsure, lost: columns.expected, cuts: edits > 0 }
  return {
    outcome,
    setting: best.setting,
    promised: best.saved,
    most: Math.max(0.5, best.losses.extraMostPercent),
    obtained: savingIn(sample, tried, other).percent,
    extra: 100 * extraLossIn(sample, tried, other).share,
  }
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length
const share = (values, holds) => (100 * values.filter(holds).length) / values.length

/** @returns a row of figures for a program */
export function judged({ program, measured }) {
  // Another seed than that by which a decision itself is held out.
  const pairs = [...halves(measured.transcripts, splits, 1)]
  const all = pairs.map(([one, other]) => held(measured, one, other)).filter(Boolean)
  const known = all.filter(({ promised }) => promised.low !== null)
  const obtained = known.map((one) => one.obtained)
  const width = quantile(
    known.map(({ promised }) => promised.high - promised.low),
    0.5,
  )
  const spread = quantile(obtained, 0.975) - quantile(obtained, 0.025)
  const acted = known.filter(({ outcome }) => outcome === 'set' || outcome === 'try')
  const whole = withPlanted(measured)
  const found = pairs.map(([one, other]) => held(whole, one, other)).filter((one) => one !== null)
  const isFound = ({ outcome, promised }) => (outcome === 'set' || outcome === 'try') && promised.percent > 0
  return {
    program: program ?? 'your own agent',
    sessions: measured.costed,
    answers: ['set', 'try', 'keep'].map((word) => all.filter(({ outcome }) => outcome === word).length).join(' / '),
    promised: mean(known.map(({ promised }) => promised.percent)),
    obtained: mean(obtained),
    covered: share(known, ({ promised, obtained: own }) => own >= promised.low && own <= promised.high),
    above: share(known, ({ promised, obtained: own }) => own > promised.high),
    width,
    wide: width / spread,
    worse: acted.length === 0 ? null : share(acted, ({ extra, most }) => extra > most),
    found: share(found, isFound),
  }
}

const shown = (value, digits = 1) => (value === null || Number.isNaN(value) ? '-' : value.toFixed(digits))

/** @returns Markdown */
export async function section(files) {
  const rows = (await measuredIn(files)).map(judged)
  return [
    `The sessions of each program are split in two halves, ${splits} times. What to set is decided on one half (of Keep the best candidate\n`,
    'is taken), and held against what it comes to in the other: the saving in percent that was promised and that was obtained; how\n',
    'often that lies in the printed interval, and how often above it; the median width of the interval, and how many times the middle\n',
    '95 % of what was obtained that is; how often an answer of Set or Try lost more than it said; and how often a saving of\n',
    `${100 * planted} %, planted among the candidates, led to such an answer. Programs with at least ${fewest} sessions of known price.\n\n`,
    table([
      [
        'program',
        'sessions',
        'set / try / keep',
        'promised %',
        'obtained %',
        'covered %',
        'above %',
        'width',
        'times the spread',
        'lost more %',
        'planted found %',
      ],
      ...rows.map((row) => [
        row.program,
        row.sessions,
        row.answers,
        shown(row.promised),
        shown(row.obtained),
        shown(row.covered, 0),
        shown(row.above, 0),
        shown(row.width, 0),
        shown(row.wide, 2),
        shown(row.worse, 0),
        shown(row.found, 0),
      ]),
    ]),
    '\n- **May be claimed:** what is promised is what comes of it, on the mean, within the difference of the two columns; and that a saving of\n',
    '  the planted size is found.\n',
    '- **How sure:** the interval is meant to hold in 90 % of the splits, and to be no wider than 1.5 times the spread. Where it is missed\n',
    '  it is mostly from above: one half had none of the few sessions that have most of the money, and the other half saved more than\n',
    '  anything in the first one showed. Halves of fewer than ten sessions have no verdict, and no row says how often they are right.\n',
    '- **May not be claimed:** that a setting is right for sessions of another kind than those it was chosen on.\n',
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
