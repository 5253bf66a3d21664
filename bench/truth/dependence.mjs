/**
 * Are lost references real? The text that an edit replaces is copied from somewhere. If all of its lines were outside the
 * window, the agent depended on something that had left. How many of these edits are reported as losses, and how many
 * edits whose text was inside?
 *
 *   npm run build && node bench/truth/dependence.mjs FOLDER…
 */
import { fileURLToPath } from 'node:url'
import { DependenceSums, dependenceRows } from '../../dist/app/dependence.js'
import { firstCell } from '../../dist/app/plan.js'
import { readSources } from '../../dist/app/read-sources.js'
import { choose, estimators, policies } from '../../dist/index.js'
import { LostReferences } from '../../dist/references/lost.js'
import { simulateOne } from '../../dist/simulator/simulate.js'
import { filesIn, sourcesOf, table, unread } from './transcripts.mjs'

export const title = 'What is reported as lost'

const places = ['outside', 'part', 'inside']

/** @returns Markdown */
export async function section(files) {
  return `${await editsIn(files)}\n${await readsIn(files)}`
}

async function editsIn(files) {
  const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [], references: true }
  const sums = new DependenceSums()
  const take = (trace) => {
    sums.add(dependenceRows(trace, plan, 0))
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, { keepMessages: true }, take, unread));
  const cell = ({ edits, reported }) => share(reported, edits)
  return [
    'Edits and patches whose old text stood in the transcript before, by where it stood when the request went out, and how many\n',
    'of them are reported as lost.\n\n',
    table([
      ['policy', 'budget', 'text wholly outside', 'partly', 'inside'],
      ...sums.rows.map((row) => [row.policy, row.budget, ...places.map((place) => cell(row[place]))]),
    ]),
  ].join('')
}

/**
 * After a compaction agents read again what they had read before. Is that foretold? A touch is a call that reads or changes
 * a file that was read before; the first of each file after a recorded compaction is held against all others.
 */
async function readsIn(files) {
  const plan = planOf('as-recorded', 1e9)
  const none = () => ({ touches: 0, reads: 0, foretold: 0 })
  const [after, others] = [none(), none()]
  const take = (trace) => {
    if (trace.compactions.length === 0) return []
    const foretold = foretoldByRequest(trace, plan)
    const compactions = trace.compactions.map(({ at }) => at)
    const known = new Set()
    let touched = null
    let request = -1
    for (const [index, message] of trace.messages.entries()) {
      if (trace.isResponse(index)) request++
      if (compactions.includes(index)) touched = new Set()
      for (const block of message.blocks) {
        const touch = block.type === 'call' ? touchOf(block) : null
        if (!touch) continue
        if (known.has(touch.file)) {
          const sum = touched && !touched.has(touch.file) ? after : others
          sum.touches++
          if (touch.reads) sum.reads++
          if (touch.reads && foretold[request]) sum.foretold++
        }
        touched?.add(touch.file)
        if (touch.reads) known.add(touch.file)
      }
    }
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, { keepMessages: true }, take, unread));
  const row = (words, { touches, reads, foretold }) => [words, share(reads, touches), share(foretold, reads)]
  return [
    'Calls that touch a file which was read before, in sessions with a recorded compaction, under `as-recorded`: how many read it\n',
    'again, and how many of these reads are foretold (`rereads.foretold`).\n\n',
    table([
      ['touches of a known file', 'that read it', 'foretold'],
      row('the first after a compaction', after),
      row('all others', others),
    ]),
  ].join('')
}

const planOf = (policy, budget) => ({
  policies: [choose(policies.get(policy))],
  estimators: [choose(estimators.get('auto'))],
  budgets: [budget],
  references: true,
})

/** Whether the window of each request makes a read in its answer foretold. */
function foretoldByRequest(trace, plan) {
  const cell = firstCell(trace, plan)
  const lost = new LostReferences(trace, trace.digest, cell.facts.sizes)
  const foretold = []
  let before = 0
  const watch = ({ index }) => {
    const { rereads } = lost.result()
    foretold[index] = rereads.foretold > before
    before = rereads.foretold
  }
  simulateOne(cell, [lost, { request: watch }])
  return foretold
}

const reading = /^(read|view|read_?file)$/i
const changing = /^(edit|multiedit|write|str_?replace.*)$/i

function touchOf({ name, input }) {
  const file = typeof input === 'object' ? (input?.file_path ?? input?.filePath ?? input?.path) : null
  return typeof file === 'string' && (reading.test(name) || changing.test(name))
    ? { file, reads: reading.test(name) }
    : null
}

/** k of n, and a percentage where n is large enough for one. */
function share(part, whole) {
  return `${part} of ${whole}${whole < 30 ? '' : ` (${((100 * part) / whole).toFixed(1)} %)`}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await section(filesIn(process.argv.slice(2))))
