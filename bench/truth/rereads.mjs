/**
 * What agents read again behind their own compactions, foretold: what they read in front of it goes on, and for each token that left
 * comes what was read again behind the compactions of other owners.
 *
 *   npm run build && node bench/truth/rereads.mjs [FOLDER…]
 */
import { fileURLToPath } from 'node:url'
import { programOf } from '../../dist/app/answer/candidates.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators } from '../../dist/app/index.js'
import { caseOf } from '../../dist/app/plan.js'
import { habitsOf, noCompactions } from '../../dist/measures/rereads.js'
import { recordedCuts } from '../../dist/references/read-again.js'
import { recordedCompactions } from '../../dist/simulator/recorded-compactions.js'
import { tableOf } from '../../tools/fit/compactions.mjs'
import { bootstrapSums } from './bootstrap.mjs'
import { ownerOf } from './manifest.mjs'
import { filesIn, quantile, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## What is read again behind a compaction'

const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [], references: true }

/** @returns of each transcript with a compaction: its owner, its cuts, and what they come to */
async function compactedIn(files) {
  const found = []
  const take = (trace, copyOf) => {
    if (copyOf !== null || trace.compactions.length === 0) return []
    const facts = caseOf(trace, plan)
    found.push({
      program: programOf(trace.head),
      owner: ownerOf(trace.head.file),
      cuts: recordedCuts(trace, trace.digest, facts.sizes),
      own: recordedCompactions(facts),
      money: null,
    })
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, {}, take, unread));
  return found
}

/** Each cut with what came behind it and what was foretold, by the habits of the other owners. */
export function foretold(found) {
  const owners = [...new Set(found.map(({ owner }) => owner))]
  return owners.flatMap((owner) => {
    const habits = tableOf(found.filter((one) => one.owner !== owner))
    return found
      .filter((one) => one.owner === owner)
      .flatMap(({ program, cuts }) => {
        const { tokens, requests } = habitsOf(program, noCompactions, habits)
        return cuts.map(({ droppedTokens, before, behind }) => {
          const over = behind.over / before.over
          return {
            program,
            owner,
            tokens: behind.tokens,
            requests: behind.requests,
            usual: before.tokens * over,
            foretoldTokens: before.tokens * over + tokens * droppedTokens,
            foretoldRequests: before.requests * over + requests * droppedTokens,
          }
        })
      })
  })
}

const sum = (list, of) => list.reduce((total, one) => total + of(one), 0)
const signed = (percent) => `${percent < 0 ? '−' : '+'}${Math.abs(percent).toFixed(0)}`

/** How far off the sum is, in percent, and the middle 90 % of what it would be in other samples of as many cuts. */
function off(list, recorded, foretoldOf) {
  const share = (sums) => 100 * (sums[1] / sums[0] - 1)
  const columns = [recorded, foretoldOf].map((of) => Float64Array.from(list, of))
  const draws = bootstrapSums(columns)
    .filter((sums) => sums[0] > 0)
    .map(share)
  const whole = share(columns.map((column) => column.reduce((total, one) => total + one, 0)))
  return `${signed(whole)} (${signed(quantile(draws, 0.05))}…${signed(quantile(draws, 0.95))})`
}

/** @returns Markdown */
export async function section(files) {
  const cuts = foretold(await compactedIn(files))
  const programs = [...new Set(cuts.map(({ program }) => program))].sort()
  const groups = [['all', cuts], ...programs.map((name) => [name, cuts.filter(({ program }) => program === name)])]
  const perCut = (list, of) => (sum(list, of) / list.length / 1000).toFixed(1)
  return [
    'Reads of something that had been read before, in the 15 requests in front of a recorded compaction and in the 15 behind it: thousands\n',
    'of tokens for each. Foretold is what was read in front, and what owners other than the session’s read again for each token that left\n',
    'their windows. Off: of the sum, in percent, and in brackets the middle 90 % of samples of as many compactions.\n\n',
    table([
      ['program', 'compactions', 'owners', 'in front', 'behind', 'foretold', 'tokens off %', 'requests off %'],
      ...groups.map(([name, list]) => [
        name,
        list.length,
        new Set(list.map(({ owner }) => owner)).size,
        perCut(list, ({ usual }) => usual),
        perCut(list, ({ tokens }) => tokens),
        perCut(list, ({ foretoldTokens }) => foretoldTokens),
        off(
          list,
          ({ tokens }) => tokens,
          ({ foretoldTokens }) => foretoldTokens,
        ),
        off(
          list,
          ({ requests }) => requests,
          ({ foretoldRequests }) => foretoldRequests,
        ),
      ]),
    ]),
    '\n- **May be claimed:** how much is read again behind a compaction of a large window, in sum over many.\n',
    '- **May not be claimed:** how much it is behind one: most sessions read little again, and a few read a lot. Clearing of tool\n',
    '  results is charged the same for each token, though nothing was learned of it: too few were recorded.\n',
  ].join('')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
