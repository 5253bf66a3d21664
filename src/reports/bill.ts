/** What providers billed, in words, and how many transcripts a bill or a cost covers. */
import { safe } from '../base/quoting.ts'
import type { CallsByTerm, PriceTerm, TermCalls } from '../model/price-terms.ts'
import { type CacheFit, type CostUnit, cacheFits, type TotalCost, type TotalSpent } from '../model/run.ts'
import { isApart, type RecordedCost, type TokenKind } from '../model/spending.ts'
import type { WithoutUsage } from '../model/without-usage.ts'
import { changeWords, dollars, grouped, several, signedTenths } from './numbers.ts'

/**
 * "Billed $12.30: $9.10 for input (cache foreseen in 77 of 78 requests; the rest: 1 after a pause), $3.20 for output";
 * nothing without a bill.
 * @param transcripts how many there are, bills or not
 */
export function billWords(bill: TotalSpent | null, transcripts: number): string[] {
  if (!bill) return []
  const { usd, output, estimatedOutputs } = bill
  const parts = `: ${inputWords(bill)}, ${dollars(output)} for output${outsideWords(bill)}`
  return [
    `Billed ${dollars(usd)}${ofAll(bill, transcripts)}${onlyOutside(bill) ?? parts}`,
    ...estimatedWords(estimatedOutputs),
  ]
}

/** The same without dollars: "Cache foreseen in 77 of 78 requests; the rest: 1 after a pause". */
export const fitWords = (bill: TotalSpent): string[] => [
  ...foreseenWords(bill).map((words) => `Cache ${words}`),
  ...estimatedWords(bill.estimatedOutputs),
]

/**
 * "9 calls outside the conversation": what the agent asked a model beside it, such as titles and summaries. Searches
 * have a fee, and are no calls.
 */
export const sideCallWords = (calls: number): string =>
  calls === 0 ? 'searches of the web' : `${several(calls, 'call')} outside the conversation`

/** That recorded outputs are too small, and what stands in their place. */
export function estimatedWords(outputs: number): string[] {
  return outputs > 0
    ? [`Output of ${several(outputs, 'response')} is estimated from its text: too little is recorded`]
    : []
}

/** "spent $407: $364 for input (cache foreseen in 77 of 78 requests; the rest: 1 after a pause)" */
export function spentWords(bill: TotalSpent | null, transcripts: number): string[] {
  if (!bill) return []
  const { usd } = bill
  const parts = `: ${inputWords(bill)}${outsideWords(bill)}`
  return [`spent ${dollars(usd)}${ofAll(bill, transcripts)}${onlyOutside(bill) ?? parts}`]
}

function inputWords(bill: TotalSpent): string {
  const fit = foreseenWords(bill).map((words) => ` (cache ${words})`)
  return `${dollars(bill.input)} for input${fit.join('')}`
}

/**
 * "foreseen in 2,040 of 2,117 requests; the rest: 41 after a pause, 36 unexplained"; nothing where there was no cache.
 */
function foreseenWords(bill: CacheFit): string[] {
  const all = cacheFits.reduce((sum, fit) => sum + bill[fit], 0)
  if (all === 0) return []
  const named = unforeseen.flatMap(([fit, where]) => (bill[fit] === 0 ? [] : [`${grouped(bill[fit])} ${where}`]))
  const rest = named.length === 0 ? '' : `; the rest: ${named.join(', ')}`
  return [`foreseen in ${grouped(bill.cacheForeseen)} of ${several(all, 'request')}${rest}`]
}

const unforeseen = [
  ['cacheAtStart', 'at the start'],
  ['cacheAfterPause', 'after a pause'],
  ['cacheAtPrompt', 'at a prompt'],
  ['cacheUnexplained', 'unexplained'],
] as const

const outsideWords = ({ beside, sideCalls }: TotalSpent): string =>
  sideCalls + beside > 0 ? `, ${dollars(beside)} for ${sideCallWords(sideCalls)}` : ''

/** Instead of the parts where they would be nothing; null where they are something. */
function onlyOutside({ requests, sideCalls }: TotalSpent): string | null {
  return requests === 0 && sideCalls > 0
    ? `, all of it for ${sideCallWords(sideCalls)}: what each request cost is not recorded, so other costs are estimates`
    : null
}

/**
 * "No price is known for 110 calls (99 to kimi-k2, 11 to lamp-1)".
 * @param calls by model, an empty name for no model
 */
export function unpricedWords(calls: readonly (readonly [model: string, calls: number])[]): string {
  const counts = new Map<string, number>()
  for (const [model, count] of calls) counts.set(model, (counts.get(model) ?? 0) + count)
  const models = [...counts].filter(([, count]) => count > 0).sort(([, a], [, b]) => b - a)
  const all = models.reduce((sum, [, count]) => sum + count, 0)
  const named = models.map(
    ([model, count]) => `${grouped(count)} to ${model === '' ? 'no recorded model' : safe(model)}`,
  )
  return `No price is known for ${several(all, 'call')} (${named.join(', ')})`
}

const termWords: Readonly<Record<PriceTerm, string>> = {
  fast: 'in fast mode',
  us: 'in the United States only',
  priority: 'in the priority tier',
  batch: 'in a batch',
  flex: 'in the flex tier',
  search: 'with a web search',
  scale: 'from capacity bought ahead',
}

/** "3 calls in fast mode, 1 with a web search: priced accordingly", and the same of those that are not. */
export function termsWords(terms: CallsByTerm): string[] {
  const named = (count: (one: TermCalls) => number, how: string): string[] => {
    const counted = terms.filter((one) => count(one) > 0)
    const words = counted.map((one, index) => {
      const calls = index === 0 ? several(count(one), 'call') : grouped(count(one))
      return `${calls} ${termWords[one.term]}`
    })
    return words.length > 0 ? [`${words.join(', ')}: ${how}`] : []
  }
  return [
    ...named(({ priced }) => priced, 'priced accordingly'),
    ...named(({ calls, priced }) => calls - priced, 'priced like any other call, without what that changes'),
  ]
}

const kindWords: Readonly<Record<TokenKind, string>> = {
  input: 'input',
  cacheRead: 'cached tokens',
  cacheWrite: 'writes to the cache',
  cacheWrite1h: 'writes to the cache for an hour',
  output: 'output',
}

const programs: Readonly<Record<string, string>> = { 'claude-code': 'Claude Code', pi: 'pi', opencode: 'opencode' }

/**
 * "pi recorded $4.18, and these prices make it $1.12: its own table charges cached tokens of gemini-3-flash at $0.50
 * per million", for each program whose own sum is another one by more than 1 %.
 * @param amount how money is written
 */
export function recordedCostWords(costs: readonly RecordedCost[], amount: (usd: number) => string): string[] {
  return [...new Set(costs.map(({ format }) => format))].flatMap((format) => {
    const own = costs.filter((one) => one.format === format)
    const recorded = own.reduce((sum, { recordedUsd }) => sum + recordedUsd, 0)
    const here = own.reduce((sum, { usd }) => sum + usd, 0)
    if (!isApart(recorded, here) || amount(recorded) === amount(here)) return []
    const apart = ({ recordedUsd, usd }: RecordedCost): number => Math.abs(recordedUsd - usd)
    const [first] = own.toSorted((a, b) => apart(b) - apart(a)) as [RecordedCost]
    const { model, kind, rate } = first
    const isMost = kind !== null && rate !== null && apart(first) > 0.9 * own.reduce((sum, one) => sum + apart(one), 0)
    const of = model === null ? '' : ` of ${safe(model)}`
    const why = isMost ? `: its own table charges ${kindWords[kind]}${of} at ${amount(rate)} per million` : ''
    return [
      `${programs[format] ?? 'The program'} recorded ${amount(recorded)}, and these prices make it ${amount(here)}${why}`,
    ]
  })
}

/** How many transcripts a bill covers, if not all. */
function ofAll(bill: TotalSpent, transcripts: number): string {
  return bill.transcripts === transcripts
    ? ''
    : ` in ${grouped(bill.transcripts)} of ${several(transcripts, 'transcript')}`
}

/** "Prices are known for 40 of 88 transcripts" */
export const knownPrices = (priced: number, transcripts: number): string =>
  `Prices are known for ${grouped(priced)} of ${several(transcripts, 'transcript')}`

/** "Prices are known for 14 of 17 transcripts: cost is of these, in USD"; nothing where it is of all of them. */
export function partialCost(transcripts: number | undefined, cost: TotalCost | undefined): string[] {
  if (transcripts === undefined || cost === undefined || cost.transcripts === transcripts) return []
  return [`${knownPrices(cost.transcripts, transcripts)}: cost is of these, in ${costWords[cost.unit]}`]
}

/** What an amount is counted in. */
export const costWords: Readonly<Record<CostUnit, string>> = {
  usd: 'USD',
  'input-token-equivalents': 'input tokens (price unknown)',
}

/**
 * "2 transcripts without recorded usage: tokens and dollars -16.0 to +20.0 % in nine of ten, preambles as in 14 other
 * sessions of yours"
 */
export function withoutUsageWords(off: WithoutUsage | null, unit: CostUnit): string[] {
  if (off === null) return []
  const what = unit === 'usd' ? 'tokens and dollars' : 'tokens'
  const own = ownWords(off)
  const whose = own === null ? '' : `, preambles ${own}`
  return [
    `${several(off.transcripts, 'transcript')} without recorded usage: ${what} ${offWords(off)} in nine of ten${whose}`,
  ]
}

/** "as in 3 to 14 other sessions of yours", "of 2 as in 14 other sessions of yours"; null where those tell of none. */
export function ownWords({ transcripts: all, basis }: WithoutUsage): string | null {
  const own = basis.find(({ of }) => of === 'own')
  if (own === undefined) return null
  const { transcripts, fewest, most } = own
  const sessions = `${fewest < most ? `${grouped(fewest)} to ` : ''}${several(most, 'other session')} of yours`
  return `${transcripts < all ? `of ${grouped(transcripts)} ` : ''}as in ${sessions}`
}

/** "-16.0 to +20.0 %" */
export const offWords = ({ lowPercent, highPercent }: WithoutUsage): string =>
  `${signedTenths(lowPercent)} to ${changeWords(highPercent)}`
