/** What `ctxwin` alone prints: for people a few sentences, for data a row for each session. */
import type { SessionSummary, Sessions } from '../model/sessions.ts'
import type { Column } from './column.ts'
import { dayOf } from './days.ts'
import { compact, dollars, grouped, several } from './numbers.ts'
import { programWords, tooFewWords } from './recommendation.ts'
import type { ReportOptions } from './report.ts'
import { safe } from './safe.ts'
import { clip, wrap } from './text.ts'

export const sessionColumns: readonly Column<SessionSummary>[] = [
  { key: 'session', header: 'session', unit: 'text', rank: 1, value: ({ session }) => session },
  { key: 'file', header: 'file', unit: 'text', path: true, rank: 3, value: ({ file }) => file },
  { key: 'format', header: 'format', unit: 'text', rank: 4, value: ({ format }) => format },
  { key: 'project', header: 'project', unit: 'text', path: true, rank: 2, value: ({ project }) => project },
  { key: 'model', header: 'model', unit: 'text', rank: 4, value: ({ model }) => model },
  { key: 'title', header: 'first words', unit: 'text', rank: 0, value: ({ title }) => title },
  { key: 'first', header: 'from', unit: 'text', rank: 5, value: ({ first }) => first },
  { key: 'last', header: 'to', unit: 'text', rank: 1, value: ({ last }) => last },
  { key: 'transcripts', header: 'transcripts', unit: 'count', rank: 5, value: ({ transcripts }) => transcripts },
  { key: 'requests', header: 'requests', unit: 'count', rank: 2, value: ({ requests }) => requests },
  { key: 'sentTokens', header: 'sent', unit: 'tokens', rank: 1, value: ({ sentTokens }) => sentTokens },
  { key: 'spent', header: 'spent', unit: 'money', rank: 0, value: ({ spent }) => spent },
]

/** Command lines, as they can be typed. */
export interface NextSteps {
  history(session: SessionSummary): string
  readonly recommend: string
}

/** A sentence of the answer, and the command line that goes with it. */
export interface AnswerLine {
  readonly words: string
  readonly command: string | null
}

export function answerLines(sessions: Sessions, next: NextSteps): AnswerLine[] {
  const told = sessions.recommendations.filter(({ outcome }) => outcome !== 'too-few')
  const untold = sessions.recommendations.filter(({ outcome }) => outcome === 'too-few')
  const [dearest] = sessions.sessions
  // Each setting that is named above is for one program and its own sessions.
  const question =
    told.length > 0 ? 'What else could be set, of every policy and for all sessions as one' : 'What to set'
  const alone = (words: string): AnswerLine[] => (words === '' ? [] : [{ words, command: null }])
  return [
    ...alone(extentSentence(sessions)),
    ...alone(compactionSentence(sessions)),
    ...told.map((recommendation) => {
      const { words, turnOn } = programWords(recommendation)
      return { words, command: turnOn }
    }),
    ...(untold.length > 0 ? alone(tooFewWords(untold)) : []),
    ...(dearest ? [{ words: dearestSentence(dearest), command: next.history(dearest) }] : []),
    { words: `${question}, and what it would have saved:`, command: next.recommend },
  ]
}

export function* renderSessions(sessions: Sessions, next: NextSteps, { width }: ReportOptions): Iterable<string> {
  for (const { words, command } of answerLines(sessions, next)) yield* linesOf(words, width, command ?? '')
}

/** @param command on a line of its own: it is there to be copied, and is never broken */
function* linesOf(sentence: string, width: number, command = ''): Iterable<string> {
  for (const line of wrap(safe(sentence), width, 0, 0)) yield `${line}\n`
  if (command !== '') yield `    ${safe(command)}\n`
}

/** "You spent $814 at API prices in 137 sessions since 2 Aug 2026: 11,222 requests, 812M tokens sent." */
function extentSentence({ sessions, totals }: Sessions): string {
  const { spent, first } = totals
  const since = first === null ? '' : ` since ${dayOf(Date.parse(first))}`
  const { requestsElsewhere: elsewhere } = totals
  const shared = elsewhere === 0 ? '' : ` (${grouped(elsewhere)} more are in two files and counted once)`
  const extent = `${several(totals.requests, 'request')}${shared}, ${compact(totals.today.sentTokens)} tokens sent`
  const unbilled = sessions.filter((session) => session.spent === null && session.requests > 0).length
  const why = 'no recorded usage, or a model whose price is not known'
  if (spent === null) return `${several(sessions.length, 'session')}${since}: ${extent}. No bill: ${why}.`
  const estimated =
    spent.estimatedOutputs > 0
      ? ` The output of ${several(spent.estimatedOutputs, 'request')} was not recorded and is estimated.`
      : ''
  const rest = unbilled > 0 ? ` ${several(unbilled, 'session')} without a bill: ${why}.` : ''
  return `You spent ${dollars(spent.usd)} at API prices in ${several(sessions.length, 'session')}${since}: ${extent}.${rest}${estimated}`
}

/** "Your agents' own compactions (108) saved about $258 of $1,046 of input, by a model that is 1.5 % below the bill." */
function compactionSentence({ totals: { compactions, today, unpruned } }: Sessions): string {
  if (compactions === 0) return ''
  const over = unpruned.overWindowRequests
  const without =
    over > 0 ? ` Without them ${several(over, 'request')} would not have fit into the window of their model.` : ''
  const what = `Your agents' own compactions (${grouped(compactions)})`
  if (today.unit !== 'usd') {
    return `${what} kept ${compact(today.savedTokens)} of ${compact(unpruned.sentTokens)} tokens from being sent.${without}`
  }
  const amount = dollars(Math.abs(today.costSaved))
  const saved =
    today.costSaved >= 0
      ? `saved about ${amount} of ${dollars(unpruned.costInput)} of input`
      : `cost about ${amount} more input than they saved`
  return `${what} ${saved}${errorWords(today.costRecorded, today.costBilled)}.${without}`
}

/** How far the model is off the bill; empty where there is no bill. */
function errorWords(modelled: number, billed: number): string {
  if (billed === 0) return ''
  const off = (100 * (modelled - billed)) / billed
  return `, by a model that is ${Math.abs(off).toFixed(1)} % ${off < 0 ? 'below' : 'above'} the bill`
}

function dearestSentence(session: SessionSummary): string {
  const { title, last, spent, sentTokens } = session
  const words = title === null || title === '' ? '' : ` "${clip(title, 40)}",`
  const day = last === null ? '' : ` ${dayOf(Date.parse(last))},`
  const [what, amount] =
    spent === null ? ['Largest', `${compact(sentTokens)} tokens sent`] : ['Dearest', dollars(spent)]
  return `${what} session:${words}${day} ${amount}`
}
