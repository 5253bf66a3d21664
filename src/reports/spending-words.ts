/**
 * What was spent, in words: the first lines, what is missing in the figures, and what went wrong around compactions.
 */
import { these } from '../base/these.ts'
import type {
  AgentSpending,
  CauseSpending,
  CompactionSum,
  DefinitionSpending,
  Mishaps,
  Spending,
  SpendingTotal,
} from '../model/spending.ts'
import { recordedCostWords, sideCallWords, termsWords, unpricedWords } from './bill.ts'
import { causeWords } from './cause-words.ts'
import { daysBetween } from './days.ts'
import { shareWords } from './in-shares.ts'
import { diagnosticNotes } from './notes.ts'
import { compact, dollars, grouped, several } from './numbers.ts'
import type { Note } from './report.ts'

/** "The call that started it is known for 2 of 3 sub-agents"; "4 calls to sub-agents without a transcript" */
export function agentCaptions(rows: readonly AgentSpending[]): string[] {
  const agents = rows.filter(({ of }) => of === 'agent')
  const joined = agents.filter(({ joinedBy }) => joinedBy !== null)
  const unread = rows.filter(({ of }) => of === 'call').length
  if (agents.length + unread === 0) return ['There are no sub-agents, and no calls to one.']
  const known = joined.filter(({ usd, inlineUsd }) => usd !== null && inlineUsd !== null)
  const sum = (of: (row: AgentSpending) => number | null) => known.reduce((total, row) => total + (of(row) ?? 0), 0)
  return these(
    agents.length > 0 &&
      `The call that started it is known for ${grouped(joined.length)} of ${several(agents.length, 'sub-agent')}`,
    known.length > 0 &&
      `${several(known.length, 'sub-agent')} cost ${dollars(sum(({ usd }) => usd))}; in the windows of their callers the same steps would have cost about ${dollars(sum(({ inlineUsd }) => inlineUsd))}, an estimate (ctxwin help spend)`,
    unread > 0 && `${several(unread, 'call')} to sub-agents without a transcript`,
  )
}

/** What went wrong around compactions, by program. */
export function mishapNotes(sums: readonly CompactionSum[]): Note[] {
  const items = sums.flatMap(({ program, mishaps: behind, mishapsBefore: before }) =>
    behind && before && behind.results + before.results > 0
      ? [{ name: program ?? 'other programs', sentences: [mishapWords(before, behind)] }]
      : [],
  )
  const title = 'What went wrong before compactions, and in as many requests after'
  return items.length === 0 ? [] : [{ title, items }]
}

/**
 * "calls that failed: 7 of 92 before, 6 of 100 after; the user corrected 1 and 0 times, stopped 2 and 1 times (55
 * requests on each side)"
 */
export function mishapWords(before: Mishaps, behind: Mishaps): string {
  const calls = `calls that failed: ${grouped(before.failed)} of ${grouped(before.results)} before, ${grouped(behind.failed)} of ${grouped(behind.results)} after`
  const said = (['corrected', 'interrupted', 'rejected'] as const).flatMap((key) => {
    const times = `${grouped(before[key])} and ${grouped(behind[key])}`
    return before[key] + behind[key] > 0 ? [`${mishapVerbs[key]} ${times} times`] : []
  })
  const user = said.length > 0 ? `the user ${said.join(', ')}` : 'the user corrected, stopped and rejected nothing'
  return `${calls}; ${user} (${several(behind.over, 'request')} on each side)`
}

const mishapVerbs = { corrected: 'corrected', interrupted: 'stopped', rejected: 'rejected' } as const

/** The first lines: what all of it comes to. */
export function spendingAnswer({ total, projects, causes, definitions }: Spending): string[] {
  const { transcripts, usd } = total
  const [first] = projects
  const [top] = causes
  return these(
    spentSentence(total, several(transcripts, 'transcript')),
    first &&
      projects.length > 1 &&
      first.usd !== null &&
      `Most of it in ${first.project ?? 'no recorded directory'}: ${dollars(first.usd)} (${first.percent.toFixed(1)} %)`,
    top && missedWords(total, top),
    definedWords(definitions, usd),
  )
}

/**
 * "101 cache misses cost $10.29 (14.4 % of it): 53.4 % of the tokens sent uncached had been in the cache before. Main
 * cause: the pause was longer than the cache lives (83.3 % of these tokens)"
 */
function missedWords({ usd, missed, missedPercent }: SpendingTotal, top: CauseSpending): string {
  const share =
    usd !== null && usd > 0 && missed.usd !== null ? ` (${((100 * missed.usd) / usd).toFixed(1)} % of it)` : ''
  const cost = missed.usd === null ? ':' : ` cost ${dollars(missed.usd)}${share}:`
  return `${several(missed.requests, 'cache miss', 'cache misses')}${cost} ${missedPercent.toFixed(1)} % of the tokens sent uncached had been in the cache before. Main cause: ${causeWords[top.cause]} (${top.tokensPercent.toFixed(1)} % of these tokens)`
}

/** "The definitions of 12 tools are 8.3 % of the input ($1.20); 3 of them were never called: 2.1 % ($0.31)" */
function definedWords(definitions: readonly DefinitionSpending[], all: number | null): string[] {
  const own = definitions.filter(({ of }) => of === 'definition')
  if (own.length === 0) return []
  const sum = (rows: readonly DefinitionSpending[]): string => {
    const tokens = rows.reduce((total, { tokensPercent }) => total + tokensPercent, 0)
    const usd = rows.reduce((total, row) => total + (row.usd ?? 0), 0)
    const money = all === null ? '' : ` (${dollars(usd)})`
    return `${tokens.toFixed(1)} %${rows === own ? ' of the input' : ''}${money}`
  }
  const idle = own.filter(({ calls }) => calls === 0)
  const never =
    idle.length === 0
      ? ''
      : idle.length === own.length
        ? `; ${own.length === 1 ? 'it was never' : 'none of them was ever'} called`
        : `; ${grouped(idle.length)} of them ${idle.length === 1 ? 'was' : 'were'} never called: ${sum(idle)}`
  return [`The definitions of ${several(own.length, 'tool')} are ${sum(own)}${never}`]
}

/**
 * "Spent $823 in 125 transcripts, 3 Sep 2025 to 20 Aug 2026: input $727, output $95.32, 40 calls outside the
 * conversation $0.62. Usage is recorded for 10,540 of 10,546 requests"
 */
export function spentSentence(total: SpendingTotal, things: string): string {
  const { requests, allRequests: all, sideCalls, since, until, usd, billed } = total
  const days = since === null || until === null ? '' : `, ${daysBetween(Date.parse(since), Date.parse(until))}`
  if (usd === null) return `No price is known for any of ${several(requests, 'call')} in ${things}${days}: tokens only`
  const own = requests - sideCalls
  const sent =
    all > own ? `Usage is recorded for ${grouped(own)} of ${several(all, 'request')}` : several(all, 'request')
  const beside = sideCalls + billed.beside > 0 ? `, ${sideCallWords(sideCalls)} ${dollars(billed.beside)}` : ''
  return `Spent ${dollars(usd)} in ${things}${days}: input ${dollars(billed.input)}, output ${dollars(billed.output)}${beside}. ${sent}`
}

/** "10,540 of 10,546 requests in 125 transcripts, 812M tokens; shares are of …" */
export function shareSentence({ requests, allRequests, sideCalls, transcripts, tokens }: SpendingTotal): string {
  const own = requests - sideCalls
  const counted = allRequests > own ? `${grouped(own)} of ${several(allRequests, 'request')}` : several(own, 'request')
  const all = Object.values(tokens).reduce((sum, count) => sum + count, 0)
  return `${counted} in ${several(transcripts, 'transcript')}, ${compact(all)} tokens; ${shareWords}`
}

export function spendingNotes({
  total,
  models,
  terms,
  recordedCosts,
  diagnostics,
}: Pick<Spending, 'total' | 'models' | 'terms' | 'recordedCosts' | 'diagnostics'>): Note[] {
  const { withoutUsage, requestsWithoutUsage, unpricedRequests, repeatedResponses, estimatedOutputs, usd } = total
  const { withoutReads } = total
  const sentences = these(
    withoutUsage > 0 && `${several(withoutUsage, 'transcript')} without recorded usage: not counted`,
    requestsWithoutUsage > 0 &&
      (withoutUsage > 0
        ? `${several(requestsWithoutUsage, 'request')} without recorded usage in the others: not counted, either`
        : `${several(requestsWithoutUsage, 'request')} without recorded usage: not counted`),
    unpricedRequests > 0 &&
      usd !== null &&
      `${unpricedWords(models.map((one) => [one.model ?? '', one.unpricedRequests]))}; their tokens are counted, their cost is not`,
    termsWords(terms),
    recordedCostWords(recordedCosts, dollars),
    repeatedResponses > 0 && `${several(repeatedResponses, 'response')} in more than one file: counted once`,
    estimatedOutputs > 0 &&
      `${several(estimatedOutputs, 'response')} with too little output recorded: counted by ${estimatedOutputs === 1 ? 'its' : 'their'} text`,
    withoutReads > 0 &&
      `${several(withoutReads, 'transcript')} without a record of what was read from the cache: counted as if nothing was, so the bill may have been lower`,
  )
  return [
    ...(sentences.length > 0 ? [{ title: 'What is counted', items: [{ name: '', sentences }] }] : []),
    ...diagnosticNotes(diagnostics),
  ]
}
