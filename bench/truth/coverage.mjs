/**
 * How far off is a request that the provider did not count, after how many that it did, and how often does it lie where ctxwin
 * says (`predictionInterval`)? All usage behind the first requests is hidden, and the requests behind are predicted as the
 * recorded agent sent them. Nothing of this is fitted to the transcripts, but for what is usual of a program: without its
 * owners that is measured by `node tools/fit/preambles.mjs --leave-out`.
 *
 *   npm run build && node bench/truth/coverage.mjs [FOLDER…]
 */
import { fileURLToPath } from 'node:url'
import { foreseeTrace, foreseeTraceFrom } from '../../dist/app/calibrate.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { errorOf } from './compaction.mjs'
import { byVersion, grouped, groupHead, originOf } from './groups.mjs'
import { filesIn, quantile, signed, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## How near after how many requests'

const auto = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] }
/** Fewer requests with usage than this say nothing of the halves of a session. */
const fewest = 6
const kinds = ['1', '5', 'half', 'first behind a cut', 'later']

/** @returns Markdown */
export async function section(files) {
  const all = []
  const take = (trace, copyOf) => {
    if (copyOf === null) all.push(...testsOf(trace))
    return []
  }
  for await (const _ of readSources(sourcesOf(files), auto, {}, take, unread));
  return [
    'All usage behind the first requests is hidden: behind one, five, half of them, or from the first cut on. Off, in percent of what was\n',
    'recorded: the mean of all requests, and of all owners; held: the share of the requests that lie within the interval that is printed,\n',
    'of all and by owner, and how wide it is to either side in the middle.\n\n',
    tableOf(all),
    '\n- **May be claimed:** how far off a request is after one, five, half of those of its session, to the means of this table; and that\n',
    '  the interval holds about as many as it says within a session.\n',
    '- **May not be claimed:** that it does behind a cut, where an agent puts in what is recorded nowhere.\n',
  ].join('')
}

function testsOf(trace) {
  const recorded = foreseeTraceFrom(trace, auto, 0)
  if (recorded.length < fewest) return []
  const origin = originOf(trace)
  const behind = (nth) => foreseeTraceFrom(trace, auto, recorded[nth].request).filter(({ first }) => !first)
  const cut = foreseeTrace(trace, auto)
  const byFirst = grouped(cut.test === 'cut' ? cut.requests : [], ({ first }) => kinds[first ? 3 : 4])
  const tests = [[kinds[0], behind(1)], [kinds[1], behind(5)], [kinds[2], behind(recorded.length >> 1)], ...byFirst]
  return tests.filter(([, requests]) => requests.length > 0).map(([kind, requests]) => ({ origin, kind, requests }))
}

function tableOf(all) {
  const rows = byVersion((groups) =>
    kinds.flatMap((kind) =>
      groups(all.filter((one) => one.kind === kind)).map(({ name, cells, list }) => {
        const requests = list.flatMap((one) => one.requests)
        const owners = [...grouped(list, ({ origin }) => origin.owner).values()]
        const byOwner = (figure) => mean(owners.map((own) => mean(own.flatMap((one) => one.requests).map(figure))))
        const off = (request) => Math.abs(errorOf(request))
        const holds = ({ recorded, foreseen, reach }) => 100 * Number(Math.abs(recorded - foreseen) <= reach)
        return [
          name,
          kind,
          ...cells,
          requests.length,
          mean(requests.map(off)).toFixed(1),
          byOwner(off).toFixed(1),
          signed(mean(requests.map(errorOf))),
          mean(requests.map(holds)).toFixed(0),
          byOwner(holds).toFixed(0),
          quantile(
            requests.map(({ foreseen, reach }) => (100 * reach) / foreseen),
            0.5,
          ).toFixed(0),
        ]
      }),
    ),
  )
  const head = ['n', 'off %', 'by owner %', 'bias %', 'held %', 'by owner %', '± %']
  return table([['format', 'after', ...groupHead, ...head], ...rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))])
}

const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
