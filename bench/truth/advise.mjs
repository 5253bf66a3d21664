/**
 * Is the advice right in hindsight? At random requests of each session `advise` is asked with what was recorded until then.
 * Up to the next recorded cut, or the end, the recorded usage says what waiting cost, and what a cut there would have cost:
 * each request with the dropped tokens less, the summary, and what is read again as learned.
 *
 *   npm run build && node bench/truth/advise.mjs [--points 10] [--seed 1] FOLDER…
 *
 * What `advise` has learned is learned anew for each owner from the sessions of the others: whom MANIFEST.tsv names,
 * else the name of the folder.
 */
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { adviceOn } from '../../dist/app/by-plan.js'
import ctxwin from '../../dist/app/export/forms/ctxwin.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { RunningSession } from '../../dist/app/index.js'
import { caseOf } from '../../dist/app/plan.js'
import { startsOf } from '../../dist/measures/requests-left.js'
import { noCompactions, habitsOf as rereadHabits } from '../../dist/measures/rereads.js'
import { learnFrom, plan } from '../../tools/fit/advice.mjs'
import { tableOf } from '../../tools/fit/compactions.mjs'
import { leftIn } from '../../tools/fit/habits.mjs'
import { ownerOf } from './manifest.mjs'
import { random } from './random.mjs'
import { filesIn, quantile, sourcesOf, table, unread } from './transcripts.mjs'

/** A program with fewer points is in the sum alone. */
const fewest = 30

/** So far does what is learned of reading again reach: where fewer requests follow, it is charged in part. */
const reach = 15

/** Requests before which the advice is asked for: not where the agent itself cut, as it did not wait there. */
function pointsOf(trace, perSession, numbers) {
  const starts = new Set(startsOf(trace))
  const drawn = Array.from({ length: perSession }, () => 1 + Math.floor(numbers.next().value * (trace.requests - 1)))
  return drawn
    .filter((request) => !starts.has(request) && trace.usage(request) && trace.usage(request - 1))
    .sort((a, b) => a - b)
}

/** A file that grows up to each of the points, as it did while the session ran, and what is read of it then. */
async function* growing({ trace, points }, path) {
  const session = new RunningSession(path, plan, { format: 'ctxwin' })
  writeFileSync(path, '')
  let [at, messages, part] = [0, 0, []]
  const lines = [...ctxwin.lines(trace, plan)]
  for (const request of points) {
    const end = trace.requestAt(request)
    while (messages < end) {
      if (lines[at].message) messages++
      part.push(`${JSON.stringify(lines[at++])}\n`)
    }
    appendFileSync(path, part.join(''))
    part = []
    yield { request, known: (await session.read()).trace }
  }
  rmSync(path)
}

/** What waiting and what cutting before request `request` cost up to the next recorded cut, by the recorded usage. */
function hindsight(trace, request, cut, { pricing, sizes }, rereads) {
  const end = startsOf(trace).find((start) => start > request) ?? trace.requests
  const preamble = sizes.tokens(sizes.preamble)
  const dropped = cut.tokensBefore - cut.tokensAfter
  let [wait, cost, left] = [0, cut.now.summary, 0]
  for (let nth = request; nth < end; nth++) {
    const usage = trace.usage(nth)
    if (!usage) continue
    left++
    const { input, cacheRead, cacheWrite, cacheWrite1h } = usage
    const rates = pricing.rates(input, nth)
    const less = Math.max(0, input - dropped)
    const lessRates = pricing.rates(less, nth)
    const unread = input - cacheRead
    const paidUnread =
      rates.write * (cacheWrite - cacheWrite1h) + rates.write1h * cacheWrite1h + rates.input * (unread - cacheWrite)
    wait += rates.read * cacheRead + paidUnread
    // What the recorded request paid for a token that was not read from the cache, at the rates of a smaller one.
    const usual = pricing.rule ? (pricing.hour ? lessRates.write1h : lessRates.write) : lessRates.input
    const fresh = unread > 0 ? (paidUnread / unread) * (lessRates.input / rates.input) : usual
    // Of the first request the cache serves what stands in front of the cut; of later ones what it served, without what has left.
    const hit =
      nth === request
        ? Math.min(preamble, cacheRead, less)
        : Math.max(Math.min(preamble, cacheRead), cacheRead - dropped)
    const kept = Math.min(hit, less)
    cost += lessRates.read * kept + (nth === request ? usual : fresh) * (less - kept)
  }
  const share = Math.min(1, left / reach)
  const rates = pricing.rates(cut.tokensAfter, request)
  const repeated = pricing.rule ? rates.read : rates.input
  const written = pricing.rule ? (pricing.hour ? rates.write1h : rates.write) : rates.input
  // Each of them is written once, and read by half of the requests that follow.
  cost += share * rereads.tokens * (written + (repeated * Math.max(0, left - 1)) / 2)
  cost += share * rereads.requests * repeated * cut.tokensAfter
  return { wait, cost, left: left - 1 }
}

const rules = {
  advise: ({ advice }) => advice.verdict === 'cut',
  // What the same arithmetic comes to for who knows the future.
  'advise, left known': ({ advice, left }) => {
    const { next, rereads, saves } = advice.cut.now
    return left * saves > next + rereads
  },
  'always cut': () => true,
  'always wait': () => false,
  'break-even within 20': ({ advice }) => {
    const even = advice.cut.now.breakEvenRequests
    return even !== null && even <= 20
  },
}

/** @returns what is recorded of each session, and what could be learned from it */
async function sessionsIn(files, { points, seed }) {
  const numbers = random(seed)
  const sessions = []
  const take = (trace, copyOf) => {
    const learned = copyOf === null ? learnFrom(trace) : null
    if (learned === null) return []
    const billed = Array.from({ length: trace.requests }, (_, request) => trace.usage(request)).filter(Boolean)
    // Elsewhere nobody knows what it cost.
    const drawn = billed.length > 2 ? pointsOf(trace, points, numbers) : []
    sessions.push({ owner: ownerOf(trace.head.file), learned, trace, points: drawn })
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, { keepMessages: true }, take, unread));
  return sessions
}

async function judgedOf(sessions, directory) {
  const habitsOf = new Map()
  for (const { owner } of sessions) {
    if (habitsOf.has(owner)) continue
    const others = sessions.filter((one) => one.owner !== owner)
    const learned = others.map((one) => one.learned)
    habitsOf.set(owner, { left: leftIn(learned), rereads: tableOf(learned) })
  }
  const judged = []
  for (const [name, session] of sessions.entries()) {
    const { owner, trace, learned } = session
    const habits = habitsOf.get(owner)
    const facts = caseOf(trace, plan)
    for await (const { request, known } of growing(session, join(directory, `${name}.jsonl`))) {
      // When the next request went out nobody wrote down: the time of its response is the nearest.
      const time = trace.requestTime(request)
      const advice = adviceOn(known, plan, Number.isNaN(time) ? 0 : time, habits)
      const { cut } = advice
      const dropped = cut ? cut.tokensBefore - cut.tokensAfter : 0
      const { tokens, requests } = rereadHabits(learned.program, noCompactions, habits.rereads)
      const rereads = { tokens: tokens * dropped, requests: requests * dropped }
      const seen = cut ? hindsight(trace, request, cut, facts, rereads) : { wait: 0, cost: 0, left: 0 }
      judged.push({ program: learned.program, owner, session: name, advice, ...seen })
    }
  }
  return judged
}

export const title = '## Is the advice right?'

/** @returns Markdown */
export async function section(files, { points = 10, seed = 1 } = {}) {
  const directory = mkdtempSync(join(tmpdir(), 'ctxwin-advise-'))
  try {
    return wordsOf(await judgedOf(await sessionsIn(files, { points, seed }), directory))
  } finally {
    rmSync(directory, { recursive: true, maxRetries: 10, retryDelay: 500 })
  }
}

function wordsOf(judged) {
  const told = judged.filter(({ advice }) => advice.cut !== null)
  const count = (of) => new Set(judged.map(of)).size
  const isRight = (rule) => (point) => point.advice.cut === null || rules[rule](point) === point.cost < point.wait
  const programs = [...new Set(told.map(({ program }) => program))]
    .filter((name) => told.filter(({ program }) => program === name).length >= fewest)
    .sort()
  const head = ['program', 'rule', 'n', 'cut %', 'right %', 'saved, % of the most']
  const rowsOf = (name, points) =>
    Object.entries(rules).map(([rule, cuts]) => {
      const share = (count) => ((100 * count) / points.length).toFixed(1)
      const sum = (of) => points.reduce((total, point) => total + of(point), 0)
      const most = sum(({ wait, cost }) => Math.max(0, wait - cost))
      const saved = sum((point) => (cuts(point) ? point.wait - point.cost : 0))
      return [
        name,
        rule,
        points.length,
        share(points.filter(cuts).length),
        share(points.filter(isRight(rule)).length),
        most > 0 ? ((100 * saved) / most).toFixed(1) : '',
      ]
    })
  // Dollars and multiples of an input token do not add up.
  const priced = told.filter(({ advice }) => advice.unit === 'usd')
  const unpriced = told.filter(({ advice }) => advice.unit !== 'usd')
  const own = programs.map((name) => [name, priced.filter(({ program }) => program === name)])
  const groups = [['all', priced], ...own, ['without a price', unpriced]].filter(([, points]) => points.length > 0)
  const wrong = told.filter((point) => !isRight('advise')(point))
  const hasty = wrong.filter(({ advice }) => advice.verdict === 'cut').map(({ left }) => left)
  const right = (100 * judged.filter(isRight('advise')).length) / judged.length
  const sessions = `${count(({ session }) => session)} sessions of ${count(({ owner }) => owner)} owners`
  return [
    'At random requests of each session `advise` is asked with what was recorded until then, and with what was learned from other owners.',
    'In hindsight the recorded usage up to the next recorded cut, or the end, says whether a cut there would have cost less than waiting. Saved is',
    'what following a rule saves, in percent of what knowing the future would; `left known` is the same arithmetic for who knows how',
    'many requests are to come.\n',
    `${judged.length} points of ${sessions}: ${right.toFixed(1)} % right. At ${judged.length - told.length} of them there was nothing to cut. The others, and of each program with at least ${fewest}:\n`,
    table([head, ...groups.flatMap(([name, points]) => rowsOf(name, points))]),
    `Of ${wrong.length} wrong answers ${hasty.length} say cut: in half of these, ${quantile(hasty, 0.5)} requests or fewer followed the next one.\n`,
    '- **May be claimed:** by money it costs next to nothing to follow the advice instead of knowing the future, in sum over many sessions.',
    '- **How sure:** the arithmetic is, as its figures show where the number of requests to come is known. That number is not: how much',
    '  longer a session goes on is foretold by nothing that was found in it.',
    '- **May not be claimed:** that it is much better than always cutting, which is nearly as good by money; or that it helps where most',
    '  sessions are short.\n',
  ].join('\n')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { points: { type: 'string', default: '10' }, seed: { type: 'string', default: '1' } },
  })
  const how = { points: Number(values.points), seed: Number(values.seed) }
  console.log(await section(filesIn(positionals), how))
}
