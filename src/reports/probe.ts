/** What `probe` prints: how often a model did the same with a policy's window, and what that is held against. */
import type { AgreementShares, ProbeEstimate, Share } from '../model/probe.ts'
import { type ProbeResult, type ProbeStratum, strataBy } from '../model/probe-result.ts'
import {
  armNames,
  type CountedBodies,
  type PreambleKind,
  preambleKinds,
  type UnprobedReason,
  unprobedReasons,
} from '../model/probed.ts'
import { type Field, own } from './column.ts'
import { diagnosticNotes } from './notes.ts'
import { compact, grouped, several } from './numbers.ts'
import { fullPolicy } from './params.ts'
import type { Line, Sheet } from './report.ts'

const nullable = { nullable: true } as const

/** A share of 1 as percent, to a tenth. */
const percent = (share: number | null): number | null => (share === null ? null : Math.round(share * 1000) / 10)

const share = (
  key: 'floor' | 'across' | 'difference' | 'low' | 'high',
  header: string,
  unit: 'percent',
  meaning: string,
): Field<ProbeStratum> => ({
  key,
  header,
  unit,
  meaning,
  rank: 0,
  ...nullable,
  value: (row) => percent(row[key]),
})

export const probeColumns: readonly Field<ProbeStratum>[] = [
  own('by', 'by', 'text', 'what the probes of a row have in common', { rank: 0, values: strataBy }),
  own(
    'kind',
    'of',
    'text',
    'which of these they are: what was lost, requests since the cut, the tool that was called next',
    {
      rank: 0,
    },
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
  share('low', 'from', 'percent', 'the lower end of its interval of 95 %; null where too few sessions tell'),
  share('high', 'to', 'percent', 'its upper end'),
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

/** @param forPeople with all tiers in words */
export function probeSheet(result: ProbeResult, forPeople: boolean): Sheet<ProbeStratum> {
  return {
    ...(forPeople ? { answers: answer(result) } : {}),
    captions: captions(result),
    columns: probeColumns,
    items: result.strata,
    marked: () => false,
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
  'It is one step: whether the agent would have reached the same end is not asked.',
]

/** What the result is, in one line. */
export function answer(result: ProbeResult): Line[] {
  const { strata, dryRun, probes } = result
  const [all] = strata
  if (dryRun) return [planWords(result)]
  if (!all || probes === 0) return ['Nothing has been answered yet.']
  return [headline(all, result.dollars)]
}

/** "same next action 94 of 100 where asking twice gives 96: -2.1 points (-7.1 … +2.9), 300 probes in 48 sessions, $11.80" */
export function headline(all: ProbeEstimate, dollars: number | null): string {
  const of = (value: number | null): string => (value === null ? '?' : `${Math.round(value * 100)}`)
  const spent = dollars === null ? '' : `, $${dollars.toFixed(2)}`
  return `same next action ${of(all.across)} of 100 where asking twice gives ${of(all.floor)}: ${differenceWords(all)}, ${several(all.probes, 'probe')} in ${several(all.clusters, 'session')}${spent}`
}

/** "-2.1 points (-7.1 … +2.9)" */
export function differenceWords({ difference, low, high }: ProbeEstimate): string {
  const interval =
    low === null || high === null ? 'too few sessions for an interval' : `${points(low)} … ${points(high)}`
  return `${points(difference ?? 0)} points (${interval})`
}

const points = (share: number): string => {
  const value = (share * 100).toFixed(1)
  return Number(value) > 0 ? `+${value}` : Number(value) === 0 ? '0.0' : value
}

function planWords({ about, estimated, power }: ProbeResult): string {
  const { planned, among } = about
  if (planned === 0) return 'There is nothing to ask about: no request of these sessions can be, or none differs.'
  const { cold, cached } = estimated
  const dollars =
    cold === null || cached === null
      ? 'the price of this model is not known'
      : `about $${cached.toFixed(2)} if the prompt cache serves what it can, $${cold.toFixed(2)} without it`
  const sure = power === null ? '' : `; ${several(among, 'session')} give ±${(power.halfWidth * 100).toFixed(1)} points`
  return `would ask about ${several(planned, 'request')} in ${several(among, 'session')}, four times each: ${dollars}${sure}`
}

/** "drop-steps at 50k" */
export function settingWords({ about: { policy, params, budget } }: ProbeResult): string {
  return `${fullPolicy(policy, params)} at ${typeof budget === 'number' ? compact(budget) : budget}`
}

function captions(result: ProbeResult): Line[] {
  const { across, floor, drift, probes } = result
  return [
    ...askedWords(result),
    ...(probes === 0
      ? []
      : [
          tierWords('full and policy', across),
          tierWords('full twice', floor),
          `${tierWords('recorded and full (drift, no loss)', drift)}: another model, prompt or chance`,
        ]),
    ...usedWords(result),
  ]
}

/** What was asked, of which requests, and which could not be asked about. */
export function askedWords(result: ProbeResult): Line[] {
  const { transcripts, requests, differing, planned, among, model } = result.about
  return [
    `${settingWords(result)}, asked of ${model}: windows differ in ${grouped(differing)} of ${several(requests, 'request')} of ${several(transcripts, 'transcript')}; ${several(planned, 'request')} of ${several(among, 'session')} ${result.dryRun ? 'to ask about' : 'planned'}`,
    ...unprobedWords(result),
    ...preambleLine(result),
  ]
}

/** Tokens that were used, answers that were cut off, and how far estimates are off. */
export function usedWords({ used, cutOff, probes, counted }: ProbeResult): Line[] {
  return [
    ...(probes === 0
      ? []
      : [
          `tokens: ${grouped(used.input)} read (${grouped(used.cacheRead)} from the cache, ${grouped(used.cacheWrite)} written to it), ${grouped(used.output)} written, in ${several(used.answers, 'answer')} and ${several(used.summaries, 'summary', 'summaries')}`,
        ]),
    ...(cutOff > 0 ? [`${several(cutOff, 'answer')} of ${4 * probes} had to end at their greatest length`] : []),
    ...counted.map(countedWords),
  ]
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
  const bias = `${off > 0 ? '+' : ''}${off.toFixed(1)} %`
  return `estimated against counted, ${window} windows: ${bias} in all, ${meanAbsolutePercent.toFixed(1)} % of each on average (${several(bodies, 'body', 'bodies')}, ${grouped(counted)} tokens counted)`
}

function dataOf(result: ProbeResult): unknown {
  const { differences, ...rest } = result
  return { ...rest, differences: differences.map((one) => ({ ...one, arms: armNames })) }
}
