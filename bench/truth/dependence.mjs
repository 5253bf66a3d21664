/**
 * Are lost references real? The text that an edit replaces is copied from somewhere. If all of its lines were outside the
 * window, the agent depended on something that had left. How many of these edits are reported as losses, and how many
 * edits whose text was inside?
 *
 *   npm run build && node bench/truth/dependence.mjs FOLDER…
 */
import { fileURLToPath } from 'node:url'
import { dependenceOf, readSources } from '../../dist/app/door.js'
import { choose, estimators, policies } from '../../dist/index.js'
import { filesIn, sourcesOf, table, unread } from './transcripts.mjs'

export const title = 'What is reported as lost'

const windows = [
  ['drop-oldest', 50_000],
  ['drop-oldest', 100_000],
  ['drop-messages', 50_000],
  ['drop-messages', 100_000],
]
const places = ['outside', 'part', 'inside']

/** @returns Markdown */
export async function section(files) {
  const plans = windows.map(([policy, budget]) => ({
    policies: [choose(policies.get(policy))],
    estimators: [choose(estimators.get('auto'))],
    budgets: [budget],
    references: true,
  }))
  const sums = plans.map(() => Object.fromEntries(places.map((place) => [place, { edits: 0, reported: 0 }])))
  const take = (trace) => {
    for (const [at, plan] of plans.entries()) {
      const found = dependenceOf(trace, plan)
      for (const place of places) {
        sums[at][place].edits += found[place].edits
        sums[at][place].reported += found[place].reported
      }
    }
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plans[0], { keepMessages: true }, take, unread));
  const share = ({ edits, reported }) =>
    `${reported} of ${edits}${edits < 30 ? '' : ` (${((100 * reported) / edits).toFixed(1)} %)`}`
  return [
    'Edits and patches whose old text stood in the transcript before, by where it stood when the request went out, and how many\n',
    'of them are reported as lost.\n\n',
    table([
      ['policy', 'budget', 'text wholly outside', 'partly', 'inside'],
      ...windows.map(([policy, budget], at) => [policy, budget, ...places.map((place) => share(sums[at][place]))]),
    ]),
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
