/**
 * Turns a Parquet file with a column of conversations into lines of JSON, a row a line. Its rows are read group by group,
 * and of each group only that column and what names the conversation, so memory is that of the largest group.
 */

import type * as Parquet from 'hyparquet'
import type * as Compressors from 'hyparquet-compressors'
import { CtxwinError } from '../../base/errors.ts'
import { jsonText } from '../../base/json-text.ts'
import { loadPackages } from '../../base/load-packages.ts'
import { isSystemError } from '../../base/system-errors.ts'

/** The bytes of a file at any place. */
export interface Bytes {
  readonly size: number
  /** `bytes[from, to)`, in a buffer of its own. */
  at(from: number, to: number): Uint8Array
  close(): void
}

/** `PAR1`. */
export const parquetMagic = [0x50, 0x41, 0x52, 0x31]

export interface TableColumns {
  /** Any of these holds the conversation. */
  readonly conversations: readonly string[]
  /** Kept beside it. */
  readonly about: readonly string[]
}

/**
 * @param largest in bytes: a file that unpacks to more is refused
 * @throws CtxwinError if the file is damaged or has no such column
 */
export async function* parquetLines(
  name: string,
  bytes: Bytes,
  { conversations, about }: TableColumns,
  largest: number,
): AsyncGenerator<Buffer> {
  const [parquet, { compressors }] = await loadPackages<[typeof Parquet, typeof Compressors]>(
    'reading Parquet',
    'hyparquet',
    'hyparquet-compressors',
  )
  const file: Parquet.AsyncBuffer = {
    byteLength: bytes.size,
    slice: (from, to = bytes.size) => {
      const { buffer, byteOffset, byteLength } = bytes.at(from < 0 ? bytes.size + from : from, to)
      return buffer.slice(byteOffset, byteOffset + byteLength) as ArrayBuffer
    },
  }
  const metadata = await refusing(name, () => parquet.parquetMetadataAsync(file))
  const top = parquet.parquetSchema(metadata).children.map(({ element }) => element.name)
  if (!conversations.some((column) => top.includes(column))) {
    const looked = conversations.join(', ')
    const error = new CtxwinError('unreadable', name, `no column ${looked} is in the table: name one with --column`)
    error.details = top.length > 0 ? [`its columns: ${top.join(', ')}`] : []
    throw error
  }
  const columns = top.filter((column) => conversations.includes(column) || about.includes(column))
  const unpacked = metadata.row_groups.reduce((sum, group) => sum + Number(group.total_byte_size), 0)
  if (unpacked > largest) {
    throw new CtxwinError(
      'unreadable',
      name,
      'it unpacks to more than --max-unpacked allows: raise the limit if that is intended',
    )
  }
  let row = 0
  for (const group of metadata.row_groups) {
    const end = row + Number(group.num_rows)
    const rows = await refusing(name, () =>
      parquet.parquetReadObjects({ file, metadata, compressors, columns, rowStart: row, rowEnd: end }),
    )
    for (let at = 0; at < rows.length; at += chunk) {
      yield Buffer.from(
        rows
          .slice(at, at + chunk)
          .map((one) => `${jsonText(plain(one))}\n`)
          .join(''),
      )
    }
    row = end
  }
}

/** Rows that are made into lines at once. */
const chunk = 16

/** A value as JSON has it. What is null is left out: a table has every key in every row, a message only its own. */
function plain(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value)
  if (value instanceof Date || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(plain)
  if (value instanceof Uint8Array) return Buffer.from(value).toString()
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined)
  return Object.fromEntries(members.map(([key, member]) => [key, plain(member)]))
}

async function refusing<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof CtxwinError || isSystemError(error)) throw error
    throw new CtxwinError('unreadable', name, 'its Parquet is damaged, cut off or of a kind that cannot be read')
  }
}
