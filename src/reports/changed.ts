/** What `sessions --changed` prints: what was to be expected before a setting changed, and what came. */
import {
  type Changed,
  type ChangedFigure,
  type ChangedProgram,
  changedFigures,
  changedVerdicts,
  fewestSessions,
  type ThresholdMove,
} from '../model/changed.ts'
import { type CandidateSavings, type Decision, outcomes } from '../model/recommendation.ts'
import { type Column, dataOf, type Field, nullable, own, within } from './column.ts'
import { dayOf } from './days.ts'
import { candidateName, decisionWords } from './decision.ts'
import { compact, dollars, grouped, several, signed } from './numbers.ts'
import type { Line, Sheet } from './report.ts'

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
interface PromisedSetting extends Pick<Decision, 'outcome'> {
  readonly setting: string | null
  readonly budget: number | null
  readonly percent: number | null
  readonly low: number | null
  readonly high: number | null
}

function toldOf({ outcome, recommended }: Decision): PromisedSetting {
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

const toldFields: readonly Field<PromisedSetting>[] = [
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
  ...within<ChangedProgram, PromisedSetting>(
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
type ChangedRow = ChangedFigure & Pick<ChangedProgram, 'program' | 'verdict'>

const rowColumns: readonly Field<ChangedRow>[] = [
  ...(programFields as readonly Field<never>[] as readonly Field<ChangedRow>[]),
  ...(figureFields as readonly Field<never>[] as readonly Field<ChangedRow>[]),
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
const shownColumns = (inShares: boolean): readonly Column<ChangedRow>[] => {
  const words = ({ figure, before }: ChangedRow, value: number | null): string | null => {
    if (value === null) return null
    if (!inShares || !isMoney(figure)) return figureWords[figure][1](value)
    return before === null || before === 0 ? null : `${((100 * value) / before).toFixed(0)} %`
  }
  return [
    { key: 'program', header: 'program', unit: 'text', rank: 1, quiet: true, value: programName },
    { key: 'figure', header: 'what', unit: 'text', rank: 0, value: ({ figure }) => figureWords[figure][0] },
    { key: 'before', header: 'before', unit: 'count', rank: 0, value: (row) => words(row, row.before) },
    { key: 'after', header: 'after', unit: 'count', rank: 0, value: (row) => words(row, row.after) },
    { key: 'percent', header: 'change', unit: 'change', rank: 0, value: ({ percent }) => percent },
    { key: 'range', header: 'range %', unit: 'count', rank: 1, quiet: true, value: rangeWords },
    {
      key: 'sessions',
      header: 'sessions',
      unit: 'count',
      rank: 2,
      value: ({ sessionsBefore, sessionsAfter }) => `${grouped(sessionsBefore)} | ${grouped(sessionsAfter)}`,
    },
  ]
}

/** "-70 to +15", in percent: the interval of a change */
const rangeWords = ({ percent, low, high }: ChangedFigure): string | null =>
  percent === null || low === null || high === null ? null : `${signed(low)} to ${signed(high)}`

/** @param forPeople only what there is on both sides */
export function changedSheet(result: Changed, forPeople: boolean, inShares: boolean): Sheet<ChangedRow> {
  const { schemaVersion, changed, transcripts, straddling, undated, programs, diagnostics } = result
  const left = [
    ...(straddling > 0 ? [`${several(straddling, 'session')} that began before and went on after`] : []),
    ...(undated > 0 ? [`${several(undated, 'session')} without a date`] : []),
  ]
  const items = programs
    .flatMap(({ program, verdict, figures }) => figures.map((one) => ({ program, verdict, ...one })))
    .filter(({ before, after }) => !forPeople || (before !== null && after !== null))
  return {
    answers: [...programs.flatMap((one) => programWords(one, inShares))],
    captions: [
      `compared: sessions that ended before ${dayOf(Date.parse(changed))}, and those that began since`,
      ...(left.length > 0 ? [`left out: ${left.join(', ')}`] : []),
      ...(programs.some(({ verdict }) => verdict !== 'too-few') ? [caveat] : []),
    ],
    columns: rowColumns,
    shown: items.length === 0 ? [] : shownColumns(inShares),
    items,
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
  'Ranges are intervals of 95 %, by dealing the sessions anew to both sides. It is no experiment: the work may have changed, too.'

const programName = ({ program }: Pick<ChangedProgram, 'program'>): string => program ?? 'your own agent'

/** What was said, and what came. */
function programWords(one: ChangedProgram, inShares: boolean): string[] {
  const { verdict, told, figures } = one
  const [money] = figures as [ChangedFigure]
  const name = programName(one)
  if (verdict === 'too-few')
    return [
      `${name}: too few sessions with a price to compare (${grouped(money.sessionsBefore)} before, ${grouped(money.sessionsAfter)} since; ${fewestSessions} are needed on each side)`,
    ]
  const said =
    told === null ? [] : [`${name}, promised from the sessions before: ${decisionWords(told, inShares).words}`]
  const amounts =
    inShares || money.before === null || money.after === null
      ? ''
      : `${dollars(money.before)} a session before (${several(money.sessionsBefore, 'session')}) and ${dollars(money.after)} since (${grouped(money.sessionsAfter)}): `
  const range = rangeWords(money)
  const change =
    money.percent === null ? 'no change' : `${signed(money.percent)} %${range === null ? '' : ` (${range})`}`
  return [`${name}: ${verdictWords(one)} Input cost ${amounts}${change}.`, ...said]
}

function verdictWords({ verdict, told, figures: [money] }: ChangedProgram): string {
  const promised = told?.recommended ? candidateName(told.recommended) : null
  switch (verdict) {
    case 'as-promised':
      return 'Surely cheaper, and in line with what was promised.'
    case 'more':
      return 'Surely cheaper, and by more than was promised.'
    case 'less':
      return (money?.high ?? 0) < 0
        ? 'Surely cheaper, but by less than was promised.'
        : (money?.low ?? 0) > 0
          ? 'Surely dearer, although a saving was promised.'
          : 'Surely less of a saving than was promised, if it is one.'
    case 'cheaper':
      return 'Surely cheaper.'
    case 'dearer':
      return 'Surely dearer.'
    default:
      return promised === null
        ? 'Too few sessions to say whether it is cheaper: the difference may be chance.'
        : 'Too few sessions to say: the difference may be chance, and what was promised may still be right.'
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
    const counts = `${several(sessionsAfter, 'session')} since, ${grouped(sessionsBefore)} before`
    const whose = [program ?? 'your own agent', ...(model === null ? [] : [model])].join(' with ')
    return [`${whose} compacts ${sizes} (${counts}). To see whether that paid:`, { verbatim: commandFor(day) }]
  })
}
