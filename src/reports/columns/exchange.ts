/** The columns of an exchange of a transcript. */
import type { ExchangeSummary } from '../../model/history.ts'
import { type Column, pickAs } from '../column.ts'
import { rowFields } from './requests.ts'
import { runColumns } from './run.ts'

export const exchangeColumns: readonly Column<ExchangeSummary>[] = [
  ...pickAs(runColumns, 'transcript', { rank: 1, quiet: true }),
  ...pickAs(runColumns, 'conversation', { rank: 8, quiet: true }),
  ...pickAs(rowFields, 'exchange', { rank: 0 }),
  { key: 'firstLine', header: 'line', unit: 'count', rank: 4, value: ({ firstLine }) => firstLine },
  { key: 'lastLine', header: 'to', unit: 'count', rank: 7, value: ({ lastLine }) => lastLine },
  ...pickAs(runColumns, 'messages', { rank: 5 }),
  ...pickAs(runColumns, 'requests', { rank: 6 }),
  { key: 'toolCalls', header: 'calls', unit: 'count', rank: 3, value: ({ toolCalls }) => toolCalls },
  { key: 'tokens', header: 'tokens', unit: 'tokens', rank: 0, value: ({ tokens }) => tokens },
  { key: 'state', header: 'state', unit: 'text', rank: 2, value: ({ state }) => state },
  { key: 'title', header: 'first words', unit: 'text', rank: 0, value: ({ title }) => title },
]
