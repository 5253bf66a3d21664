/**
 * Does the model of money come to what was billed? What the recorded agent did is replayed with its own compactions, and
 * the input's cost is held against recorded usage at the prices of its time.
 *
 *   npm run build && node bench/truth/bill.mjs FOLDER…
 */
import { fileURLToPath } from 'node:url'
import { billTrace, summariseBills } from '../../dist/app/bill.js'
import { readSources } from '../../dist/app/read-sources.js'
import { choose, estimators } from '../../dist/index.js'
import { filesIn, sourcesOf, table, unread } from './transcripts.mjs'

export const title = 'Money against the bill'

/** @returns Markdown */
export async function section(files) {
  const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] }
  const bills = []
  let without = 0
  let copied = 0
  const take = (trace, copyOf) => (copyOf === null ? [billTrace(trace, plan)] : [])
  for await (const { taken, copies } of readSources(sourcesOf(files), plan, {}, take, unread)) {
    copied += copies.length
    for (const bill of taken) {
      if (bill) bills.push(bill)
      else without++
    }
  }
  const rows = summariseBills(bills).map((row) => [
    row.format,
    row.cache,
    row.transcripts,
    row.requests,
    row.spent.toFixed(2),
    row.modelled.toFixed(2),
    `${row.offPercent < 0 ? '−' : '+'}${Math.abs(row.offPercent).toFixed(1)}`,
    row.medianPercent.toFixed(1),
    row.within5Percent.toFixed(0),
    row.within10Percent.toFixed(0),
  ])
  return [
    'Input money, in US dollars: recorded usage at the prices of its time, and what the model makes of the same requests. `ideal`\n',
    'has the cache as the price lists promise, `expected` as the provider serves it on average, `recorded` as it was served. Off,\n',
    'in percent of the bill: of the sum, the median of the transcripts, and how many of them are within 5 % and 10 %.\n\n',
    table([
      [
        'format',
        'cache',
        'transcripts',
        'requests',
        'billed',
        'modelled',
        'off %',
        'median off %',
        'within 5 %',
        'within 10 %',
      ],
      ...rows,
    ]),
    `\nWithout recorded usage, or with a model whose price is not known: ${without} transcripts. Stored in two files, and counted once: ${copied}.\n`,
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
