import { DIGIT, isAsciiLetter, isChunk, isComponent, kindAt, MARK, SLASH, WIDE } from './characters.ts'

const maxPath = 512 // longer than any real one; it also keeps the small regexes below cheap
const maxGroup = 40
const fileExtension = /\.(?:[a-z][a-z0-9]{0,9}|[A-Z][A-Z0-9]{0,9})$/
const regexLiteral = /^\/[^/]+\/[dgimsuvy]{1,4}$/ // /foo/gi

/**
 * End of the path component at `at` (= `at` when there is none). CJK characters are legal in file names, but prose puts
 * them right beside ASCII paths without a space (在src/auth.ts里), so they only belong to a component that begins with one
 * (docs/设计.md), and there only up to its first dot. `[id]` and `(app)` may begin a component (Next.js routes).
 */
export function componentEnd(text: string, at: number): number {
  let end = groupEnd(text, at)
  if (end === at && kindAt(text, at) === WIDE) {
    for (
      let kind = WIDE;
      kind === WIDE || (isComponent(kind) && text.charCodeAt(end) !== 0x2e);
      kind = kindAt(text, end)
    )
      end++
    if (text.charCodeAt(end) !== 0x2e) return end
  }
  while (isComponent(kindAt(text, end))) end++
  return end
}

function groupEnd(text: string, at: number): number {
  const open = at < text.length ? text.charCodeAt(at) : 0
  const close = open === 0x5b ? 0x5d : open === 0x28 ? 0x29 : 0
  if (close === 0) return at
  let end = at + 1
  while (end - at <= maxGroup && isComponent(kindAt(text, end))) end++
  return end > at + 1 && end < text.length && text.charCodeAt(end) === close ? end + 1 : at
}

/** `.`, `-` and the like at the end of a path belong to the sentence around it. */
export function trimEnd(text: string, start: number, end: number): number {
  while (end > start) {
    const kind = kindAt(text, end - 1)
    if (kind !== MARK && kind !== SLASH) break
    end--
  }
  return end
}

/** Is text[start, end), trimmed, a POSIX path: absolute, `~/…`, or relative with a slash and an extension? */
export function isPosixPath(text: string, start: number, end: number, before: number): boolean {
  if (end <= start || end - start > maxPath) return false
  const path = text.slice(start, end)
  if (!path.includes('/')) return false
  if (path.startsWith('~/')) return true
  const extension = fileExtension.test(path)
  if (!path.startsWith('/')) return extension
  if (before === 0x3c || path.startsWith('//')) return false // </div>, a comment
  const kind = kindAt(path, 1)
  if (kind === DIGIT || kind === WIDE || !isComponent(kind)) return false
  return extension || (path.indexOf('/', 1) > 0 && !regexLiteral.test(path))
}

/** A call such as `total/items.map(`, and not the position in `src/auth.ts(12,5)`. */
export function isCalled(text: string, end: number): boolean {
  return end < text.length && text.charCodeAt(end) === 0x28 && kindAt(text, end + 1) !== DIGIT
}

/** End of the drive path whose colon stands at `colon` (`C:\a\b`, `C:\\a\\b` in escaped text, `C:/a/b`), or -1. */
export function driveEnd(text: string, colon: number, from: number): number {
  const letter = colon - 1
  if (letter < from || !isAsciiLetter(text.charCodeAt(letter))) return -1
  if (letter > from && (isChunk(kindAt(text, letter - 1)) || text.charCodeAt(letter - 1) === 0x5c)) return -1
  let slashes = 0
  while (colon + 1 + slashes < text.length && text.charCodeAt(colon + 1 + slashes) === 0x5c) slashes++
  const first = slashes === 0 ? (kindAt(text, colon + 1) === SLASH ? colon + 2 : -1) : colon + 1 + slashes
  if (first < 0) return -1
  let end = componentEnd(text, first)
  if (end === first) return -1
  for (;;) {
    const next = afterSeparator(text, end, slashes)
    const component = next < 0 ? -1 : componentEnd(text, next)
    if (component <= next) {
      const trimmed = trimDrive(text, first, end)
      return trimmed > first ? trimmed : -1
    }
    end = component
  }
}

function trimDrive(text: string, start: number, end: number): number {
  let to = trimEnd(text, start, end)
  while (to > start && text.charCodeAt(to - 1) === 0x5c) {
    while (to > start && text.charCodeAt(to - 1) === 0x5c) to--
    to = trimEnd(text, start, to)
  }
  return to
}

/** Escaped text doubles its backslashes: the separator is as many as followed the drive's colon, or one slash. */
function afterSeparator(text: string, at: number, slashes: number): number {
  if (kindAt(text, at) === SLASH) return at + 1
  if (slashes === 0) return -1
  for (let i = 0; i < slashes; i++) if (at + i >= text.length || text.charCodeAt(at + i) !== 0x5c) return -1
  return at + slashes
}

/**
 * One key for one file, however it is written: `\` -> `/`, `:line[:col]`, `./`, a diff's `a/` `b/`, an @mention's `@`
 * and the working directory are dropped. Null when nothing is left, or only the working directory.
 * `cwd` is one that normalCwd returned.
 */
export function pathKey(path: string, cwd: string): string | null {
  let key = path
    .replace(/\\+/g, '/')
    .replace(/\/{2,}/g, '/')
    .replace(/(?::\d+){1,2}$/, '')
  if (/^[a-z]:\//.test(key)) key = key.charAt(0).toUpperCase() + key.slice(1)
  key = key.replace(/^[+-]+/, '').replace(/^@(?!\/)/, '')
  key = key.replace(/^(?:\.\/)+/, '').replace(/^[ab]\/(?=.)/, '')
  if (key.length > 1) key = key.replace(/\/$/, '')
  if (cwd !== '') {
    if (key === cwd) return null
    if (key.startsWith(cwd) && key.charAt(cwd.length) === '/') key = key.slice(cwd.length + 1)
  }
  return key === '' || key === '.' || key === '/' || key.length > maxPath ? null : key
}

export function normalCwd(cwd: string | undefined): string {
  return cwd === undefined ? '' : (pathKey(cwd, '') ?? '')
}
