/**
 * Are lost references real? The text that an edit replaces is copied from somewhere. If all of its lines were outside the
 * window, the agent depended on something that had left. How many of these edits are reported as losses, and how many
 * edits whose text was inside?
 *
 *   npm run build && node bench/truth/dependence.mjs [FOLDER…]
 */
import { fileURLToPath } from 'node:url'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators, policies } from '../../dist/app/index.js'
import { firstCell } from '../../dist/app/plan.js'
import { DependenceSums, dependenceRows } from '../../dist/app/quality/dependence.js'
import { LostReferences } from '../../dist/references/lost.js'
import { simulateOne } from '../../dist/simulator/simulate.js'
import { byVersion, groupHead, originOf } from './groups.mjs'
import { filesIn, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## What is reported as lost'

const places = ['outside', 'part', 'inside']

/** @returns Markdown */
export async function section(files) {
  return `${await editsIn(files)}\n${await readsIn(files)}`
}

async function editsIn(files) {
  const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [], references: true }
  const all = []
  const take = (trace) => {
    const found = dependenceRows(trace, plan, 0)
    const edits = found.some((row) => places.some((place) => row[place].edits > 0))
    if (edits) all.push({ origin: originOf(trace), found })
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, { keepMessages: true }, take, unread));
  const cell = ({ edits, reported }) => share(reported, edits)
  const windows = new DependenceSums().rows.map(({ policy, budget }) => `\`${policy}\` ${budget}`)
  const rows = byVersion((groups) =>
    groups(all).map(({ name, cells, list }) => {
      const sums = new DependenceSums()
      for (const { found } of list) sums.add(found)
      const inAll = (place, key) => sums.rows.reduce((total, row) => total + row[place][key], 0)
      const together = ['part', 'inside'].map((place) => share(inAll(place, 'reported'), inAll(place, 'edits')))
      return [name, ...cells, ...sums.rows.map(({ outside }) => cell(outside)), ...together]
    }),
  )
  return [
    'Edits and patches whose old text stood in the transcript before, and how many of them are reported as lost: those whose text stood\n',
    'wholly outside the window when the request went out, under each policy and budget, and under all four together those of which a\n',
    'part stood inside, and those of which all did. Versions and formats with fewer than three transcripts stand together.\n\n',
    table([['format', ...groupHead, ...windows, 'partly inside', 'inside'], ...rows]),
  ].join('')
}

/**
 * After a compaction agents read again what they had read before. Is that foretold? A touch is a call that reads or changes
 * a file that was read before; the first of each file after a recorded compaction is held against all others.
 */
async function readsIn(files) {
  const plan = planOf('as-recorded', 1e9)
  const none = () => ({ touches: 0, reads: 0, foretold: 0 })
  const all = []
  const take = (trace) => {
    if (trace.compactions.length === 0) return []
    const foretold = foretoldByRequest(trace, plan)
    const [after, others] = [none(), none()]
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
    if (after.touches + others.touches > 0) all.push({ origin: originOf(trace), after, others })
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, { keepMessages: true }, take, unread));
  const row = (list, key) => {
    const sum = (count) => list.reduce((total, one) => total + one[key][count], 0)
    return [share(sum('reads'), sum('touches')), share(sum('foretold'), sum('reads'))]
  }
  const rows = byVersion((groups) =>
    groups(all).flatMap(({ name, cells, list }) => [
      [name, ...cells, 'the first after a compaction', ...row(list, 'after')],
      [name, ...cells, 'all others', ...row(list, 'others')],
    ]),
  )
  return [
    'Calls that touch a file which was read before, in sessions with a recorded compaction, under `as-recorded`: how many read it\n',
    'again, and how many of these reads are foretold (`rereads.foretold`).\n\n',
    table([['format', ...groupHead, 'touches of a known file', 'that read it', 'foretold'], ...rows]),
    '\n- **May be claimed:** an edit whose old text has wholly left the window is reported as lost, and one whose text is there is not; the first\n',
    '  touch of a file behind a compaction of Claude Code up to 2.1.42 is nearly always a read, and that is foretold. Of later versions\n',
    '  there are few.\n',
    '- **How sure:** the strings are compared by code that shares nothing with what it judges, in all versions of the table. opencode’s touches\n',
    '  are all reads, because GPT changes files with patches, which are no touch of this table.\n',
    '- **May not be claimed:** that a reported loss would have hurt: the agent copied the text from somewhere, and may have found it again.\n',
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
