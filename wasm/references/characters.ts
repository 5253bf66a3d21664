/** The text that is scanned, as UTF-16 code units, and the kind of each (src/references/terms/characters.ts). */

export const SEPARATOR: i32 = 0
export const UPPER: i32 = 1
export const LOWER: i32 = 2
export const DIGIT: i32 = 3
export const UNDERSCORE: i32 = 4
export const MARK: i32 = 5
export const SLASH: i32 = 6
export const WIDE: i32 = 7

/** Filled by the host: a kind for each code unit. */
export const kinds: usize = memory.data(0x10000)

/** The text stands where static data ends, and zeros behind it: looking a little past the end needs no check. */
export const text: usize = (__heap_base + 15) & ~15
const padding: i32 = 128

let units: i32 = 0

/** Makes room for a text. @returns its address, or 0 where there is no room */
export function room(length: i32): usize {
  const end = text + ((<usize>(length + padding)) << 1)
  const pages = <i32>((end + 0xffff) >>> 16)
  if (pages > memory.size() && memory.grow(pages - memory.size()) < 0) return 0
  memory.fill(text + ((<usize>length) << 1), 0, (<usize>padding) << 1)
  units = length
  return text
}

export function length(): i32 {
  return units
}

export function codeAt(at: i32): i32 {
  return <i32>load<u16>(text + ((<usize>at) << 1))
}

export function kindOf(code: i32): i32 {
  return <i32>load<u8>(kinds + <usize>code)
}

export function kindAt(at: i32): i32 {
  return kindOf(codeAt(at))
}

export function isWord(kind: i32): bool {
  return <u32>(kind - UPPER) <= <u32>(UNDERSCORE - UPPER)
}

export function isComponent(kind: i32): bool {
  return <u32>(kind - UPPER) <= <u32>(MARK - UPPER)
}

export function isChunk(kind: i32): bool {
  return <u32>(kind - UPPER) <= <u32>(SLASH - UPPER)
}

export function isAsciiLetter(code: i32): bool {
  return <u32>((code | 0x20) - 0x61) < 26
}

export function isAsciiUpper(code: i32): bool {
  return <u32>(code - 0x41) < 26
}

export function isAsciiDigit(code: i32): bool {
  return <u32>(code - 0x30) < 10
}

export function isAsciiAlnum(code: i32): bool {
  return isAsciiLetter(code) || isAsciiDigit(code)
}

/** Whether the text goes on at `at` with the code units at `word`. */
export function startsWith(at: i32, word: usize, length: i32): bool {
  return memory.compare(text + ((<usize>at) << 1), word, (<usize>length) << 1) === 0
}
