/** What `sessions` prints: a row for each session, with what opens it. */
import { shellWord } from '../base/quoting.ts'
import type { SessionSpending, Spending } from '../model/spending.ts'
import { moveColumns, moveLines } from './changed.ts'
import { dataOf, type Field, own } from './column.ts'
import { sessionColumns, shownSessionColumns, spendingTotalColumns } from './columns/spending.ts'
import { several } from './numbers.ts'
import type { Sheet } from './report.ts'
import { spendingNotes, spentSentence } from './spending-words.ts'

export interface ListedSession extends SessionSpending {
  /** What `history` takes for it: as much of its id as tells it from the others, or its file. */
  readonly id: string
}

const idField = own<Pick<ListedSession, 'id'>>(
  'id',
  'id',
  'text',
  'what `ctxwin history` takes for it: the beginning of its id, or its file',
  { rank: 0, path: true },
)

export const listedColumns: readonly Field<ListedSession>[] = [idField, ...sessionColumns]

/** What sessions are sorted by; `cost` leaves the order that they have. */
const figures = {
  cost: null,
  date: ({ last }: SessionSpending) => (last === null ? -Infinity : Date.parse(last)),
  requests: ({ requests, requestsWithoutUsage }: SessionSpending) => requests + requestsWithoutUsage,
  tokens: ({ tokens }: SessionSpending) => Object.values(tokens).reduce((sum, count) => sum + count, 0),
  prompt: ({ largestPrompt }: SessionSpending) => largestPrompt ?? -1,
} as const

export type SessionSort = keyof typeof figures

/** The highest first; those that are alike stay as they were, the dearest first. */
export function sortSessions<T extends SessionSpending>(sessions: readonly T[], by: SessionSort): readonly T[] {
  const figure = figures[by]
  return figure === null
    ? sessions
    : sessions.toSorted((a, b) => (figure(b) > figure(a) ? 1 : figure(b) < figure(a) ? -1 : 0))
}

/**
 * @param sessions those that are shown, in their order
 * @param changedOn the command line that says what came since a day
 */
export function sessionSheet(
  spending: Spending,
  sessions: readonly ListedSession[],
  changedOn: (day: string) => string,
): Sheet<ListedSession> {
  const { total, schemaVersion, diagnostics } = spending
  const all = spending.sessions.length
  const hidden = all - sessions.length
  const things = `${several(all, 'session')} (${several(total.transcripts, 'transcript')})`
  const answer = total.requests === 0 ? `Cost unknown: no usage is recorded in ${things}` : spentSentence(total, things)
  return {
    answers: [answer],
    captions: [
      ...moveLines(spending.moved, changedOn),
      ...(hidden > 0 ? [`${several(hidden, 'more session')}: show them with --full`] : []),
    ],
    columns: listedColumns,
    shown: [...shownSessionColumns, { ...idField, value: ({ id }) => shellWord(id) }],
    items: sessions,
    // A list of sessions is no place for what was odd in single lines: the data has it.
    notes: spendingNotes({ ...spending, diagnostics: [] }),
    data: {
      schemaVersion,
      total: dataOf(spendingTotalColumns)(total),
      sessions: sessions.map(dataOf(listedColumns)),
      moved: spending.moved.map(dataOf(moveColumns)),
      diagnostics,
    },
  }
}
