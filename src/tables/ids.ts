/** Keys of rows: the same for the same thing in every export. */
import { createHash } from 'node:crypto'

/** A UUID made from a name (RFC 9562, version 8, of SHA-256). */
export function uuidOf(...name: readonly unknown[]): string {
  const bytes = createHash('sha256').update(JSON.stringify(name)).digest().subarray(0, 16)
  bytes[6] = ((bytes[6] as number) & 0x0f) | 0x80
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  const hex = bytes.toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

/** A key for a path, a url or an error: equal for equal ones, and nothing of it can be read. */
export const keyHash = (...name: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(name)).digest('hex').slice(0, 16)
