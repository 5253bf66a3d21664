/**
 * What each measure of forgetting reports where nothing was forgotten. An agent wrote what it wrote with the window that it really
 * had, so that what looks lost there is a floor under every figure: a control that needs no labels. A measure says something where
 * what it reports for a small window is a multiple of that.
 *
 *   npm run build && node bench/truth/floor.mjs [FOLDER…]
 */
import { fileURLToPath } from 'node:url'
import { programOf } from '../../dist/app/answer/candidates.js'
import { readSources } from '../../dist/app/files/read-sources.js'
import { choose, estimators, policies } from '../../dist/app/index.js'
import { caseOf } from '../../dist/app/plan.js'
import { isTold } from '../../dist/model/recorded.js'
import { namedClasses } from '../../dist/model/run.js'
import { copiesOf, countedCopies, isLost, LostCopies } from '../../dist/references/copied/lost-copies.js'
import { simulateOne } from '../../dist/simulator/simulate.js'
import { filesIn, sourcesOf, table, unread } from './transcripts.mjs'

export const title = '## What looks lost where nothing was'

const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [], references: true }
const recorded = { policy: choose(policies.get('as-recorded')), budget: 0 }
const small = { policy: choose(policies.get('drop-oldest')), budget: 50_000 }

/** @returns Markdown */
export async function section(files) {
  const all = []
  let sealed = 0
  const take = (trace, copyOf) => {
    if (copyOf !== null || trace.requests === 0 || trace.calls === 0) return []
    // Nobody knows what stood in a window whose summary cannot be read.
    if (!trace.compactions.every(isTold)) sealed++
    else all.push({ program: programOf(trace.head) ?? 'other formats', measures: measuresOf(trace) })
    return []
  }
  for await (const _ of readSources(sourcesOf(files), plan, {}, take, unread));
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
      const [flagged, requests] = [sum('flagged'), sum('requests')]
      const figures = [percent(floor), percent(signal), ratio, requests, percent(flagged / requests)]
      return [[`\`${name}\``, place, program, list.length, Math.round(sum('total')), ...figures]]
    }),
  )
  return [
    'Later uses that look lost in the windows that agents really had (*floor*), and in those that `drop-oldest` leaves at 50k tokens, in percent of all;\n',
    'one divided by the other; and of how many requests so many have a use that looks lost in the window they really had (*flagged*). Nothing can look lost in front of the\n',
    'first cut that an agent made itself (a compaction, a clearing, or a shrinkage nobody recorded): the requests behind it are the harder test. Of `copied` the uses\n',
    'are requests, of each of which the share counts that is gone of what it copied; flagged are those that find a quarter of it gone. Of `named` and\n',
    `\`copied\` people are shown those programs that lose 5 times the floor or more behind a cut, and have at most 2 % flagged there. ${sealed} transcripts whose summaries cannot be read are not judged.\n\n`,
    table([
      [
        'measure',
        'requests',
        'program',
        'transcripts',
        'uses',
        'floor %',
        'at 50k %',
        'times',
        'of requests',
        'flagged %',
      ],
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
  const whole = new Map()
  // What the whole history has of what was copied, held against the windows that the agent really had.
  const floor = new LostCopies(
    trace,
    trace.digest,
    countedCopies(copiesOf(trace, trace.digest), null),
    (one) => one.kind === null && whole.set(one.request, one),
  )
  const [real, less] = [
    { cell: recorded, observers: [floor] },
    { cell: small, observers: [] },
  ].map(({ cell, observers }) => {
    const [uses, copied, cut] = [[], new Map(), new Set()]
    const keep = ({ index, sent }) => sent.presence?.pruned && cut.add(index)
    const tell = (use) => use.source >= 0 && uses.push(use)
    const run = simulateOne(
      { ...cell, facts },
      [{ request: keep }, ...observers],
      tell,
      'every',
      (one) => one.kind === null && copied.set(one.request, one),
    )
    return { uses, copied, cut, requests: run.requests }
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
  const shareOf = ({ copied, kept }) => (copied - kept) / copied
  found.set('copied', (isHere) => {
    const [own, other] = [whole, less.copied].map((of) => [...of.values()].filter(({ request }) => isHere(request)))
    const sum = (list) => list.reduce((total, one) => total + shareOf(one), 0)
    return { total: own.length, floor: sum(own), signal: sum(other), flagged: own.filter(isLost).length }
  })
  const requests = Array.from({ length: real.requests }, (_, request) => request)
  const isCut = (request) => real.cut.has(request)
  const at = (of, isHere) => ({ ...of(isHere), requests: requests.filter(isHere).length })
  return new Map(
    [...found].map(([name, of]) => [name, { 'every request': at(of, () => true), 'behind a cut': at(of, isCut) }]),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(`${title}\n\n${await section(filesIn(process.argv.slice(2)))}`)
}
