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
  const take = (trace, copyOf) =>
    copyOf === null ? [{ format: trace.head.format, foreseen: foreseeTrace(trace, plan) }] : []
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
    'The recorded usage behind the first cut of a transcript is taken out of it (without a cut: that of its second half), and each\n',
    'request behind is predicted as `as-recorded` sends it. Off, in percent of what was recorded, by request.\n\n',
    table([['format', 'requests', 'n', 'mean off %', 'median %', 'p90 %', 'bias %'], ...rows]),
    `\nNot tested, for too few requests with usage on either side: ${untested} transcripts.\n\n`,
    '- **May be claimed:** how large a request is that nobody has seen, to the means of this table; where usage is recorded,\n',
    '  `as-recorded` is set right by it behind each cut and is nearer.\n',
    '- **How sure:** the rules for what Claude Code puts back in behind a compaction, and the tokens of what is recorded nowhere, were\n',
    '  learned from sessions of one repository (versions 2.0.76 to 2.1.42) and hold best for such. In other projects the first request\n',
    '  behind a compaction can be a good deal larger: memories and rules enter there of which nothing is written down.\n',
    '- **May not be claimed:** a cut that is not recorded (a context that shrinks without a word) is foreseen by nobody, and counts in\n',
    '  full in the table. A policy that the agent never ran is as far off as `as-recorded`, and further by what it changes.\n',
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
