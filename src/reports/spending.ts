/** What was spent, as tables: the answer in words first, then where it went and why the cache missed. */
import type { CompactionSpending, CompactionSum, Spending } from '../model/spending.ts'
import { type Column, dataOf, type Field } from './column.ts'
import { agentColumns, shownAgentColumns } from './columns/agents.ts'
import { compactionColumns, compactionSumColumns, shownCompactionColumns } from './columns/compactions.ts'
import {
  causeColumns,
  cellColumns,
  dayColumns,
  definitionColumns,
  kindColumns,
  missColumns,
  modelColumns,
  partColumns,
  projectColumns,
  recordedCostColumns,
  resultColumns,
  sessionColumns,
  shownDefinitionColumns,
  shownKindColumns,
  shownSessionColumns,
  shownToolColumns,
  spendingTotalColumns,
  termColumns,
  toolColumns,
} from './columns/spending.ts'
import { compact, dollars, grouped, several } from './numbers.ts'
import { commonDirectory } from './overview.ts'
import type { Sheet } from './report.ts'
import { agentCaptions, mishapNotes, spendingAnswer, spendingNotes } from './spending-words.ts'

interface Listing {
  readonly list: keyof Spending
  readonly columns: readonly Field<never>[]
  /** What people see of a row, where that is something else. */
  readonly shown?: readonly Column<never>[]
  readonly title: string
  /** It is shown only where it is asked for. */
  readonly alone?: true
}

/** The tables there are, by what `--by` calls them, in the order in which people see them. */
const tables = {
  project: { list: 'projects', columns: projectColumns, title: 'By project' },
  model: { list: 'models', columns: modelColumns, title: 'By model' },
  // Alone, as it has words of the user, which no other table has.
  session: { list: 'sessions', columns: sessionColumns, shown: shownSessionColumns, title: 'By session', alone: true },
  day: { list: 'days', columns: dayColumns, title: 'By day, the newest first' },
  kind: { list: 'kinds', columns: kindColumns, shown: shownKindColumns, title: 'Tokens by kind' },
  part: {
    list: 'parts',
    columns: partColumns,
    title: 'By part of the input, with how many times it was sent, and the output',
  },
  tool: {
    list: 'tools',
    columns: toolColumns,
    shown: shownToolColumns,
    title: 'By tool, and everything else',
    alone: true,
  },
  definition: {
    list: 'definitions',
    columns: definitionColumns,
    shown: shownDefinitionColumns,
    title: 'By tool definition, and everything else',
    alone: true,
  },
  compaction: {
    list: 'compactions',
    columns: compactionColumns,
    shown: shownCompactionColumns,
    title: 'By compaction, and everything else',
    alone: true,
  },
  agent: {
    list: 'agents',
    columns: agentColumns,
    shown: shownAgentColumns,
    title: 'By sub-agent, with the call that started it, and everything else',
    alone: true,
  },
  result: { list: 'results', columns: resultColumns, title: 'The dearest tool results' },
  cause: { list: 'causes', columns: causeColumns, title: 'Why the cache missed' },
  miss: { list: 'misses', columns: missColumns, title: 'The dearest cache misses' },
} as const satisfies Readonly<Record<string, Listing>>

/** The columns of each list of the JSON, in its order. */
export const spendingLists: Readonly<Record<string, readonly Field<never>[]>> = Object.fromEntries([
  ...Object.values(tables).map(({ list, columns }) => [list, columns]),
  ['compactionSums', compactionSumColumns],
  ['cells', cellColumns],
  ['terms', termColumns],
  ['recordedCosts', recordedCostColumns],
])

export type SpendingTable = keyof typeof tables
export const spendingTables = Object.keys(tables) as SpendingTable[]

/**
 * The sheets that people read, one below the other.
 * @param most rows of each table
 */
export function spendingSheets(spending: Spending, only: SpendingTable | null, most: number): Sheet<never>[] {
  const isShown = (name: SpendingTable): boolean => {
    const { list, alone }: Listing = tables[name]
    return alone !== true && (spending[list] as readonly unknown[]).length > 0
  }
  const found = only === null ? spendingTables.filter(isShown) : [only]
  return found.map((name, index) => {
    const { list, columns, shown: seen, title }: Listing = tables[name]
    const all = spending[list] as readonly unknown[]
    const shown = only === null ? all.slice(0, most) : all
    const hidden = all.length - shown.length
    const more = hidden > 0 ? ` (${grouped(hidden)} more: --by ${name})` : ''
    const { items, directory } = withShortNames(shown)
    return {
      answers: index === 0 ? spendingAnswer(spending) : [],
      captions:
        name === 'definition' && all.length === 0
          ? ['No tool definition is recorded.']
          : name === 'agent'
            ? agentCaptions(spending.agents)
            : [],
      title: `${title}${directory && `, in ${directory}`}${more}`,
      columns,
      ...(seen && { shown: seen }),
      items: items as never[],
      notes: [
        ...(name === 'compaction' ? mishapNotes(spending.compactionSums) : []),
        ...(index === found.length - 1 ? spendingNotes(spending) : []),
      ],
      data: null,
    }
  })
}

/** The items with their files shortened to what tells them apart, and the directory that these share. */
function withShortNames(items: readonly unknown[]): { items: readonly unknown[]; directory: string } {
  const placed = items as readonly { readonly transcript?: string | null; readonly caller?: string | null }[]
  const directory = commonDirectory(placed.flatMap(({ transcript, caller }) => [transcript ?? [], caller ?? []].flat()))
  if (directory === '') return { items, directory }
  const short = (file: string | null | undefined) => file?.slice(directory.length)
  const named = placed.map((item) => ({ ...item, transcript: short(item.transcript), caller: short(item.caller) }))
  return { items: named, directory }
}

/** What the compactions of one transcript did, for people. @param sums the same in sum */
export function compactionSheet(
  compactions: readonly CompactionSpending[],
  sums: readonly CompactionSum[],
): Sheet<CompactionSpending> {
  const { length } = compactions
  const sum = (of: (one: CompactionSpending) => number | null | undefined) =>
    compactions.reduce((total, one) => total + (of(one) ?? 0), 0)
  const silent = compactions.every((one) => one.summaryUsd === null)
    ? `, without the ${length === 1 ? 'call that wrote its summary (it is' : 'calls that wrote their summaries (they are'} not recorded)`
    : ''
  const usd = compactions.some((one) => one.usd !== null)
    ? ` That cost ${dollars(sum((one) => one.usd))}${silent}.`
    : ''
  const again = compactions.some(({ rereads }) => rereads !== null)
    ? ` ${compact(sum(({ rereads }) => rereads?.tokens))} tokens were read again in the requests after ${length === 1 ? 'it' : 'them'}, and ${compact(sum(({ rereadsBefore }) => rereadsBefore?.tokens))} in as many requests before.`
    : ''
  return {
    answers: [
      length === 0
        ? 'as-recorded: the agent never compacted'
        : `as-recorded: the agent compacted ${several(length, 'time')}.${usd}${again}`,
    ],
    captions: [],
    columns: compactionColumns,
    shown: length === 0 ? [] : shownCompactionColumns,
    items: compactions,
    notes: mishapNotes(sums),
    data: null,
  }
}

/** One table as data. Without a name: the sums of each project, model and day; for JSON everything. */
export function spendingData(spending: Spending, only: SpendingTable | null): Sheet<never> {
  const columns = (only === null ? cellColumns : tables[only].columns) as readonly Column<never>[]
  const items = (only === null ? spending.cells : spending[tables[only].list]) as readonly never[]
  return { captions: [], columns, items, notes: [], data: jsonOf(spending) }
}

function jsonOf(spending: Spending): unknown {
  const lists = Object.entries(spendingLists).map(([key, columns]) => {
    const rows = spending[key as keyof Spending] as readonly never[]
    return [key, rows.map(dataOf(columns))]
  })
  return {
    schemaVersion: spending.schemaVersion,
    total: dataOf(spendingTotalColumns)(spending.total),
    ...Object.fromEntries(lists),
    diagnostics: spending.diagnostics,
  }
}
