/** The first screen: three numbers, a card for each program with its one action, and the chart. */
import { safe } from '../../../base/quoting.ts'
import { these } from '../../../base/these.ts'
import type { Page, PageProgram, PageSession } from '../../../model/page.ts'
import type { ShownUnit } from '../../../model/run.ts'
import { billedWords } from '../../answer.ts'
import { daysBetween } from '../../days.ts'
import { whereWords } from '../../decision.ts'
import { shareWords } from '../../in-shares.ts'
import { decimal, grouped, several } from '../../numbers.ts'
import { clip } from '../../text.ts'
import { copyable } from '../copyable.ts'
import { type Child, type Element, h, leaf } from '../element.ts'
import { place } from '../figures.ts'
import { frontSentence } from '../front.ts'
import { bar, mark } from '../parts.ts'
import { chartedPrograms } from './chart.ts'
import { rankedParts } from './spending.ts'
import { periodOf, type Tile, tilesOf, wholeDollars } from './tiles.ts'

export const textWords = {
  none: 'This page has no word of the transcripts: sessions, projects and tools have numbers instead of names.',
  words:
    'This page has sizes, names of tools and files, and the first words of exchanges. No other text of the transcripts is in it.',
  full: 'This page has the messages of the sessions with a picture: mind who gets it.',
} as const

/** The most programs that get a card each; one line names the rest. */
const mostCards = 3

export function firstView(page: Page): Element {
  if (page.sessions.length === 0) {
    return h('header.answer')(mark(), h('h1')('No transcripts'))
  }
  const charted = chartedPrograms(page)
  const [first] = charted
  return h('header.answer')(
    h('div.top')(mark(), h('h1')(extentWords(page)), navigation()),
    h('div.tiles')(tilesOf(page).map(tileView)),
    h('div', { class: first ? 'two' : null })(h('div.cards')(cardsOf(page)), first ? chartCard(charted, first) : []),
  )
}

function extentWords(page: Page): string {
  const { sessions, unit, pricesAsOf } = page
  const period = periodOf(page)
  const when = period ? `, ${daysBetween(period.first, period.last)}` : ''
  const money =
    unit === 'usd' ? `; dollars at API list prices of ${pricesAsOf}` : unit === 'percent' ? `; ${shareWords}` : ''
  return `${several(sessions.length, 'session')}${when}${money}`
}

/** Links to the chapters below. */
function navigation(): Element {
  const places = [
    ['what-if', 'Try a setting'],
    ['sessions', 'Sessions'],
    ['where', 'Where it went'],
    ['sure', 'How sure'],
  ] as const
  return h('nav', { 'aria-label': 'On this page' })(places.map(([id, words]) => h('a', { href: `#${id}` })(words)))
}

function tileView({ figure, words, kind }: Tile): Element {
  return h('p', { class: `tile ${kind}` })(
    h('strong', { class: figure.length > 11 ? 'figure long' : 'figure' })(figure),
    ' ',
    h('span')(words),
  )
}

function cardsOf(page: Page): Element[] {
  const { programs, answer } = page
  const rest = programs.slice(mostCards)
  const others = answer.filter(({ program, command }, at) => at > 0 && program === undefined && command !== null)
  // Of what is left, the last line is how every candidate is listed: it stands behind the fold.
  const [dearest] = others.length > 1 ? others : []
  return [
    ...programs.slice(0, mostCards).map((program) => programCard(program, page.unit)),
    ...(rest.length > 0
      ? [
          h('p.quiet')(
            `And ${several(rest.length, 'more program')}: ${rest.map(({ name, spent }) => (spent === null ? name : `${name} ${billedWords(spent, page.unit)}`)).join(', ')}.`,
          ),
        ]
      : []),
    ...(dearest && page.sessions.length > 1 ? [dearestCard(dearest, page)] : []),
    // With more programs there is no room for it on a first screen.
    ...(programs.length === 1 ? partsCard(page) : []),
    sureFold(page),
  ]
}

const outcomeClass: Readonly<Record<PageProgram['outcome'], string>> = {
  set: 'set',
  keep: 'keep',
  'too-few-sessions': 'few',
  'too-few-uses': 'few',
  'nothing-to-set': 'keep',
}

function programCard(program: PageProgram, shown: ShownUnit): Element {
  const { name, spent, transcripts, outcome, words, turnOn } = program
  // The verdict is the first sentence; what it rests on comes behind it.
  const [, verdict = words, more = ''] = /^(.*?[.:](?= |$))\s*(.*)$/s.exec(words) ?? []
  const [, bold = verdict, rest = more] = verdict.endsWith(':')
    ? (/^(.*?:.*?\.)(?= |$)\s*(.*)$/s.exec(words) ?? [])
    : []
  return h('article', { class: `card ${outcomeClass[outcome]}` })(
    h('h2')(
      name,
      h('span')(
        [spent === null ? '' : billedWords(spent, shown), several(transcripts, 'transcript')]
          .filter(Boolean)
          .join(' · '),
      ),
    ),
    h('p')(h('strong.verdict')(bold), rest === '' ? '' : ` ${rest}`),
    rangeView(program),
    turnOn ? h('p.turn-on')(h('span.quiet')(whereWords(turnOn)), copyable(turnOn.text)) : [],
  )
}

/** The range of savings as a bar; nothing where there is nothing to set. */
function rangeView({ outcome, best, points, unit, paid }: PageProgram): Element[] {
  const point = best === null ? undefined : points[best]
  if (!point || outcome !== 'set' || point.low === null || point.high === null) return []
  const most = Math.min(100, Math.max(10, Math.ceil((point.high * 1.2) / 10) * 10))
  const at = (percent: number): number => place((100 * Math.min(Math.max(percent, 0), most)) / most)
  const amount = (percent: number): string =>
    unit === 'usd' ? wholeDollars((percent * paid) / 100) : `${decimal(percent, 0)} %`
  return [
    h('p.range-line.quiet')(
      h('span')('0'),
      h('svg.range', {
        viewBox: '0 0 100 8',
        preserveAspectRatio: 'none',
        role: 'img',
        'aria-label': `saves ${amount(point.low)} to ${amount(point.high)}`,
      })(
        leaf('rect.all', { x: 0, y: 0, width: 100, height: 8 }),
        leaf('rect', {
          x: at(point.low),
          y: 0,
          width: place(Math.max(0.8, at(point.high) - at(point.low))),
          height: 8,
        }),
      ),
      h('span')(`${most} % of the input`),
    ),
  ]
}

function dearestCard({ words, command }: Page['answer'][number], { sessions }: Page): Element {
  const [, what = words] = /^(\S+ session {2}\S+(?: tokens| %)?)/.exec(words) ?? []
  const size = ({ spent, today }: PageSession): number => spent ?? today.sent - Number.MAX_SAFE_INTEGER
  const { title } = sessions.reduce((a, b) => (size(b) > size(a) ? b : a))
  return h('article.card.dearest')(
    h('h2')(what.replace(/ {2}.*/, ''), h('span')(what.replace(/^.* {2}/, ''))),
    h('p')(title ? `“${clip(safe(title), 80)}” ` : '', h('a', { href: '#picture' })('see what filled it')),
    command === null ? [] : h('p')(copyable(command)),
  )
}

/** The few parts of the input that cost most. */
function partsCard({ spending }: Page): Element[] {
  if (!spending || spending.total.usd === null) return []
  const parts = rankedParts(spending).slice(0, 4)
  const [widest = 0] = parts.map(({ share }) => share)
  return [
    h('article.card')(
      h('h2')('What the input was', h('span')(h('a', { href: '#where' })('all of it'))),
      h('table.bars')(
        h('caption.hidden')('Parts of the input that cost most'),
        h('tbody')(
          parts.map(({ part, name, share }) =>
            h('tr')(
              h('th', { scope: 'row' })(part.part === 'head' ? 'system prompt and tools' : name),
              h('td.length')(bar(share, widest)),
              h('td.number')(`${share.toFixed(0)} %`),
            ),
          ),
        ),
      ),
    ),
  ]
}

/** What the numbers rest on, behind a fold. */
function sureFold({ programs, answer, text }: Page): Element {
  const candidates = answer.findLast(({ command, program }) => command !== null && program === undefined)
  const sentences = programs.flatMap((program): string[] => {
    const { name, costed, transcripts, errorPercent, keptPercent, uses } = program
    return these(
      `${name}: ${grouped(costed)} of ${several(transcripts, 'transcript')} have a price. Ranges are for sessions to come, and hold in 95 of 100 cases.`,
      `A window that was never sent is priced by a model, which is off by about ${errorPercent.toFixed(0)} % a session.`,
      uses > 0 &&
        `A later use is text that was copied from something that had been in the window: ${grouped(uses)} of them. A summary is taken to keep ${keptPercent.toFixed(0)} % of them, as recorded ones did.`,
    )
  })
  const unbilled = answer.filter(({ program, command }, at) => at > 0 && program === undefined && command === null)
  return h('details.sure')(
    h('summary')('How sure is this?'),
    [...sentences, ...unbilled.map(({ words }) => words), textWords[text]].map((sentence) => h('p')(sentence)),
    candidates ? h('p')(`${candidates.words} `, copyable(candidates.command as string)) : [],
    h('p')(h('a', { href: '#sure' })('What was measured, and what is not claimed')),
  )
}

function chartCard(charted: readonly PageProgram[], first: PageProgram): Element {
  const choices: Child[] =
    charted.length > 1
      ? [
          h('fieldset.tabs')(
            h('legend.hidden')('Program of the chart'),
            charted.map(({ name }, at) =>
              h('label')(leaf('input', { type: 'radio', name: 'charted', value: at, checked: at === 0 }), ` ${name}`),
            ),
          ),
        ]
      : []
  return h('section.card.charted', { 'aria-labelledby': 'chart-title' })(
    h('h2#chart-title')('What each setting costs, and forgets', charted.length > 1 ? choices : h('span')(first.name)),
    h('p#chart-sentence')(frontSentence(first)),
    leaf('div#chart'),
    h('p#chart-words.quiet.spot-words')(' '),
    h('details')(
      h('summary')('Other options, as a table'),
      leaf('div.scroll#chart-table', { tabindex: 0, role: 'region', 'aria-label': 'Other options' }),
    ),
  )
}
