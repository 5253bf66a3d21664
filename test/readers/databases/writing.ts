/** Writes databases for tests: plain ones, and ones whose newest rows stand only in a write-ahead log. */
import { copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import sqlite from 'node-sqlite3-wasm'

/** What is written: statements, and rows by table. */
export interface Content {
  readonly statements?: readonly string[]
  readonly rows?: Readonly<Record<string, readonly Readonly<Record<string, string | number | null | Uint8Array>>[]>>
}

export function writeDatabase(path: string, { statements = [], rows = {} }: Content): void {
  const database = new sqlite.Database(path)
  try {
    for (const statement of statements) database.exec(statement)
    for (const [table, all] of Object.entries(rows)) {
      for (const row of all) {
        const gaps = Object.keys(row).map(() => '?')
        database.run(`INSERT INTO ${table} (${Object.keys(row).join()}) VALUES (${gaps.join()})`, Object.values(row))
      }
    }
  } finally {
    database.close()
  }
}

/** Says in the file's head that it is read and written with a write-ahead log. */
export function markLogged(path: string): void {
  const bytes = readFileSync(path)
  bytes[18] = 2
  bytes[19] = 2
  writeFileSync(path, bytes)
}

/**
 * Writes more, and leaves it in the log alone, as a program does that is still running.
 * @param open more that is written behind it, in a transaction that has no end yet
 */
export function writeInLog(path: string, content: Content, open?: Content): void {
  const [later, latest] = [`${path}.later`, `${path}.latest`]
  copyFileSync(path, later)
  writeDatabase(later, content)
  copyFileSync(later, latest)
  if (open) writeDatabase(latest, open)
  const [first, second, third] = [path, later, latest].map((file) => readFileSync(file)) as [Buffer, Buffer, Buffer]
  for (const file of [later, latest]) rmSync(file)
  markLogged(path)
  writeFileSync(`${path}-wal`, logOf([...framesOf(first, second, true), ...framesOf(second, third, false)]))
}

interface Frame {
  readonly page: number
  readonly bytes: Buffer
  /** How many pages the database has after the transaction that ends here; 0 where it goes on. */
  readonly pages: number
}

const pageSize = 4096

/** The pages in which one database differs from the one before. */
function framesOf(before: Buffer, after: Buffer, isWhole: boolean): Frame[] {
  const frames: Frame[] = []
  for (let at = 0; at < after.length; at += pageSize) {
    const bytes = after.subarray(at, at + pageSize)
    if (!bytes.equals(before.subarray(at, at + pageSize))) frames.push({ page: at / pageSize + 1, bytes, pages: 0 })
  }
  const last = frames.pop()
  return last ? [...frames, { ...last, pages: isWhole ? after.length / pageSize : 0 }] : []
}

/** The words of bytes, in the order of the machine that wrote them: here the first byte counts most. */
const wordsOf = (bytes: Buffer): number[] =>
  Array.from({ length: bytes.length / 4 }, (_, word) => bytes.readUInt32BE(word * 4))

function logOf(frames: readonly Frame[]): Buffer {
  let [one, two] = [0n, 0n]
  const sum = (bytes: Buffer): void => {
    const words = wordsOf(bytes).map(BigInt)
    for (let at = 0; at < words.length; at += 2) {
      one = (one + (words[at] as bigint) + two) % 2n ** 32n
      two = (two + (words[at + 1] as bigint) + one) % 2n ** 32n
    }
  }
  const numbers = (...values: readonly (number | bigint)[]): Buffer => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [at, value] of values.entries()) bytes.writeUInt32BE(Number(value), at * 4)
    return bytes
  }
  const salts = [0x5eed, 0xc0ffee] as const
  const head = numbers(0x377f0683, 3_007_000, pageSize, 1, ...salts)
  sum(head)
  const parts = [head, numbers(one, two)]
  for (const { page, bytes, pages } of frames) {
    const begin = numbers(page, pages)
    sum(begin)
    sum(bytes)
    parts.push(begin, numbers(...salts, one, two), bytes)
  }
  return Buffer.concat(parts)
}
