/**
 * The window that `ctxwin emit --for python` prints, held to `ctxwin/live`, over transcripts of your own: each is written as the
 * history of an agent of both APIs, and both windows are asked for the same requests of it.
 *
 *   npm run build && node bench/live-python.mjs FOLDER…
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual } from 'node:util'
import { readSources } from '../dist/app/files/read-sources.js'
import { choose, estimators, policies } from '../dist/app/index.js'
import { windowRequests } from '../dist/app/window.js'
import { resolveParams } from '../dist/base/param.js'
import { live } from '../dist/live/index.js'
import { shippedModels } from '../dist/policies/knobs/value/valuing.js'
import { usualPrices as cache } from '../dist/policies/knobs/value/worth.js'
import { keepsPairs } from '../dist/policies/policy.js'
import { filesIn, sourcesOf, table, unread } from './truth/transcripts.mjs'

/** By turns, two for each transcript. */
const compositions = [
  {},
  {
    unit: 'exchange',
    protect: 'last:2',
    target: 'watermark:0.7',
    repair: 'none',
    text: '[{count} messages of {units} left]',
  },
  { unit: 'result', protect: 'first:1+last:3', operation: 'mask' },
  { unit: 'result', operation: 'offload+clear-inputs', protect: 'unseen+shorter:400', target: 'watermark:0.6' },
  { trigger: 'ingest', unit: 'result', protect: 'nothing', operation: 'truncate:500:both', target: 'all' },
  { unit: 'batch', order: 'middle', state: 'view', text: '[{units} gone]' },
  { unit: 'pair', order: 'best-fit', protect: 'user+tail:2k:3', repair: 'missing+results' },
  { trigger: 'always', unit: 'result', protect: 'last:2', operation: 'dedupe', target: 'all' },
  { trigger: 'over:0.9', operation: 'drop-thinking', protect: 'last:4', target: 'all' },
  { trigger: 'pays/over', unit: 'step', protect: 'last:2', order: 'value', target: 'value:20k+watermark:0.75' },
  { trigger: 'pays:80:1/over', unit: 'message', operation: 'strip+drop-thinking', target: 'value:5k:2+watermark:0.5' },
  { trigger: 'pays:9', unit: 'result', protect: 'last:3', operation: 'mask', target: 'aged:2k' },
  { trigger: 'pays', unit: 'step', protect: 'last:2', target: 'stay:80:20:2' },
  { trigger: 'units:12', unit: 'result', protect: 'only:Bash/Read/shell+last:5', operation: 'mask', target: 'all' },
]
/** The most requests that are asked for of one history, evenly spaced: what goes out is looked at whole each time. */
const most = 40

const apis = [
  { api: 'anthropic', provider: 'anthropic', name: null, listIn: ({ messages }) => messages },
  { api: 'chat', provider: 'openai', name: 'chat', listIn: ({ messages }) => messages },
]
const knobs = policies.get('knobs')
const weights = { value: shippedModels.learned, aged: shippedModels.age }
const bytes = choose(estimators.get('bytes'))
const keepAll = choose(policies.get('keep-all'))
const read = { policies: [choose(knobs)], estimators: [bytes], budgets: [0] }

const driver = fileURLToPath(new URL('../test/live/python.py', import.meta.url))
const file = fileURLToPath(new URL('../src/live/python/window.py', import.meta.url))
const python = spawn('python3', [driver, file], { stdio: ['pipe', 'pipe', 'inherit'] })
const answers = createInterface({ input: python.stdout })[Symbol.asyncIterator]()

async function ask(asked) {
  python.stdin.write(`${JSON.stringify(asked)}\n`)
  const answer = JSON.parse((await answers.next()).value)
  if (typeof answer === 'string') throw new Error(answer)
  return answer
}

const counts = apis.map(({ api }) => ({ api, histories: 0, messages: 0, requests: 0, changed: 0, different: 0 }))
const different = new Set()
let turn = 0

async function compare({ api, provider, name, listIn }, given, trace, count) {
  const plan = { ...read, policies: [keepAll], provider }
  let last
  for (const request of windowRequests(trace, plan, name)) last = request
  // What Node and Python read is the same text.
  const history = JSON.parse(JSON.stringify(listIn(last.body)))
  const places = history.flatMap(({ role }, at) => (role === 'assistant' ? [at] : [])).concat(history.length)
  const step = Math.max(1, Math.ceil(places.length / most))
  const requests = places.filter((_, at) => at % step === 0).map((length) => ({ length, at: null }))
  const budget = Math.max(200, Math.ceil(JSON.stringify(history).length / 8))
  const values = resolveParams('knobs', knobs.params, given)
  const window = live(
    {
      ...knobs,
      params: {},
      wholePairs: keepsPairs(knobs, values),
      start: (_, context) => knobs.start(values, context),
    },
    { api, budget, estimator: 'bytes' },
  )
  const answer = await ask({ api, budget, knobs: values, weights, cache, history, requests })
  const at = new Map(history.map((message, place) => [message, place]))
  count.histories++
  count.messages += history.length
  for (const [nth, { length }] of requests.entries()) {
    const { messages, tokens } = window.next(history.slice(0, length), { at: Number.NaN })
    const sent = messages.map((message) => at.get(message) ?? JSON.parse(JSON.stringify(message)))
    count.requests++
    if (sent.length < length || sent.some((one) => typeof one !== 'number')) count.changed++
    if (isDeepStrictEqual(answer[nth], [tokens, sent])) continue
    count.different++
    different.add(`${trace.head.file} ${api} ${JSON.stringify(given)}`)
  }
}

for await (const { taken } of readSources(
  sourcesOf(filesIn(process.argv.slice(2))),
  read,
  {},
  (trace) => [trace],
  unread,
)) {
  for (const trace of taken.filter(({ requests, messages }) => requests > 0 && messages !== null)) {
    for (const [nth, api] of apis.entries())
      for (let more = 0; more < 2; more++)
        await compare(api, compositions[turn++ % compositions.length], trace, counts[nth])
  }
}
python.stdin.end()

console.log(
  table([
    ['API', 'histories', 'messages', 'requests', 'changed by the policy', 'different'],
    ...counts.map(({ api, histories, messages, requests, changed, different }) => [
      api,
      histories,
      messages,
      requests,
      changed,
      different,
    ]),
  ]),
)
for (const one of different) console.log(`- ${one}`)
