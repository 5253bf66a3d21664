/**
 * What runs in an agent, held to what was simulated, over transcripts of your own.
 *
 * First the law: the requests that `ctxwin/live` gives under each policy, against those of a replay. Then the tokens that it
 * takes a request for before it goes out: estimated, learned from the usage so far, as `ctxwin/live` does it, and by all usage of the
 * transcript, which only a replay knows.
 *
 *   npm run build && node bench/live.mjs FOLDER…
 */
import { isDeepStrictEqual } from 'node:util'
import { readSources } from '../dist/app/files/read-sources.js'
import { choose, estimators, policies } from '../dist/app/index.js'
import { caseOf, firstCell } from '../dist/app/plan.js'
import { LiveRun } from '../dist/live/run.js'
import { captureEach } from '../dist/simulator/capture.js'
import { filesIn, quantile, sourcesOf, table, unread } from './truth/transcripts.mjs'

const preamble = 20_000
const estimator = choose(estimators.get('estimate'))
const auto = choose(estimators.get('auto'))
const keepAll = choose(policies.get('keep-all'))
const text = choose(policies.get('knobs'))
const read = { policies: [text], estimators: [estimator, auto], budgets: [0] }
const planOf = (policy, budget) => ({ ...read, policies: [policy], budgets: [budget], preamble })

/** Under every policy that can run in an agent, at its defaults, where half of the history fits. */
function held(trace, counts) {
  const whole = [...captureEach(firstCell(trace, planOf(keepAll, 0)))].at(-1)
  const budget = preamble + Math.ceil((whole.tokens - preamble) / 2)
  for (const plugin of policies.all.filter(({ looksAhead, repeats }) => !looksAhead && !repeats)) {
    const policy = choose(plugin)
    const cell = firstCell(trace, planOf(policy, budget))
    const shown = captureEach(cell)
    counts.policies.add(plugin.name)
    for (const { messages, tokens } of requestsOf(trace, policy, budget, cell.facts.known.cache)) {
      const { value } = shown.next()
      counts.requests++
      const isSame =
        tokens === value.tokens &&
        messages.length === value.messages.length &&
        messages.every(
          (one, at) => one === value.messages[at] || isDeepStrictEqual(bare(one), bare(value.messages[at])),
        )
      if (!isSame) {
        counts.different++
        counts.under.set(plugin.name, (counts.under.get(plugin.name) ?? 0) + 1)
      }
    }
  }
}

/** What a model reads. A summary is named by when it was asked for, and by nothing else. */
const bare = ({ role, blocks, callId, isError }) => ({ role, blocks, callId, isError })

function begun(trace, policy, budget, preambleTokens, cache = null) {
  const { head } = trace
  const context = { provider: head.provider, model: head.model }
  return LiveRun.begin({
    ...{ policy, budget, head, preambleTokens, preamble: trace.preamble, cache },
    meter: estimator.plugin.meter(context, estimator.values),
    scale: (growing) => estimator.plugin.scale(growing, 0, estimator.values, context),
  })
}

function* requestsOf(trace, policy, budget, cache) {
  const run = begun(trace, policy, budget, preamble, cache)
  const wake = () => run.wake(run.requests < trace.requests ? trace.requestTime(run.requests) : Number.NaN)
  const sent = () => ({ messages: run.inside.map(({ message }) => message), tokens: run.window.sentTokens })
  for (const [index, message] of trace.messages.entries()) {
    wake()
    if (trace.isResponse(index)) {
      run.request()
      yield sent()
    }
    run.message(message)
  }
  wake()
  run.idle()
  run.request()
  yield sent()
}

/** How far off each way of counting is, request by request, until the agent first cuts its context itself. */
function errors(trace) {
  const [first] = [...trace.compactions, ...trace.clearings].map(({ at }) => at).sort((one, other) => one - other)
  const known = [...captureEach({ policy: keepAll, budget: 0, facts: caseOf(trace, read, 1) })]
  const run = begun(trace, keepAll, 1e9, null)
  const plain = begun(trace, keepAll, 1e9, null)
  const found = { estimate: [], learned: [], known: [] }
  let latest = null
  for (const [index, message] of trace.messages.entries()) {
    if (index >= (first ?? Infinity)) break
    if (trace.isResponse(index)) {
      const request = run.requests
      if (latest !== null) run.counted({ input: latest })
      run.request()
      plain.request()
      const input = trace.usage(request)?.input ?? null
      if (input !== null && input > 0 && latest !== null) {
        const off = (tokens) => Math.abs(tokens - input) / input
        found.estimate.push(off(plain.window.sentTokens))
        found.learned.push(off(run.window.sentTokens))
        found.known.push(off(known[request].tokens))
      }
      latest = input
    }
    run.message(message)
    plain.message(message)
  }
  return found
}

const counts = { policies: new Set(), under: new Map(), requests: 0, different: 0, transcripts: 0 }
const byProgram = new Map()
const ways = ['estimate', 'learned', 'known']

function take(trace) {
  const { forkMessage, headless, format } = trace.head
  const isOne =
    trace.whole === trace &&
    !headless &&
    !((forkMessage ?? 0) > 0) &&
    !trace.messages.some((_, index) => trace.isReset(index))
  if (!isOne || trace.requests === 0) return []
  counts.transcripts++
  held(trace, counts)
  const found = errors(trace)
  if (found.learned.length === 0) return []
  const known = byProgram.get(format) ?? { sessions: 0, estimate: [], learned: [], known: [] }
  byProgram.set(format, known)
  known.sessions++
  for (const way of ways) known[way].push(...found[way])
  return []
}

/** Programs with few sessions are one row. */
function rowsOf(all) {
  const other = { sessions: 0, estimate: [], learned: [], known: [] }
  const rows = [...all].filter(([, found]) => {
    if (found.sessions >= 10) return true
    other.sessions += found.sessions
    for (const way of ways) other[way].push(...found[way])
    return false
  })
  rows.sort(([, one], [, two]) => two.learned.length - one.learned.length)
  return other.sessions === 0 ? rows : [...rows, ['other formats', other]]
}

for await (const _ of readSources(sourcesOf(filesIn(process.argv.slice(2))), read, {}, take, unread));

console.log('## The requests of an agent and of a replay\n')
console.log(
  table([
    ['transcripts', 'policies', 'requests', 'different'],
    [counts.transcripts, counts.policies.size, counts.requests, counts.different],
  ]),
)
for (const [name, different] of counts.under) console.log(`- ${name}: ${different}`)
console.log('\n## Tokens of a request, before it goes out: how far off, in %\n')
const percent = (errors, at) => (100 * quantile(errors, at)).toFixed(1)
console.log(
  table([
    ['format', 'sessions', 'requests', ...ways.flatMap((way) => [`${way}, median`, `${way}, 95th`])],
    ...rowsOf(byProgram).map(([format, found]) => [
      format,
      found.sessions,
      found.learned.length,
      ...ways.flatMap((way) => [percent(found[way], 0.5), percent(found[way], 0.95)]),
    ]),
  ]),
)
