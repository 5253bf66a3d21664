/** The tables as statements for a database. */
import { sqlName } from '../base/quoting.ts'
import type { ColumnType, Table } from './table.ts'
import { tables } from './tables.ts'

export const dialects = ['sqlite', 'postgres'] as const
export type Dialect = (typeof dialects)[number]

/**
 * SQLite keeps a UUID as text, a time as ISO 8601 text, which its functions read and which sorts, and a truth as 0 or
 * 1.
 */
const types: Readonly<Record<Dialect, Readonly<Record<ColumnType, string>>>> = {
  sqlite: { uuid: 'TEXT', text: 'TEXT', integer: 'INTEGER', real: 'REAL', boolean: 'BOOLEAN', timestamp: 'TEXT' },
  postgres: {
    uuid: 'UUID',
    text: 'TEXT',
    integer: 'BIGINT',
    real: 'DOUBLE PRECISION',
    boolean: 'BOOLEAN',
    timestamp: 'TIMESTAMPTZ',
  },
}

/** What creates the tables where they are not there yet. */
export function* ddl(dialect: Dialect): Generator<string> {
  for (const table of tables) yield* createTable(table, dialect)
}

function* createTable({ name, meaning, key, owner, columns }: Table, dialect: Dialect): Generator<string> {
  const lines = columns.map((column) => {
    const constraint = column.nullable ? '' : ' NOT NULL'
    return `  ${sqlName(column.name)} ${types[dialect][column.type]}${constraint}`
  })
  lines.push(`  PRIMARY KEY (${key.map(sqlName).join(', ')})`)
  if (owner) {
    const points = `${sqlName(owner.table)} (${sqlName(owner.key)}) ON DELETE CASCADE`
    lines.push(`  FOREIGN KEY (${sqlName(owner.column)}) REFERENCES ${points}`)
  }
  yield `-- ${meaning}\nCREATE TABLE IF NOT EXISTS ${sqlName(name)} (\n${lines.join(',\n')}\n);\n`
  if (owner && owner.column !== key[0]) {
    const index = sqlName(`${name}_${owner.column}`)
    yield `CREATE INDEX IF NOT EXISTS ${index} ON ${sqlName(name)} (${sqlName(owner.column)});\n`
  }
}
