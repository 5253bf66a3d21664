#!/usr/bin/env node
/**
 * Writes src/measures/requests-left.data.json, learned from recorded sessions by program: how many requests follow the next one,
 * given how many were made since the session began or was last cut. Each stretch between two cuts counts as one request drawn
 * at random in it, so that no long one decides. A program's rows are drawn towards those of all programs as if ten stretches
 * of these were its own.
 *
 *   npm run build && node tools/fit/advice.mjs FOLDER…
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { filesIn, sourcesOf, table, unread } from '../../bench/truth/transcripts.mjs'
import { programOf } from '../../dist/app/answer/candidates.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { caseOf } from '../../dist/app/plan.js'
import { startsOf } from '../../dist/measures/requests-left.js'
import { recordedCompactions } from '../../dist/simulator/recorded-compactions.js'
import { from, leftIn } from './habits.mjs'

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
  return { program, stretches, own: recordedCompactions(caseOf(trace, plan)), money: null }
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
  const left = leftIn(learned)
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
  const rows = [['all', left.all]]
  for (const [name, row] of Object.entries(left.programs)) rows.push([name, row])
  console.log(
    table([
      ['requests made', 'stretches', ...from],
      ...rows.map(([name, { stretches, left }]) => [name, stretches, ...left]),
    ]),
  )
}
