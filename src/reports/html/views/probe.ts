/**
 * The page of `probe`: its answer, how far answers agree, and each request where those to the policy's window differ.
 */

import { safe } from '../../../base/quoting.ts'
import { these } from '../../../base/these.ts'
import type { AgreementShares, NextAction, Share } from '../../../model/probe.ts'
import type { PlannedSession, ProbeDifference, ProbeResult, ProbeStratum } from '../../../model/probe-result.ts'
import { grouped, money, several } from '../../numbers.ts'
import { answer, askedWords, differenceWords, readingWords, settingWords, usedWords } from '../../probe.ts'
import { type Element, h } from '../element.ts'
import { list, mark } from '../parts.ts'
import { section } from '../section.ts'
import { tableOf } from './spending.ts'

/** The most characters shown of an input's value, or of a text that left the window. */
const mostShown = 600

export function probeView(result: ProbeResult): Element[] {
  const { probes, strata, differences, sessions } = result
  return these(
    h('header')(
      h('div.top')(mark(), h('h1')('Would it have done the same?')),
      answer(result).map((line) => h('p.said')(String(line))),
      list('ul.quiet', [...askedWords(result), ...usedWords(result)].map(String)),
    ),
    sessions.length !== 0 && section('plan', 'What would be asked', planTable(sessions)),
    probes !== 0 && [
      section('tiers', 'How far answers agree', tiersTable(result), list('ul.quiet', readingWords)),
      section('kinds', 'By what the requests are', kindsTable(strata)),
      section(
        'differences',
        differences.length === 0
          ? 'No request where the policy did something else'
          : `${several(differences.length, 'request')} where the policy’s window led elsewhere`,
        h('p.quiet')(
          'Each window was asked about twice. Here fewer of its answers are those of the full window than asking that twice gives.',
        ),
        differences.map((one, at) => card(one, at, settingWords(result))),
      ),
    ],
  )
}

function planTable(sessions: readonly PlannedSession[]): Element {
  const dollars = (value: number | null): string => (value === null ? '–' : `$${money(value)}`)
  return tableOf(
    'Sessions of which something would be asked',
    ['session', 'requests', 'to ask', 'summaries', 'cached', 'without a cache'],
    sessions.map(({ file, requests, probes, summaries, estimated: { cached, cold } }) => [
      file,
      ...[requests, probes.length, summaries.length].map(grouped),
      dollars(cached),
      dollars(cold),
    ]),
  )
}

function tiersTable({ across, floor, drift }: ProbeResult): Element {
  const rows: readonly (readonly [string, AgreementShares])[] = [
    ['full and policy', across],
    ['full twice', floor],
    ['recorded and full (drift, no loss)', drift],
  ]
  const cells = ({ same, tool, target, edit, said }: AgreementShares): string[] => [
    ...[same, tool, target, edit].map(shareWords),
    said.mean === null ? '–' : `${Math.round(said.mean * 100)} % of ${grouped(said.whole)}`,
  ]
  return tableOf(
    'Pairs of answers that agree',
    ['pairs', 'same', 'tool', 'target', 'edit', 'words'],
    rows.map(([name, shares]) => [name, ...cells(shares)]),
  )
}

const shareWords = ({ part, whole }: Share): string => (whole === 0 ? '–' : `${grouped(part)} of ${grouped(whole)}`)

function kindsTable(strata: readonly ProbeStratum[]): Element {
  const percent = (share: number | null): string => (share === null ? '–' : `${Math.round(share * 100)} %`)
  return tableOf(
    'Same next action, by kind of request',
    ['of', 'probes', 'same', 'twice', 'points (95 %)'],
    strata.map((row) => [
      row.by === 'all' ? 'all' : `${row.by}: ${row.kind}`,
      grouped(row.probes),
      percent(row.across),
      percent(row.floor),
      differenceWords(row),
    ]),
  )
}

function card({ file, line, request, age, left, used, full, policy }: ProbeDifference, at: number, setting: string) {
  const id = `difference-${at + 1}`
  const cut =
    age === 'none' ? '' : `, cut ${age === 'older' ? 'more than 25' : age.replace('to', 'up to')} requests before`
  return h('article.card', { 'aria-labelledby': id })(
    h('h3', { id })(`Request ${grouped(request + 1)}`, ' ', h('span.where')(`${file}, line ${grouped(line)}${cut}`)),
    h('div.arms')(arm('With the full window', full), arm(`Under ${setting}`, policy)),
    h('h4')('What had left the window'),
    h('p.quiet')(
      `${several(left, 'message')} ${left === 1 ? 'is' : 'are'} not as in the full window. ${used.length === 0 ? 'None of it is known to have been used by the recorded response.' : 'The recorded response used of it:'}`,
    ),
    used.length === 0
      ? []
      : h('ul.left')(used.map((gone) => h('li')(h('span.quiet')(`line ${grouped(gone.line)}`), text(gone.text)))),
  )
}

/** Both answers to a window, once where they are equal. */
function arm(title: string, answers: readonly [NextAction, NextAction]): Element {
  const isEqual = JSON.stringify(answers[0]) === JSON.stringify(answers[1])
  return h('div')(
    h('h4')(title),
    (isEqual ? answers.slice(1) : answers).map((action, at) =>
      h('div.action')(h('p.quiet')(isEqual ? 'both times' : at === 0 ? 'first' : 'asked again'), actionView(action)),
    ),
  )
}

function actionView({ calls, text: said }: NextAction): Element[] {
  return [
    ...(said === '' ? [] : [text(said)]),
    ...calls.map(({ name, input }) => h('div.call')(h('p')(h('code')(name)), inputView(input))),
    ...(said === '' && calls.length === 0 ? [h('p.quiet')('an empty answer')] : []),
  ]
}

function inputView(input: unknown): Element {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return text(wordsOf(input))
  return h('dl')(
    Object.entries(input).flatMap(([key, value]) => [h('dt')(shortened(safe(key))), h('dd')(text(wordsOf(value)))]),
  )
}

const wordsOf = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))

/** In its lines, each made harmless. */
function text(whole: string): Element {
  const lines = shortened(whole).split('\n')
  return h('pre')(lines.join('\n'))
}

function shortened(whole: string): string {
  const more = whole.length - mostShown
  if (more <= 0) return whole
  // Half of a surrogate pair is no character.
  return `${whole.slice(0, mostShown).replace(/[\ud800-\udbff]$/, '')}… ${several(more, 'more character')}`
}
