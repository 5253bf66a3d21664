/**
 * The anchors of the text: hashes of 16 characters, by which it is found again in another text. White space is folded
 * to one space, and what a tool puts in front of a line is left out, as in pieces of content (pieces.ts); a long path
 * or address counts as one character, since naming a thing does not copy it. Of each 8 neighbouring hashes the least is
 * kept (winnowing, of Schleimer, Wilkerson and Aiken): wherever two texts share 23 characters, they share an anchor.
 *
 * The build without SIMD, of which the twin in JavaScript is made, takes one character at a time.
 */
import { codeAt, isAsciiLetter, length, text } from './characters'
import { takeAnchors } from './host'
import { afterMargin, isBlank, lineFeed, mostPieces, noBreak, pieces, space } from './pieces'

const anchorLength: i32 = 16
const window: i32 = 8
const base: u32 = 2654435761
/** `base` to the powers of 2, 4, 8 and 16. */
const power2: u32 = base * base
const power4: u32 = power2 * power2
const power8: u32 = power4 * power4
const power16: u32 = power8 * power8

/** A word of so many characters is a path or an address if it has a slash. */
const shortestPath: i32 = 16
const slash: i32 = 0x2f
const backslash: i32 = 0x5c
/** Besides letters and `@\_~`: digits and `#%&+-./:=?`, as bits from the blank on. */
const wordMarks: u32 = 0xa7ffe868

/** So many orders are worked out at a time: they stay where the processor finds them quickly. */
const block: i32 = 1024
/**
 * The orders of a block: behind those that are left of the one before, and in front of those that stand for the text's
 * end.
 */
const orders: usize = memory.data((8 + 1024 + 4 + 8) * 4, 16)

/**
 * The anchors stand where pieces stand otherwise, two words each: the hash, and where it begins in the folded text.
 * Behind an anchor the next one is the first of eight whose order is less, else the last of the least of them.
 */
export function findAnchors(): void {
  const last = fold() - anchorLength
  let found = 0
  let least: u32 = 0
  let leastAt = -1
  // The places of the first order that is at hand, and of the first that is not.
  let first = 0
  let end = 0
  while (true) {
    const from = leastAt + 1
    if (from + window > end && end <= last) {
      const kept = end - from
      memory.copy(orders, orderAt(from - first), (<usize>kept) << 2)
      first = from
      const to = min(end + block, last + 1)
      hash(end, to, orderAt(kept))
      end = to
      // Behind the last there is nothing that is less.
      if (end > last) memory.fill(orderAt(end - first), 0xff, (<usize>window) << 2)
    }
    const place = orderAt(from - first)
    const less = lessThan(least, place)
    if (less !== 0) leastAt = from + ctz(less)
    else if (from + window > last + 1) break
    else leastAt = from + 31 - clz(least8(place))
    least = load<u32>(orderAt(leastAt - first))
    const anchor = pieces + ((<usize>found) << 3)
    store<u32>(anchor, least)
    store<i32>(anchor, leastAt, 4)
    if (++found === mostPieces) {
      takeAnchors(found)
      found = 0
    }
  }
  if (found > 0) takeAnchors(found)
}

function orderAt(nth: i32): usize {
  return orders + ((<usize>nth) << 2)
}

/** Which of the eight orders at `place` are less: a bit for each. */
function lessThan(least: u32, place: usize): i32 {
  if (ASC_FEATURE_SIMD) {
    const limit = i32x4.splat(least)
    return masked(i32x4.lt_u(v128.load(place), limit), i32x4.lt_u(v128.load(place, 16), limit))
  }
  let less = 0
  for (let nth = 0; nth < window; nth++) if (load<u32>(place + ((<usize>nth) << 2)) < least) less |= 1 << nth
  return less
}

/** A bit for each of the eight. */
function masked(lower: v128, upper: v128): i32 {
  return i32x4.bitmask(lower) | (i32x4.bitmask(upper) << 4)
}

/** Which of the eight orders at `place` are the least: a bit for each. */
function least8(place: usize): i32 {
  if (!ASC_FEATURE_SIMD) {
    let least = load<u32>(place)
    let at = 0
    for (let nth = 1; nth < window; nth++) {
      const order = load<u32>(place + ((<usize>nth) << 2))
      if (order > least) continue
      least = order
      at = nth
    }
    return 1 << at
  }
  const lower = v128.load(place)
  const upper = v128.load(place, 16)
  let least = i32x4.min_u(lower, upper)
  least = i32x4.min_u(least, v128.shuffle<i32>(least, least, 2, 3, 0, 1))
  least = i32x4.min_u(least, v128.shuffle<i32>(least, least, 1, 0, 3, 2))
  return masked(i32x4.eq(lower, least), i32x4.eq(upper, least))
}

/**
 * The orders of the anchors from one place to another, and of up to three more, four at a time: the hash of 16
 * characters is that of the first 8, times a power, and of the others, and so on.
 */
function hash(from: i32, to: i32, order: usize): void {
  if (!ASC_FEATURE_SIMD) {
    hashEach(from, to, order)
    return
  }
  const last2 = hash2(from + 12)
  let earlier2 = last2
  const second4 = hash4(hash2(from + 4), hash2(from + 8))
  let earlier4 = hash4(hash2(from + 8), last2)
  let first8 = hash8(hash4(hash2(from), hash2(from + 4)), second4)
  let second8 = hash8(second4, earlier4)
  for (let at = from; at < to; at += 4) {
    const next2 = hash2(at + 16)
    const next4 = hash4(earlier2, next2)
    const next8 = hash8(earlier4, next4)
    v128.store(order, mixed(i32x4.add(i32x4.mul(first8, i32x4.splat(power8)), next8)))
    order += 16
    earlier2 = next2
    earlier4 = next4
    first8 = second8
    second8 = next8
  }
}

/** The same, one at a time. */
function hashEach(from: i32, to: i32, order: usize): void {
  let sum: u32 = 0
  for (let at = from; at < from + anchorLength; at++) sum = sum * base + codeAt(at)
  for (let at = from; at < to; at++) {
    store<u32>(order, mixedOne(sum))
    order += 4
    sum = sum * base + codeAt(at + anchorLength) - codeAt(at) * power16
  }
}

/**
 * The finalizer of MurmurHash3 (Austin Appleby, public domain): the order of neighbours must not follow their
 * characters.
 */
function mixedOne(hash: u32): u32 {
  let order = (hash ^ (hash >>> 16)) * 0x85ebca6b
  order = (order ^ (order >>> 13)) * 0xc2b2ae35
  return order ^ (order >>> 16)
}

/** The hashes of two characters each, from each of four places on. */
function hash2(at: i32): v128 {
  const place = text + ((<usize>at) << 1)
  return i32x4.add(i32x4.mul(v128.load16x4_u(place), i32x4.splat(base)), v128.load16x4_u(place, 2))
}

/** The same of four characters. @param one and other the hashes of two, from a place and from four behind it on */
function hash4(one: v128, other: v128): v128 {
  return i32x4.add(i32x4.mul(one, i32x4.splat(power2)), v128.shuffle<i32>(one, other, 2, 3, 4, 5))
}

/** The same of eight. @param one and other the hashes of four, from a place and from four behind it on */
function hash8(one: v128, other: v128): v128 {
  return i32x4.add(i32x4.mul(one, i32x4.splat(power4)), other)
}

/** `mixedOne` of four. */
function mixed(hash: v128): v128 {
  let order = i32x4.mul(v128.xor(hash, i32x4.shr_u(hash, 16)), i32x4.splat(0x85ebca6b))
  order = i32x4.mul(v128.xor(order, i32x4.shr_u(order, 13)), i32x4.splat(0xc2b2ae35))
  return v128.xor(order, i32x4.shr_u(order, 16))
}

/** Folds the text where it stands, as nothing reads it any more. @returns how long it is then */
function fold(): i32 {
  const end = length()
  let count = 0
  let isApart = false
  for (let at = afterMargin(0); at < end; ) {
    const code = codeAt(at)
    if (code === lineFeed) {
      at = afterMargin(at + 1)
      isApart = true
    } else if (isBlank(code)) {
      at++
      isApart = true
    } else {
      if (isApart && count > 0) put(count++, space)
      isApart = false
      if (isSlash(code)) {
        let start = count
        while (start > 0 && isWord(codeAt(start - 1))) start--
        const wordEnd = afterWord(at)
        if (count - start + wordEnd - at >= shortestPath) {
          count = start
          put(count++, slash)
          at = wordEnd
        } else while (at < wordEnd) put(count++, codeAt(at++))
        continue
      }
      // Near the end one goes by itself.
      if (!ASC_FEATURE_SIMD || at + 8 >= end) {
        put(count++, codeAt(at++))
        continue
      }
      for (let plain = 8; plain === 8 && at + 8 < end; at += plain, count += plain) {
        const eight = v128.load(text + ((<usize>at) << 1))
        plain = plainOf(eight, at)
        // What is stored behind them has been read before.
        if (count + 8 <= at + plain) v128.store(text + ((<usize>count) << 1), eight)
        else for (let nth = 0; nth < plain; nth++) put(count + nth, codeAt(at + nth))
      }
    }
  }
  return count
}

/**
 * How many of eight characters stay as they are: up to a slash, or white space that is not a space between two others.
 */
function plainOf(eight: v128, at: i32): i32 {
  const spaces = i16x8.bitmask(i16x8.eq(eight, i16x8.splat(<i16>space)))
  const slashes = v128.or(i16x8.eq(eight, i16x8.splat(<i16>slash)), i16x8.eq(eight, i16x8.splat(<i16>backslash)))
  const blanks = v128.or(
    i16x8.le_u(i16x8.sub(eight, i16x8.splat(9)), i16x8.splat(4)),
    i16x8.eq(eight, i16x8.splat(<i16>noBreak)),
  )
  const ends = i16x8.bitmask(v128.or(slashes, blanks)) | (spaces & (spaces << 1))
  const plain = ctz(ends | 0x100)
  const endsApart = plain > 0 && ((spaces >>> (plain - 1)) & 1) !== 0 && (plain < 8 || isBlank(codeAt(at + 8)))
  return endsApart ? plain - 1 : plain
}

function put(at: i32, code: i32): void {
  store<u16>(text + ((<usize>at) << 1), <u16>code)
}

function isWord(code: i32): bool {
  if (<u32>(code - space) < 32) return ((wordMarks >>> (code - space)) & 1) !== 0
  return isAsciiLetter(code) || code === 0x40 || code === backslash || code === 0x5f || code === 0x7e
}

function afterWord(start: i32): i32 {
  let at = start
  while (isWord(codeAt(at))) at++
  return at
}

function isSlash(code: i32): bool {
  return code === slash || code === backslash
}
