/** Blocks that an agent's harness adds to messages (src/references/terms/boilerplate.ts). */
import { codeAt, length, startsWith, text } from './characters'

const lessThan: i32 = 0x3c
const slash: i32 = 0x2f
const greaterThan: i32 = 0x3e

// Each tag is its length and its code units, in 64 bytes.
const tags: usize = memory.data(64 * 64, 2)
let tagCount: i32 = 0
/** A bit for each tag that is not closed in the rest of the text: a text full of opening tags takes linear time. */
let unclosed: u64 = 0

/** Adds the tag in the text, of `length` code units. */
export function addTag(length: i32): void {
  if (tagCount === 64 || length > 31) unreachable()
  store<u16>(tagAt(tagCount), <u16>length)
  memory.copy(tagAt(tagCount) + 2, text, (<usize>length) << 1)
  tagCount++
}

function tagAt(tag: i32): usize {
  return tags + <usize>(tag << 6)
}

export function forgetUnclosed(): void {
  unclosed = 0
}

/** End of the boilerplate block that opens at the `<` at `at`, or -1. */
export function boilerplateEnd(at: i32): i32 {
  const first = codeAt(at + 1)
  for (let tag = 0; tag < tagCount; tag++) {
    const word = tagAt(tag) + 2
    if (<i32>load<u16>(word) !== first || ((unclosed >> <u64>tag) & 1) !== 0) continue
    const size = <i32>load<u16>(tagAt(tag))
    if (!startsWith(at + 1, word, size)) continue
    const after = at + 1 + size
    const next = codeAt(after)
    if (after >= length() || (next !== greaterThan && next !== 0x20 && next !== 0x0a)) continue
    const end = closingEnd(after, word, size)
    if (end >= 0) return end
    unclosed |= (<u64>1) << (<u64>tag)
  }
  return -1
}

function closingEnd(from: i32, word: usize, size: i32): i32 {
  const last = length() - size - 3
  for (let at = from; at <= last; at++) {
    if (codeAt(at) !== lessThan || codeAt(at + 1) !== slash) continue
    if (startsWith(at + 2, word, size) && codeAt(at + 2 + size) === greaterThan) return at + size + 3
  }
  return -1
}
