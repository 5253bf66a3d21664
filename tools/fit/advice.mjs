#!/usr/bin/env node
/**
 * Writes what `advise` goes by that no session tells by itself, learned from recorded ones, by program:
 *
 * - src/measures/requests-left.data.json: how many requests follow the next one, given how many were made since the session
 *   began or was last cut. Each stretch between two cuts counts as one request drawn at random in it, so that no long one decides.
 * - src/measures/reread-of.data.json: the tokens and requests that reads of known files take in the 15 requests behind a
 *   recorded compaction, beyond those in as many before it, for each 1,000 tokens that it dropped.
 *
 * A program's rows are drawn towards those of all programs as if ten stretches or cuts of these were its own.
 *
 *   npm run build && node tools/fit/advice.mjs FOLDER…
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { filesIn, sourcesOf, table, unread } from '../../bench/truth/transcripts.mjs'
import { programOf } from '../../dist/app/candidates.js'
import { caseOf } from '../../dist/app/plan.js'
import { readSources } from '../../dist/app/read-sources.js'
import { choose, estimators } from '../../dist/index.js'
import { startsOf } from '../../dist/measures/requests-left.js'
import { resolveReferences } from '../../dist/references/resolve.js'
import { from, learn } from './habits.mjs'

/** Requests on either side of a compaction. */
const around = 15
export const plan = {
  policies: [],
  estimators: [choose(estimators.get('auto'))],
  budgets: [],
  references: true,
}

/** Stretches and cuts of one transcript; null for a sub-agent: people cut sessions. */
export function learnFrom(trace) {
  if (trace.head.parent !== null && trace.head.forkMessage === null) return null
  const program = programOf(trace.head)
  if (program === null) return null
  const starts = startsOf(trace)
  const stretches = starts.map((start, nth) => ({ program, length: (starts[nth + 1] ?? trace.requests) - start }))
  return { program, stretches, cuts: cutsOf(trace, program) }
}

function cutsOf(trace, program) {
  if (trace.compactions.length === 0) return []
  const { sizes } = caseOf(trace, plan)
  const tokens = new Float64Array(trace.requests)
  const requests = new Float64Array(trace.requests)
  for (const { request, result, known } of resolveReferences(trace, trace.digest).reads) {
    if (known.length === 0) continue
    tokens[request] += sizes.tokens(sizes.of(result))
    requests[request] = 1
  }
  const sum = (values, begin, end) => values.slice(begin, end).reduce((total, value) => total + value, 0)
  return trace.compactions.flatMap(({ at }) => {
    let first = 0
    while (first < trace.requests && trace.requestAt(first) < at) first++
    const reach = Math.min(around, first, trace.requests - first)
    if (reach === 0) return []
    const [before, behind] = [trace.usage(first - 1)?.input, trace.usage(first)?.input]
    const dropped = before === undefined || behind === undefined ? 0 : before - behind
    if (dropped <= 0) return []
    const more = (values) => sum(values, first, first + reach) - sum(values, first - reach, first)
    return [{ program, dropped, tokens: more(tokens), requests: more(requests) }]
  })
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  let latest = 0
  const learned = []
  const take = (trace, copyOf) => {
    const one = copyOf === null ? learnFrom(trace) : null
    if (one === null) return []
    for (let request = 0; request < trace.requests; request++) {
      const time = trace.requestTime(request)
      if (time > latest) latest = time
    }
    learned.push(one)
    return []
  }
  for await (const _ of readSources(sourcesOf(filesIn(process.argv.slice(2))), plan, {}, take, unread));
  const { left, rereads } = learn(learned)
  const about = (what) => ({
    asOf: new Date(latest).toISOString().slice(0, 10),
    source: `tools/fit/advice.mjs over ${learned.length} sessions, ${what}`,
  })
  const write = (name, data) =>
    writeFileSync(
      new URL(`../../src/measures/${name}.data.json`, import.meta.url),
      `${JSON.stringify(data, null, 2)}\n`,
    )
  write('requests-left', { ...about(`${left.all.stretches} stretches between cuts`), ...left })
  write('reread-of', { ...about(`${rereads.all.cuts} compactions`), ...rereads })
  const rows = [['all', left.all, rereads.all]]
  for (const [name, row] of Object.entries(left.programs)) rows.push([name, row, rereads.programs[name]])
  console.log(
    table([
      ['requests made', 'stretches', ...from],
      ...rows.map(([name, { stretches, left }]) => [name, stretches, ...left]),
    ]),
  )
  console.log(
    table([
      ['for 1,000 tokens dropped', 'cuts', 'tokens', 'requests'],
      ...rows.map(([name, , row]) => [name, row?.cuts ?? 0, row?.tokens ?? '', row?.requests ?? '']),
    ]),
  )
}
