/** The first screen: three numbers, a card for each program with its one action, and the chart. */
import { safe } from '../../../base/quoting.ts'
import type { Page, PageCandidate, PageProgram, PageSession } from '../../../model/page.ts'
import type { ShownUnit } from '../../../model/run.ts'
import { billedWords, moneyUnit } from '../../answer.ts'
import { causeWords } from '../../cause-words.ts'
import { daysBetween } from '../../days.ts'
import { whereWords } from '../../decision.ts'
import { shareWords } from '../../in-shares.ts'
import { compact, decimal, dollars, grouped, several } from '../../numbers.ts'
import { clip } from '../../text.ts'
import { copyable } from '../copyable.ts'
import { type Child, type Element, element } from '../element.ts'
import { place } from '../figures.ts'
import { frontSentence } from '../front.ts'
import { chartedPrograms, nameOf } from './chart.ts'
import { bar, rankedParts } from './spending.ts'

export const textWords = {
  none: 'This page has no word of the transcripts: sessions, projects and tools have numbers instead of names.',
  words:
    'This page has sizes, names of tools and files, and the first words of exchanges. No other text of the transcripts is in it.',
  full: 'This page has the messages of the sessions with a picture: mind who gets it.',
} as const

/** Of so many programs each has a card; the others are told in one line. */
const mostCards = 3

export function firstView(page: Page): Element {
  if (page.sessions.length === 0) {
    return element('header', { class: 'answer' }, mark(), element('h1', {}, 'No transcripts'))
  }
  const charted = chartedPrograms(page)
  const [first] = charted
  return element(
    'header',
    { class: 'answer' },
    element('div', { class: 'top' }, mark(), element('h1', {}, extentWords(page)), navigation()),
    element('div', { class: 'tiles' }, tilesOf(page).map(tileView)),
    element(
      'div',
      { class: first ? 'two' : null },
      element('div', { class: 'cards' }, cardsOf(page)),
      first ? chartCard(charted, first) : [],
    ),
  )
}

function mark(): Element {
  return element('p', { class: 'mark' }, element('b', {}, 'ctxwin'))
}

/** From the first answer to the last, in milliseconds since the epoch; null where no time is recorded. */
function periodOf({ sessions }: Page): { readonly first: number; readonly last: number } | null {
  const times = sessions
    .flatMap(({ first, last }) => [first, last])
    .flatMap((time) => (time === null ? [] : [Date.parse(time)]))
  if (times.length === 0) return null
  return { first: times.reduce((a, b) => Math.min(a, b)), last: times.reduce((a, b) => Math.max(a, b)) }
}

function monthsOf(page: Page): number {
  const period = periodOf(page)
  return period ? (period.last - period.first) / (30 * 86_400_000) : 0
}

function extentWords(page: Page): string {
  const { sessions, unit, pricesAsOf } = page
  const period = periodOf(page)
  const when = period ? `, ${daysBetween(period.first, period.last)}` : ''
  const money =
    unit === 'usd' ? `; dollars at API list prices of ${pricesAsOf}` : unit === 'percent' ? `; ${shareWords}` : ''
  return `${several(sessions.length, 'session')}${when}${money}`
}

/** Where the story goes on. */
function navigation(): Element {
  const places = [
    ['what-if', 'Try a setting'],
    ['sessions', 'Sessions'],
    ['where', 'Where it went'],
    ['sure', 'How sure'],
  ] as const
  return element(
    'nav',
    { 'aria-label': 'On this page' },
    places.map(([id, words]) => element('a', { href: `#${id}` }, words)),
  )
}

export interface Tile {
  readonly figure: string
  /** What it is, and what it raises as a question is answered. */
  readonly words: string
  readonly kind: 'spent' | 'saved' | 'risk' | 'none'
}

/** What was spent, what could be saved, and what that risks. */
export function tilesOf(page: Page): Tile[] {
  return [spentTile(page), savedTile(page), riskTile(page)]
}

function spentTile(page: Page): Tile {
  const { bill, today, unit, sessions } = page
  if (bill === null || bill.usd === null) {
    return {
      ...{ kind: 'spent', figure: compact(today.sentTokens) },
      words: `tokens sent in ${several(sessions.length, 'session')}. No bill: no usage is recorded, or a model has no known price.`,
    }
  }
  const months = monthsOf(page)
  if (unit === 'percent') {
    const sent = months >= 1 ? `, about ${compact(today.sentTokens / months)} a month` : ''
    return {
      ...{ kind: 'spent', figure: compact(today.sentTokens) },
      words: `tokens sent${sent}; input weighs ${bill.input.toFixed(0)} % of all, and output the rest`,
    }
  }
  const monthly = months >= 1 ? `, about ${whole(bill.usd / months)} a month` : ''
  const input = bill.input > 0 ? `; ${dollars(bill.input)} of it for input` : ''
  return { kind: 'spent', figure: dollars(bill.usd), words: `spent${monthly}${unit === 'usd' ? input : ''}` }
}

interface Promised {
  readonly program: PageProgram
  readonly point: PageCandidate
}

/** Of the programs that have something to set, what that is. */
function promisedIn({ programs }: Page): Promised[] {
  return programs.flatMap((program): Promised[] => {
    const { outcome, best } = program
    const point = best === null ? undefined : program.points[best]
    return point && outcome === 'set' ? [{ program, point }] : []
  })
}

function savedTile(page: Page): Tile {
  const promised = promisedIn(page).filter(({ program }) => program.unit === moneyUnit(page.unit))
  const kind = 'saved'
  if (promised.length > 0) {
    const months = monthsOf(page)
    const per = months >= 1 ? months : 1
    const sum = (key: 'low' | 'high'): number =>
      promised.reduce((all, { program, point }) => all + ((point[key] ?? 0) * program.paid) / 100 / per, 0)
    const share = (key: 'low' | 'high'): number =>
      (100 * sum(key) * per) / promised.reduce((all, { program }) => all + program.paid, 0)
    const period = months >= 1 ? 'a month could be saved' : 'of it could have been saved'
    if (page.unit === 'percent') {
      return {
        ...{ kind, figure: `${decimal(share('low'), 0)} – ${decimal(share('high'), 0)} %` },
        words: 'of the input could be saved after re-reading',
      }
    }
    const range = `${decimal(share('low'), 0)} to ${decimal(share('high'), 0)} % of the input`
    return {
      ...{ kind, figure: `${whole(sum('low'))} – ${whole(sum('high')).slice(1)}` },
      words: `${period} after re-reading: ${range}`,
    }
  }
  const few = page.programs.filter(({ outcome }) => outcome === 'too-few-sessions' || outcome === 'too-few-uses')
  if (few.length > 0 && few.length === page.programs.length) {
    return few.some(({ outcome }) => outcome === 'too-few-sessions')
      ? { kind: 'none', figure: 'Too few', words: 'sessions to say what could be saved' }
      : { kind: 'none', figure: 'Too few', words: 'later uses of content to say what a setting would risk' }
  }
  const reasons = new Set(page.programs.map(({ keepReason }) => keepReason))
  const why = reasons.has('loses-more')
    ? 'to change: what is cheaper forgets too much'
    : 'to change: no setting is cheaper than what you have'
  return { kind: 'none', figure: 'Nothing', words: why }
}

function riskTile(page: Page): Tile {
  const kind = 'risk'
  const [worst] = promisedIn(page).toSorted((a, b) => b.point.extraPercent - a.point.extraPercent)
  if (worst) {
    const { extraPercent } = worst.point
    return extraPercent > 0
      ? { kind, figure: oneIn(extraPercent), words: 'later uses of content would need a second look' }
      : { kind, figure: 'No more', words: 'is lost than with what you have' }
  }
  const kept = page.programs.find(({ keepReason, best }) => keepReason === 'loses-more' && best !== null)
  const point = kept?.points[kept.best as number]
  if (kept && point) {
    return {
      kind,
      figure: oneIn(point.extraPercent),
      words: `later uses of content would need a second look with ${nameOf(point)}: too many`,
    }
  }
  return missedTile(page) ?? { kind: 'none', figure: 'None', words: 'nothing is to be changed, so nothing is at risk' }
}

/** Where nothing is to be set, what else the money goes for: what was paid twice. */
function missedTile({ spending, unit }: Page): Tile | null {
  const { usd = null, requests = 0 } = spending?.total.missed ?? {}
  const [cause] = spending?.causes ?? []
  if (usd === null || usd <= 0 || requests === 0 || !cause) return null
  return {
    ...{ kind: 'none', figure: billedWords(usd, unit) },
    words: `was paid a second time, in ${several(requests, 'request')}, for what the cache no longer had; ${cause.cause === 'unexplained' ? 'why is mostly not recorded' : `mostly because ${causeWords[cause.cause]}`}`,
  }
}

/** "1 in 50" */
function oneIn(percent: number): string {
  return percent <= 0 ? 'none' : `1 in ${grouped(Math.max(1, Math.round(100 / percent)))}`
}

const whole = (amount: number): string =>
  amount >= 10 ? `$${grouped(Math.round(amount))}` : dollars(Number(amount.toPrecision(2)))

function tileView({ figure, words, kind }: Tile): Element {
  return element(
    'p',
    { class: `tile ${kind}` },
    element('strong', { class: figure.length > 11 ? 'figure long' : 'figure' }, figure),
    ' ',
    element('span', {}, words),
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
          element(
            'p',
            { class: 'quiet' },
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
  return element(
    'article',
    { class: `card ${outcomeClass[outcome]}` },
    element(
      'h2',
      {},
      name,
      element(
        'span',
        {},
        [spent === null ? '' : billedWords(spent, shown), several(transcripts, 'transcript')]
          .filter(Boolean)
          .join(' · '),
      ),
    ),
    element('p', {}, element('strong', { class: 'verdict' }, bold), rest === '' ? '' : ` ${rest}`),
    rangeView(program),
    turnOn
      ? element(
          'p',
          { class: 'turn-on' },
          element('span', { class: 'quiet' }, whereWords(turnOn)),
          copyable(turnOn.text),
        )
      : [],
  )
}

/** What is saved as a bar between what is sure and what is possible; nothing where nothing is to be set. */
function rangeView({ outcome, best, points, unit, paid }: PageProgram): Element[] {
  const point = best === null ? undefined : points[best]
  if (!point || outcome !== 'set' || point.low === null || point.high === null) return []
  const most = Math.min(100, Math.max(10, Math.ceil((point.high * 1.2) / 10) * 10))
  const at = (percent: number): number => place((100 * Math.min(Math.max(percent, 0), most)) / most)
  const amount = (percent: number): string =>
    unit === 'usd' ? whole((percent * paid) / 100) : `${decimal(percent, 0)} %`
  return [
    element(
      'p',
      { class: 'range-line quiet' },
      element('span', {}, '0'),
      element(
        'svg',
        {
          class: 'range',
          viewBox: '0 0 100 8',
          preserveAspectRatio: 'none',
          role: 'img',
          'aria-label': `saves ${amount(point.low)} to ${amount(point.high)}`,
        },
        element('rect', { class: 'all', x: 0, y: 0, width: 100, height: 8 }),
        element('rect', {
          x: at(point.low),
          y: 0,
          width: place(Math.max(0.8, at(point.high) - at(point.low))),
          height: 8,
        }),
      ),
      element('span', {}, `${most} % of the input`),
    ),
  ]
}

function dearestCard({ words, command }: Page['answer'][number], { sessions }: Page): Element {
  const [, what = words] = /^(\S+ session {2}\S+(?: tokens| %)?)/.exec(words) ?? []
  const size = ({ spent, today }: PageSession): number => spent ?? today.sent - Number.MAX_SAFE_INTEGER
  const { title } = sessions.reduce((a, b) => (size(b) > size(a) ? b : a))
  return element(
    'article',
    { class: 'card dearest' },
    element('h2', {}, what.replace(/ {2}.*/, ''), element('span', {}, what.replace(/^.* {2}/, ''))),
    element(
      'p',
      {},
      title ? `“${clip(safe(title), 80)}” ` : '',
      element('a', { href: '#picture' }, 'see what filled it'),
    ),
    command === null ? [] : element('p', {}, copyable(command)),
  )
}

/** The few parts of the input that cost most. */
function partsCard({ spending }: Page): Element[] {
  if (!spending || spending.total.usd === null) return []
  const parts = rankedParts(spending).slice(0, 4)
  const [widest = 0] = parts.map(({ share }) => share)
  return [
    element(
      'article',
      { class: 'card' },
      element('h2', {}, 'What the input was', element('span', {}, element('a', { href: '#where' }, 'all of it'))),
      element(
        'table',
        { class: 'bars' },
        element('caption', { class: 'hidden' }, 'Parts of the input that cost most'),
        element(
          'tbody',
          {},
          parts.map(({ part, name, share }) =>
            element(
              'tr',
              {},
              element('th', { scope: 'row' }, part.part === 'head' ? 'system prompt and tools' : name),
              element('td', { class: 'length' }, bar(share, widest)),
              element('td', { class: 'number' }, `${share.toFixed(0)} %`),
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
    return [
      `${name}: ${grouped(costed)} of ${several(transcripts, 'transcript')} have a price. Ranges are for sessions to come, and hold in 95 of 100 cases.`,
      `A window that was never sent is priced by a model, which is off by about ${errorPercent.toFixed(0)} % a session.`,
      ...(uses > 0
        ? [
            `A later use is text that was copied from something that had been in the window: ${grouped(uses)} of them. A summary is taken to keep ${keptPercent.toFixed(0)} % of them, as recorded ones did.`,
          ]
        : []),
    ]
  })
  const unbilled = answer.filter(({ program, command }, at) => at > 0 && program === undefined && command === null)
  return element(
    'details',
    { class: 'sure' },
    element('summary', {}, 'How sure is this?'),
    [...sentences, ...unbilled.map(({ words }) => words), textWords[text]].map((sentence) =>
      element('p', {}, sentence),
    ),
    candidates ? element('p', {}, `${candidates.words} `, copyable(candidates.command as string)) : [],
    element('p', {}, element('a', { href: '#sure' }, 'What was measured, and what is not claimed')),
  )
}

function chartCard(charted: readonly PageProgram[], first: PageProgram): Element {
  const choices: Child[] =
    charted.length > 1
      ? [
          element(
            'fieldset',
            { class: 'tabs' },
            element('legend', { class: 'hidden' }, 'Program of the chart'),
            charted.map(({ name }, at) =>
              element(
                'label',
                {},
                element('input', { type: 'radio', name: 'charted', value: at, checked: at === 0 }),
                ` ${name}`,
              ),
            ),
          ),
        ]
      : []
  return element(
    'section',
    { class: 'card charted', 'aria-labelledby': 'chart-title' },
    element(
      'h2',
      { id: 'chart-title' },
      'What each setting costs, and forgets',
      charted.length > 1 ? choices : element('span', {}, first.name),
    ),
    element('p', { id: 'chart-sentence' }, frontSentence(first)),
    element('div', { id: 'chart' }),
    element('p', { id: 'chart-words', class: 'quiet spot-words' }, ' '),
    element(
      'details',
      {},
      element('summary', {}, 'Other options, as a table'),
      element('div', {
        class: 'scroll',
        id: 'chart-table',
        tabindex: 0,
        role: 'region',
        'aria-label': 'Other options',
      }),
    ),
  )
}
