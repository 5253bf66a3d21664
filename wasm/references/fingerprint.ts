/** A number for texts in their order: the loop of src/base/fingerprint.ts, which the tests hold this against. */
import { length, text } from './characters'

let low: i32 = 0
let high: i32 = 0

export function beginFingerprint(): void {
  low = 0xdeadbeef
  high = 0x41c6ce57
}

/** Adds the text. @returns the number of all texts since the beginning */
export function addToFingerprint(): f64 {
  let a = low
  let b = high
  for (let at: usize = text, end: usize = text + ((<usize>length()) << 1); at < end; at += 2) {
    const code = <i32>load<u16>(at)
    a = (a ^ code) * 2654435761
    b = (b ^ code) * 1597334677
  }
  low = a
  high = b
  return finished(a, b)
}

function finished(low: i32, high: i32): f64 {
  const a = ((low ^ (low >>> 16)) * 2246822507) ^ ((high ^ (high >>> 13)) * 3266489909)
  const b = ((high ^ (high >>> 16)) * 2246822507) ^ ((a ^ (a >>> 13)) * 3266489909)
  return 4294967296.0 * <f64>(b & 2097151) + <f64>(<u32>a)
}
