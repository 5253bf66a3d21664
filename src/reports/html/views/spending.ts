/** Where the tokens go, and why the cache missed: what `spend` has. */
import { these } from '../../../base/these.ts'
import type { Page } from '../../../model/page.ts'
import type { ShownUnit } from '../../../model/run.ts'
import type { PartSpending, ResultSpending, SpendingPart } from '../../../model/spending.ts'
import { billedWords } from '../../answer.ts'
import { causeWords } from '../../cause-words.ts'
import { compact, grouped, moneyCell, several } from '../../numbers.ts'
import { type Child, type Element, h, leaf } from '../element.ts'
import { bar, table } from '../parts.ts'
import { shortFileName } from './list.ts'

type Spending = NonNullable<Page['spending']>

const partWords: Readonly<Record<SpendingPart, string>> = {
  head: 'system prompt, and tools whose definition is not recorded',
  definition: 'definition of a tool',
  summary: 'summaries of compactions',
  user: 'what you wrote',
  injected: 'what the program added',
  assistant: 'what the model wrote',
  tool: 'results of a tool',
  beside: 'calls outside the conversation',
  output: 'what was answered',
}

/** How many rows are shown until somebody asks for the rest. */
const most = 8

/**
 * The parts of the input, the dearest first, each with its share of the money; of the tokens where nothing has a price.
 */
export function rankedParts({ parts }: Pick<Spending, 'parts'>): { part: PartSpending; name: string; share: number }[] {
  const input = parts.filter(({ part }) => part !== 'output')
  const paid = input.reduce((sum, { usd }) => sum + (usd ?? 0), 0)
  return input
    .map((part) => ({
      part,
      name: nameOfPart(part),
      share: paid > 0 ? (100 * (part.usd ?? 0)) / paid : part.tokensPercent,
    }))
    .sort((a, b) => b.share - a.share)
}

export function partsView(spending: Spending, unit: ShownUnit): Element[] {
  // A share of the money is a share already.
  const hasMoney = unit !== 'percent'
  const { results } = spending
  const ranked = rankedParts(spending)
  const [widest = 0] = ranked.map(({ share }) => share)
  const rows = ranked.map(({ part, name, share }) => [
    name,
    bar(share, widest),
    `${share.toFixed(1)} %`,
    ...(hasMoney ? [amount(part.usd)] : []),
    `${part.tokensPercent.toFixed(1)} %`,
    compact(part.tokens),
    `× ${grouped(part.amplification)}`,
    compact(part.carriedTokens),
  ])
  const money = hasMoney ? ['of the money', 'USD'] : ['weighted']
  const partHead = ['what', '', ...money, 'of the tokens', 'tokens', 'times sent', 'carried']
  return these(
    h('p.quiet')(
      'Whatever is in the window is sent, and paid, with every request until it leaves: “times sent” says how often.',
    ),
    tableOf('What the input was made of', partHead, rows.slice(0, most)),
    rows.length > most &&
      h('details')(
        h('summary')(`${several(rows.length - most, 'more part')}`),
        tableOf('The rest of it', partHead, rows.slice(most)),
      ),
    h('div.screen')(
      h('h3')('The dearest results of tools'),
      tableOf(
        'The dearest results of tools',
        ['tool', 'where', 'tokens', 'requests', 'carried', hasMoney ? 'USD' : '% of all'],
        results.map((result) => [
          toolName(result),
          where(result),
          compact(result.tokens),
          grouped(result.requests),
          compact(result.carriedTokens),
          amount(result.usd),
        ]),
      ),
    ),
  )
}

export function missesView({ causes, misses, total }: Spending, unit: ShownUnit): Element[] {
  const money = unit === 'percent' ? '% of all' : 'USD'
  if (causes.length === 0) return [h('p')('No recorded request paid again for what the cache had a request before.')]
  const widest = causes.reduce((a, { tokensPercent }) => Math.max(a, tokensPercent), 0)
  return [
    h('p')(
      `${grouped(total.missed.requests)} of ${several(total.requests, 'request')} paid again for what stood in the cache: ${total.missedPercent.toFixed(1)} % of the tokens that were not read from it${total.missed.usd === null ? '' : `, ${billedWords(total.missed.usd, unit)} more than reading it`}.`,
    ),
    tableOf(
      'Why the cache missed',
      ['because', '', 'of missed', 'misses', 'tokens', money],
      causes.map(({ cause, tokensPercent, requests, tokens, usd: cost }) => [
        causeWords[cause],
        bar(tokensPercent, widest),
        `${tokensPercent.toFixed(1)} %`,
        grouped(requests),
        compact(tokens),
        amount(cost),
      ]),
    ),
    h('div.screen')(
      h('h3')('The dearest misses'),
      tableOf(
        'The dearest misses',
        ['because', 'where', 'pause', 'tokens', money],
        misses.map((miss) => [
          causeWords[miss.cause],
          where(miss),
          miss.pause === null ? '' : pauseWords(miss.pause),
          compact(miss.tokens),
          amount(miss.usd),
        ]),
      ),
    ),
  ]
}

/** "45 s", "12 min", "3.5 h" */
function pauseWords(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`
  return seconds < 5400 ? `${Math.round(seconds / 60)} min` : `${(seconds / 3600).toFixed(1)} h`
}

function nameOfPart(part: PartSpending): string {
  if (part.tool === null) return partWords[part.part]
  return `${toolName(part)}${part.part === 'definition' ? ': definition' : ''}`
}

const toolName = ({ tool, server }: Pick<PartSpending, 'tool' | 'server'>): string =>
  tool === null ? 'unknown tool' : server === null ? tool : `${tool} (${server})`

/** The file in short, as the column is narrow on a phone; whole where one points at it. */
const where = ({ transcript, line }: Pick<ResultSpending, 'transcript' | 'line'>): Element =>
  h('span', { title: `${transcript}:${line}` })(`${shortFileName(transcript, 21)}:${line}`)

/** In the unit that heads the column: to the cent, or to a hundredth of a percent. */
const amount = (value: number | null): string => (value === null ? '–' : moneyCell(value, 2))

/** Columns that are left out where there is little room. */
const spare: ReadonlySet<string> = new Set([
  'of the tokens',
  'tokens',
  'times sent',
  'carried',
  'requests',
  'misses',
  'pause',
  '',
])

/** A table whose first column names the row; texts stand left, the rest right. */
export function tableOf(caption: string, head: readonly string[], rows: readonly (readonly Child[])[]): Element {
  const classOf = (words: string, at: number): string | null => {
    const kind = at === 0 ? '' : words === '' ? 'length' : words === 'where' ? 'where' : 'number'
    return [kind, spare.has(words) ? 'wide' : ''].filter(Boolean).join(' ') || null
  }
  const cell = (child: Child, at: number): Element =>
    at === 0 ? h('th', { scope: 'row' })(child) : h('td', { class: classOf(head[at] as string, at) })(child)
  return h('div.scroll', { tabindex: 0, role: 'region', 'aria-label': caption })(
    table(
      caption,
      head.map((words, at) =>
        words === '' ? leaf('td.wide') : h('th', { scope: 'col', class: classOf(words, at) })(words),
      ),
      rows.map((row) => h('tr')(row.map(cell))),
    ),
  )
}
