/**
 * Does the answer hold? What to set is decided on some of an owner's sessions of a program, and held against what it comes to in
 * the others: random halves, and the sessions that came later. Keep counts as a saving of nothing.
 *
 *   npm run build && node bench/truth/halves.mjs FOLDER…
 */
import { dirname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decide } from '../../dist/app/answer/decide.js'
import { Decisions } from '../../dist/app/answer/decisions.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { uniform } from '../../dist/base/uniform.js'
import { lastSessions, risks } from '../../dist/model/recommendation.js'
import { manifested } from './manifest.mjs'
import { filesIn, quantile, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## What is promised, and what comes of it'

const draws = 40
/** Of an owner's sessions: as many are the earlier ones. */
const cuts = [0.4, 0.5, 0.6, 0.75]
/** With fewer sessions a half says nothing. */
const fewest = 4
const planted = 0.15

/** @returns by owner and program: what the decision is made of, and the order of the transcripts in time */
export async function measuredIn(files) {
  const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] }
  const { plan: read } = new Decisions(plan)
  const groups = new Map()
  const take = (trace, copyOf) => {
    if (copyOf !== null) return []
    const { file, format } = trace.head
    const name = `${manifested(file)?.owner ?? dirname(file)} ${format}`
    const group = groups.get(name) ?? { name, decisions: new Decisions(plan, { sessions: 'all' }), times: [] }
    groups.set(name, group)
    const measured = group.decisions.measure(trace)
    group.decisions.add(measured)
    group.times.push(measured.last ?? 0)
    return []
  }
  for await (const _ of readSources(sourcesOf(files), read, {}, take, unread));
  return [...groups.values()].flatMap(({ name, decisions, times }) => {
    const [{ program, measured }] = decisions.measurements()
    const isTold = measured.unit === 'usd' && measured.tried > 0 && measured.costed >= fewest
    return isTold ? [{ name, program: program ?? 'your own agent', measured, order: orderOf(measured, times) }] : []
  })
}

/** The sessions in the order in which they ended. */
function orderOf({ sessions, sessionOf, baseline }, times) {
  const ends = new Float64Array(sessions)
  const paid = new Float64Array(sessions)
  for (const [at, session] of sessionOf.entries()) {
    ends[session] = Math.max(ends[session], times[at])
    paid[session] += baseline.columns.paid[at]
  }
  return Array.from(ends, (_, session) => session)
    .filter((session) => paid[session] > 0)
    .sort((one, other) => ends[one] - ends[other])
}

/** What is measured of some of the sessions. */
function partOf(measured, sessions) {
  const numbers = new Map(sessions.map((session, number) => [session, number]))
  const kept = Array.from(measured.sessionOf, (_, at) => at).filter((at) => numbers.has(measured.sessionOf[at]))
  const cut = (column) => Float64Array.from(kept, (at) => column[at])
  const columns = (of) => Object.fromEntries(Object.entries(of).map(([key, column]) => [key, cut(column)]))
  const figures = (one) => ({ ...one, columns: columns(one.columns) })
  return {
    ...measured,
    sessions: sessions.length,
    sessionOf: Int32Array.from(kept, (at) => numbers.get(measured.sessionOf[at])),
    transcripts: kept.length,
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
  const paid = baseline.columns.paid.map((own) => own * (1 - planted))
  const columns = { ...present, paid, rereads: nothing, unsure: nothing, peak: baseline.columns.peak }
  const one = { ...baseline, setting: 'planted', policy: 'planted', budget: null, edits: 1, columns }
  return { ...measured, tried: measured.tried + 1, candidates: [...measured.candidates, one] }
}

/** What some sessions say, and what the others come to; `null` for Keep. */
function held(measured, risk, one, other) {
  const lately = one.slice(-lastSessions)
  const { recommended } = decide(partOf(measured, lately), { risk, tolerance: null })
  if (recommended === null) return null
  const { candidates } = decide(partOf(measured, other), { risk, tolerance: null })
  const obtained = candidates.find(
    ({ setting, budget }) => setting === recommended.setting && budget === recommended.budget,
  )
  const { losses } = obtained
  const present = partOf(measured, other).present.expected.reduce((sum, own) => sum + own, 0)
  return {
    promised: recommended.saved,
    obtained: obtained.saved.percent,
    lost: losses.total === 0 ? 0 : (100 * (losses.expected - present)) / losses.total,
  }
}

function* splitsOf(order, way) {
  if (way === 'time') {
    for (const cut of cuts) {
      const at = Math.round(cut * order.length)
      if (at >= 2 && order.length - at >= 2) yield [order.slice(0, at), order.slice(at)]
    }
    return
  }
  const random = uniform(0x5eed)
  for (let draw = 0; draw < draws; draw++) {
    const places = new Map(order.map((session) => [session, random()]))
    const one = new Set(order.toSorted((a, b) => places.get(a) - places.get(b)).slice(0, order.length >> 1))
    yield [order.filter((session) => one.has(session)), order.filter((session) => !one.has(session))]
  }
}

const mean = (values) => (values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length)
const share = (values, holds) => (values.length === 0 ? null : (100 * values.filter(holds).length) / values.length)
const shown = (value, digits = 1) => (value === null ? '-' : value.toFixed(digits))

/** Each owner weighs the same. */
export function rowOf(groups, risk, way) {
  const owners = groups.map(({ measured, order }) =>
    [...splitsOf(order, way)].map(([one, other]) => held(measured, risk, one, other)),
  )
  const told = owners.filter((all) => all.length > 0)
  const acted = told.map((all) => all.filter((one) => one !== null))
  const acts = acted.flat()
  const ranged = acts.filter(({ promised }) => promised.low !== null)
  return {
    owners: told.length,
    acting: acted.filter((all) => all.length > 0).length,
    acts: mean(told.map((all, at) => (100 * acted[at].length) / all.length)),
    saved: mean(told.map((all, at) => acted[at].reduce((sum, { obtained }) => sum + obtained, 0) / all.length)),
    lost: mean(told.map((all, at) => acted[at].reduce((sum, { lost }) => sum + lost, 0) / all.length)),
    cheaper: mean(acted.flatMap((all) => (all.length === 0 ? [] : [share(all, ({ obtained }) => obtained > 0)]))),
    covered: share(ranged, ({ promised, obtained }) => obtained >= promised.low && obtained <= promised.high),
    width: quantile(
      ranged.map(({ promised }) => promised.high - promised.low),
      0.5,
    ),
  }
}

/** How often a planted saving is taken on halves that keep what there is without it. */
function foundShare(groups) {
  const all = groups.flatMap(({ measured, order }) => {
    const whole = withPlanted(measured)
    return [...splitsOf(order, 'halves')].flatMap(([one, other]) =>
      held(measured, 'balanced', one, other) === null ? [held(whole, 'balanced', one, other) !== null] : [],
    )
  })
  return { share: share(all, Boolean), count: all.length }
}

/** @returns Markdown */
export async function section(files) {
  const groups = await measuredIn(files)
  const rows = risks.flatMap((risk) => ['halves', 'time'].map((way) => [risk, way, rowOf(groups, risk, way)]))
  const found = foundShare(groups)
  const most = groups.reduce((sum, { order }) => sum + order.length, 0)
  return [
    `The sessions of each owner in each program (${groups.length} with at least ${fewest} sessions of known price, ${most} sessions) are split: in two random halves, ${draws} times,\n`,
    `and by time, with the earlier ${cuts.map((cut) => 100 * cut).join(', ')} % of them first. What to set is decided on one part, by its last ${lastSessions} sessions, and held\n`,
    'against what it comes to in the other. Each owner weighs the same; Keep counts as a saving of nothing. Saved: of the input after\n',
    're-reading. Lost: later uses beyond the present setting, in points. Cheaper: of the settings that were named, those that saved\n',
    'anything, by owner. Covered: how often what came lay in the printed range.\n\n',
    table([
      ['risk', 'split', 'owners', 'that act', 'acts %', 'saved %', 'lost', 'cheaper %', 'covered %', 'width'],
      ...rows.map(([risk, way, row]) => [
        risk,
        way,
        row.owners,
        row.acting,
        shown(row.acts, 0),
        shown(row.saved),
        shown(row.lost),
        shown(row.cheaper, 0),
        shown(row.covered, 0),
        shown(row.width, 0),
      ]),
    ]),
    `\nA saving of ${100 * planted} %, planted among the candidates of halves that say Keep, is taken in ${shown(found.share, 0)} % of ${found.count}.\n`,
    '\n- **May be claimed:** what each row of the menu obtained for these owners, and how often it acted.\n',
    '- **How sure:** few owners act, so each figure moves by several points with one owner more. The range is meant to hold in 95 % of the\n',
    '  splits by time.\n',
    '- **May not be claimed:** that a setting is right for sessions of another kind than those it was chosen on.\n',
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
