/**
 * What each measure of forgetting reports where nothing was forgotten. An agent wrote what it wrote with the window that it really
 * had, so that what looks lost there is a floor under every figure: a control that needs no labels. A measure says something where
 * what it reports for a small window is a multiple of that.
 *
 * Beside the two measures that ctxwin has stands one that it has not, `copied`: how many characters of what the agent sent to a
 * tool stood in its window before, in runs that are long enough to be no chance.
 *
 *   npm run build && node bench/truth/floor.mjs [FOLDER…]
 */
import { fileURLToPath } from 'node:url'
import { programOf } from '../../dist/app/candidates.js'
import { caseOf } from '../../dist/app/plan.js'
import { readSources } from '../../dist/app/read-sources.js'
import { choose, estimators, policies } from '../../dist/index.js'
import { namedClasses } from '../../dist/model/run.js'
import { simulateOne } from '../../dist/simulator/simulate.js'
import { CopiedText, variants } from './copied.mjs'
import { filesIn, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## What looks lost where nothing was'

const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [], references: true }
const recorded = { policy: choose(policies.get('as-recorded')), budget: 0 }
const small = { policy: choose(policies.get('drop-oldest')), budget: 50_000 }

/** A window whose summary cannot be read is not judged: nobody knows what stood in it. */
const isSealed = ({ sealed, summary }) => sealed === true || summary.length === 0

/** @returns Markdown */
export async function section(files) {
  const all = []
  let sealed = 0
  const take = (trace, copyOf) => {
    if (copyOf !== null || trace.requests === 0 || trace.calls === 0) return []
    if (trace.compactions.some(isSealed)) sealed++
    else all.push({ program: programOf(trace.head) ?? 'other formats', measures: measuresOf(trace) })
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, { keepMessages: true }, take, unread));
  const names = [...new Set(all.flatMap(({ measures }) => [...measures.keys()]))]
  const programs = ['all', ...[...new Set(all.map(({ program }) => program))].sort()]
  const places = [['every request', 'all'], ...programs.map((program) => ['behind a cut', program])]
  const rows = names.flatMap((name) =>
    places.flatMap(([place, program]) => {
      const list = all
        .filter((one) => program === 'all' || one.program === program)
        .map(({ measures }) => measures.get(name)[place])
        .filter(({ requests }) => requests > 0)
      const sum = (key) => list.reduce((total, one) => total + one[key], 0)
      const { floor, signal } = rates(sum)
      if (sum('total') < 30) return []
      const ratio = floor === 0 ? (signal === 0 ? '' : '∞') : (signal / floor).toFixed(1)
      const flagged = [sum('flagged'), sum('requests')]
      const figures = [percent(floor), percent(signal), ratio, percent(flagged[0] / flagged[1])]
      return [[`\`${name}\``, place, program, list.length, Math.round(sum('total')), ...figures]]
    }),
  )
  return [
    'Later uses that look lost in the windows that agents really had (*floor*), and in those that `drop-oldest` leaves at 50k tokens, in percent of all;\n',
    'one divided by the other; and the requests with a use that looks lost in the window they really had. Nothing can look lost in front of the\n',
    'first cut that an agent made itself (a compaction, a clearing, or a shrinkage nobody recorded): the requests behind it are the harder test. `copied` is a study, of which no\n',
    'command prints anything: the mean over requests of the share of copied characters that are gone, and requests with a quarter of at least 48 gone.\n',
    `Its variants are described in bench/truth/copied.mjs. ${sealed} transcripts whose summaries cannot be read are not judged.\n\n`,
    table([
      ['measure', 'requests', 'program', 'transcripts', 'uses', 'floor %', 'at 50k %', 'times', 'requests flagged %'],
      ...rows,
    ]),
    '\n- **May be claimed:** of what is reported as lost, so much would be reported of windows that sufficed.\n',
    '- **May not be claimed:** that a window sufficed because the agent went on: behind a compaction some of what looks lost was really missed.\n',
  ].join('')
}

const rates = (sum) => ({ floor: sum('floor') / sum('total'), signal: sum('signal') / sum('total') })
const percent = (share) => (Number.isFinite(share) ? (100 * share).toFixed(1) : '')

/** @returns by measure and place: uses (of `copied`: requests), what of them looks lost in either window, and the flagged requests */
function measuresOf(trace) {
  const facts = caseOf(trace, plan)
  const [real, less] = [recorded, small].map((cell) => {
    const uses = []
    const windows = new Map()
    const keep = ({ index, sent }) => windows.set(index, sent.presence?.pruned ? insideOf(trace, sent.presence) : null)
    simulateOne({ ...cell, facts }, [{ request: keep }], (use) => use.source >= 0 && uses.push(use), 'every')
    return { uses, windows }
  })
  const found = new Map()
  for (const [name, isOf] of [
    ['content', (one) => one.termClass === 'content'],
    ['named', (one) => namedClasses.has(one.termClass)],
  ]) {
    found.set(name, (isHere) => {
      const [own, other] = [real, less].map(({ uses }) => uses.filter((one) => isOf(one) && isHere(one.request)))
      const lost = own.filter(({ sourceLost }) => sourceLost)
      return {
        total: own.length,
        floor: lost.length,
        signal: other.filter(({ sourceLost }) => sourceLost).length,
        flagged: new Set(lost.map(({ request }) => request)).size,
      }
    })
  }
  const text = new CopiedText(trace)
  for (const variant of variants) {
    const judged = text.judge(variant, real.windows, less.windows)
    found.set(variant.name, (isHere) => judged(isHere))
  }
  const requests = [...real.windows.keys()]
  const isCut = (request) => (real.windows.get(request) ?? null) !== null
  const at = (of, isHere) => ({ ...of(isHere), requests: requests.filter(isHere).length })
  return new Map(
    [...found].map(([name, of]) => [name, { 'every request': at(of, () => true), 'behind a cut': at(of, isCut) }]),
  )
}

/** Which messages are inside as they were recorded; their indices. */
function insideOf(trace, presence) {
  const inside = new Uint8Array(trace.length)
  for (let at = Math.max(0, presence.from); at < trace.length; at++) {
    if (presence.has(at) && presence.replacement(at) === null) inside[at] = 1
  }
  return inside
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(`${title}\n\n${await section(filesIn(process.argv.slice(2)))}`)
}
