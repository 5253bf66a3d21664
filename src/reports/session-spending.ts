/** What a recorded session cost, in a few lines above its picture, and request by request as a table. */

import { safe } from '../base/quoting.ts'
import { these } from '../base/these.ts'
import {
  type ByKind,
  type ExplainedSpending,
  type MissCause,
  type RequestSpending,
  type SendingCut,
  type SpendingPart,
  tokenKinds,
} from '../model/spending.ts'
import { recordedCostWords, sideCallWords } from './bill.ts'
import { fewestDrawn, sparkline } from './chart.ts'
import { type Column, own } from './column.ts'
import { compact, grouped, money, ordinal, several } from './numbers.ts'
import type { Sheet } from './report.ts'
import { clip, wrap } from './text.ts'

/** How many of the dearest a line names, and how much of a prompt. */
const named = 3
const longestTitle = 40

/** How many cuts a line has room for. */
const mostCuts = 6

/** Where the money of a session went. @param request the one that the picture stands before; null for the end */
export function spendingLines(spent: ExplainedSpending | null, request: number | null, width: number): string[] {
  if (spent === null) return wrap('Cost unknown: no usage is recorded.', width, 0, 2)
  const lines = [
    ...totalLines(spent),
    ...windowLines(spent, width),
    ...cutLines(spent),
    ...exchangeLines(spent),
    ...partLines(spent),
    ...resultLines(spent),
    ...missLines(spent),
    ...momentLines(spent, request),
  ]
  return lines.flatMap((line) => wrap(line, width, 0, 2))
}

function totalLines(spent: ExplainedSpending): string[] {
  const { usd, cost, tokens, billed, beside, unpricedRequests, requestsWithoutUsage, file, family } = spent
  const sent = several(billed.length, 'request')
  const parts =
    usd === null
      ? `${compact(inputOf(tokens))} tokens of input, ${compact(tokens.output)} of output; no price is known`
      : `${dollars(usd - (cost.output ?? 0))} for input, ${dollars(cost.output ?? 0)} for output`
  const others = beside.usd === null ? '' : `${dollars(beside.usd)} in `
  const outside = beside.calls + (beside.usd ?? 0) > 0 ? sideCallWords(beside.calls) : null
  const what = usd === null ? 'Sent' : `Spent ${dollars(usd)}`
  return these(
    outside !== null && billed.length === 0
      ? `${what}, all of it in ${outside}: ${parts}`
      : `${what} in ${sent}: ${[parts, ...(outside === null ? [] : [`${others}${outside}`])].join('; ')}`,
    usd !== null &&
      unpricedRequests > 0 &&
      `Not counted: ${several(unpricedRequests, 'call')} to models without a known price`,
    requestsWithoutUsage > 0 && `Not counted: ${several(requestsWithoutUsage, 'request')} without recorded usage`,
    recordedCostWords(spent.recordedCosts, dollars),
    file.transcripts > 1 && `All ${several(file.transcripts, 'transcript')} in its file: ${dollars(file.usd ?? 0)}`,
    family.files > 1 &&
      family.usd !== file.usd &&
      `The whole session, with sub-agents and forks in ${several(family.files - 1, 'other file')}: ${dollars(family.usd ?? 0)}`,
  )
}

const mostCells = 48

/** "Window: ▁▂▄▅▇█▂▃▅▇ 5.2k to 27k tokens": the input of each request that has recorded usage, in their order */
function windowLines({ billed }: ExplainedSpending, width: number): string[] {
  const sizes = billed.map(({ tokens }) => inputOf(tokens))
  const least = sizes.reduce((least, size) => Math.min(least, size), Infinity)
  const most = sizes.reduce((most, size) => Math.max(most, size), 0)
  const words = `${compact(least)} to ${compact(most)} tokens`
  const cells = Math.min(mostCells, width - 'Window:  '.length - words.length)
  return sizes.length < fewestDrawn || cells < fewestDrawn ? [] : [`Window: ${sparkline(sizes, cells)} ${words}`]
}

const cutWords: Readonly<Record<SendingCut, string>> = {
  compaction: 'Compacted',
  clearing: 'Cleared results',
  reset: 'Begun anew',
  unrecorded: 'Shrank for no recorded reason',
}

/** "Compacted before request 121 (167k to 31k tokens), 301 (171k to 33k)" */
function cutLines({ cuts }: ExplainedSpending): string[] {
  const kinds = [...new Set(cuts.map(({ cut }) => cut))]
  return kinds.map((kind) => {
    const all = cuts.filter(({ cut }) => cut === kind)
    const shown = all.slice(0, mostCuts).map(({ request, tokensBefore, tokensAfter }, at) => {
      const sizes = tokensBefore === null || tokensAfter === null ? '' : sizeWords(tokensBefore, tokensAfter, at === 0)
      return `${ordinal(request)}${sizes}`
    })
    const more = all.length > mostCuts ? [`${grouped(all.length - mostCuts)} more`] : []
    return `${cutWords[kind]} before request ${[...shown, ...more].join(', ')}`
  })
}

const sizeWords = (before: number, after: number, isFirst: boolean): string =>
  ` (${compact(before)} to ${compact(after)}${isFirst ? ' tokens' : ''})`

/** "Dearest exchange: 3 “fix the tests”, $9.10 (37 %) in 87 requests; then 7 ($2.10), 12 ($1.90)" */
function exchangeLines({ exchanges, usd: all }: ExplainedSpending): string[] {
  const [first, ...others] = exchanges.slice(0, named)
  if (first === undefined) return []
  const { exchange, title, requests, tokens, usd, percent } = first
  const share = all === null ? '' : ` (${Math.round(percent)} %)`
  const next = others.map((one) => `${exchangeName(one.exchange)} (${amount(one.usd, one.tokens)})`)
  const facts = `${amount(usd, tokens)}${share} in ${several(requests, 'request')}${next.length > 0 ? `; then ${next.join(', ')}` : ''}`
  const words = title === null || title === '' ? '' : ` "${safe(clip(title, longestTitle))}"`
  return [`Dearest exchange: ${exchangeName(exchange)}${words}, ${facts}`]
}

const exchangeName = (exchange: number): string => (exchange < 0 ? 'before the first' : ordinal(exchange))

const partWords: Readonly<Record<SpendingPart, string>> = {
  output: 'what the model wrote',
  head: 'system prompt and tools',
  definition: 'definition',
  summary: 'summaries',
  user: 'what the user said',
  injected: 'what the program added',
  assistant: 'what the agent said',
  tool: 'results',
  beside: 'calls outside the conversation',
}

/** "Most of it went to: results of Bash $9.10, system prompt and tools $6.20, what the agent said $5.10" */
function partLines({ parts }: ExplainedSpending): string[] {
  const words = parts.slice(0, named).map(({ part, tool, usd, carriedTokens }) => {
    const of = tool === null ? '' : ` of ${safe(tool)}`
    return `${partWords[part]}${of} ${amount(usd, carriedTokens)}`
  })
  return words.length > 0 ? [`Most of it went to: ${words.join(', ')}`] : []
}

/** "Dearest results: $1.20 Bash (line 340, 38k tokens in 80 requests), $0.90 Read (line 120, …)" */
function resultLines({ results }: ExplainedSpending): string[] {
  if (results.length === 0) return []
  const words = results.slice(0, named).map(({ tool, line, usd, tokens, carriedTokens, requests }, at) => {
    const size =
      at === 0
        ? `${compact(tokens)} tokens in ${several(requests, 'request')}`
        : `${compact(tokens)} in ${grouped(requests)}`
    return `${amount(usd, carriedTokens)} ${safe(tool ?? 'a tool')} (line ${line}, ${size})`
  })
  return [`Dearest results: ${words.join(', ')}`]
}

const afterWords: Readonly<Record<MissCause, string>> = {
  compaction: 'after compacting',
  idle: 'after a pause',
  'model-switch': 'after a change of model',
  resume: 'after the session was resumed',
  edit: 'after a change in what was sent before',
  'changed-head': 'after a change of the system prompt or the tools',
  unexplained: 'for no recorded reason',
}

/** "Cache misses: $9.41 (38 %): $6.20 after a pause (12 requests), $2.00 after compacting (2)" */
function missLines({ missed, usd, causes }: ExplainedSpending): string[] {
  if (missed.requests === 0) return []
  const share = usd === null || missed.usd === null || usd === 0 ? '' : ` (${Math.round((100 * missed.usd) / usd)} %)`
  const words = causes.map((one, at) => {
    const count = at === 0 ? several(one.requests, 'request') : grouped(one.requests)
    return `${amount(one.usd, one.tokens)} ${afterWords[one.cause]} (${count})`
  })
  return [`Cache misses: ${amount(missed.usd, missed.tokens)}${share}: ${words.join(', ')}`]
}

function momentLines({ billed }: ExplainedSpending, request: number | null): string[] {
  const found = billed.find((one) => one.request === request)
  return found ? [`This request: ${requestWords(found)}`] : []
}

/** "$0.34, 120k tokens of input, 80k of it from the cache; the cache missed after a pause" */
export function requestWords({ tokens, usd, cause }: RequestSpending): string {
  const price = usd === null ? [] : [dollars(usd)]
  const missed = cause === null ? '' : `; the cache missed ${afterWords[cause]}`
  const read = tokens.cacheRead > 0 ? [`${compact(tokens.cacheRead)} of it from the cache`] : []
  return `${[...price, `${compact(inputOf(tokens))} tokens of input`, ...read].join(', ')}${missed}`
}

/** To the cent, as `spend` has it. */
export const dollars = (usd: number): string => `$${usd >= 1000 ? grouped(Math.round(100 * usd) / 100) : money(usd)}`

const amount = (usd: number | null, tokens: number): string =>
  usd === null ? `${compact(tokens)} tokens` : dollars(usd)

const inputOf = (byKind: ByKind): number =>
  tokenKinds.reduce((sum, kind) => (kind === 'output' ? sum : sum + byKind[kind]), 0)

/** A request with what all up to it cost, as far as their prices are known. */
interface RequestRow extends RequestSpending {
  readonly sum: number | null
}

const rowColumns: readonly Column<RequestRow>[] = [
  own('request', 'request', 'ordinal', 'its number', { rank: 0 }),
  own('line', 'line', 'count', 'of its answer', { rank: 3 }),
  own('exchange', 'exchange', 'ordinal', 'that it is of', { rank: 2 }),
  { key: 'input', header: 'input', unit: 'tokens', rank: 0, value: ({ tokens }) => inputOf(tokens) },
  { key: 'cached', header: 'from cache', unit: 'tokens', rank: 1, value: ({ tokens }) => tokens.cacheRead },
  { key: 'output', header: 'output', unit: 'tokens', rank: 1, value: ({ tokens }) => tokens.output },
  own('usd', 'USD', 'money', 'what it cost', { rank: 0, nullable: true }),
  own('sum', 'sum', 'money', 'of all up to it', { rank: 1, nullable: true }),
  { key: 'why', header: 'what happened', unit: 'text', rank: 0, quiet: true, wraps: true, value: happened },
]

function happened({ cut, cause, missedUsd }: RequestRow): string {
  const missed =
    cause === null ? [] : [`${missedUsd === null ? 'cache missed' : `${dollars(missedUsd)} more`} ${afterWords[cause]}`]
  return [...(cut === null ? [] : [cutWords[cut].toLowerCase()]), ...missed].join('; ')
}

/** What each request of a session cost, and what happened before it. */
export function requestSheet(spent: ExplainedSpending): Sheet<RequestRow> {
  let sum: number | null = null
  const items = spent.billed.map((one) => {
    if (one.usd !== null) sum = (sum ?? 0) + one.usd
    return { ...one, sum }
  })
  return {
    answers: totalLines(spent),
    captions: ['as-recorded: what each request cost'],
    columns: rowColumns,
    items,
    notes: [],
    data: null,
  }
}
