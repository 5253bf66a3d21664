/**
 * The Complexity Trap (T. Lindenbauer et al., arXiv 2508.21433, 2025) beside a replay: SWE-agent's trajectories raw, with all
 * but the last ten observations masked, and with the older ones summarised. `npm run papers -- FOLDER` of `.traj` files.
 *
 * The paper let the agent run on under each strategy, and adds up what it was billed. Here the recorded steps stay the same,
 * so that steps which a strategy makes necessary or saves are not in it. Without a prompt cache the cost of the input is in
 * proportion to the tokens sent; with one, masking a message changes every request behind it.
 */
import { choose, estimators, openFile, policies, simulateSources } from '../../dist/app/index.js'
import { filesIn } from '../truth/transcripts.mjs'

/** What the paper's abstract and its repository say of cost; it names no figure of tokens. */
const published = { raw: '-', mask: 'about -50 %', summary: 'about -50 %' }

/** Of 31 steps, each an action and an observation, the paper summarises the oldest 21 and leaves ten. */
const strategies = [
  ['raw', choose(policies.get('keep-all'))],
  ['mask', choose(policies.get('swe-agent-last-n'), { n: 10 })],
  ['summary', choose(policies.get('openhands-condense'), { maxSize: 62 })],
]

const folders = process.argv.slice(2)
const files = folders.length > 0 ? filesIn(folders) : []
if (files.length === 0) {
  console.error('usage: npm run papers -- FOLDER (of trajectories of SWE-agent)')
  process.exit(2)
}

const plan = {
  policies: strategies.map(([, policy]) => policy),
  estimators: [choose(estimators.get('auto'))],
  budgets: [1_000_000],
  references: true,
}
const unread = ({ name }) => console.error(`not read: ${name}`)
const { totals } = await simulateSources(files.map(openFile), plan, { format: 'swe-agent' }, unread)
const totalOf = ([, { plugin }]) => totals.find(({ policy }) => policy === plugin.name)
const raw = totalOf(strategies[0])
const change = (value, whole) => `${(100 * (value / whole - 1)).toFixed(1)} %`

console.log(
  `${raw.transcripts} trajectories of SWE-agent, ${raw.requests} requests; cost in ${raw.cost.unit} of ${raw.cost.transcripts}`,
)
console.log(
  ['strategy', 'policy', 'tokens', 'tokens vs raw', 'cost, cached', 'cost vs raw', 'published cost', 'lost'].join('\t'),
)
for (const strategy of strategies) {
  const { policy, sentTokens, cost, references } = totalOf(strategy)
  const { sourceLost, total } = references.headline
  const figures = [
    sentTokens,
    change(sentTokens, raw.sentTokens),
    cost.paid.toFixed(2),
    change(cost.paid, raw.cost.paid),
    published[strategy[0]],
    `${sourceLost}/${total}`,
  ]
  console.log([strategy[0], policy, ...figures].join('\t'))
}
