/** What `recommend` prints: the answer by program in a few lines, and the candidates around it. */

import { safe } from '../base/quoting.ts'
import { these } from '../base/these.ts'
import {
  type Candidate,
  type CandidateLosses,
  type CandidateSavings,
  type CandidateVerdict,
  type Decision,
  type Recommendation,
  type Risk,
  risks,
  scopes,
  verdicts,
} from '../model/recommendation.ts'
import type { Sums } from '../model/run.ts'
import type { TurnOn } from '../model/turn-on.ts'
import { billWords, costWords, partialCost, withoutUsageWords } from './bill.ts'
import { bar } from './chart.ts'
import { type Column, dataOf, type Field, own, pick, within } from './column.ts'
import { runColumns } from './columns/run.ts'
import { sumColumns } from './columns/total.ts'
import {
  budgetOf,
  candidateName,
  decisionLines,
  decisionWords,
  rangeWords,
  rateWords,
  riskWords,
  turnOnOf,
  whereWords,
} from './decision.ts'
import { withoutMoney } from './in-shares.ts'
import { notFailed } from './lost-words.ts'
import { compact, grouped, several, signed } from './numbers.ts'
import { endpointName } from './quality-words.ts'
import type { Line, Note, Sheet } from './report.ts'
import { capital } from './text.ts'

const nullable = { nullable: true } as const

const savingsFields: readonly Field<CandidateSavings>[] = [
  own('cost', 'cheaper', 'money', 'how much cheaper than the baseline; negative: dearer', {
    least: Number.NEGATIVE_INFINITY,
  }),
  own('percent', 'cheaper %', 'percent', 'in percent of the baseline’s cost'),
  own(
    'low',
    'from',
    'percent',
    'of percent: in 95 of 100 sets of sessions to come it is between this and the next; null for fewer than two sessions',
    nullable,
  ),
  own('high', 'to', 'percent', 'the other end of the interval', nullable),
  own('chancePercent', 'chance', 'percent', 'in how many of a hundred cases it saves anything', nullable),
]

/** What a candidate would lose, as data. */
export const lossesFields: readonly Field<CandidateLosses>[] = [
  own('lost', 'lost', 'count', 'later uses of content that find it gone; as if a summary of unknown text kept nothing'),
  own('total', 'uses', 'count', 'all later uses of content'),
  own('percent', 'lost %', 'percent', 'lost in percent of total'),
  own('low', 'from', 'percent', 'of percent, its 95 % interval: Wilson’s'),
  own('high', 'to', 'percent', 'the other end of the interval'),
  own('ifSummariesKeepAll', 'if kept', 'count', 'lost, if each summary of unknown text kept everything'),
  own('expected', 'expected', 'count', 'lost, if summaries kept what recorded ones did'),
  own(
    'extraPercent',
    'more %',
    'percent',
    'to be expected beyond the present setting, in percent of total; drawn towards other people’s sessions where there are few uses',
  ),
]

/** How something is turned on, as data. */
export const turnOnFields: readonly Field<TurnOn>[] = [
  own('file', 'set in', 'text', 'where it is set: a file, the environment, the request, code', { wraps: true }),
  own('text', 'turn it on', 'text', 'one line to paste there', { wraps: true }),
  own(
    'since',
    'since',
    'text',
    'the version of the program that has these names first; null where none is known',
    nullable,
  ),
  own('note', 'which means', 'text', 'what it comes to, and what has to be known', { ...nullable, wraps: true }),
]

/** A candidate with whose transcripts it was tried on: a row of the data. */
type Row = Candidate & Pick<Decision, 'scope' | 'program'>

const scopeColumns: readonly Field<Row>[] = [
  own('scope', 'scope', 'text', 'whose transcripts: of one program, of agents of one’s own, or all of them', {
    rank: 1,
    values: scopes,
  }),
  own('program', 'program', 'text', 'the program; null for another scope', { ...nullable, rank: 1 }),
]

/** In the order of the JSON. */
export const candidateColumns: readonly Field<Candidate>[] = [
  own('setting', 'policy', 'text', 'as it is typed, params at their defaults left out', { rank: 0, wraps: true }),
  ...(pick(runColumns, ['policy', 'params']) as readonly Field<Candidate>[]).map(({ rank: _, ...field }) => field),
  own(
    'budget',
    'budget',
    'tokens',
    'the ceiling of the window, the most of the transcripts; null for a policy that does the same at every budget',
    {
      ...nullable,
      rank: 0,
    },
  ),
  ...(pick(runColumns, ['budgetAsked']) as readonly Field<Candidate>[]),
  own('verdict', 'verdict', 'text', 'why it is recommended, or is not; of several reasons the first', {
    rank: 0,
    values: verdicts,
  }),
  own('paid', 'cost', 'money', 'input + summaries: what the policy decides about', { rank: 0 }),
  own(
    'rereads',
    'more read again',
    'money',
    'reading again what has left, beyond what the transcripts hold of it; an estimate, below zero where less is',
    {
      least: Number.NEGATIVE_INFINITY,
    },
  ),
  own('net', 'net', 'money', 'cost + more read again'),
  ...within<Candidate, CandidateSavings>('saved', { meaning: 'money against the baseline' }, savingsFields),
  ...within<Candidate, CandidateLosses>('losses', { meaning: 'what the window would have lost' }, lossesFields),
  own(
    'refusedRequests',
    'refused',
    'count',
    'faults for which a provider would refuse a request, which the transcripts do not have',
  ),
  own('promptGoneRequests', 'prompt gone', 'count', 'requests without the newest user message or a summary of it'),
  own(
    'overWindowRequests',
    'over window',
    'count',
    'requests over the model’s window, which are not over it under the baseline',
  ),
  own('summaries', 'summaries', 'count', 'summaries that a model would write, of which no word is known'),
  own('summaryTokens', 'summary', 'tokens', 'their mean size'),
  ...within<Candidate, TurnOn>(
    'turnOn',
    { meaning: 'how a person makes a program do it; null where none does', nullable: true },
    turnOnFields,
  ),
  own(
    'composition',
    'composition',
    'text',
    'for an agent of one’s own: the composition of knobs that does the same, as --policy takes it; null for other policies',
    nullable,
  ),
]

/** Of `recommend` itself, which is asked for all figures: in the order of the JSON. */
export const rowColumns: readonly Field<Candidate>[] = [
  ...candidateColumns,
  ...within<Candidate, Sums>('total', { meaning: 'all that it comes to' }, sumColumns),
]

/** For people: a cell for a figure with its interval. */
const shownColumns: readonly Column<Candidate>[] = [
  { key: 'setting', header: 'policy', unit: 'text', rank: 0, wraps: true, value: ({ setting }) => setting },
  { key: 'budget', header: 'budget', unit: 'tokens', rank: 0, value: budgetOf },
  { key: 'paid', header: 'cost', unit: 'money', rank: 0, value: ({ paid }) => paid },
  {
    key: 'rereads',
    header: 'more read again',
    unit: 'money',
    rank: 1,
    quiet: true,
    value: ({ rereads }) => rereads,
  },
  {
    key: 'saved',
    header: 'change',
    unit: 'change',
    rank: 0,
    value: ({ verdict, saved }) => (verdict === 'baseline' ? null : -saved.percent),
  },
  {
    key: 'range',
    header: 'range %',
    unit: 'count',
    rank: 1,
    quiet: true,
    value: ({ verdict, saved }) => (verdict === 'baseline' ? null : rangeWords(saved)),
  },
  {
    key: 'lost',
    header: 'lost',
    unit: 'count',
    rank: 0,
    value: ({ losses }) => `${grouped(losses.lost)}/${grouped(losses.total)}`,
  },
  { key: 'lostPercent', header: 'lost %', unit: 'count', rank: 1, value: ({ losses }) => rateWords(losses) },
  {
    key: 'more',
    header: 'more lost %',
    unit: 'count',
    rank: 1,
    value: ({ verdict, losses }) => (verdict === 'baseline' ? '' : signed(losses.extraPercent)),
  },
  {
    key: 'refused',
    header: 'refused',
    unit: 'count',
    rank: 3,
    quiet: true,
    value: ({ refusedRequests }) => refusedRequests,
  },
  {
    key: 'gone',
    header: 'prompt gone',
    unit: 'count',
    rank: 3,
    quiet: true,
    value: ({ promptGoneRequests }) => promptGoneRequests,
  },
  {
    key: 'window',
    header: 'over window',
    unit: 'count',
    rank: 3,
    quiet: true,
    value: ({ overWindowRequests }) => overWindowRequests,
  },
  { key: 'verdict', header: 'verdict', unit: 'text', rank: 0, value: ({ verdict }) => verdict },
]

/** What a policy does to windows and to the cache. */
const fullKeys = [
  'sentTokens',
  'savedPercent',
  'peakTokens',
  'overBudgetRequests',
  'cuts',
  'thinkingLostTokens',
  'cost.cacheHitPercent',
  'cost.prefixBreaks',
].map((key) => `total.${key}`)

const fullColumns: readonly Column<Candidate>[] = rowColumns
  .filter(({ key }) => fullKeys.includes(key))
  .map((column) => ({ ...column, rank: 2, quiet: true }))

const bars = 12

/** The share of later uses that still find their content. */
const keptColumn: Column<Candidate> = {
  key: 'kept',
  header: 'kept',
  unit: 'text',
  rank: 0,
  value: ({ losses: { lost, total } }) => (total === 0 ? '' : bar(1 - lost / total, bars)),
}

/** The most rows for people of each kind: those that would do, and those cheaper ones that would not. */
const most = 5

export interface Shown {
  /** The nearest candidates instead of all, with their intervals in one cell. */
  readonly forPeople: boolean
  /** No dollars, for people who pay none. */
  readonly inShares?: boolean
  /** For people, too, all candidates with all that is known of them. */
  readonly isFull?: boolean
  /** Every budget was asked for: for people a row for each, with a bar for what it keeps. */
  readonly isCurve?: boolean
}

export function recommendationSheet(
  result: Recommendation,
  { forPeople, inShares = false, isFull = false, isCurve = false }: Shown,
): Sheet<Row> {
  const { decisions, diagnostics, schemaVersion } = result
  const rows = (decision: Decision, candidates: readonly Candidate[]): Row[] =>
    candidates.map((candidate) => ({ ...candidate, scope: decision.scope, program: decision.program }))
  const all = [
    ...(decisions.length > 1 ? [programColumn] : []),
    ...shownColumns,
    ...(isCurve ? [keptColumn] : []),
    ...(isFull ? fullColumns : []),
  ]
  const shown = inShares ? withoutMoney(all) : all
  const choose = isFull ? everyOne : isCurve ? byBudget : nearest
  return {
    ...(forPeople ? { answers: [...answer(result, inShares), ''] } : {}),
    captions: decisions.flatMap((decision) => extent(decision, forPeople && inShares)),
    columns: forPeople ? shown : [...scopeColumns, ...rowColumns],
    items: decisions.flatMap((decision) => rows(decision, (forPeople ? choose : everyOne)(decision))),
    marked: () => false,
    notes: [...decisions.flatMap(turnOnNotes), ...readingNotes(decisions), ...inputNotes(result)],
    data: {
      schemaVersion,
      decisions: decisions.map((decision) => decisionData(decision, rowColumns)),
      diagnostics,
    },
  }
}

/** A decision as data. @param columns of its candidates */
export function decisionData(
  { baseline, best, recommended, candidates, ...rest }: Decision,
  columns: readonly Field<Candidate>[] = candidateColumns,
): object {
  const data = dataOf(columns)
  return {
    ...rest,
    baseline: data(baseline),
    best: best && data(best),
    recommended: recommended && data(recommended),
    candidates: candidates.map(data),
  }
}

const programColumn: Column<Row> = {
  key: 'program',
  header: 'program',
  unit: 'text',
  rank: 0,
  value: ({ program }) => program ?? 'your own agent',
}

/** The answer, a sentence a line, and beside it what it goes by. */
export function answer({ decisions }: Recommendation, inShares = false): Line[] {
  return decisions.flatMap((decision): Line[] => [
    ...decisionLines([decision], inShares),
    ...[...menuWords(decision), ...otherwiseWords(decision), ...assumptionWords(decision), ...risesWords(decision)].map(
      (beside) => ({ beside }),
    ),
    ...anywayLines(decision),
  ])
}

/** "Cautious: … saves 10 %, about 1 in 80 …": the other rows of the menu. */
function menuWords({ candidates }: Decision): string[] {
  const rows = candidates.filter(({ verdict }) => isRisk(verdict))
  return rows.map(
    (row) =>
      `${capital(row.verdict)}: ${candidateName(row)} saves ${row.saved.percent.toFixed(1)} % of the input; ${riskWords(row)}.`,
  )
}

const isRisk = (verdict: CandidateVerdict): verdict is Risk => risks.some((risk) => risk === verdict)

/** What sessions of before the last ones would say. */
function otherwiseWords({ otherwise, allSessions }: Decision): string[] {
  if (otherwise === null) return []
  return [
    `All ${grouped(allSessions)} sessions together would say ${otherwise === 'keep' ? 'to keep what you have' : candidateName(otherwise)}.`,
  ]
}

/** What the losses of summaries go by. */
function assumptionWords({ recommended, keptPercent, transcripts }: Decision): string[] {
  if (!recommended || recommended.summaries === 0) return []
  const written = several(recommended.summaries, 'summary').replace(/summarys$/, 'summaries')
  return [
    `This counts on ${written} of ${compact(recommended.summaryTokens)} tokens in ${several(transcripts, 'transcript')} that keep ${Math.round(keptPercent)} % of the content that is used later, as recorded ones did.`,
  ]
}

/** A budget beyond the size from which on more fails is said so. */
function risesWords({ rises, recommended }: Decision): string[] {
  if (rises === null || (recommended?.budget ?? 0) <= rises.from) return []
  return [
    `In your sessions there were surely more ${endpointName(rises.endpoint)} from ${compact(rises.from)} on, and this budget is larger: see ctxwin quality.`,
  ]
}

/** How the nearest candidate is set in spite of what it loses. */
function anywayLines({ outcome, best }: Decision): Line[] {
  const how = outcome === 'keep' && best && best.verdict === 'loses more' ? turnOnOf(best) : null
  return how
    ? [{ beside: `To set ${candidateName(best as Candidate)} anyway, ${whereWords(how)}` }, { verbatim: how.text }]
    : []
}

function extent(decision: Decision, inShares = false): string[] {
  const { sessions, allSessions, transcripts, requests, unit, costed, bill, baseline, candidates } = decision
  const last = sessions < allSessions ? `the last ${grouped(sessions)} of ${several(allSessions, 'session')}, ` : ''
  const { name } = decisionWords(decision)
  const of = `${name === 'all' ? '' : `${name}: `}${last}${several(transcripts, 'transcript')}, ${several(requests, 'request')}, ${several(candidates.length, 'candidate')} tried · cost is of input and summaries${inShares ? ', as API list prices weigh it' : `, in ${costWords[unit]}`}, against ${baseline.setting}`
  const partial = { transcripts: costed, unit } as Parameters<typeof partialCost>[1]
  return [
    of,
    ...(inShares ? [] : billWords(bill, transcripts)),
    ...partialCost(transcripts, partial),
    ...withoutUsageWords(decision.withoutUsage, unit),
    ...newerWords(decision),
  ]
}

const isWithin: ReadonlySet<CandidateVerdict> = new Set([
  ...risks,
  'saves less',
  'too few sessions',
  'too few uses',
  'dearer',
])

/** "3 transcripts are of versions after 2.1.232 (up to 2.1.330): whether those compact in the same way is not known" */
function newerWords({ newer }: Decision): string[] {
  if (newer === null) return []
  const { transcripts, newest, learned } = newer
  const of =
    transcripts === 1
      ? `is of a version after ${learned} (${safe(newest)}): whether that compacts`
      : `are of versions after ${learned} (up to ${safe(newest)}): whether those compact`
  return [`${several(transcripts, 'transcript')} ${of} in the same way is not known`]
}

function everyOne({ baseline, candidates }: Decision): Candidate[] {
  return [baseline, ...candidates]
}

/** By setting, a row for each budget, the smallest first. */
function byBudget({ baseline, candidates }: Decision): Candidate[] {
  const settings = [...new Set(candidates.map(({ setting }) => setting))]
  const place = ({ setting }: Candidate): number => settings.indexOf(setting)
  const ordered = candidates.toSorted((a, b) => place(a) - place(b) || (a.budget ?? 0) - (b.budget ?? 0))
  return [baseline, ...ordered]
}

/**
 * The baseline; then what is recommended and what else would do, the cheapest first; then those that are cheaper and lose
 * too much, those that lose least first.
 */
function nearest({ baseline, candidates, recommended, best }: Decision): Candidate[] {
  // Where a policy comes to the same at several budgets, the largest stands for all.
  const distinct = new Map(
    candidates
      .toSorted((a, b) => Number(a === recommended) - Number(b === recommended) || (a.budget ?? 0) - (b.budget ?? 0))
      .map((candidate) => [JSON.stringify([candidate.setting, candidate.paid, candidate.losses.lost]), candidate]),
  )
  const telling = candidates.filter((candidate) => [...distinct.values()].includes(candidate))
  const would = telling
    .filter(({ verdict }) => isWithin.has(verdict))
    .sort((a, b) => Number(isRisk(b.verdict)) - Number(isRisk(a.verdict)))
  const bound = recommended?.net ?? baseline.net
  const wouldNot = telling
    .filter(({ verdict, net }) => verdict === 'loses more' && net < bound)
    .toSorted((a, b) => a.losses.expected - b.losses.expected || a.net - b.net)
  const first = these(baseline, recommended, best)
  return [...new Set([...first, ...would.slice(0, most), ...wouldNot.slice(0, most)])]
}

/** How the other rows of the menu are turned on. */
function turnOnNotes({ candidates }: Decision): Note[] {
  const items = candidates.flatMap((candidate) => {
    const turnOn = isRisk(candidate.verdict) ? turnOnOf(candidate) : null
    return turnOn ? [{ name: candidateName(candidate), sentences: [whereWords(turnOn)], verbatim: turnOn.text }] : []
  })
  return items.length === 0 ? [] : [{ title: 'To be more cautious, or bolder', items }]
}

function inputNotes({ diagnostics }: Recommendation): Note[] {
  if (diagnostics.length === 0) return []
  const sentence = `${several(diagnostics.length, 'remark')}: --output json lists them`
  return [{ title: 'About the input', items: [{ name: '', sentences: [sentence] }] }]
}

function readingNotes(decisions: readonly Decision[]): Note[] {
  const [decision] = decisions
  if (!decision) return []
  const { baseline } = decision
  const errors = decisions.map(({ errorPercent }) => Math.round(errorPercent)).sort((a, b) => a - b)
  const [least, largest] = [errors[0], errors.at(-1)]
  const error = least === largest ? `${least} %` : `${least} to ${largest} %`
  const sentences = [
    `cost: off by ${error} in a session for a window that nobody recorded`,
    `change: of the cost, after re-reading, against ${baseline.setting} · range: of the change, in 95 of 100 sets of sessions to come`,
    'lost: later uses of content that would find it gone, if summaries kept nothing · more lost: to be expected beyond what the present setting loses',
    notFailed,
  ]
  return [{ title: 'How to read it', items: [{ name: '', sentences }] }]
}
