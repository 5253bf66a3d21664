/**
 * `parquet`: a file for each table, compressed with Snappy, for DuckDB, Spark and pandas. Rows are gathered into groups
 * of the size that these engines read best.
 */
import type * as Writing from 'hyparquet-writer'
import { loadPackages } from '../../base/load-packages.ts'
import type { Draft, Store } from '../store.ts'
import { type ColumnType, type Table, type Value, valuesOf } from '../table.ts'
import { tables } from '../tables.ts'
import { draftsOf } from './drafts.ts'

const types = {
  uuid: 'STRING',
  text: 'STRING',
  integer: 'INT64',
  real: 'DOUBLE',
  boolean: 'BOOLEAN',
  timestamp: 'TIMESTAMP',
} as const satisfies Record<ColumnType, string>

const rowsInGroup = 100_000

const parquet: Store = {
  name: 'parquet',
  summary: 'a Parquet file for each table',
  place: 'parquet:DIRECTORY',
  async open(place, { directory }) {
    const [library] = await loadPackages<[typeof Writing]>('writing Parquet', 'hyparquet-writer')
    const drafts = draftsOf(directory(place), 'parquet')
    const files = new Map(
      tables.map((table) => [table.name, new TableFile(table, drafts.get(table.name) as Draft, library)]),
    )
    return {
      async put({ filled }) {
        for (const { table, rows } of filled) for (const row of rows) files.get(table.name)?.add(row)
      },
      async complete() {
        // A disk may be full only now: then none of them takes the place of an old one.
        for (const file of files.values()) file.finish()
        for (const file of files.values()) file.draft.complete()
      },
      async close() {
        for (const file of files.values()) file.draft.discard()
      },
    }
  },
}

export default parquet

class TableFile {
  readonly draft: Draft
  readonly #table: Table
  readonly #bytes: Writing.ByteWriter
  readonly #writer: Writing.ParquetWriter
  #columns: Value[][]

  constructor(table: Table, draft: Draft, { ByteWriter, ParquetWriter, schemaFromColumnData }: typeof Writing) {
    this.draft = draft
    this.#table = table
    this.#columns = table.columns.map(() => [])
    this.#bytes = new ByteWriter()
    this.#writer = new ParquetWriter({
      writer: this.#bytes,
      schema: schemaFromColumnData({ columnData: this.#data() }),
      createdBy: 'ctxwin',
    })
  }

  add(row: never): void {
    for (const [at, value] of valuesOf(this.#table, row).entries()) this.#columns[at]?.push(value)
    if (this.#columns[0]?.length === rowsInGroup) this.#writeGroup()
  }

  /** Writes what is left. */
  finish(): void {
    this.#writeGroup()
    this.#writer.finish()
    this.#flush()
  }

  #data() {
    return this.#table.columns.map(({ name, type, nullable = false }, at) => ({
      name,
      type: types[type],
      nullable,
      data: (this.#columns[at] ?? []).map((value) => valueIn(type, value)),
    }))
  }

  #writeGroup(): void {
    if (this.#columns[0]?.length === 0) return
    this.#writer.write({ columnData: this.#data(), rowGroupSize: rowsInGroup })
    this.#columns = this.#table.columns.map(() => [])
    this.#flush()
  }

  /** Hands over what has been written since. */
  #flush(): void {
    this.draft.write(this.#bytes.getBytes())
    this.#bytes.index = 0
  }
}

function valueIn(type: ColumnType, value: Value): unknown {
  if (value === null) return undefined
  if (type === 'integer') return BigInt(value as number)
  return type === 'timestamp' ? new Date(value as number) : value
}
