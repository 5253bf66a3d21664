/**
 * What agents' own compactions did, by program: what they cost, what was read again behind them and in front of them, and what
 * their summaries held of what was used later. The same figures as `ctxwin spend --by compaction`.
 *
 *   npm run build && node bench/truth/compactions.mjs [FOLDER…]
 */
import { fileURLToPath } from 'node:url'
import { readingHere } from '../../dist/app/analysis.js'
import { programOf } from '../../dist/app/answer/candidates.js'
import { spend } from '../../dist/app/bill/spend.js'
import { choose, estimators } from '../../dist/app/index.js'
import { bootstrapSums } from './bootstrap.mjs'
import { filesIn, quantile, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## What recorded compactions did'

const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [], references: true }

/** @returns Markdown */
export async function section(files) {
  const { compactions } = await spend(readingHere(sourcesOf(files), {}, unread), plan, 0, 'compactions')
  const own = compactions.filter(({ of }) => of === 'compaction')
  const nameOf = (one) => programOf(one) ?? 'other formats'
  const programs = [...new Set(own.map(nameOf))].sort()
  const rows = [
    ['all', ...cells(own)],
    ...programs.map((name) => [name, ...cells(own.filter((one) => nameOf(one) === name))]),
  ]
  return [
    'Each recorded compaction of these transcripts. Tokens before and after are medians of the recorded input, dollars a compaction is a mean of\n',
    'those with a price: writing anew, and the call that wrote the summary where that is recorded. Read again are results of reads of what had\n',
    'been read before, in tokens a request, over the 15 requests (or fewer) behind a compaction and in front of it; the difference has an interval of 95 %\n',
    'by bootstrap over transcripts. Held is the share of later uses of what was dropped whose thing stood in the summary or what was put back;\n',
    'of copied text, of requests that found more than three quarters of it there. Summaries that cannot be read are left out.\n',
    '`ctxwin spend --by compaction` lists the compactions one by one.\n\n',
    table([
      [
        ...['program', 'compactions', 'transcripts', 'before', 'after', 'USD each'],
        ...['read again behind', 'in front', 'difference', 'held content', 'held named', 'held copied'],
      ],
      ...rows,
    ]),
    '\n- **May be claimed:** that agents read more again behind a compaction than in front of it where the interval is above zero, and how much\n',
    '  of what they used later their summaries held, in sum.\n',
    '- **May not be claimed:** that the compaction is the cause: it comes at a time of its own, and a task changes as it goes on. Nor how\n',
    '  good a summary is: what was never used again is not counted.\n',
  ].join('')
}

function cells(list) {
  const median = (key) => {
    const known = list.map((one) => one[key]).filter((value) => value !== null)
    return known.length === 0 ? '' : `${Math.round(quantile(known, 0.5) / 1000)}k`
  }
  const priced = list.filter(({ usd }) => usd !== null)
  const mean = priced.length === 0 ? '' : (priced.reduce((sum, { usd }) => sum + usd, 0) / priced.length).toFixed(2)
  const known = list.filter(({ rereads, rereadsBefore }) => rereads?.over > 0 && rereadsBefore?.over > 0)
  const clusters = new Map()
  for (const one of known) {
    const sum = clusters.get(one.transcript) ?? [0, 0, 0, 0]
    const own = [one.rereads.tokens, one.rereads.over, one.rereadsBefore.tokens, one.rereadsBefore.over]
    clusters.set(
      one.transcript,
      sum.map((value, at) => value + own[at]),
    )
  }
  const rates = (sums) => [sums[0] / sums[1], sums[2] / sums[3]]
  const whole = [...clusters.values()].reduce((sum, own) => sum.map((value, at) => value + own[at]), [0, 0, 0, 0])
  const [behind, front] = rates(whole).map((rate) => (Number.isFinite(rate) ? Math.round(rate) : ''))
  return [
    list.length,
    new Set(list.map(({ transcript }) => transcript)).size,
    median('tokensBefore'),
    median('tokensAfter'),
    mean,
    behind,
    front,
    differenceOf([...clusters.values()], rates),
    heldOf(list, 'heldContent'),
    heldOf(list, 'heldNamed'),
    heldOf(list, 'heldCopied'),
  ]
}

/** "+120 (−40…+310)", in tokens a request. */
function differenceOf(clusters, rates) {
  if (clusters.length < 3) return ''
  const columns = [0, 1, 2, 3].map((at) => clusters.map((sums) => sums[at]))
  const of = (sums) => {
    const [behind, front] = rates(sums)
    return behind - front
  }
  const drawn = bootstrapSums(columns).map(of).filter(Number.isFinite)
  const words = (value) => `${value < 0 ? '−' : '+'}${Math.abs(Math.round(value))}`
  const point = of(columns.map((column) => column.reduce((sum, value) => sum + value, 0)))
  return `${words(point)} (${words(quantile(drawn, 0.025))}…${words(quantile(drawn, 0.975))})`
}

function heldOf(list, of) {
  const sums = list.flatMap((one) => (one[of] === null ? [] : [one[of]]))
  const count = (key) => sums.reduce((sum, one) => sum + one[key], 0)
  return count('used') === 0 ? '' : `${count('kept')}/${count('used')}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(`${title}\n\n${await section(filesIn(process.argv.slice(2)))}`)
}
