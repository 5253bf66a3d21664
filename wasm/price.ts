/**
 * The price of a text: the loop of `price` in src/estimators/automaton.ts, which the tests hold this against. Its host,
 * src/estimators/pricer.ts, fills the tables and hands the text over in pieces.
 */

/** The class of each code unit. */
export const classes: usize = memory.data(0x10000, 16)
/** By row and class: the next row. */
export const table: usize = memory.data((256 << 6) * 2, 16)
/** By state. */
export const costs: usize = memory.data(256 * 8, 16)
/** A piece of the text, as UTF-16 code units. */
export const piece: usize = memory.data(0x4000 * 2, 16)

const rowBits: i32 = 6

let row: i32 = 0
let tokens: f64 = 0

export function begin(): void {
  row = 0
  tokens = 0
}

/** @returns the price of the text so far, with `length` code units of the piece */
export function add(length: i32): f64 {
  let current = row
  let sum = tokens
  for (let at: usize = piece, end: usize = piece + ((<usize>length) << 1); at < end; at += 2) {
    const place = current | <i32>load<u8>(classes + <usize>load<u16>(at))
    current = <i32>load<u16>(table + ((<usize>place) << 1))
    sum += load<f64>(costs + ((<usize>(current >> rowBits)) << 3))
  }
  row = current
  tokens = sum
  return sum
}
