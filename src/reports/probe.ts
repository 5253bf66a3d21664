/** What `probe` prints: how often a model did the same with a policy's window, and what that is held against. */
import { these } from '../base/these.ts'
import {
  type AgreementShares,
  fewestSessions,
  type ProbeEstimate,
  type ProbePower,
  type Share,
} from '../model/probe.ts'
import { type PlannedSession, type ProbeResult, type ProbeStratum, strataBy } from '../model/probe-result.ts'
import {
  armNames,
  type CountedBodies,
  noSummary,
  type PreambleKind,
  type ProbeDollars,
  preambleKinds,
  type UnprobedReason,
  unprobedReasons,
} from '../model/probed.ts'
import { type Field, nullable, own } from './column.ts'
import { diagnosticNotes } from './notes.ts'
import { changeWords, compact, grouped, money, several, signedTenths } from './numbers.ts'
import { fullPolicy } from './params.ts'
import type { Line, Sheet } from './report.ts'

/** A share of 1 as percent, to a tenth. */
const percent = (share: number | null): number | null => (share === null ? null : Math.round(share * 1000) / 10)

const share = (
  key: 'floor' | 'across' | 'difference' | 'low' | 'high',
  header: string,
  unit: 'percent',
  meaning: string,
  more: Partial<Field<ProbeStratum>> = {},
): Field<ProbeStratum> => ({
  key,
  header,
  unit,
  meaning,
  rank: 0,
  ...nullable,
  ...more,
  value: (row) => percent(row[key]),
})

export const probeColumns: readonly Field<ProbeStratum>[] = [
  own('by', 'by', 'text', 'what the probes of a row have in common', { rank: 0, values: strataBy }),
  own(
    'kind',
    'of',
    'text',
    'which of these they are: what was lost, requests since the cut, the tool that was called next',
    { rank: 0 },
  ),
  own('probes', 'probes', 'count', 'requests that were asked about in all four arms', { rank: 0 }),
  own('clusters', 'sessions', 'count', 'of so many sessions', { rank: 1 }),
  share(
    'across',
    'same %',
    'percent',
    'answers to the policy’s window with the same next action as those to the full one',
  ),
  share('floor', 'twice %', 'percent', 'the same where the full window is asked twice: the noise floor'),
  share('difference', 'points', 'percent', 'percentage points between the two: below zero the policy loses'),
  share('low', 'from', 'percent', 'the lower end of its interval of 95 %; null where too few sessions tell', {
    quiet: true,
  }),
  share('high', 'to', 'percent', 'its upper end', { quiet: true }),
  own('method', 'interval', 'text', 'how the interval was found', { rank: 3 }),
]

const reasonWords: Readonly<Record<UnprobedReason, string>> = {
  preamble:
    'nothing is known of system prompt and tools (--preamble-from gives them, --without-tools asks all the same)',
  headless: 'what came before the file is not recorded',
  sealed: 'the agent’s own compaction is encrypted',
  unwritten: 'of something in the window only the size is known',
  media: 'an image or a document whose data is not recorded',
  refused: 'the API would refuse the request: a result has lost its call, or the assistant speaks first',
  large: 'the window does not fit the model that is asked',
}

const preambleWords: Readonly<Record<PreambleKind, string>> = {
  recorded: 'recorded',
  given: 'of the request that was given',
  rebuilt: 'tools made up from the calls, system prompt not recorded',
  none: 'nothing',
}

export const plannedColumns: readonly Field<PlannedSession>[] = [
  own('file', 'session', 'text', 'the file', { rank: 0, path: true }),
  own('conversation', 'conversation', 'text', 'its id in the file', nullable),
  own('requests', 'requests', 'count', 'that were recorded', { rank: 2 }),
  own('differing', 'differ', 'count', 'of these, requests whose windows differ', { rank: 2 }),
  {
    key: 'planned',
    header: 'to ask',
    unit: 'count',
    meaning: 'of these, requests that would be asked about',
    rank: 0,
    value: ({ probes }) => probes.length,
  },
  {
    key: 'losing',
    header: 'used what left',
    unit: 'count',
    meaning: 'of these, requests whose recorded response used what had left the policy’s window',
    rank: 1,
    value: ({ probes }) => probes.filter(({ loss }) => loss !== 'none').length,
  },
  {
    key: 'summaries',
    header: 'summaries',
    unit: 'count',
    meaning: 'summaries that the model would write first',
    rank: 1,
    quiet: true,
    value: ({ summaries }) => summaries.length,
  },
  planned('cached', '$ cached', 'US dollars if the prompt cache serves what it can'),
  planned('cold', '$ cold', 'US dollars if it serves nothing'),
]

function planned(key: keyof ProbeDollars, header: string, meaning: string): Field<PlannedSession> {
  return {
    key,
    header,
    unit: 'money',
    meaning,
    rank: 0,
    quiet: true,
    ...nullable,
    value: ({ estimated }) => estimated[key],
  }
}

/** What a dry run prints: a row for each session of which something would be asked. */
export function planSheet(result: ProbeResult, forPeople: boolean): Sheet<PlannedSession> {
  const { sessions, diagnostics } = result
  return {
    ...(forPeople ? { answers: answer(result) } : {}),
    captions: [...askedWords(result), ...usedWords(result)],
    columns: plannedColumns,
    ...(sessions.length === 0 && { shown: [] }),
    items: sessions,
    notes: diagnosticNotes(diagnostics),
    data: dataOf(result),
  }
}

/** @param forPeople with all tiers in words */
export function probeSheet(result: ProbeResult, forPeople: boolean): Sheet<ProbeStratum> {
  return {
    ...(forPeople ? { answers: answer(result) } : {}),
    captions: captions(result),
    columns: probeColumns,
    ...(result.probes === 0 && { shown: [] }),
    items: result.strata,
    notes: [
      ...(result.probes > 0 ? [{ title: 'How to read it', items: [{ name: '', sentences: readingWords }] }] : []),
      ...diagnosticNotes(result.diagnostics),
    ],
    data: dataOf(result),
  }
}

export const readingWords = [
  'same: the same tools with the same targets; of answers without a call, half of what both name. No model judges.',
  'twice: how often asking the full window again gives the same. Only what lies below it is loss.',
  `The interval is of 95 %, for sessions to come: of fewer than ${fewestSessions} sessions there is none.`,
  'In the first line and by kind, each request counts for as many as it was drawn from; pairs of answers are counted as they are.',
  'It is one step: whether the agent would have reached the same end is not asked.',
]

/** What the result is, in one line. */
export function answer(result: ProbeResult): Line[] {
  const { strata, dryRun, probes } = result
  const [all] = strata
  if (dryRun) return [planWords(result)]
  if (!all || probes === 0) return ['Nothing has been answered yet.']
  return [headline(all, result)]
}

/**
 * "same next action 94 of 100 where asking twice gives 96: -2.1 points (-7.1 … +2.9), 300 probes in 48 sessions,
 * $11.80"
 */
export function headline(all: ProbeEstimate, { dollars, lost }: Pick<ProbeResult, 'dollars' | 'lost'>): string {
  const of = (value: number | null): string => (value === null ? '?' : `${Math.round(value * 100)}`)
  const more = (lost.dollars ?? 0) > 0 ? ` and at most $${money(lost.dollars ?? 0)} for ${lostWords(lost)}` : ''
  const spent = dollars === null ? '' : `, $${dollars.toFixed(2)}${more}`
  return `same next action ${of(all.across)} of 100 where asking twice gives ${of(all.floor)}: ${differenceWords(all)}, ${several(all.probes, 'probe')} in ${several(all.clusters, 'session')}${spent}`
}

const lostWords = ({ tries }: ProbeResult['lost']): string => `${several(tries, 'try', 'tries')} that brought no answer`

/** "-2.1 points (-7.1 … +2.9)" */
export function differenceWords({ difference, low, high }: ProbeEstimate): string {
  const interval =
    low === null || high === null ? 'too few sessions for an interval' : `${points(low)} … ${points(high)}`
  return `${points(difference ?? 0)} points (${interval})`
}

const points = (share: number): string => signedTenths(share * 100)

function planWords({ about, estimated, power }: ProbeResult): string {
  const { planned, among } = about
  if (planned === 0) return 'There is nothing to ask about: no request of these sessions can be, or none differs.'
  const { cold, cached } = estimated
  const dollars =
    cold === null || cached === null
      ? 'the price of this model is not known'
      : `about $${cached.toFixed(2)} if the prompt cache serves what it can, $${cold.toFixed(2)} without it`
  const sure =
    power === null
      ? `too few sessions for an interval: it takes ${fewestSessions}`
      : `${several(among, 'session')} give ±${halfWidthWords(power)} points`
  return `would ask about ${several(planned, 'request')} in ${several(among, 'session')}, four times each: ${dollars}; ${sure}`
}

const halfWidthWords = ({ halfWidth }: ProbePower): string => (halfWidth * 100).toFixed(1)

/** What the expected interval was worked out from. */
function powerWords({ power }: ProbeResult): Line[] {
  if (power === null) return []
  const { floor, correlation, from } = power
  const words = `asking twice gives the same ${Math.round(floor * 100)} times of 100, and the differences of a session correlate by ${correlation.toFixed(2)}`
  return from === null
    ? [`the ±${halfWidthWords(power)} points assume that ${words}: answers of 10 sessions in the journal tell better`]
    : [
        `the ±${halfWidthWords(power)} points are by the journal’s ${several(from.probes, 'probe')} of ${several(from.sessions, 'session')}: ${words}`,
      ]
}

/** "drop-steps at 50k" */
export const settingWords = ({ about: { policy, params, budget } }: ProbeResult): string =>
  `${fullPolicy(policy, params)} at ${typeof budget === 'number' ? compact(budget) : budget}`

function captions(result: ProbeResult): Line[] {
  const { across, floor, drift, probes } = result
  return these(
    askedWords(result),
    probes !== 0 && [
      tierWords('full and policy', across),
      tierWords('full twice', floor),
      `${tierWords('recorded and full (drift, no loss)', drift)}: another model, prompt or chance`,
    ],
    usedWords(result),
  )
}

/** What was asked, of which requests, and which could not be asked about. */
export function askedWords(result: ProbeResult): Line[] {
  const { transcripts, requests, differing, planned, among, model } = result.about
  return [
    `${settingWords(result)}, asked of ${model}: windows differ in ${grouped(differing)} of ${several(requests, 'request')} of ${several(transcripts, 'transcript')}; ${several(planned, 'request')} of ${several(among, 'session')} ${result.dryRun ? 'to ask about' : 'planned'}`,
    ...summaryWords(result),
    ...unprobedWords(result),
    ...preambleLine(result),
    ...(result.dryRun ? powerWords(result) : leftWords(result)),
  ]
}

/** Tokens that were used, answers that were cut off, and how far estimates are off. */
export function usedWords({ used, cutOff, probes, counted }: ProbeResult): Line[] {
  return these(
    probes !== 0 &&
      `tokens: ${grouped(used.input)} read (${grouped(used.cacheRead)} from the cache, ${grouped(used.cacheWrite)} written to it), ${grouped(used.output)} written, in ${several(used.answers, 'answer')} and ${several(used.summaries, 'summary', 'summaries')}`,
    cutOff > 0 && `${several(cutOff, 'answer')} of ${4 * probes} had to end at their greatest length`,
    counted.map(countedWords),
  )
}

function summaryWords({ sessions }: ProbeResult): Line[] {
  const count = sessions.reduce((all, { summaries }) => all + summaries.length, 0)
  return count === 0
    ? []
    : [`${several(count, 'summary is', 'summaries are')} written first, by --summary-prompt or words of ctxwin’s own`]
}

/** Which of the planned requests are missing in the result, and what was paid for them. */
function leftWords({ about: { planned }, probes, failed, unused, lost }: ProbeResult): Line[] {
  const left = planned - probes - failed.requests
  return these(
    failed.reasons.map(
      ({ reason, requests }) =>
        `no usable answer: ${several(requests, 'request')}: ${reason}${reason === noSummary ? '' : ' (the same command asks again)'}`,
    ),
    left > 0 && `not asked yet: ${several(left, 'request')} of ${grouped(planned)}: the same command goes on`,
    (unused ?? 0) > 0 && `$${money(unused ?? 0)} went to requests that are not answered in all four arms`,
    (lost.dollars ?? 0) > 0 &&
      `at most $${money(lost.dollars ?? 0)} went to ${lostWords(lost)}: nobody says whether they were billed`,
  )
}

function unprobedWords({ about: { unprobed } }: ProbeResult): Line[] {
  const found = unprobedReasons.filter((reason) => unprobed[reason] > 0)
  return found.map((reason) => `cannot be asked about: ${several(unprobed[reason], 'request')}: ${reasonWords[reason]}`)
}

function preambleLine({ preambles }: ProbeResult): Line[] {
  const known = preambleKinds.filter((kind) => preambles[kind] > 0)
  if (known.length === 0) return []
  const words = known.map((kind) => `${preambleWords[kind]} (${several(preambles[kind], 'session')})`)
  return [`system prompt and tools: ${words.join('; ')}`]
}

function tierWords(name: string, { same, tool, target, edit, said }: AgreementShares): string {
  const part = (word: string, { part, whole }: Share): string[] => (whole === 0 ? [] : [`${word} ${part} of ${whole}`])
  const mean = said.mean === null ? [] : [`answers overlap by ${Math.round(said.mean * 100)} % (${said.whole})`]
  return `${name}: ${[...part('same', same), ...part('tool', tool), ...part('target', target), ...part('edit', edit), ...mean].join(', ')}`
}

function countedWords({ window, bodies, estimated, counted, meanAbsolutePercent }: CountedBodies): string {
  const off = counted === 0 ? 0 : (100 * (estimated - counted)) / counted
  return `estimated against counted, ${window} windows: ${changeWords(off)} in all, ${meanAbsolutePercent.toFixed(1)} % of each on average (${several(bodies, 'body', 'bodies')}, ${grouped(counted)} tokens counted)`
}

function dataOf(result: ProbeResult): unknown {
  const { differences, ...rest } = result
  return { ...rest, differences: differences.map((one) => ({ ...one, arms: armNames })) }
}
