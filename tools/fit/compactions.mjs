#!/usr/bin/env node
/**
 * Writes src/measures/recorded-compactions.data.json: what agents did behind their own compactions, by program. How much is read
 * again for each token that left, and in how many requests; which share of later uses of content a summary holds; and how far off a
 * session's money is behind its first cut, if the usage behind it is hidden. A program of which little is recorded is drawn
 * towards all programs, as much as a user's own few compactions are drawn towards their program.
 *
 *   npm run build && node tools/fit/compactions.mjs FOLDER…
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { filesIn, sourcesOf, unread } from '../../bench/truth/transcripts.mjs'
import { programOf } from '../../dist/app/answer/candidates.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators, policies } from '../../dist/app/index.js'
import { caseOf } from '../../dist/app/plan.js'
import { addCompactions, noCompactions, shrunk } from '../../dist/measures/rereads.js'
import { recordedCompactions } from '../../dist/simulator/recorded-compactions.js'
import { simulateOne } from '../../dist/simulator/simulate.js'

const asRecorded = choose(policies.get('as-recorded'))
const plan = { policies: [asRecorded], estimators: [choose(estimators.get('auto'))], budgets: [0], references: true }

/** The cost of each request of what the recorded agent did. */
function costs(facts) {
  const found = []
  const billed = ({ input }) => found.push(input)
  simulateOne({ policy: asRecorded, facts, budget: 0 }, [{ billed }])
  return found
}

/** The money behind the first compaction: as it was, and as it is foretold where no usage behind it is known. */
function foretold(trace) {
  const [{ at } = {}] = trace.compactions
  if (at === undefined) return null
  const from = trace.requestFrom(at)
  const isKnown = Array.from({ length: trace.requests }, (_, request) => (trace.usage(request)?.input ?? 0) > 0)
  if (isKnown.filter((known, request) => known && request < from).length < 4 || !isKnown[from]) return null
  const sum = (list) => list.slice(from).reduce((total, one) => total + one, 0)
  const real = sum(costs(caseOf(trace, plan)))
  const hidden = sum(costs(caseOf(trace.withoutUsageFrom(from), { ...plan, cache: 'expected' })))
  return real > 0 ? { real, hidden } : null
}

/** What every transcript with a compaction tells. @param files of transcripts */
export async function compactionsIn(files) {
  const all = []
  const take = (trace, copyOf) => {
    if (copyOf !== null || trace.compactions.length === 0) return []
    const own = recordedCompactions(caseOf(trace, plan))
    all.push({
      file: trace.head.file,
      program: programOf(trace.head),
      own,
      money: foretold(trace),
      last: lastTime(trace),
    })
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, {}, take, unread));
  return all
}

const lastTime = (trace) =>
  Math.max(0, ...Array.from({ length: trace.requests }, (_, request) => trace.requestTime(request) || 0))

/** Where nothing is known of any program. A summary holds no content until recordings show it: what is not known is no excuse for a loss. */
const nothing = { tokens: 0, requests: 0, kept: 0, error: 0.15 }

/** The table of these transcripts. */
export function tableOf(transcripts) {
  const of = (list, usual) => {
    const own = list.map((one) => one.own).reduce(addCompactions, noCompactions)
    return { ...round(shrunk(own, usual)), error: round1(errorOf(list, usual)) }
  }
  const plain = (list) => {
    const own = list.map((one) => one.own).reduce(addCompactions, noCompactions)
    return {
      tokens: Math.max(0, own.rereadTokens / Math.max(1, own.droppedTokens)),
      requests: Math.max(0, own.rereadRequests / Math.max(1, own.droppedTokens)),
      kept: shrunk(own, nothing).kept,
      error: errorOf(list, nothing),
    }
  }
  const all = plain(transcripts)
  const programs = [...new Set(transcripts.map(({ program }) => program))].filter(Boolean).sort()
  return {
    all: { ...round(all), error: round1(all.error) },
    programs: Object.fromEntries(
      programs.map((name) => [
        name,
        of(
          transcripts.filter(({ program }) => program === name),
          all,
        ),
      ]),
    ),
  }
}

/** The root of the mean square, in dollars and of dollars, in which what is usual counts as five sessions of the mean size. */
function errorOf(list, { error }) {
  const known = list.flatMap(({ money }) => (money ? [money] : []))
  const usual = 5
  const whole = known.reduce((sum, { real }) => sum + real * real, 0)
  const off = known.reduce((sum, { real, hidden }) => sum + (hidden - real) ** 2, 0)
  const mean = known.length === 0 ? 1 : whole / known.length
  return Math.sqrt((off + usual * mean * error * error) / (whole + usual * mean))
}

const round1 = (value) => Math.round(value * 1000) / 1000
const round = ({ tokens, requests, kept }) => ({
  tokens: Math.round(tokens * 1e5) / 1e5,
  requests: Math.round(requests * 1e8) / 1e8,
  kept: round1(kept),
})

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const transcripts = await compactionsIn(filesIn(process.argv.slice(2)))
  const cuts = transcripts.reduce((sum, { own }) => sum + own.cuts, 0)
  const data = {
    asOf: new Date(Math.max(...transcripts.map(({ last }) => last))).toISOString().slice(0, 10),
    source: `tools/fit/compactions.mjs over ${cuts} compactions of ${transcripts.length} sessions`,
    ...tableOf(transcripts),
  }
  const file = new URL('../../src/measures/recorded-compactions.data.json', import.meta.url)
  writeFileSync(file, `${JSON.stringify(data, null, 2)}\n`)
  for (const { file, program, own, money } of transcripts) {
    console.log(
      program,
      file.split('/').at(-2),
      JSON.stringify(own),
      money && (money.hidden / money.real - 1).toFixed(3),
    )
  }
}
