/** What `sessions --changed` prints: what was to be expected before a setting changed, and what came. */
import {
  type Changed,
  type ChangedFigure,
  type ChangedProgram,
  changedFigures,
  changedVerdicts,
  type ThresholdMove,
} from '../model/changed.ts'
import { type CandidateSavings, type Decision, fewestSessions, outcomes } from '../model/recommendation.ts'
import { type Column, dataOf, type Field, own, within } from './column.ts'
import { dayOf } from './days.ts'
import { candidateName, decisionWords } from './decision.ts'
import { compact, dollars, grouped, several, signed } from './numbers.ts'
import type { Line, Sheet } from './report.ts'

const nullable = { nullable: true } as const

const figureFields: readonly Field<ChangedFigure>[] = [
  own('figure', 'what', 'text', 'the figure; a mean by session, but for `inputUsdByRequest` and `compactedTokens`', {
    values: changedFigures,
  }),
  own('before', 'before', 'count', 'of the sessions that ended before the day; null where none has it', {
    ...nullable,
    whole: false,
  }),
  own('after', 'after', 'count', 'of the sessions that began on it or later', { ...nullable, whole: false }),
  own('sessionsBefore', 'sessions before', 'count', 'of how many sessions; of `compactedTokens` those that compacted'),
  own('sessionsAfter', 'sessions after', 'count', 'the same of after'),
  own('percent', 'change', 'percent', 'from before to after; null where there was nothing on one side', nullable),
  own('low', 'at least', 'percent', 'the lower end of its 95 % interval; null where too little tells', nullable),
  own('high', 'at most', 'percent', 'the upper end', nullable),
]

/** What was to be set then. */
interface Told extends Pick<Decision, 'outcome'> {
  readonly setting: string | null
  readonly budget: number | null
  readonly percent: number | null
  readonly low: number | null
  readonly high: number | null
}

function toldOf({ outcome, recommended }: Decision): Told {
  const saved: Partial<CandidateSavings> = recommended?.saved ?? {}
  return {
    outcome,
    setting: recommended?.setting ?? null,
    budget: recommended?.budget ?? null,
    percent: saved.percent ?? null,
    low: saved.low ?? null,
    high: saved.high ?? null,
  }
}

const toldFields: readonly Field<Told>[] = [
  own('outcome', 'said', 'text', 'as `recommend` has it', { values: outcomes }),
  own('setting', 'policy', 'text', 'what was to be set; null where nothing was', nullable),
  own('budget', 'budget', 'tokens', 'at which budget; null where it does not matter', nullable),
  own('percent', 'promised %', 'percent', 'saved of the input, after reading again', nullable),
  own('low', 'from', 'percent', 'the interval of that', nullable),
  own('high', 'to', 'percent', 'its other end', nullable),
]

const programFields: readonly Field<ChangedProgram>[] = [
  own('program', 'program', 'text', 'the program; null for agents of one’s own', nullable),
  own('verdict', 'verdict', 'text', 'what came of what was promised', { values: changedVerdicts }),
]

/** The programs, as the JSON has them. */
export const changedColumns: readonly Field<ChangedProgram>[] = [
  ...programFields,
  own('sessionsBefore', 'before', 'count', 'sessions that ended before the day'),
  own('sessionsAfter', 'after', 'count', 'sessions that began on it or later'),
  ...within<ChangedProgram, Told>(
    'told',
    {
      meaning: 'what `recommend` would have said of the transcripts that had ended before; null where there were none',
      nullable: true,
    },
    toldFields,
    ({ told }) => told && toldOf(told),
  ),
  {
    key: 'figures',
    header: 'figures',
    unit: 'list',
    meaning: 'what is compared',
    items: figureFields as readonly Field<never>[],
    value: ({ figures }) => figures,
  },
]

/** A row of the flat data. */
type Row = ChangedFigure & Pick<ChangedProgram, 'program' | 'verdict'>

const rowColumns: readonly Field<Row>[] = [
  ...(programFields as readonly Field<never>[] as readonly Field<Row>[]),
  ...(figureFields as readonly Field<never>[] as readonly Field<Row>[]),
]

/** What a figure is called, and how it is written. */
const figureWords: Readonly<
  Record<ChangedFigure['figure'], readonly [name: string, words: (value: number) => string]>
> = {
  inputUsd: ['input, a session', dollars],
  inputUsdByRequest: ['input, a request', dollars],
  usd: ['in all, a session', dollars],
  requests: ['requests, a session', (value) => (value < 10 ? value.toFixed(1) : grouped(Math.round(value)))],
  compactions: ['compactions, a session', (value) => value.toFixed(2)],
  rereadTokens: ['read again, a session', compact],
  compactedTokens: ['compacts at, median', compact],
}

const isMoney = (figure: ChangedFigure['figure']): boolean => figureWords[figure][1] === dollars

/** @param inShares no dollars: what was spent before is 100 % */
const shownColumns = (inShares: boolean): readonly Column<Row>[] => {
  const words = ({ figure, before }: Row, value: number | null): string | null => {
    if (value === null) return null
    if (!inShares || !isMoney(figure)) return figureWords[figure][1](value)
    return before === null || before === 0 ? null : `${((100 * value) / before).toFixed(0)} %`
  }
  return [
    { key: 'program', header: 'program', unit: 'text', rank: 1, quiet: true, value: nameOf },
    { key: 'figure', header: 'what', unit: 'text', rank: 0, value: ({ figure }) => figureWords[figure][0] },
    { key: 'before', header: 'before', unit: 'text', rank: 0, value: (row) => words(row, row.before) },
    { key: 'after', header: 'after', unit: 'text', rank: 0, value: (row) => words(row, row.after) },
    { key: 'percent', header: 'change %', unit: 'text', rank: 0, value: changeWords },
    {
      key: 'sessions',
      header: 'sessions',
      unit: 'text',
      rank: 2,
      value: ({ sessionsBefore, sessionsAfter }) => `${grouped(sessionsBefore)}, ${grouped(sessionsAfter)}`,
    },
  ]
}

/** "-41 (-70…+15)", in percent */
function changeWords({ percent, low, high }: ChangedFigure): string | null {
  if (percent === null) return null
  return low === null || high === null ? signed(percent) : `${signed(percent)} (${signed(low)}…${signed(high)})`
}

/** @param forPeople only what there is on both sides */
export function changedSheet(result: Changed, forPeople: boolean, inShares: boolean): Sheet<Row> {
  const { schemaVersion, changed, transcripts, straddling, undated, programs, diagnostics } = result
  const left = [
    ...(straddling > 0 ? [`${several(straddling, 'session')} began before it and went on behind it`] : []),
    ...(undated > 0 ? [`${several(undated, 'session')} without a time`] : []),
  ]
  const items = programs
    .flatMap(({ program, verdict, figures }) => figures.map((one) => ({ program, verdict, ...one })))
    .filter(({ before, after }) => !forPeople || (before !== null && after !== null))
  return {
    answers: [
      `What changed on ${dayOf(Date.parse(changed))}: sessions that ended before, against those that began since`,
      ...programs.flatMap((one) => programWords(one, inShares)),
    ],
    captions: [
      ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
      ...(programs.some(({ verdict }) => verdict !== 'too-few') ? [caveat] : []),
    ],
    columns: rowColumns,
    shown: items.length === 0 ? [] : shownColumns(inShares),
    items,
    marked: () => false,
    // A comparison of sessions is no place for what was odd in single lines: the data has it.
    notes: [],
    data: {
      ...{ schemaVersion, changed, transcripts, straddling, undated },
      programs: programs.map(dataOf(changedColumns)),
      diagnostics,
    },
  }
}

const caveat =
  'In brackets are intervals of 95 %, by dealing the sessions anew to both sides. It is no experiment: the work may have changed, too.'

const nameOf = ({ program }: Pick<ChangedProgram, 'program'>): string => program ?? 'your own agent'

/** What was said, and what came. */
function programWords(one: ChangedProgram, inShares: boolean): string[] {
  const { verdict, told, figures } = one
  const [money] = figures as [ChangedFigure]
  const name = nameOf(one)
  if (verdict === 'too-few')
    return [
      `${name}: too few sessions with a price to compare (${grouped(money.sessionsBefore)} before, ${grouped(money.sessionsAfter)} after; it takes ${fewestSessions} on both sides)`,
    ]
  const said = told === null ? [] : [`${name}, told from the sessions before: ${decisionWords(told, inShares).words}`]
  const amounts =
    inShares || money.before === null || money.after === null
      ? ''
      : `${dollars(money.before)} a session before (${several(money.sessionsBefore, 'session')}), ${dollars(money.after)} since (${grouped(money.sessionsAfter)}): `
  return [
    ...said,
    `${name}, what came: ${amounts}${changeWords(money) ?? 'no change'} % for input. ${verdictWords(one)}`,
  ]
}

function verdictWords({ verdict, told, figures: [money] }: ChangedProgram): string {
  const promised = told?.recommended ? candidateName(told.recommended) : null
  switch (verdict) {
    case 'as-promised':
      return 'That is surely less, and what was promised is possible.'
    case 'more':
      return 'That is surely less, and by more than was promised.'
    case 'less':
      return (money?.high ?? 0) < 0
        ? 'That is surely less, but by less than was promised.'
        : (money?.low ?? 0) > 0
          ? 'That is surely more, where less was promised.'
          : 'That is surely less of a saving than was promised, if it is one.'
    case 'cheaper':
      return 'That is surely less.'
    case 'dearer':
      return 'That is surely more.'
    default:
      return promised === null
        ? 'Too little tells whether it is less: it may be chance.'
        : 'Too little tells: it may be chance, and what was promised is possible, too.'
  }
}

export const moveColumns: readonly Field<ThresholdMove>[] = [
  own('program', 'program', 'text', 'the program; null for agents of one’s own', nullable),
  own('model', 'model', 'text', 'as recorded', nullable),
  own('day', 'day', 'text', 'from which day on the windows that it compacts are others, in UTC'),
  own('tokensBefore', 'before', 'tokens', 'median of the windows that it compacted before'),
  own('tokensAfter', 'after', 'tokens', 'the same since'),
  own('sessionsBefore', 'sessions before', 'count', 'how many transcripts that is of'),
  own('sessionsAfter', 'sessions since', 'count', 'the same since'),
]

/** That an agent compacts elsewhere, and how to look whether it paid. @param commandFor what looks at a day */
export function moveLines(moves: readonly ThresholdMove[], commandFor: (day: string) => string): Line[] {
  return moves.flatMap(({ program, model, day, tokensBefore, tokensAfter, sessionsBefore, sessionsAfter }): Line[] => {
    const sizes = `at about ${compact(tokensAfter)} since ${dayOf(Date.parse(day))}, at ${compact(tokensBefore)} before`
    const counts = `${several(sessionsAfter, 'session')} and ${grouped(sessionsBefore)}`
    const whose = [program ?? 'your own agent', ...(model === null ? [] : [model])].join(' with ')
    return [`${whose} compacts ${sizes} (${counts}). What came of it:`, { verbatim: commandFor(day) }]
  })
}
