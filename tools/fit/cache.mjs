#!/usr/bin/env node
/**
 * Writes src/measures/cache-habits.data.json. A request shares a prefix with the one before it (a session's first request:
 * the preamble with other sessions). The file has the mean share of this prefix that each provider's cache serves, by kind
 * of request, from the usage recorded in transcripts, each request by its tokens. Sessions that write for an hour stand apart. At most
 * a hundred requests of a kind count per session, so that no long session decides.
 *
 *   npm run build && node tools/fit/cache.mjs FOLDER…
 */
import { writeFileSync } from 'node:fs'
import { filesIn, sourcesOf, table, unread } from '../../bench/truth/transcripts.mjs'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { caseOf } from '../../dist/app/plan.js'
import { cacheRecords } from '../../dist/measures/cache-behaviour.js'

const kinds = ['first', 'step', 'turn', 'idle']
const most = 100
const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] }
const providers = {}
let latest = 0
let sessions = 0

/** A transcript without any cached tokens is left out: it had no cache, or did not record it. */
function sharesOf(trace) {
  const usages = Array.from({ length: trace.requests }, (_, request) => trace.usage(request))
  if (!usages.some((usage) => usage && usage.cacheRead > 0)) return null
  const { sizes, pricing } = caseOf(trace, plan)
  const preamble = sizes.tokens(sizes.preamble)
  latest = Math.max(latest, ...usages.map((_, request) => trace.requestTime(request)).filter(Number.isFinite))
  const records = cacheRecords(trace, pricing, preamble, trace.head.provider)
  const shares = records.flatMap(({ kind, share, shared, isCut }, request) => {
    const named = request === 0 ? 'first' : isCut ? null : kind
    return named === null || share === null || (request === 0 && preamble === 0) ? [] : [{ kind: named, share, shared }]
  })
  return { of: `${trace.head.provider}${pricing.hour ? '-1h' : ''}`, shares }
}

const take = (trace, copyOf) => (copyOf === null ? [sharesOf(trace)].filter(Boolean) : [])
for await (const { taken } of readSources(sourcesOf(filesIn(process.argv.slice(2))), plan, {}, take, unread)) {
  for (const { of: provider, shares } of taken) {
    if (shares.length > 0) sessions++
    providers[provider] ??= Object.fromEntries(kinds.map((kind) => [kind, { sum: 0, count: 0, requests: 0 }]))
    for (const kind of kinds) {
      const own = shares.filter((one) => one.kind === kind)
      const weight = Math.min(1, most / own.length)
      providers[provider][kind].sum += weight * own.reduce((sum, { share, shared }) => sum + share * shared, 0)
      providers[provider][kind].count += weight * own.reduce((sum, { shared }) => sum + shared, 0)
      providers[provider][kind].requests += own.length
    }
  }
}
const mean = ({ sum, count }) => (count === 0 ? 0 : Math.round((1000 * sum) / count) / 1000)
const known = Object.entries(providers).filter(([, habits]) => habits.step.requests > 0)
const data = {
  asOf: new Date(latest).toISOString().slice(0, 10),
  source: `tools/fit/cache.mjs over ${sessions} sessions with recorded cache reads`,
  providers: Object.fromEntries(
    known.sort().map(([name, habits]) => [name, Object.fromEntries(kinds.map((kind) => [kind, mean(habits[kind])]))]),
  ),
}
const file = new URL('../../src/measures/cache-habits.data.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(data, null, 2)}\n`)
console.log(
  table([
    ['provider', ...kinds],
    ...known.map(([name, habits]) => [
      name,
      ...kinds.map((kind) => `${mean(habits[kind])} of ${habits[kind].requests}`),
    ]),
  ]),
)
