/**
 * What `recommend` prints: the answer in a few lines, the candidates around it, and how to turn it on; and its answer for one
 * program in a few sentences, for `ctxwin` alone.
 */
import { fewest, type Judge } from '../model/judged.ts'
import {
  type Candidate,
  type CandidateLosses,
  type CandidateSavings,
  type Recommendation,
  verdicts,
} from '../model/recommendation.ts'
import type { ProgramRecommendation } from '../model/sessions.ts'
import { billWords, costWords, partialCost } from './bill.ts'
import { type Column, dataOf, type Field, own, pick, within } from './column.ts'
import { runColumns } from './columns/run.ts'
import { compact, dollars, grouped, several, signed } from './numbers.ts'
import type { Note, Sheet } from './report.ts'

const nullable = { nullable: true } as const

const interval = 'its 95 % interval'

const savingsFields: readonly Field<CandidateSavings>[] = [
  own('cost', 'cheaper', 'money', 'how much cheaper than the baseline; negative: dearer', {
    least: Number.NEGATIVE_INFINITY,
  }),
  own('percent', 'cheaper %', 'percent', 'the same in percent of the baseline’s cost'),
  own(
    'low',
    'from',
    'percent',
    `of percent, ${interval}: a bootstrap over transcripts; null for fewer than five`,
    nullable,
  ),
  own('high', 'to', 'percent', 'the other end of the interval', nullable),
]

const lossesFields: readonly Field<CandidateLosses>[] = [
  own('lost', 'lost', 'count', 'later uses that find it gone; as if a summary of unknown text kept nothing'),
  own('total', 'uses', 'count', 'all later uses that are judged'),
  own('percent', 'lost %', 'percent', 'lost in percent of total'),
  own('low', 'from', 'percent', `of percent, ${interval}: Wilson’s`),
  own('high', 'to', 'percent', 'the other end of the interval'),
  own('ifSummariesKeepAll', 'if kept', 'count', 'lost, if each summary of unknown text kept everything'),
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
  own('turnOn', 'turn it on', 'text', 'how a person makes a program do it; null where none does', nullable),
]

/** For people: a cell for a figure with its interval. */
const shownColumns: readonly Column<Candidate>[] = [
  { key: 'setting', header: 'policy', unit: 'text', rank: 0, wraps: true, value: ({ setting }) => setting },
  { key: 'budget', header: 'budget', unit: 'tokens', rank: 0, value: budgetOf },
  { key: 'paid', header: 'cost', unit: 'money', rank: 0, value: ({ paid }) => paid },
  {
    key: 'saved',
    header: 'against it %',
    unit: 'text',
    rank: 0,
    value: ({ verdict, saved }) => (verdict === 'baseline' ? '' : changeWords(saved)),
  },
  {
    key: 'lost',
    header: 'lost',
    unit: 'count',
    rank: 0,
    value: ({ losses }) => `${grouped(losses.lost)}/${grouped(losses.total)}`,
  },
  { key: 'lostPercent', header: 'lost %', unit: 'text', rank: 1, value: ({ losses }) => rateWords(losses) },
  {
    key: 'kept',
    header: 'if kept',
    unit: 'count',
    rank: 2,
    quiet: true,
    value: ({ losses, summaries }) => (summaries > 0 ? losses.ifSummariesKeepAll : null),
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

/** The most rows for people of each kind: those that would do, and those cheaper ones that would not. */
const most = 5

/** @param forPeople the nearest candidates instead of all, with their intervals in one cell */
export function recommendationSheet(result: Recommendation, forPeople: boolean): Sheet<Candidate> {
  const { baseline, candidates, diagnostics, ...rest } = result
  const data = dataOf(candidateColumns)
  return {
    captions: forPeople ? [...answer(result), '', ...extent(result)] : extent(result),
    columns: forPeople ? shownColumns : candidateColumns,
    items: forPeople ? nearest(result) : [baseline, ...candidates],
    marked: () => false,
    notes: [...turnOnNotes(result), ...readingNotes(result), ...inputNotes(result)],
    data: {
      ...rest,
      baseline: data(baseline),
      recommended: result.recommended && data(result.recommended),
      candidates: candidates.map(data),
      diagnostics,
    },
  }
}

const usesOf: Readonly<Record<Judge, string>> = {
  headline: 'later uses of content',
  named: 'later uses of paths, urls, errors, ids and searches',
  all: 'later uses',
}

/** The answer, a sentence a line. */
export function answer(result: Recommendation): string[] {
  const { outcome, baseline, recommended, transcripts, candidates } = result
  const { losses } = baseline
  if (outcome === 'too-few') {
    return [
      `Too few to tell: ${grouped(losses.total)} ${usesOf[result.of]} in ${several(transcripts, 'transcript')}. With 30 or more it can be said what a policy would lose.`,
    ]
  }
  if (!recommended) {
    const cheapest = candidates.find(({ verdict }) => verdict === 'tie')
    const near = cheapest
      ? ` The nearest, ${nameOf(cheapest)}, would cost ${costOf(cheapest, result)} (${changeWords(cheapest.saved)} %).`
      : ''
    return [
      outcome === 'none'
        ? `None of ${several(candidates.length, 'candidate')} loses no more than ${limitWords(result)}.`
        : `Keep ${baselineWords(result)}: nothing here that loses no more than ${limitWords(result)} is surely cheaper than ${costOf(baseline, result)}.${near}`,
      ...beyondWords(result),
    ]
  }
  const tied = candidates.filter(({ verdict, setting }) => verdict === 'tie' && setting !== recommended.setting)
  const ties = new Set(tied.map(({ setting }) => setting)).size
  return [
    `${nameOf(recommended)} would have cost ${costOf(recommended, result)} instead of ${costOf(baseline, result)} (${changeWords(recommended.saved)} %).`,
    `It cuts off ${grouped(recommended.losses.lost)} of ${grouped(losses.total)} ${usesOf[result.of]} (${rateWords(recommended.losses)} %), ${baseline.setting} ${grouped(losses.lost)}.`,
    ...(recommended.summaries > 0 ? [summaryWords(recommended)] : []),
    ...(ties > 0
      ? [
          `${several(ties, 'other policy').replace(/policys$/, 'policies')} may cost as little; this is the simplest of them.`,
        ]
      : []),
    ...(recommended.saved.low === null
      ? [`Of ${several(transcripts, 'transcript')} it cannot be said how sure that is: five or more can tell.`]
      : []),
    `Turn it on: ${recommended.turnOn ?? 'no program has a setting for it; docs/policies.md says what it does'}`,
  ]
}

/** Names the programs whose sessions are too few to say what to set. */
export function tooFewWords(programs: readonly ProgramRecommendation[]): string {
  const formats = programs.map(({ format }) => format).join(', ')
  const found = programs.map(({ baseline }) => grouped(baseline.losses.total)).join(', ')
  return `${formats}: too few ${usesOf.headline} to tell what to set: ${found} of the ${fewest} that it takes.`
}

/**
 * What to set in one program, in a few sentences, where its sessions are enough to say so.
 * @returns `turnOn`: how, where there is something to turn on, which the last sentence asks for
 */
export function programWords(result: ProgramRecommendation): { words: string; turnOn: string | null } {
  const { format, recommended, baseline, costed, transcripts } = result
  const chosen = recommended ?? beyondOf(result)
  const today = costOf(baseline, result)
  const setting = chosen?.turnOn ? settingOf(chosen.turnOn) : null
  const words = [
    ...(recommended ? [] : [`keep what you have, as no setting is surely cheaper than ${today} and loses no more.`]),
    ...(chosen ? [`${effectWords(chosen, result)}.`] : []),
    ...(costed < transcripts ? [`Money is of ${grouped(costed)} of ${grouped(transcripts)} transcripts.`] : []),
    ...(setting ? [`${recommended ? 'Turn it on' : 'If that is worth it'}${setting.place}:`] : []),
  ]
  return { words: `${format}: ${words.join(' ')}`, turnOn: setting?.typed ?? null }
}

/** "pi, in ~/.pi/agent/settings.json: {…}" as where it is set and what is typed there: the sentence names the program. */
function settingOf(turnOn: string): { place: string; typed: string } {
  const [head, program = '', place = ''] = /^([^:,]+)(, in [^:]+)?: /.exec(turnOn) ?? []
  return head === undefined || program === ''
    ? { place: '', typed: turnOn }
    : { place, typed: turnOn.slice(head.length) }
}

/**
 * "claude-code-auto at 160k would have cost $731 instead of $812 (-10 %, between -13 and -7.0) and lost 117 of 6,024 later
 * uses of content (today 117; 12 if its summaries keep everything)"
 */
function effectWords(candidate: Candidate, result: ProgramRecommendation): string {
  const { saved, losses, summaries } = candidate
  const { baseline, of } = result
  const { low, high } = saved
  const interval = low === null || high === null ? '' : `, between ${signed(-high)} and ${signed(-low)}`
  const kept = summaries > 0 ? `; ${grouped(losses.ifSummariesKeepAll)} if its summaries keep everything` : ''
  return [
    `${nameOf(candidate)} would have cost ${costOf(candidate, result)} instead of ${costOf(baseline, result)}`,
    `(${signed(-saved.percent)} %${interval}) and lost ${grouped(losses.lost)} of ${grouped(losses.total)} ${usesOf[of]}`,
    `(${baseline.setting} ${grouped(baseline.losses.lost)}${kept})`,
  ].join(' ')
}

/** Of the candidates that are surely cheaper and lose more than they may: the one that loses least. */
function beyondOf({ candidates }: Pick<Recommendation, 'candidates'>): Candidate | undefined {
  return candidates
    .filter(({ verdict, saved }) => verdict === 'loses more' && saved.cost > 0 && (saved.low ?? 1) > 0)
    .toSorted((a, b) => a.losses.lost - b.losses.lost || a.paid - b.paid)[0]
}

/** What a little more tolerance would give. */
function beyondWords(result: Recommendation): string[] {
  const beyond = beyondOf(result)
  if (!beyond) return []
  const { tolerance, baseline } = result
  const from = tolerance.over === 'baseline' ? baseline.losses.lost : 0
  const needed = Math.ceil((1000 * (beyond.losses.lost - from)) / beyond.losses.total) / 10
  const word = `${tolerance.over === 'baseline' ? '+' : ''}${needed}%`
  return [`With --tolerance ${word} ${nameOf(beyond)} would be within it (${changeWords(beyond.saved)} %).`]
}

function summaryWords({ summaries, summaryTokens, losses }: Candidate): string {
  return `That assumes ${several(summaries, 'summary').replace(/summarys$/, 'summaries')} of ${compact(summaryTokens)} tokens that keep nothing; if they kept everything, ${grouped(losses.ifSummariesKeepAll)} would be cut off.`
}

function baselineWords({ baseline }: Recommendation): string {
  return baseline.setting === 'today' ? 'what you have' : `to ${baseline.setting}`
}

/** "117 of 6,024 later uses of content (today 117)" */
function limitWords({ limitPercent, of, baseline, tolerance }: Recommendation): string {
  const { lost, total } = baseline.losses
  if (tolerance.over === 'baseline' && tolerance.percent === 0) {
    return `${baseline.setting} (${grouped(lost)} of ${grouped(total)} ${usesOf[of]})`
  }
  return `${limitPercent} % of ${grouped(total)} ${usesOf[of]}`
}

function extent(result: Recommendation): string[] {
  const { transcripts, requests, unit, costed, bill, baseline, candidates } = result
  const of = `${several(transcripts, 'transcript')}, ${several(requests, 'request')} · ${several(candidates.length, 'candidate')} · cost of input and summaries in ${costWords[unit]}, against ${baseline.setting}`
  const partial = { transcripts: costed, unit } as Parameters<typeof partialCost>[1]
  return [of, ...billWords(bill, transcripts, null), ...partialCost(transcripts, partial)]
}

/**
 * The baseline; then what is recommended and what else would do, the cheapest first; then those that are cheaper and lose
 * too much, those that lose least first.
 */
function nearest({ baseline, candidates, recommended }: Recommendation): Candidate[] {
  // Where a policy comes to the same at several budgets, the largest stands for all.
  const distinct = new Map(
    candidates
      .toSorted(
        (a, b) =>
          Number(a.verdict === 'recommended') - Number(b.verdict === 'recommended') ||
          (a.budget ?? 0) - (b.budget ?? 0),
      )
      .map((candidate) => [JSON.stringify([candidate.setting, candidate.paid, candidate.losses.lost]), candidate]),
  )
  const telling = candidates.filter((candidate) => [...distinct.values()].includes(candidate))
  const would = telling.filter(({ verdict }) => verdict === 'tie' || verdict === 'dearer')
  const bound = recommended?.paid ?? baseline.paid
  const wouldNot = telling
    .filter(({ verdict, paid }) => verdict === 'loses more' && paid < bound)
    .toSorted((a, b) => a.losses.lost - b.losses.lost || a.paid - b.paid)
  return [
    baseline,
    ...candidates.filter(({ verdict }) => verdict === 'recommended'),
    ...would.slice(0, most),
    ...wouldNot.slice(0, most),
  ]
}

function turnOnNotes({ recommended, candidates }: Recommendation): Note[] {
  const able = candidates
    .filter(
      ({ verdict, turnOn }, at) =>
        verdict === 'tie' && turnOn !== null && candidates.findIndex((one) => one.turnOn === turnOn) === at,
    )
    .slice(0, 3)
  if (!recommended || able.length === 0) return []
  const items = able.map((candidate) => ({ name: nameOf(candidate), sentences: [candidate.turnOn as string] }))
  return [{ title: 'May cost as little: turn it on', items }]
}

function inputNotes({ diagnostics }: Recommendation): Note[] {
  if (diagnostics.length === 0) return []
  const sentence = `${several(diagnostics.length, 'remark')}, which --output json has`
  return [{ title: 'About the input', items: [{ name: '', sentences: [sentence] }] }]
}

function readingNotes({ baseline, of, costed, transcripts }: Recommendation): Note[] {
  const sentences = [
    `against it: cost against ${baseline.setting}, with its 95 % interval${costed < 5 ? ' (too few transcripts for one)' : ''}; lost: of ${usesOf[of]}`,
    'tie: not surely dearer than the cheapest that would do · loses more: cheaper than that, and beyond the tolerance',
    'It is exposure, not failure: the agent might have asked again.',
    ...(transcripts > 1
      ? [
          "Every policy is tried on all transcripts as one. ctxwin sessions asks each program's own settings, by themselves, and may name another.",
        ]
      : []),
  ]
  return [{ title: 'How to read it', items: [{ name: '', sentences }] }]
}

function nameOf(candidate: Candidate): string {
  const budget = budgetOf(candidate)
  return budget === 'any' ? candidate.setting : `${candidate.setting} at ${budget}`
}

/** 160k, 50%; "any" for a policy that does not ask for it */
function budgetOf({ budget, budgetAsked }: Candidate): string {
  return budgetAsked ?? (budget === null ? 'any' : compact(budget).replace('.0', ''))
}

function costOf({ paid }: Candidate, { unit }: Pick<Recommendation, 'unit'>): string {
  return unit === 'usd' ? dollars(paid) : `${compact(paid)} input tokens`
}

/** How the cost changes, in percent: "-10.2 (-13.1…-7.0)" */
function changeWords({ percent, low, high }: CandidateSavings): string {
  if (low === null || high === null) return signed(-percent)
  return `${signed(-percent)} (${signed(-high)}…${signed(-low)})`
}

/** "1.94 (1.62…2.32)" */
function rateWords({ percent, low, high, total }: CandidateLosses): string {
  return total === 0 ? '' : `${percent.toFixed(1)} (${low.toFixed(1)}…${high.toFixed(1)})`
}
