/** Finds where a path begins and ends in a text, and makes the key that all its spellings share. */
import {
  type Codes,
  DIGIT,
  isAsciiDigit,
  isAsciiLetter,
  isChunk,
  isComponent,
  kindAt,
  MARK,
  SLASH,
  WIDE,
} from './characters.ts'

const maxPath = 512 // longer than any real one; it also keeps the small regexes below cheap
const maxGroup = 40
const slash = 0x2f
const dash = 0x2d
const tilde = 0x7e
const dot = 0x2e
const lessThan = 0x3c
const backslash = 0x5c

/**
 * End of the path component at `at` (`at` itself if there is none). CJK characters can be in file names, but in prose they
 * are right beside ASCII paths without a space (在src/auth.ts里), so they only belong to a component that begins with one
 * (docs/设计.md), up to its first dot. `[id]` and `(app)` may begin a component (Next.js routes).
 */
export function componentEnd(codes: Codes, at: number): number {
  let end = groupEnd(codes, at)
  if (end === at && kindAt(codes, at) === WIDE) {
    for (let kind = WIDE; kind === WIDE || (isComponent(kind) && codes[end] !== dot); kind = kindAt(codes, end)) end++
    if (codes[end] !== dot) return end
  }
  while (isComponent(kindAt(codes, end))) end++
  return end
}

function groupEnd(codes: Codes, at: number): number {
  const open = codes[at]
  const close = open === 0x5b ? 0x5d : open === 0x28 ? 0x29 : 0
  if (close === 0) return at
  let end = at + 1
  while (end - at <= maxGroup && isComponent(kindAt(codes, end))) end++
  return end > at + 1 && codes[end] === close ? end + 1 : at
}

/** `.`, `-` and the like at the end of a path belong to the sentence around it. */
export function trimEnd(codes: Codes, start: number, end: number): number {
  while (end > start) {
    const kind = kindAt(codes, end - 1)
    if (kind !== MARK && kind !== SLASH) break
    end--
  }
  return end
}

/**
 * The real end of the trimmed path that ends at `end`: grep and rg print the lines around a match as `file.go-42-text`,
 * which is a single chunk.
 */
export function withoutContext(codes: Codes, start: number, end: number): number {
  let at = end
  while (at > start && codes[at - 1] !== slash) at--
  for (; at < end; at++) {
    if (codes[at] !== dot) continue
    let to = at + 1
    if (!isAsciiLetter(codes[to]!)) continue
    while (isAsciiLetter(codes[to]!) || isAsciiDigit(codes[to]!)) to++
    let digits = to + 1
    while (digits < end && isAsciiDigit(codes[digits]!)) digits++
    if (to - at > 11 || codes[to] !== dash || digits === to + 1) continue
    if (digits === end || codes[digits] === dash) return to
  }
  return end
}

/** Whether the trimmed range is a POSIX path: absolute, `~/…`, or relative with a slash and an extension. */
export function isPosixPath(codes: Codes, start: number, end: number, before: number): boolean {
  if (end <= start || end - start > maxPath) return false
  let slashes = 0
  let lastSlash = -1
  for (let at = start; at < end; at++) {
    if (codes[at] === slash) {
      slashes++
      lastSlash = at
    }
  }
  if (slashes === 0) return false
  if (codes[start] === tilde && codes[start + 1] === slash) return true
  if (codes[start] !== slash) return hasExtension(codes, start, end)
  const kind = kindAt(codes, start + 1)
  if (before === lessThan || kind === DIGIT || !isComponent(kind)) return false // </div>, a comment
  return hasExtension(codes, start, end) || (lastSlash > start && !isRegexLiteral(codes, slashes, lastSlash, end))
}

/** `.` and up to ten letters and digits of one case, a letter first. */
function hasExtension(codes: Codes, start: number, end: number): boolean {
  let at = end - 1
  let letter = -1
  for (; at > start && end - at <= 10; at--) {
    const code = codes[at]!
    if (isAsciiDigit(code)) continue
    if (!isAsciiLetter(code) || (letter >= 0 && (letter ^ code) & 0x20)) break
    letter = code
  }
  return codes[at] === dot && isAsciiLetter(codes[at + 1]!) && at + 1 < end
}

/** /foo/gi */
function isRegexLiteral(codes: Codes, slashes: number, lastSlash: number, end: number): boolean {
  if (slashes !== 2 || end - lastSlash > 5) return false
  for (let at = lastSlash + 1; at < end; at++) if (!'dgimsuvy'.includes(String.fromCharCode(codes[at]!))) return false
  return true
}

/** A call such as `total/items.map(`, and not the position in `src/auth.ts(12,5)`. */
export function isCalled(codes: Codes, end: number): boolean {
  return codes[end] === 0x28 && kindAt(codes, end + 1) !== DIGIT
}

/** End of the drive path with its colon at `colon` (`C:\a\b`, `C:\\a\\b` in escaped text, `C:/a/b`), or -1. */
export function driveEnd(codes: Codes, colon: number, from: number): number {
  const letter = colon - 1
  if (letter < from || !isAsciiLetter(codes[letter]!)) return -1
  if (letter > from && (isChunk(kindAt(codes, letter - 1)) || codes[letter - 1] === backslash)) return -1
  let slashes = 0
  while (codes[colon + 1 + slashes] === backslash) slashes++
  const first = slashes === 0 ? (kindAt(codes, colon + 1) === SLASH ? colon + 2 : -1) : colon + 1 + slashes
  if (first < 0) return -1
  let end = componentEnd(codes, first)
  if (end === first) return -1
  for (;;) {
    const next = afterSeparator(codes, end, slashes)
    const component = next < 0 ? -1 : componentEnd(codes, next)
    if (component <= next) {
      const trimmed = trimDrive(codes, first, end)
      return trimmed > first ? trimmed : -1
    }
    end = component
  }
}

function trimDrive(codes: Codes, start: number, end: number): number {
  let to = trimEnd(codes, start, end)
  while (to > start && codes[to - 1] === backslash) {
    while (to > start && codes[to - 1] === backslash) to--
    to = trimEnd(codes, start, to)
  }
  return to
}

/** Escaped text doubles its backslashes: the separator is as many as followed the drive's colon, or one slash. */
function afterSeparator(codes: Codes, at: number, slashes: number): number {
  if (kindAt(codes, at) === SLASH) return at + 1
  if (slashes === 0) return -1
  for (let i = 0; i < slashes; i++) if (codes[at + i] !== backslash) return -1
  return at + slashes
}

/**
 * The key of a file, the same for all its spellings: `\` becomes `/`, and `./`, `:line[:col]`, a diff's `a/` and `b/`, the `@` of
 * a mention and the working directory are removed. Null if nothing is left, or only the working directory.
 * @param cwd as returned by `normalCwd`
 */
export function pathKey(path: string, cwd: string): string | null {
  if (path.length > maxPath) return null
  let key = path
  if (key.includes('\\')) key = key.replace(/\\+/g, '/')
  if (key.includes('//')) key = key.replace(/\/{2,}/g, '/')
  if (key.includes(':'))
    key = key.replace(/(?::\d+){1,2}$/, '').replace(/^[a-z](?=:\/)/, (letter) => letter.toUpperCase())
  if (!isAsciiLetter(key.charCodeAt(0))) key = key.replace(/^[+-]*(?:@(?!\/))?(?:\.\/)*/, '')
  if (key.charAt(1) === '/' && key.length > 2 && (key.charAt(0) === 'a' || key.charAt(0) === 'b')) key = key.slice(2)
  if (key.length > 1 && key.endsWith('/')) key = key.slice(0, -1)
  if (cwd !== '') {
    if (key === cwd) return null
    if (key.startsWith(cwd) && key.charAt(cwd.length) === '/') key = key.slice(cwd.length + 1)
  }
  return key === '' || key === '.' || key === '/' ? null : key
}

export function normalCwd(cwd: string | undefined): string {
  return cwd === undefined ? '' : (pathKey(cwd, '') ?? '')
}
