/**
 * What was found, as records that the host takes: the class of a term, where its key stands, and the key's hash. No
 * string is made for an occurrence; the host makes one for a key that it has not seen.
 */
import { text } from './characters'
import { takeTerms } from './host'

// In the order of `termClasses` (src/model/run.ts).
export const PATH: i32 = 1
export const URL: i32 = 2
export const ERROR: i32 = 3
export const ID: i32 = 4
export const IDENTIFIER: i32 = 6
export const NUMBER: i32 = 7

const mostRecords: i32 = 2048
/**
 * Six words each: class, 1 if the key stands among `keys` and 0 if in the text, its start and length in code units,
 * hash.
 */
const recordBytes: i32 = 24
export const records: usize = memory.data(2048 * 24, 16)

/** Keys that differ from what stands in the text. */
const mostKeys: i32 = 1 << 14
export const keys: usize = memory.data((1 << 14) * 2, 16)

let count: i32 = 0
let keyEnd: i32 = 0

/** The same as `hashOfTerm` in src/references/terms/term-table.ts. */
export function hashOfTerm(termClass: i32, from: usize, length: i32): u64 {
  let low: u32 = 0xdeadbeef
  let high: u32 = 0x41c6ce57
  for (let at: usize = from, end: usize = from + ((<usize>length) << 1); at < end; at += 2) {
    const code = <u32>load<u16>(at)
    low = (low ^ code) * 2654435761
    high = (high ^ code ^ (low >>> 15)) * 1597334677
  }
  low ^= <u32>termClass * 0x9e3779b1
  low = ((low ^ (low >>> 16)) * 2246822507) ^ ((high ^ (high >>> 13)) * 3266489909)
  high = ((high ^ (high >>> 16)) * 2246822507) ^ ((low ^ (low >>> 13)) * 3266489909)
  return ((<u64>high) << 32) | <u64>low
}

/** Adds a term whose key is the text from `start` on. */
export function addFromText(termClass: i32, start: i32, length: i32): void {
  add(termClass, 0, start, length, hashOfTerm(termClass, text + ((<usize>start) << 1), length))
}

/** Where a key that differs from the text may be written, `longestKey` code units at most. */
export function keyRoom(): usize {
  return keys + ((<usize>keyEnd) << 1)
}

export const longestKey: i32 = 512

/** Adds a term whose key was written to `keyRoom()`, from its code unit `skipped` on. */
export function addFromRoom(termClass: i32, skipped: i32, length: i32): void {
  const start = keyEnd + skipped
  keyEnd = start + length
  add(termClass, 1, start, length, hashOfTerm(termClass, keys + ((<usize>start) << 1), length))
}

function add(termClass: i32, place: i32, start: i32, length: i32, hash: u64): void {
  const record = records + <usize>(count * recordBytes)
  store<i32>(record, termClass)
  store<i32>(record, place, 4)
  store<i32>(record, start, 8)
  store<i32>(record, length, 12)
  store<u64>(record, hash, 16)
  count++
  if (count === mostRecords || keyEnd > mostKeys - longestKey) flush()
}

export function flush(): void {
  if (count > 0) takeTerms(count)
  count = 0
  keyEnd = 0
}
