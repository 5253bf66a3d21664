/**
 * Does the model of money come to what was billed? What the recorded agent did is replayed with its own compactions, and
 * the input's cost is held against recorded usage at the prices of its time.
 *
 *   npm run build && node bench/truth/bill.mjs [FOLDER…]
 */
import { fileURLToPath } from 'node:url'
import { billTrace, summariseBills } from '../../dist/app/bill/bill.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { byVersion, groupHead, originOf } from './groups.mjs'
import { filesIn, signed, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## Money against the bill'

/** @returns Markdown */
export async function section(files) {
  const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] }
  const all = []
  let without = 0
  let copied = 0
  const take = (trace, copyOf) => (copyOf === null ? [{ bill: billTrace(trace, plan), origin: originOf(trace) }] : [])
  for await (const { taken, copies } of readSources(sourcesOf(files), plan, {}, take, unread)) {
    copied += copies.length
    for (const one of taken) {
      if (one.bill) all.push(one)
      else without++
    }
  }
  const rows = byVersion((groups) =>
    groups(all).map(({ name, cells, list }) => {
      const modes = summariseBills(list.map(({ bill }) => ({ ...bill, format: name })))
      const [{ requests, spent }] = modes
      const of = Object.fromEntries(modes.map((mode) => [mode.cache, mode]))
      const off = ['ideal', 'recorded', 'expected'].map((cache) => signed(of[cache].offPercent))
      const { medianPercent, within5Percent, within10Percent } = of.expected
      const within = [within5Percent, within10Percent].map((percent) => percent.toFixed(0))
      return [name, ...cells, requests, spent.toFixed(2), ...off, medianPercent.toFixed(1), ...within]
    }),
  )
  return [
    'Input money, in US dollars: recorded usage at the prices of its time, and what the model makes of the same requests. `ideal`\n',
    'has the cache as the price lists promise, `expected` as the provider serves it on average, `recorded` as it was served. Off,\n',
    'in percent of the bill: of the sum under each of them, and of `expected` the median of the transcripts, and how many of them are\n',
    'within 5 % and 10 %. Versions and formats with fewer than three transcripts stand together.\n\n',
    table([
      [
        'format',
        ...groupHead,
        'requests',
        'billed',
        '`ideal` %',
        '`recorded` %',
        '`expected` %',
        'median off %',
        'within 5 %',
        'within 10 %',
      ],
      ...rows,
    ]),
    `\nWithout recorded usage, or with a model whose price is not known: ${without} transcripts. Stored in two files, and counted once: ${copied}.\n\n`,
    '- **May be claimed:** what the input of long sessions costs: with the cache as it was served to about a percent (opencode 3), with a cache\n',
    '  as it usually is to about five percent of the sum.\n',
    '- **How sure:** of one session less: about four to eight of ten are within 5 % under `expected`, whose habits were learned from sessions of\n',
    '  this table among others. `ideal` is too cheap wherever the provider served less than it promises.\n',
    '- **May not be claimed:** anything of formats whose transcripts are single requests (bills of a few cents): there `expected` may be off by\n',
    '  half. What no transcript has (titles, retries) is in none of the sums.\n',
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
