/**
 * Measures the usual preambles of programs: what the first request of each complete session with recorded usage had
 * beyond its messages, by program and groups of ten versions.
 *
 *   npm run build && node tools/fit/preambles.mjs FOLDER… > src/models/preambles.data.ts
 */

import { filesIn, quantile, unread } from '../../bench/truth/transcripts.mjs'
import { caseOf } from '../../dist/app/plan.js'
import { readSources } from '../../dist/app/read-sources.js'
import { choose, estimators, openFile } from '../../dist/index.js'

const plan = { policies: [], estimators: [choose(estimators.get('estimate'))], budgets: [] }
const groups = new Map()
const seen = new Set()

/** The first version of the group: "2.1.10" for "2.1.17". */
const decade = (version) => version.replace(/\d+$/, (patch) => `${Math.floor(patch / 10)}0`).replace(/\.00$/, '.0')

function take(trace) {
  const { format, version, conversation, parent, headless } = trace.head
  const first = trace.usage(0)
  if (!/^\d+\.\d+\.\d+$/.test(version ?? '') || parent !== null || headless || !first) return []
  // A session may be in several files.
  if (seen.has(conversation)) return []
  seen.add(conversation)
  const { sizes } = caseOf(trace, plan)
  let units = 0
  for (let index = 0; index < trace.requestAt(0); index++) units += sizes.of(index)
  const key = `${format} ${decade(version)}`
  if (!groups.has(key)) groups.set(key, [])
  groups.get(key).push(Math.max(0, first.input - sizes.tokens(units)))
  return []
}

for await (const _ of readSources(filesIn(process.argv.slice(2)).map(openFile), plan, {}, take, unread));
const rows = [...groups]
  .filter(([, tokens]) => tokens.length >= 3)
  .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
  .map(([key, tokens]) => {
    const [program, from] = key.split(' ')
    const figures = `sessions: ${tokens.length}, median: ${quantile(tokens, 0.5)}, high: ${quantile(tokens, 0.9)}`
    return `    { program: '${program}', from: '${from}', ${figures} },`
  })
console.log(`/** Measured by tools/fit/preambles.mjs on sessions that others recorded and published. */
import type { UsualPreamble } from './table.ts'

export const preambles: { readonly asOf: string; readonly table: readonly UsualPreamble[] } = {
  asOf: '2026-11-22',
  table: [
${rows.join('\n')}
  ],
}`)
