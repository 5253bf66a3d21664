// Compares the curve in one pass with a replay per budget, on real transcripts: whether they are equal, and their cost.
// `npm run build && node bench/references/curve.mjs <transcript…>`. Prints no content and no names.
import { readFileSync } from 'node:fs'
import { CurveBuilder } from '../../dist/app/curve.js'
import { digestFor, sizersFor } from '../../dist/app/plan.js'
import { choose, estimators, openFile, policies } from '../../dist/index.js'
import { readTranscripts } from '../../dist/readers/read.js'

const grid = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].flatMap((size) => [size * 1000, size * 1500])
const suffixPolicies = [
  ['ikigai', {}],
  ['ikigai', { keepLast: '3' }],
  ['drop-oldest', {}],
  ['drop-oldest', { on: 'exchange', keepLast: '2' }],
  ['drop-messages', {}],
]
const names = process.argv.slice(2)
const counters = ['bytes', 'anthropic', 'auto']

function plan(policy, given, silent) {
  const plugin = policies.get(policy)
  const { suffix, ...rest } = plugin
  return {
    policies: [choose(silent ? rest : { ...rest, suffix }, given)],
    estimators: counters.map((name) => choose(estimators.get(name))),
    budgets: grid,
    preamble: 'auto',
    model: null,
    provider: null,
    native: false,
    references: true,
  }
}

const basis = plan('ikigai', {}, false)
let transcripts = 0
let points = 0
let mismatches = 0
let reading = 0
const spent = { 'one-pass': 0, replay: 0 }
for (const name of names) {
  const before = performance.now()
  const traces = []
  try {
    const options = {
      format: 'auto',
      keepMessages: false,
      sizersFor: sizersFor(basis),
      digestFor: digestFor(basis).of,
    }
    await readTranscripts(openFile(name), options, (trace) => traces.push(trace))
  } catch {
    continue // not a transcript
  }
  reading += performance.now() - before
  for (const trace of traces) {
    transcripts++
    for (const [policy, given] of suffixPolicies) {
      const [passed, replayed] = [false, true].map((silent) => {
        const start = performance.now()
        const builder = new CurveBuilder(plan(policy, given, silent))
        builder.add(builder.measure(trace))
        const curves = builder.result(1, false)
        spent[curves[0].method] += performance.now() - start
        return curves.map(({ points }) => points)
      })
      for (const [at, curve] of passed.entries()) {
        for (const [budget, point] of curve.entries()) {
          points++
          if (JSON.stringify(point) !== JSON.stringify(replayed[at][budget])) mismatches++
        }
      }
    }
  }
}
const peak = Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024
console.log(
  `${transcripts} transcripts, ${points} points of ${suffixPolicies.length} policies x ${counters.length} estimators x ${grid.length} budgets`,
)
console.log(`${mismatches} mismatches`)
console.log(
  `reading ${reading.toFixed(0)} ms, one pass ${spent['one-pass'].toFixed(0)} ms, replays ${spent.replay.toFixed(0)} ms, peak ${peak.toFixed(0)} MB`,
)
