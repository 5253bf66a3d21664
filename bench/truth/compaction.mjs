/**
 * How well are requests without recorded usage predicted? Each transcript's usage is hidden from its first cut on (without
 * a cut: from its middle on), and the sizes that `as-recorded` then predicts are compared with what was recorded.
 *
 *   npm run build && node bench/truth/compaction.mjs FOLDER…
 */
import { fileURLToPath } from 'node:url'
import { foreseeTrace, readSources } from '../../dist/app/door.js'
import { choose, estimators } from '../../dist/index.js'
import { filesIn, quantile, sourcesOf, table, unread } from './transcripts.mjs'

export const title = 'Windows after a cut'

/** @returns Markdown */
export async function section(files) {
  const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] }
  const groups = new Map()
  const kinds = { first: 'first behind a cut', later: 'later', half: 'second half, no cut' }
  const take = (trace) => [{ format: trace.head.format, foreseen: foreseeTrace(trace, plan) }]
  let untested = 0
  for await (const { taken } of readSources(sourcesOf(files), plan, {}, take, unread)) {
    for (const { format, foreseen } of taken) {
      if (foreseen.requests.length === 0) untested++
      for (const { recorded, foreseen: tokens, first } of foreseen.requests) {
        const kind = kinds[foreseen.test === 'half' ? 'half' : first ? 'first' : 'later']
        const key = `${format}\n${kind}`
        const group = groups.get(key) ?? { format, kind, recorded: 0, tokens: 0, errors: [] }
        groups.set(key, group)
        group.recorded += recorded
        group.tokens += tokens
        group.errors.push((100 * Math.abs(tokens - recorded)) / recorded)
      }
    }
  }
  const mean = (errors) => errors.reduce((sum, error) => sum + error, 0) / errors.length
  const rows = [...groups.entries()]
    .sort()
    .map(([, { format, kind, recorded, tokens, errors }]) => [
      format,
      kind,
      errors.length,
      mean(errors).toFixed(1),
      quantile(errors, 0.5).toFixed(1),
      quantile(errors, 0.9).toFixed(1),
      `${tokens < recorded ? '−' : '+'}${Math.abs((100 * (tokens - recorded)) / recorded).toFixed(1)}`,
    ])
  return [
    'The recorded usage behind the first cut of a transcript is taken out of it, and each request behind is predicted. Off, in\n',
    'percent of what was recorded, by request.\n\n',
    table([['format', 'requests', 'n', 'mean off %', 'median %', 'p90 %', 'bias %'], ...rows]),
    `\nNot tested, for too few requests with usage on either side: ${untested} transcripts.\n`,
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
