/**
 * The contract of a table. Each column is declared once: its name, type, meaning and value. The DDL of both databases,
 * the headers of CSV, the schema of Parquet and docs/queries.md are made from that.
 */

/** `integer` has 64 bits; `timestamp` is in UTC, to the millisecond. */
export type ColumnType = 'uuid' | 'text' | 'integer' | 'real' | 'boolean' | 'timestamp'

/** A `timestamp` is in milliseconds since the epoch. */
export type Value = string | number | boolean | null

export interface TableColumn<Row> {
  readonly name: string
  readonly type: ColumnType
  readonly meaning: string
  /** It may be null. */
  readonly nullable?: boolean
  value(row: Row): Value
}

export interface Table<Row = never> {
  readonly name: string
  readonly meaning: string
  readonly key: readonly string[]
  /** The table and column that this column points to; what points to a row goes with it. */
  readonly owner?: { readonly column: string; readonly table: string; readonly key: string }
  readonly columns: readonly TableColumn<Row>[]
}

export function column<Row>(
  name: string,
  type: ColumnType,
  meaning: string,
  value: (row: Row) => Value,
): TableColumn<Row> {
  return { name, type, meaning, value }
}

export const nullable: typeof column = (name, type, meaning, value) => ({
  ...column(name, type, meaning, value),
  nullable: true,
})

/** The values of a row in the order of the columns, as every store can hold them. */
export function valuesOf<Row>({ columns }: Table<Row>, row: Row): Value[] {
  return columns.map(({ type, value }) => {
    const found = storable(value(row))
    return type === 'timestamp' && typeof found === 'number' && Math.abs(found) > latest ? null : found
  })
}

/** The same with times in ISO 8601, for stores that know no other: `2026-11-22T13:10:27.123Z`. */
export function textsOf<Row>(table: Table<Row>, row: Row): Value[] {
  return valuesOf(table, row).map((value, at) =>
    table.columns[at]?.type === 'timestamp' && typeof value === 'number' ? new Date(value).toISOString() : value,
  )
}

/** In milliseconds: the last that a calendar of JavaScript has. */
const latest = 8.64e15

/** PostgreSQL has no NUL in a text, and UTF-8 no half of a surrogate pair. */
function storable(value: Value): Value {
  if (typeof value === 'string') {
    return /[\0\ud800-\udfff]/.test(value) ? Buffer.from(value.replaceAll('\0', '\ufffd')).toString() : value
  }
  return typeof value === 'number' && !Number.isFinite(value) ? null : value
}
