/**
 * The figures of a session's picture as bytes: rows of columns, each value a share of the largest of its row. A picture
 * is some 250 pixels high, so nothing that can be seen is lost.
 */

/** Rows of values by column. */
export interface SeriesRows {
  /** For each part of the picture: tokens of the largest request of each column. */
  readonly tokens: readonly (readonly number[])[]
  /** What the input of each column cost: read from the cache, new, missed. */
  readonly cost: readonly (readonly number[])[]
  /** Tokens of the largest request of each column: as recorded, and each different outline under a policy. */
  readonly runs: readonly (readonly number[])[]
}

/** The byte of the largest value of a row. */
const top = 250
const groups = ['tokens', 'cost', 'runs'] as const
/** Of each group how many rows it has, and how many columns. */
const header = 2 * groups.length

export function bytesOf(rows: SeriesRows): Uint8Array {
  const all = groups.map((group) => rows[group])
  const shapes = all.flatMap((group) => [group.length, group[0]?.length ?? 0])
  const size = all.reduce((sum, group) => sum + group.reduce((bytes, row) => bytes + 4 + row.length, 0), 0)
  const bytes = new Uint8Array(2 * header + size)
  const view = new DataView(bytes.buffer)
  for (const [at, count] of shapes.entries()) view.setUint16(2 * at, count)
  let place = 2 * header
  for (const row of all.flat()) {
    const most = Math.fround(row.reduce((a, b) => Math.max(a, b), 0))
    view.setFloat32(place, most)
    place += 4
    for (const value of row) bytes[place++] = most === 0 ? 0 : Math.round((top * value) / most)
  }
  return bytes
}

export function rowsOf(bytes: Uint8Array): SeriesRows {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let place = 2 * header
  const group = (at: number): number[][] => {
    const [rows, columns] = [view.getUint16(4 * at), view.getUint16(4 * at + 2)]
    return Array.from({ length: rows }, () => {
      const most = view.getFloat32(place)
      place += 4
      return Array.from({ length: columns }, () => ((bytes[place++] as number) * most) / top)
    })
  }
  const [tokens, cost, runs] = [group(0), group(1), group(2)]
  return { tokens, cost, runs }
}

/** Rows of half as many columns, each the largest of two. */
export function halved(rows: SeriesRows['runs']): number[][] {
  return rows.map((row) =>
    Array.from({ length: Math.ceil(row.length / 2) }, (_, at) => Math.max(row[2 * at] as number, row[2 * at + 1] ?? 0)),
  )
}
