/** Where a path begins and ends, and its key. */
import {
  codeAt,
  DIGIT,
  isAsciiAlnum,
  isAsciiDigit,
  isAsciiLetter,
  isChunk,
  isComponent,
  kindAt,
  MARK,
  SLASH,
  text,
  WIDE,
} from './characters'
import { addFromRoom, addFromText, keyRoom, PATH } from './terms'

/** Longer than any real one. */
const maxPath: i32 = 512
const maxGroup: i32 = 40
const slash: i32 = 0x2f
const dash: i32 = 0x2d
const dot: i32 = 0x2e
const colon: i32 = 0x3a
const atSign: i32 = 0x40
const backslash: i32 = 0x5c

/**
 * End of the path component at `at` (`at` itself if there is none). CJK characters can be in file names, but in prose
 * they are right beside ASCII paths without a space (在src/auth.ts里), so they only belong to a component that begins
 * with one (docs/设计.md), up to its first dot. `[id]` and `(app)` may begin a component (Next.js routes).
 */
export function componentEnd(at: i32): i32 {
  let end = groupEnd(at)
  if (end === at && kindAt(at) === WIDE) {
    for (let kind = WIDE; kind === WIDE || (isComponent(kind) && codeAt(end) !== dot); kind = kindAt(end)) end++
    if (codeAt(end) !== dot) return end
  }
  while (isComponent(kindAt(end))) end++
  return end
}

function groupEnd(at: i32): i32 {
  const open = codeAt(at)
  const close = open === 0x5b ? 0x5d : open === 0x28 ? 0x29 : 0
  if (close === 0) return at
  let end = at + 1
  while (end - at <= maxGroup && isComponent(kindAt(end))) end++
  return end > at + 1 && codeAt(end) === close ? end + 1 : at
}

/** `.`, `-` and the like at the end of a path belong to the sentence around it. */
export function trimEnd(start: i32, from: i32): i32 {
  let end = from
  while (end > start) {
    const kind = kindAt(end - 1)
    if (kind !== MARK && kind !== SLASH) break
    end--
  }
  return end
}

/**
 * The real end of the trimmed path that ends at `end`: grep and rg print the lines around a match as `file.go-42-text`,
 * which is a single chunk.
 */
export function withoutContext(start: i32, end: i32): i32 {
  let at = end
  while (at > start && codeAt(at - 1) !== slash) at--
  for (; at < end; at++) {
    if (codeAt(at) !== dot) continue
    let to = at + 1
    if (!isAsciiLetter(codeAt(to))) continue
    while (isAsciiAlnum(codeAt(to))) to++
    let digits = to + 1
    while (digits < end && isAsciiDigit(codeAt(digits))) digits++
    if (to - at > 11 || codeAt(to) !== dash || digits === to + 1) continue
    if (digits === end || codeAt(digits) === dash) return to
  }
  return end
}

/** Whether the trimmed range is a POSIX path: absolute, `~/…`, or relative with a slash and an extension. */
export function isPosixPath(start: i32, end: i32, before: i32): bool {
  if (end <= start || end - start > maxPath) return false
  let slashes = 0
  let lastSlash = -1
  for (let at = start; at < end; at++) {
    if (codeAt(at) === slash) {
      slashes++
      lastSlash = at
    }
  }
  if (slashes === 0) return false
  const first = codeAt(start)
  if (first === 0x7e && codeAt(start + 1) === slash) return true
  if (first !== slash) return hasExtension(start, end)
  const kind = kindAt(start + 1)
  // </div>, a comment
  if (before === 0x3c || kind === DIGIT || !isComponent(kind)) return false
  return hasExtension(start, end) || (lastSlash > start && !isRegexLiteral(slashes, lastSlash, end))
}

/** `.` and up to ten letters and digits of one case, a letter first. */
function hasExtension(start: i32, end: i32): bool {
  let at = end - 1
  let letter = -1
  for (; at > start && end - at <= 10; at--) {
    const code = codeAt(at)
    if (isAsciiDigit(code)) continue
    if (!isAsciiLetter(code) || (letter >= 0 && ((letter ^ code) & 0x20) !== 0)) break
    letter = code
  }
  return codeAt(at) === dot && isAsciiLetter(codeAt(at + 1)) && at + 1 < end
}

/** dgimsuvy, a bit for each letter. */
const flags: i32 = (1 << 3) | (1 << 6) | (1 << 8) | (1 << 12) | (1 << 18) | (1 << 20) | (1 << 21) | (1 << 24)

/** /foo/gi */
function isRegexLiteral(slashes: i32, lastSlash: i32, end: i32): bool {
  if (slashes !== 2 || end - lastSlash > 5) return false
  for (let at = lastSlash + 1; at < end; at++) {
    const letter = codeAt(at) - 0x61
    if (<u32>letter > 25 || ((flags >> letter) & 1) === 0) return false
  }
  return true
}

/** End of the drive path with its colon at `colonAt` (`C:\a\b`, `C:\\a\\b` in escaped text, `C:/a/b`), or -1. */
export function driveEnd(colonAt: i32, from: i32): i32 {
  const letter = colonAt - 1
  if (letter < from || !isAsciiLetter(codeAt(letter))) return -1
  if (letter > from && (isChunk(kindAt(letter - 1)) || codeAt(letter - 1) === backslash)) return -1
  let slashes = 0
  while (codeAt(colonAt + 1 + slashes) === backslash) slashes++
  const first = slashes > 0 ? colonAt + 1 + slashes : kindAt(colonAt + 1) === SLASH ? colonAt + 2 : -1
  if (first < 0) return -1
  let end = componentEnd(first)
  if (end === first) return -1
  while (true) {
    const next = afterSeparator(end, slashes)
    const component = next < 0 ? -1 : componentEnd(next)
    if (component <= next) {
      const trimmed = trimDrive(first, end)
      return trimmed > first ? trimmed : -1
    }
    end = component
  }
}

function trimDrive(start: i32, end: i32): i32 {
  let to = trimEnd(start, end)
  while (to > start && codeAt(to - 1) === backslash) {
    while (to > start && codeAt(to - 1) === backslash) to--
    to = trimEnd(start, to)
  }
  return to
}

/** Escaped text doubles its backslashes: the separator is as many as followed the drive's colon, or one slash. */
function afterSeparator(at: i32, slashes: i32): i32 {
  if (kindAt(at) === SLASH) return at + 1
  if (slashes === 0) return -1
  for (let i = 0; i < slashes; i++) if (codeAt(at + i) !== backslash) return -1
  return at + slashes
}

/** The working directory, as a path's key; empty for none, or for one that is longer than any path. */
export const cwd: usize = memory.data(512 * 2, 2)
let cwdLength: i32 = 0

/** The working directory is the text, of `length` code units. */
export function setCwd(length: i32): void {
  cwdLength = length > maxPath ? 0 : length
  memory.copy(cwd, text, (<usize>cwdLength) << 1)
}

/** Adds the path by its key: `pathKey` in src/references/terms/paths.ts, step by step. */
export function pathTerm(start: i32, end: i32): void {
  if (end - start > maxPath) return
  let inText = true
  let colons = false
  for (let at = start; at < end; at++) {
    const code = codeAt(at)
    if (code === backslash || (code === slash && at + 1 < end && codeAt(at + 1) === slash)) inText = false
    else if (code === colon) colons = true
  }
  const origin: usize = inText ? text + ((<usize>start) << 1) : keyRoom()
  let to = inText ? end - start : copyWithSingleSlashes(start, end, origin)
  let from = 0
  if (colons) {
    to = withoutPosition(origin, to)
    const drive = to > 2 ? keyAt(origin, 0) : 0
    if (drive >= 0x61 && drive <= 0x7a && keyAt(origin, 1) === colon && keyAt(origin, 2) === slash) {
      const key = keyRoom()
      if (inText) memory.copy(key, origin, (<usize>to) << 1)
      store<u16>(key, <u16>(drive - 0x20))
      addKey(key, false, start, 0, to)
      return
    }
  }
  if (to === 0 || !isAsciiLetter(keyAt(origin, 0))) {
    while (from < to && (keyAt(origin, from) === 0x2b || keyAt(origin, from) === dash)) from++
    if (from < to && keyAt(origin, from) === atSign && !(from + 1 < to && keyAt(origin, from + 1) === slash)) from++
    while (from + 1 < to && keyAt(origin, from) === dot && keyAt(origin, from + 1) === slash) from += 2
  }
  addKey(origin, inText, start, from, to)
}

/** Adds the key in [from, to) of `origin`, after what is the same for all kinds of paths. */
function addKey(origin: usize, inText: bool, start: i32, begin: i32, end: i32): void {
  let from = begin
  let to = end
  if (to - from > 2 && keyAt(origin, from + 1) === slash) {
    const side = keyAt(origin, from)
    if (side === 0x61 || side === 0x62) from += 2
  }
  if (to - from > 1 && keyAt(origin, to - 1) === slash) to--
  if (cwdLength > 0 && to - from >= cwdLength && isCwd(origin + ((<usize>from) << 1))) {
    if (to - from === cwdLength) return
    if (keyAt(origin, from + cwdLength) === slash) from += cwdLength + 1
  }
  const length = to - from
  if (length === 0) return
  if (length === 1 && (keyAt(origin, from) === dot || keyAt(origin, from) === slash)) return
  if (inText) addFromText(PATH, start + from, length)
  else addFromRoom(PATH, from, length)
}

function isCwd(at: usize): bool {
  return memory.compare(at, cwd, (<usize>cwdLength) << 1) === 0
}

function keyAt(origin: usize, at: i32): i32 {
  return <i32>load<u16>(origin + ((<usize>at) << 1))
}

/** `\` as `/`, and of several only one. @returns the length of the copy */
function copyWithSingleSlashes(start: i32, end: i32, to: usize): i32 {
  let length = 0
  let before = 0
  for (let at = start; at < end; at++) {
    const code = codeAt(at) === backslash ? slash : codeAt(at)
    if (code === slash && before === slash) continue
    store<u16>(to + ((<usize>length) << 1), <u16>code)
    length++
    before = code
  }
  return length
}

/** Without `:line` or `:line:column`. */
function withoutPosition(origin: usize, length: i32): i32 {
  let to = length
  for (let round = 0; round < 2; round++) {
    let digits = to
    while (digits > 0 && isAsciiDigit(keyAt(origin, digits - 1))) digits--
    if (digits === to || digits === 0 || keyAt(origin, digits - 1) !== colon) break
    to = digits - 1
  }
  return to
}
