/** A draft of a file for each table. */
import type { Draft } from '../store.ts'
import type { Table } from '../table.ts'
import { tables } from '../tables.ts'

/**
 * @param begin writes what a file begins with
 * @returns them by table; where one cannot be begun, nothing is left of any
 */
export function draftsOf(
  open: (file: string) => Draft,
  ending: string,
  begin: (table: Table, draft: Draft) => void = () => {},
): Map<string, Draft> {
  const drafts = new Map<string, Draft>()
  try {
    for (const table of tables) {
      const draft = open(`${table.name}.${ending}`)
      drafts.set(table.name, draft)
      begin(table, draft)
    }
    return drafts
  } catch (error) {
    for (const draft of drafts.values()) draft.discard()
    throw error
  }
}
