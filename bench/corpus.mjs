/**
 * What every policy costs and loses on a folder of transcripts, at 50,000, 100,000 and 200,000 tokens: the table of
 * docs/policies.md. `npm run corpus -- [--print] FOLDER [FOLDER…]` writes it between its marks, or prints it; each transcript is read once.
 */
import { choose, estimators, openFile, policies, simulateSources } from '../dist/app/index.js'
import { printOrWrite } from './measured.mjs'
import { filesIn } from './truth/transcripts.mjs'

const budgets = [50_000, 100_000, 200_000]
const begin = '<!-- measured: npm run corpus -- FOLDER -->'
const end = '<!-- end of what was measured -->'

const print = process.argv[2] === '--print'
const folders = process.argv.slice(print ? 3 : 2)
const files = folders.length > 0 ? filesIn(folders) : []
if (files.length === 0) {
  console.error('usage: npm run corpus -- FOLDER [FOLDER…]')
  process.exit(2)
}

const auto = choose(estimators.get('auto'))
const skip = () => {}
const all = policies.all.filter(({ part }) => !part).map((policy) => choose(policy))
const plan = { policies: all, estimators: [auto], budgets, references: true }
const { runs, totals } = await simulateSources(files.map(openFile), plan, {}, skip)
const own = runs.filter(
  ({ copyOf, policy, budget }) => copyOf === undefined && policy === all[0].plugin.name && budget === budgets[0],
)
const formats = new Map()
for (const { format } of own) formats.set(format, (formats.get(format) ?? 0) + 1)
const byFormat = [...formats].sort((a, b) => b[1] - a[1]).map(([format, count]) => `${count} of ${format}`)

const number = (value) => value.toLocaleString('en-US')
const line = (...cells) => `| ${cells.join(' | ')} |`
const today = totals.find(({ policy }) => policy === 'as-recorded')
const cheapestFirst = totals.filter(({ budget }) => budget === 100_000).sort((a, b) => a.cost.paid - b.cost.paid)
const table = cheapestFirst.map(({ policy }) => {
  const at = budgets.map((budget) => totals.find((total) => total.policy === policy && total.budget === budget))
  const cells = at.flatMap(({ cost, references, overBudgetRequests, invalidRequests, validity }) => [
    `$${cost.paid.toFixed(0)}`,
    number(references.headline.sourceLost),
    number(overBudgetRequests),
    number(invalidRequests + validity.lostLatestUser),
  ])
  return line(`\`${policy}\``, ...cells)
})
const [{ headline }] = [today.references]
const words = `On ${number(own.length)} sessions (${byFormat.join(', ')}) with ${number(today.requests)} requests and
${number(headline.total)} later uses of content. What the agents did themselves (\`as-recorded\`) costs $${today.cost.paid.toFixed(0)} for input, in the
${number(today.cost.transcripts)} sessions whose model has a known price. *Lost*: of the uses. *Over*: requests over the budget. *Faults*: requests that a
provider would refuse, and those without the newest prompt. The cheapest at 100,000 tokens first; all params at their defaults.`
const heads = budgets.flatMap((budget) => [`${budget / 1000}k: cost`, 'lost', 'over', 'faults'])
const text = [
  begin,
  '',
  words,
  '',
  line('policy', ...heads),
  line('---', ...heads.map(() => '---:')),
  ...table,
  '',
  end,
].join('\n')

printOrWrite(text, { print, page: new URL('../docs/policies.md', import.meta.url), begin, end })
