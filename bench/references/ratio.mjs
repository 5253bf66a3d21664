// Measures how much CPU time lost references add to reading and simulating without them, in interleaved rounds.
// `npm run build && node --no-turbo-inline-js-wasm-calls bench/references/ratio.mjs [--rounds 5] [--budget 20000,100000]
// <transcript…>` (the flag on Node 20 only: WebAssembly is not safe there without it)
import { parseArgs } from 'node:util'
import { choose, estimators, openFile, policies, simulateSources } from '../../dist/app/index.js'
import { useWasm } from '../../dist/base/wasm.js'

useWasm(true)
const { values, positionals } = parseArgs({
  options: { rounds: { type: 'string', default: '5' }, budget: { type: 'string', default: '100000' } },
  allowPositionals: true,
})
const plan = {
  policies: [choose(policies.get('ikigai'))],
  estimators: [choose(estimators.get('bytes'))],
  budgets: values.budget.split(',').map(Number),
  preamble: 'auto',
  model: null,
  provider: null,
  native: false,
}

async function milliseconds(references) {
  const before = process.cpuUsage()
  await simulateSources(
    positionals.map((name) => openFile(name)),
    { ...plan, references },
    { format: 'auto' },
    () => {},
  )
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

const spent = { without: [], with: [] }
await milliseconds(true) // compiled and warm
for (let round = 0; round < Number(values.rounds); round++) {
  spent.without.push(await milliseconds(false))
  spent.with.push(await milliseconds(true))
}
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1]
const [without, measured] = [median(spent.without), median(spent.with)]
console.log(
  `without references ${without.toFixed(0)} ms, with ${measured.toFixed(0)} ms: ${(measured / without).toFixed(2)} times`,
)
