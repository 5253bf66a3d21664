/**
 * What a learned policy is worth to people whose sessions nobody has learned from. The owners are put into three parts; coefficients are
 * fitted and the policy is chosen on the sessions of two, and judged on those of the third. What needs no learning is chosen and judged
 * in the same way. In place of the search of `ctxwin tune`, which looks around the best as well, a grid of seventeen is tried for each
 * part: that takes six minutes of processor time for the published table. Writes it into bench/README.md.
 *
 *   npm run build && node bench/tune.mjs [--print] FOLDER…
 */

import { readSources } from '../dist/app/files/read-sources.js'
import { choose, estimators, policies } from '../dist/app/index.js'
import { caseOf } from '../dist/app/plan.js'
import { oddsIn } from '../dist/app/tune/odds.js'
import { sumOf, Trials } from '../dist/app/tune/trials.js'
import { rivals } from '../dist/app/tune/tune.js'
import { uniform } from '../dist/base/uniform.js'
import knobs, { startKnobs } from '../dist/policies/knobs/knobs.js'
import { coefficientsOf, drawnFrom } from '../tools/fit/value.mjs'
import { printOrWrite } from './measured.mjs'
import { ownerOf } from './truth/manifest.mjs'
import { filesIn, quantile, signed, sourcesOf, table, unread } from './truth/transcripts.mjs'

const begin = '<!-- measured: node bench/tune.mjs FOLDER -->'
const end = '<!-- end of what was measured by bench/tune.mjs -->'
const tolerances = [1, 2, 3, 5]
const parts = 3
const budget = 190_000
/** By operation, what is taken as a whole, what is never taken, and thousands of tokens that a lost use is held to cost. */
const grid = [
  { operation: 'drop', unit: 'step', protect: 'last:2', prices: [560, 280, 130, 90, 65, 45, 30] },
  { operation: 'strip+drop-thinking', unit: 'message', protect: 'last:4', prices: [560, 280, 130, 90, 65, 45, 30] },
  { operation: 'mask', unit: 'result', protect: 'last:2', prices: [130, 45, 20] },
]
/** The fewest requests of a session that teaches, and of one that is judged: in a shorter one there is nothing to be saved. */
const [fewestTaught, fewestJudged] = [10, 20]
/** What is chosen among, each by itself. */
const groups = { 'a preset': ['preset'], 'no learning': ['preset', 'aged', 'stay'], learned: ['learned'] }

const print = process.argv[2] === '--print'
const files = filesIn(process.argv.slice(print ? 3 : 2))
const started = performance.now()
const say = (what) => console.error(`${Math.round((performance.now() - started) / 1000)} s: ${what}`)

const plan = {
  policies: [choose(policies.get('knobs')), choose(policies.get('clairvoyant'))],
  estimators: [choose(estimators.get('auto'))],
  budgets: [],
  references: true,
  copies: false,
}
/** By owner of a session, the messages that coefficients are fitted to. */
const taught = []
const cases = []
const take = (trace, copyOf) => {
  if (copyOf !== null || trace.requests < fewestTaught) return []
  taught.push({ owner: ownerOf(trace.head.file), messages: drawnFrom(trace) })
  const facts = caseOf(trace, plan)
  if (trace.requests >= fewestJudged && facts.pricing.unit === 'usd') cases.push(facts)
  return []
}
for await (const _ of readSources(sourcesOf(files), plan, {}, take, unread));

const ownersOf = cases.map(({ trace }) => ownerOf(trace.head.file))
const owners = [...new Set(ownersOf)].sort()
const partOf = (owner) => owners.indexOf(owner) % parts
say(`${cases.length} sessions of ${owners.length} owners are read`)

const trials = new Trials(cases)
for (const one of rivals()) trials.try(one)
const { today, uses } = trials
const all = Array.from(trials.all)
const [foresight] = trials.tried.filter(({ candidate }) => candidate.kind === 'foresight')
say(`${trials.tried.length} policies that need no learning are tried`)

const share = (column, at, of = today.paid) => (100 * sumOf(column, at)) / sumOf(of, at)
const lost = (columns, key, at) => (100 * (sumOf(columns[key], at) - sumOf(today[key], at))) / sumOf(uses[key], at)

/** What a policy costs as many owners as `count`, drawn from these with what they have: from and to, of nine in ten draws. */
function rangeOf(paid, at, count) {
  const random = uniform(0x0e5)
  const byOwner = [...new Set(at.map((session) => ownersOf[session]))].map((owner) =>
    at.filter((session) => ownersOf[session] === owner),
  )
  const draws = Array.from({ length: 2000 }, () => {
    const drawn = Array.from({ length: count }, () => byOwner[Math.floor(random() * byOwner.length)]).flat()
    return share(paid, drawn)
  })
  return [quantile(draws, 0.05), quantile(draws, 0.95)]
}

/** By tolerance and group: for each part what was chosen on the others, and for which sessions. */
const found = new Map(
  tolerances.map((percent) => [percent, Object.fromEntries(Object.keys(groups).map((group) => [group, []]))]),
)
for (let part = 0; part < parts; part++) {
  const isOut = (owner) => partOf(owner) === part
  const inside = all.filter((at) => !isOut(ownersOf[at]))
  const outside = all.filter((at) => isOut(ownersOf[at]))
  const own = learnedOn(
    // Whoever has only short sessions teaches, too; whoever is judged does not, by none of them.
    taught.filter(({ owner }) => !isOut(owner)).flatMap((one) => one.messages),
    inside.map((at) => cases[at]),
  )
  for (const percent of tolerances) {
    const tolerance = { over: 'baseline', percent }
    const said = Object.entries(groups).map(([group, kinds]) => {
      const tried = [...trials.tried, ...own].filter(({ candidate }) => kinds.includes(candidate.kind))
      const columns = trials.best(tried, tolerance, inside)?.columns ?? today
      const [low, high] = rangeOf(columns.paid, inside, owners.filter(isOut).length)
      const [promised, obtained] = [inside, outside].map((at) => share(columns.paid, at))
      found.get(percent)[group].push({ promised, holds: low <= obtained && obtained <= high, outside, columns })
      return `${group} ${promised.toFixed(1)} → ${obtained.toFixed(1)}`
    })
    say(`part ${part + 1}, +${percent} %, promised → obtained: ${said.join(', ')}`)
  }
}

/** Policies by coefficients that these messages teach, and by how often things are used in these sessions. */
function learnedOn(messages, inside) {
  const models = { learned: coefficientsOf(messages, 'learned'), age: coefficientsOf(messages, 'age') }
  const odds = oddsIn(inside, models.learned)
  const plugin = { ...knobs, start: (values, context) => startKnobs(values, context, models) }
  const own = new Trials(cases)
  for (const { prices, ...rest } of grid) {
    for (const price of prices) {
      const target = `value:${price * 1000}:${odds}+watermark:0.75`
      const values = { ...rest, trigger: 'pays:40:2/over', target, order: 'value' }
      own.try({ kind: 'learned', policy: choose(plugin, values), budget })
    }
  }
  return own.tried
}

/** What was chosen, on those that it was not chosen on: all parts together. */
function obtainedOf(chosen) {
  const columns = Object.fromEntries(['paid', 'content', 'names'].map((key) => [key, new Float64Array(cases.length)]))
  for (const { outside, columns: from } of chosen) {
    for (const at of outside) for (const key of Object.keys(columns)) columns[key][at] = from[key][at]
  }
  const promised = chosen.reduce((sum, one) => sum + one.promised, 0) / chosen.length
  const [content, names] = ['content', 'names'].map((key) => lost(columns, key, all))
  return { promised, paid: share(columns.paid, all), content, names, holds: chosen.filter(({ holds }) => holds).length }
}

const bound = share(foresight.columns.paid, all)
const rows = tolerances.flatMap((percent) => {
  const byGroup = Object.entries(found.get(percent)).map(([group, chosen]) => [group, obtainedOf(chosen)])
  const [[, preset]] = byGroup
  return byGroup.map(([group, { promised, paid, content, names, holds }]) => {
    const wonFrom = (other) => `${signed((100 * (other - paid)) / (other - bound)).replace('+', '')} %`
    const figures = [promised.toFixed(1), paid.toFixed(1), signed(content), signed(names), `${holds} of ${parts}`]
    return [`${percent} %`, group, ...figures, group === 'a preset' ? '' : wonFrom(preset.paid), wonFrom(100)]
  })
})
const number = (value) => value.toLocaleString('en-US')
const total = (column) => number(sumOf(column, all))
const requests = cases.reduce((sum, { trace }) => sum + trace.requests, 0)
const text = [
  begin,
  '',
  `${number(cases.length)} sessions of ${owners.length} owners with ${number(requests)} requests, ${total(uses.content)} later uses of content (today ${total(today.content)} are lost) and ${total(uses.names)} of what is`,
  `named (${total(today.names)}). Foresight that keeps content and names costs ${bound.toFixed(1)} % of today, and loses ${signed(lost(foresight.columns, 'content', all))} and ${signed(lost(foresight.columns, 'names', all))} %.`,
  '',
  table([
    ['tolerance', 'chosen among', 'promised', 'cost', 'content', 'names', 'in range', 'won', 'from today'],
    ...rows,
  ]).trimEnd(),
  '',
  end,
].join('\n')

printOrWrite(text, { print, page: new URL('README.md', import.meta.url), begin, end })
