/**
 * The picture of one transcript (ikigai, "Exchange Boundaries", Visualization): what has left the window, and what is
 * inside. Two marks: where the window begins, and the horizontal rule ("Sliding Context Window", Horizontal Rule),
 * which stands after the last response of the exchange in which the window was cut.
 */

import { safe } from '../base/quoting.ts'
import type {
  HistoryLine,
  HistoryView,
  InsertedMessages,
  InsideExchange,
  LostUse,
  OutsideExchange,
} from '../model/history.ts'
import type { PreambleSource } from '../model/run.ts'
import type { ExplainedSpending } from '../model/spending.ts'
import { offWords, ownWords } from './bill.ts'
import { type Ink, inkFor } from './ink.ts'
import { compact, grouped, ordinal, several } from './numbers.ts'
import { fullPolicy } from './params.ts'
import { dollars, spendingLines } from './session-spending.ts'
import { clip, clipMiddle, widthOf, wrap } from './text.ts'
import { windowWords } from './window-words.ts'

export interface HistoryOptions {
  readonly width: number
  readonly color: boolean
  /** Show every step of every exchange. */
  readonly all: boolean
  /** Instead of the picture, list everything that was used after it had left, with line numbers. */
  readonly lost?: boolean
  /** What the recorded session cost; null where that is not known. Absent: leave it out. */
  readonly spent?: ExplainedSpending | null
}

export function* renderHistory(view: HistoryView, options: HistoryOptions): Iterable<string> {
  const { width, color, all } = options
  const ink = inkFor(color)
  if (options.lost) return yield* renderLost(view, width, ink)
  const line = (text: string): string => `${clip(text, width)}\n`
  const { outside, inside, inserted } = view
  yield* titleLines(momentOf(view), width, ink)
  const spent = isRecorded(view) ? options.spent : undefined
  if (spent !== undefined) yield `\n${spendingLines(spent, view.request, width).join('\n')}\n`
  const costs = new Map(spent?.exchanges.map(({ exchange, usd }) => [exchange, usd]))
  const costOf = (exchange: number): string[] => {
    const usd = costs.get(exchange) ?? null
    return usd === null ? [] : [dollars(usd)]
  }

  yield `\n${ink.answer(clip(titleOf(view), width))}\n`
  if (outside.length > 0) {
    yield `\n${ink.heading(clip('[Outside window - in archival]', width))}\n`
    for (const text of shorten(
      outside.map((exchange) => outsideLine(exchange, isRecorded(view), costOf(exchange.exchange), width)),
      all ? Infinity : 3,
      5,
      (hidden) =>
        `  … ${grouped(hidden)} more (${compact(outside.slice(3, 3 + hidden).reduce((sum, one) => sum + one.tokens, 0))})`,
    )) {
      yield line(text)
    }
    yield `\n${ink.aside(cutoffMark(width))}\n`
  }

  yield `\n${ink.heading(clip('[Inside window - currently visible]', width))}\n`
  yield line(`  Preamble: ${preambleWords(view)}, ${compact(view.preambleTokens)})`)
  if (view.unknownHistoryTokens > 0) {
    yield line(`  Before this file: not recorded (${compact(view.unknownHistoryTokens)})`)
  }
  const uses = usesByExchange(view)
  let next = 0
  const insertedUpTo = function* (exchange: number): Iterable<string> {
    for (; next < inserted.length && (inserted[next] as InsertedMessages).before <= exchange; next++) {
      const { tokens, lines } = inserted[next] as InsertedMessages
      yield `\n${line(`  Inserted by the ${isRecorded(view) ? 'agent' : 'policy'} (${compact(tokens)})`)}`
      yield* tree(lines, [], width, all).map(line)
    }
  }
  const { cutAfter } = view
  const rule = `\n${ink.aside(mark(isRecorded(view) ? 'compacted here' : 'pruned here', width))}\n`
  const ruled = cutAfter === null ? null : inside.find(({ exchange }) => exchange > cutAfter)
  for (const exchange of inside) {
    if (exchange === ruled) yield rule
    yield* insertedUpTo(exchange.exchange)
    yield `\n${line(insideLine(exchange, costOf(exchange.exchange), width))}`
    yield* tree(exchange.lines, uses.get(exchange.exchange) ?? [], width, all).map(line)
  }
  yield* insertedUpTo(Infinity)
  if (ruled === undefined) yield `${rule}\n`
}

function preambleWords({ preambleSource, withoutUsage }: HistoryView): string {
  const own = preambleSource === 'usual' && withoutUsage ? ownWords(withoutUsage) : null
  return own === null ? sourceWords[preambleSource] : `system prompt and tools (not recorded, ${own}`
}

const sourceWords: Readonly<Record<PreambleSource, string>> = {
  recorded: 'system prompt and tools (recorded',
  inferred: 'system prompt and tools (inferred from usage',
  given: 'system prompt and tools (as given',
  usual: 'system prompt and tools (not recorded, usual for the program',
  none: 'system prompt and tools are not recorded (set --preamble',
}

/** "Sliding Window (82k/90k tokens; no usage recorded: -16.0 to +20.0 %):" */
function titleOf({ tokens, budget, withoutUsage }: HistoryView): string {
  const off = withoutUsage === null ? '' : `; no usage recorded: ${offWords(withoutUsage)}`
  return `Sliding Window (${compact(tokens)}${budget === 0 ? '' : `/${compact(budget)}`} tokens${off}):`
}

/** "ikigai at 90k, before request 84, 2026-03-14 10:42 UTC"; ages are counted back from that time. */
function momentOf(view: HistoryView): string {
  const { request, time } = view
  const moment = request === null ? 'at the end' : `before request ${ordinal(request)}`
  const clock = time === null ? '' : `, ${new Date(time).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `${policyOf(view)}, ${moment}${clock}`
}

/** "ikigai:keepLast=2 at 90k" */
const policyOf = ({ policy, params, budget, budgetAsked }: HistoryView): string =>
  windowWords([fullPolicy(policy, params)], [budget && { budget, ...(budgetAsked && { budgetAsked }) }])

/** What the agent did itself is told as such. */
const isRecorded = ({ policy }: HistoryView): boolean => policy === asRecorded
const asRecorded = 'as-recorded'

/** "uses src/auth.c, last seen 41k tokens ago in exchange 12": each term once per exchange. */
function usesByExchange({ lost }: HistoryView): Map<number, LostUse[]> {
  const byExchange = new Map<number, Map<string, LostUse>>()
  for (const use of lost) {
    const uses = byExchange.get(use.exchange) ?? new Map<string, LostUse>()
    byExchange.set(use.exchange, uses.set(termWords(use), use))
  }
  return new Map([...byExchange].map(([exchange, uses]) => [exchange, [...uses.values()]]))
}

function termWords({ termClass, term }: LostUse): string {
  if (termClass !== 'content') return safe(term ?? '')
  return term === null ? 'text' : `text of ${safe(term)}`
}

function seenWords({ seenTokensAgo, seenExchange }: LostUse): string {
  const where = seenExchange < 0 ? 'before exchange 1' : `in exchange ${ordinal(seenExchange)}`
  return `last seen ${compact(seenTokensAgo)} tokens ago ${where}`
}

/** No figure of the title is cut off. */
function* titleLines(title: string, width: number, ink: Ink): Iterable<string> {
  for (const line of wrap(title, width, 0, 2)) yield `${ink.answer(line)}\n`
}

function* renderLost(view: HistoryView, width: number, ink: Ink): Iterable<string> {
  const { lost } = view
  if (lost.length === 0) {
    yield* titleLines(`${policyOf(view)}: nothing was used that had left the window.`, width, ink)
    return
  }
  const content = lost.filter(({ termClass }) => termClass === 'content').length
  const title = `${policyOf(view)}: ${several(content, 'use')} of content that had left the window${content < lost.length ? `, and ${grouped(lost.length - content)} of names` : ''}`
  yield* titleLines(title, width, ink)
  let exchange: number | null = null
  for (const use of lost) {
    if (use.exchange !== exchange) {
      exchange = use.exchange
      yield `\n${clip(exchange < 0 ? '  Before exchange 1' : `  Exchange ${ordinal(exchange)}`, width)}\n`
    }
    const facts = `${seenWords(use)} (line ${use.seenLine})${use.mentionLost ? '' : ', still mentioned'}`
    const place = `    line ${use.line}: `
    const term = termWords(use)
    if (widthOf(`${place}${term}, ${facts}`) <= width) yield `${place}${term}, ${facts}\n`
    else yield `${place}${clipMiddle(term, width - place.length)}\n${clip(`      ${facts}`, width)}\n`
  }
}

export const cutoffMark = (width: number): string => mark('the window begins here', width)

/** A line across the terminal, with words in the middle. */
function mark(words: string, width: number): string {
  const rest = Math.max(0, width - words.length - 2)
  const left = Math.floor(rest / 2)
  return clip(`${'─'.repeat(left)} ${words} ${'─'.repeat(rest - left)}`, width)
}

function outsideLine(
  { exchange, title, left, age, tokens, interrupted }: OutsideExchange,
  recorded: boolean,
  cost: readonly string[],
  width: number,
): string {
  const how = left === 'evicted' && recorded ? 'compacted' : left
  const when = age === null ? how : `${how} ${agoOf(age)}`
  return exchangeLine(exchange, title, [when, compact(tokens), ...cost, ...stopped(interrupted)], width)
}

function insideLine(
  { exchange, title, current, interrupted, age, tokens, missing }: InsideExchange,
  cost: readonly string[],
  width: number,
): string {
  const when = current ? ['current'] : age === null ? [] : [agoOf(age)]
  const gone = missing === 0 ? [] : [`${grouped(missing)} of its messages gone`]
  return exchangeLine(exchange, title, [...when, compact(tokens), ...cost, ...stopped(interrupted), ...gone], width)
}

const stopped = (interrupted: boolean): string[] => (interrupted ? ['interrupted'] : [])

function exchangeLine(exchange: number, title: string | null, facts: readonly string[], width: number): string {
  const after = ` (${facts.join(', ')})`
  if (title === null) return `  Before exchange 1${after}`
  const before = `  Exchange ${ordinal(exchange)}: `
  return `${before}${quoted(title, width - widthOf(before) - after.length)}${after}`
}

/** The text in quotes, cut so that the quotes fit too. */
const quoted = (text: string, width: number): string =>
  text === '' ? '(no text)' : `"${clip(safe(text), Math.max(8, width) - 2)}"`

function tree(lines: readonly HistoryLine[], uses: readonly LostUse[], width: number, all: boolean): string[] {
  const told = all ? lines : lines.filter(({ kind }) => kind !== 'aside')
  const texts = shorten(
    told.map((line) => lineText(line, width - 7)),
    all ? Infinity : 6,
    3,
    (hidden) => `… ${grouped(hidden)} more`,
  )
  const used = shorten(
    uses.map((use) => `uses ${fitting(termWords(use), `, ${seenWords(use)}`, width - 12)}`),
    all ? Infinity : 2,
    1,
    (hidden) => `uses ${grouped(hidden)} more from outside`,
  )
  const branches = [...texts, ...used]
  return branches.map((text, index) => `    ${index === branches.length - 1 ? '└─' : '├─'} ${text}`)
}

/** A term and the facts about it. If both do not fit, the middle of the term is left out, down to a few characters. */
const fitting = (term: string, facts: string, width: number): string =>
  clip(clipMiddle(term, Math.max(12, width - facts.length)) + facts, width)

const speakers = { user: 'User', assistant: 'Assistant', aside: 'Assistant', inserted: 'Inserted' } as const

function lineText(line: HistoryLine, width: number): string {
  if (line.kind === 'tool') {
    const before = `Tool: ${safe(line.name)}${line.target === null ? '' : ' '}`
    const after = line.shortened ? ' (shortened)' : ''
    const room = width - widthOf(before) - after.length
    const target = safe(line.target ?? '')
    // The end of a path matters most; of a command, the start.
    return clip(before + (/ /.test(target) || room < 8 ? clip(target, room) : clipMiddle(target, room)), width) + after
  }
  const before = `${speakers[line.kind]}: `
  return before + quoted(line.text, width - before.length)
}

/** The first and the last items of a list, and between them one that says how many are hidden. */
function shorten<T>(items: readonly T[], first: number, last: number, rest: (hidden: number) => T): T[] {
  const hidden = items.length - first - last
  if (hidden <= 1) return [...items]
  return [...items.slice(0, first), rest(hidden), ...items.slice(-last)]
}

/** 30min ago, 3h ago, 2d ago */
function agoOf(age: number): string {
  const minutes = Math.floor(age / 60_000)
  if (minutes < 1) return 'just now'
  if (minutes < 60) return `${minutes}min ago`
  return minutes < 24 * 60 ? `${Math.floor(minutes / 60)}h ago` : `${grouped(Math.floor(minutes / (24 * 60)))}d ago`
}
