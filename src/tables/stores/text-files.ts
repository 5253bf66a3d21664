/** One text file a table, written as the rows come. */
import type { OpenStore, Store } from '../store.ts'
import { type Table, textsOf, type Value } from '../table.ts'
import { draftsOf } from './drafts.ts'

/** Rows that are made into text at once. */
const chunk = 500

/**
 * @param ending of the files
 * @param head what stands before the rows of a table
 */
export function textFiles(
  ending: string,
  head: (table: Table) => string,
  lines: (table: Table, rows: readonly (readonly Value[])[]) => string,
): Store['open'] {
  return async (place, { directory }): Promise<OpenStore> => {
    const drafts = draftsOf(directory(place), ending, (table, draft) => draft.write(head(table)))
    return {
      async put({ filled }) {
        for (const { table, rows } of filled) {
          for (let from = 0; from < rows.length; from += chunk) {
            const values = rows.slice(from, from + chunk).map((row) => textsOf(table, row))
            drafts.get(table.name)?.write(lines(table, values))
          }
        }
      },
      async complete() {
        for (const draft of drafts.values()) draft.complete()
      },
      async close() {
        for (const draft of drafts.values()) draft.discard()
      },
    }
  }
}
