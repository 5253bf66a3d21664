/** What `ctxwin` alone prints: for people a few sentences, for data a row for each session. */
import { safe } from '../base/quoting.ts'
import type { SessionSummary, Sessions } from '../model/sessions.ts'
import { estimatedWords } from './bill.ts'
import type { Column } from './column.ts'
import { dayOf } from './days.ts'
import { type DecisionWords, decisionWords, whereWords } from './decision.ts'
import { shareWords } from './in-shares.ts'
import { dressAnswer, inkFor } from './ink.ts'
import { compact, dollars, several } from './numbers.ts'
import type { ReportOptions } from './report.ts'
import { clip, widthOf, wrap } from './text.ts'

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

/** A sentence of the answer, and the command line or the setting that goes with it. */
export interface AnswerLine {
  readonly words: string
  readonly command: string | null
  /** Of a decision: whose it is, and what was spent there, null where nothing was billed. */
  readonly program?: { readonly name: string; readonly spent: string | null }
}

/** The most programs that get a decision each; one line names the rest. */
const mostPrograms = 3

/** @param inShares show shares, not dollars: subscribers do not pay per token */
export function answerLines(sessions: Sessions, next: NextSteps, inShares = false): AnswerLine[] {
  const { decisions } = sessions
  const [dearest] = sessions.sessions
  const amount = amountsOf(sessions, inShares)
  const alone = (words: string): AnswerLine[] => (words === '' ? [] : [{ words, command: null }])
  const rest = decisions.slice(mostPrograms).map((decision) => decisionWords(decision, inShares))
  return [
    ...alone(inShares ? shareSentence(sessions) : extentSentence(sessions)),
    ...decisions.slice(0, mostPrograms).map((decision) => {
      const { name, spent, words, turnOn } = decisionWords(decision, inShares)
      const how = turnOn ? ` Turn it on ${whereWords(turnOn)}` : ''
      return {
        words: `${words}${how}`,
        command: turnOn?.text ?? null,
        program: { name, spent: spent === null ? null : amount(spent) },
      }
    }),
    ...(dearest ? [{ words: dearestSentence(dearest, amount), command: next.history(dearest) }] : []),
    ...(decisions.length > 0 ? [{ words: `All options${restWords(rest, amount)}:`, command: next.recommend }] : []),
    ...alone(unbilledSentence(sessions)),
  ]
}

/** ", how sure this is, and 3 more programs (amp $4, goose $1, pi)" */
function restWords(rest: readonly DecisionWords[], amount: (usd: number) => string): string {
  const named = rest.map(({ name, spent }) => (spent === null ? name : `${name} ${amount(spent)}`)).join(', ')
  return rest.length === 0 ? ', and how sure this is' : `, how sure this is, and ${rest.length} more (${named})`
}

export function* renderSessions(
  sessions: Sessions,
  next: NextSteps,
  { width, color, inShares = false }: ReportOptions & { readonly inShares?: boolean },
): Iterable<string> {
  const ink = inkFor(color)
  const lines = answerLines(sessions, next, inShares)
  const programs = lines.flatMap(({ program }) => (program ? [program] : []))
  const names = programs.reduce((most, { name }) => Math.max(most, name.length), 0)
  const amounts = programs.map(({ spent }) => spent ?? '')
  const money = amounts.reduce((most, amount) => Math.max(most, amount.length), 0)
  const indent = names + money + (money > 0 ? 4 : 2)
  let at = 0
  for (const [index, { words, command, program }] of lines.entries()) {
    const isNew = (program !== undefined) !== (lines[index - 1]?.program !== undefined)
    if (index > 0 && (isNew || program)) yield '\n'
    if (!program) {
      yield* linesOf(words, width, command ?? '')
      continue
    }
    const amount = money === 0 ? '' : `  ${(amounts[at] as string).padStart(money)}`
    at++
    const head = `${safe(program.name).padEnd(names)}${amount}  `
    const [first = '', ...others] = dressAnswer(wrap(safe(words), Math.max(20, width - indent), 0, 0), ink)
    yield `${head}${first}\n`
    for (const line of others) yield `${' '.repeat(indent)}${line}\n`
    if (command !== null) yield `    ${safe(command)}\n`
  }
}

/** @param command on a line of its own, unless the line has room: it is there to be copied, and is never broken */
function* linesOf(sentence: string, width: number, command = ''): Iterable<string> {
  const wrapped = [...wrap(safe(sentence), width, 0, 0)]
  const one = `${safe(sentence)}  ${safe(command)}`
  if (command !== '' && wrapped.length === 1 && widthOf(one) <= width) return yield `${one}\n`
  for (const line of wrapped) yield `${line}\n`
  if (command !== '') yield `    ${safe(command)}\n`
}

/** Dollars, or shares of all that was spent. */
function amountsOf({ totals: { spent } }: Sessions, inShares: boolean): (usd: number) => string {
  const all = spent?.usd ?? 0
  return inShares && all > 0 ? (usd) => `${((100 * usd) / all).toFixed(0)} %` : dollars
}

/** "812M tokens sent in 145 sessions since 5 Jan 2026; shares are of …" */
function shareSentence({ sessions, totals }: Sessions): string {
  const { first, today } = totals
  const since = first === null ? '' : ` since ${dayOf(Date.parse(first))}`
  return `${compact(today.sentTokens)} tokens sent in ${several(sessions.length, 'session')}${since}; ${shareWords}`
}

/** "$471 at API list prices in 145 sessions since 5 Jan 2026 (about $75 a month)" */
function extentSentence({ sessions, totals }: Sessions): string {
  const { spent, first, last } = totals
  const since = first === null ? '' : ` since ${dayOf(Date.parse(first))}`
  const extent = `${several(sessions.length, 'session')}${since}`
  if (spent === null) {
    return `${extent}: ${several(totals.requests, 'request')}, ${compact(totals.today.sentTokens)} tokens sent. Cost unknown: ${noBill}.`
  }
  const months = first === null || last === null ? 0 : (Date.parse(last) - Date.parse(first)) / (30 * 86_400_000)
  const monthly =
    months >= 1 && spent.usd >= months ? ` (about ${dollars(spent.usd / months).replace(/\.\d+$/, '')} a month)` : ''
  return `${dollars(spent.usd)} at API list prices in ${extent}${monthly}`
}

const noBill = 'no usage is recorded, or the model has no known price'

/** What the first line does not have, or has as an estimate. */
function unbilledSentence({ sessions, totals: { spent } }: Sessions): string {
  if (spent === null) return ''
  const unbilled = sessions.filter((session) => session.spent === null && session.requests > 0).length
  return [
    ...(unbilled > 0 ? [`${several(unbilled, 'session')} of unknown cost: ${noBill}.`] : []),
    ...estimatedWords(spent.estimatedOutputs).map((words) => `${words}.`),
  ].join(' ')
}

function dearestSentence(session: SessionSummary, amountOf: (usd: number) => string): string {
  const { title, last, spent, sentTokens } = session
  const words = title === null || title === '' ? '' : `  "${clip(title, 30)}"`
  const day = title !== null || last === null ? '' : `  ${dayOf(Date.parse(last))}`
  const [what, amount] = spent === null ? ['Largest', `${compact(sentTokens)} tokens`] : ['Dearest', amountOf(spent)]
  return `${what} session  ${amount}${words}${day}`
}
