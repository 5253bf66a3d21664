/**
 * From which size of the recorded window on agents worked worse, by program: what `ctxwin quality` says of each, and how often it finds
 * a rise where the outcomes of each session are shuffled.
 *
 *   npm run build && node bench/truth/quality.mjs [FOLDER…]
 */
import { fileURLToPath } from 'node:url'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { judged, qualityPieceOf } from '../../dist/app/quality/quality-sums.js'
import { uniform } from '../../dist/base/uniform.js'
import { bandsOf, observationsOf } from '../../dist/measures/quality.js'
import { endpoints } from '../../dist/model/quality.js'
import { endpointName } from '../../dist/reports/quality-words.js'
import { filesIn, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## From which size on agents work worse'

const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [], references: true }

/** @returns of each transcript its format, its piece, and what was observed in it */
async function measuredIn(files) {
  const found = []
  const take = (trace, copyOf) => {
    if (copyOf !== null) return []
    const observed = [...observationsOf(trace, trace.digest.outcomes)]
    found.push({ format: trace.head.format, piece: qualityPieceOf(trace), observed })
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, {}, take, unread));
  return found
}

/** The piece of a transcript whose outcomes are dealt anew among the calls that are compared with each other. */
export function permuted({ piece, observed }, random) {
  const sums = endpoints.map((endpoint, at) => {
    const strata = new Map()
    for (const one of observed) {
      if (one.endpoint !== endpoint) continue
      const key = `${one.stretch} ${one.like}`
      strata.set(key, [...(strata.get(key) ?? []), one])
    }
    const dealt = [...strata.values()].flatMap((list) => {
      const values = list.map(({ value }) => value)
      return list.map((one) => ({ ...one, value: values.splice(Math.floor(random() * values.length), 1)[0] }))
    })
    return { ...piece.sum.endpoints[at], bands: bandsOf(dealt) }
  })
  return { ...piece, sum: { ...piece.sum, endpoints: sums } }
}

const signed = (value) => `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(1)}`
const within = ({ difference, low, high }) =>
  difference === null ? ['-', '-', '-'] : [difference, low, high].map(signed)

function rowsOf(name, pieces) {
  return judged(pieces).endpoints.flatMap((one) => {
    const last = one.bands.findLast(({ low }) => low !== null)
    if (!last && one.compactions.difference === null) return []
    const share = one.events === null ? '-' : ((100 * one.events) / one.observations).toFixed(1)
    return [
      [
        name,
        `${endpointName(one.endpoint)}${one.unit === 'percent' ? ' (percent)' : ''}`,
        one.observations,
        share,
        last ? last.sessions : '-',
        last ? (last.to ?? last.from) / 1000 : '-',
        ...(last ? within({ ...last, difference: last.fitted }) : ['-', '-', '-']),
        one.risesFrom === null ? '-' : one.risesFrom / 1000,
        one.compactions.compactions,
        ...within(one.compactions),
      ],
    ]
  })
}

/** @returns Markdown */
export async function section(files) {
  const found = await measuredIn(files)
  const formats = [...new Set(found.map(({ format }) => format))].sort()
  const groups = [['all', found], ...formats.map((name) => [name, found.filter(({ format }) => format === name)])]
  const draws = 100
  const random = uniform(1)
  const rises = Array.from({ length: draws }, () =>
    judged(found.map((one) => permuted(one, random))).endpoints.map(({ risesFrom }) => risesFrom !== null),
  )
  const risen = endpoints.map((_, at) => rises.filter((one) => one[at]).length)
  return [
    'Requests in large windows against those below 50k of the same stretch of the same session: calls to the same tool, at the same place in\n',
    'an exchange. More, in percentage points (of output in percent), is of the largest windows that at least 10 sessions tell of, which are up to so many\n',
    'thousand tokens; at least and at most hold at all sizes at once in 49 of 50 cases. It rises from the size on from which on `at least` is above zero.\n',
    'Around compactions the 15 requests in front are held against the 15 behind. Where a row is missing, too few told of it.\n',
    '`ctxwin quality` says the same of your own sessions, and [quality.md](quality.md) what counts as one.\n\n',
    table([
      [
        'program',
        'what',
        'of',
        '%',
        'sessions',
        'up to k',
        'more there',
        'at least',
        'at most',
        'rises from k',
        'compactions',
        'more in front',
        'at least',
        'at most',
      ],
      ...groups.flatMap(([name, list]) =>
        rowsOf(
          name,
          list.map(({ piece }) => piece),
        ),
      ),
    ]),
    `\nWhere outcomes are dealt anew among the calls of a session that are compared, a rise is found in so many of ${draws} draws: `,
    `${endpoints.map((endpoint, at) => `${endpointName(endpoint)} ${risen[at]}`).join(', ')}.\n`,
    '\n- **May be claimed:** how large a rise is excluded, and up to which size, in these sessions.\n',
    '- **How sure:** sessions are drawn, not calls. They are of few owners, who use agents in their own ways.\n',
    '- **May not be claimed:** that size is the cause of a difference, or that there is none: a late part of a session differs in more than its\n',
    '  size, and an agent that works worse in ways that no endpoint counts is not seen.\n',
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
