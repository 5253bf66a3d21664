import { type TermClass, termClasses } from '../../../src/model/run.ts'
import { boilerplateTags } from '../../../src/references/terms/boilerplate.ts'
import { errnoNames } from '../../../src/references/terms/error-codes.ts'
import { pathKey } from '../../../src/references/terms/paths.ts'
import { hashOfTerm } from '../../../src/references/terms/term-table.ts'
import { urlKey } from '../../../src/references/terms/urls.ts'

// Defines the terms class by class: each regex runs over what earlier classes left, and blanks out what it matches.

const letter = 'a-z\\u00c0-\\u00d6\\u00d8-\\u00f6\\u00f8-\\u167f\\u1681-\\u1fff'
const word = `A-Z${letter}0-9_`
const part = `${word}.\\-+@~%$`
const wide =
  '\\u2e80-\\u2fdf\\u3005-\\u3007\\u3040-\\udfff\\uf900-\\ufaff\\uff10-\\uff19\\uff21-\\uff3a\\uff41-\\uff5a\\uff66-\\uffdc'
const group = `(?:\\[[${part}]{1,40}\\]|\\([${part}]{1,40}\\))`
const component = `(?:${group}[${part}]*|[${part}]+|[${wide}][${wide}${part.replace('.', '')}]*(?:\\.[${part}]*)?)`

const boilerplate = boilerplateTags.map((tag) => `<${tag}(?=[> \\n])[^]*?</${tag}>`).join('|')
const url = `(?<=^|[^A-Za-z0-9]|\\\\[nrt]|\\x1b\\[[0-9;]*[A-Za-z])(?:file:///|[A-Za-z][A-Za-z0-9]{1,15}://)(?=[A-Za-z0-9])(?:[^\\s"'\`<>\\\\^{}|[\\]\\x00-\\x1f\\x80-\\uffff]|[${letter}])+`
const drive = `(?<=^|[^${part}/\\\\]|\\\\[nrt]|\\x1b\\[[0-9;]*[A-Za-z])[A-Za-z]:(?:(?<s>\\\\+)${component}(?:(?:\\k<s>|/)${component})*|(?:/${component})+)`
const early = new RegExp(
  `(?<block>${boilerplate})|(?<url>${url})|(?<drive>${drive})|(?<escape>\\\\[nrt]|\\x1b\\[[0-9;]*[A-Za-z])`,
  'g',
)
const path = new RegExp(`(?<![${part}/})\\]\\\\\\u2026])(?<!\\*(?=/))[${part}]*(?:/+${component})+`, 'g')
const uuid = new RegExp(`(?<![${word}.])[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}(?![${word}-])`, 'g')
const wholeWord = new RegExp(`[${word}]+`, 'g')
const number = new RegExp(
  `(?<!&)#\\d{2,40}(?![${word}])|(?<![${word}.])v?\\d{1,40}(?:\\.\\d+){2,}(?![${word}])|(?<![${word}.])\\d{5,40}(?![${word}]|\\.\\d+(?![${word}]))`,
  'g',
)
const name = new RegExp(
  `(?<!\`)\`(?=[${part}:]*[A-Z${letter}][${part}:]*[A-Z${letter}])([${part}:]{3,64})(?:\\(\\))?\`(?!\`)`,
  'g',
)

interface Found {
  at: number
  textClass: TermClass
  raw: string
}

const blank = (raw: string): string => ' '.repeat(raw.length)

function trimmedUrl(raw: string): string {
  const count = (kept: string, sign: string): number => kept.split(sign).length - 1
  let kept = raw
  while (/[.,;:!?*~$&=#\-+%@/(]$/.test(kept) || (kept.endsWith(')') && count(kept, ')') > count(kept, '('))) {
    kept = kept.slice(0, -1)
  }
  return kept
}

function isPath(path: string, before: string, after: string): boolean {
  if (path.length > 512 || !path.includes('/') || /^\((?!\d)/.test(after)) return false
  if (path.startsWith('~/')) return true
  const extension = /\.([a-z][a-z0-9]{0,9}|[A-Z][A-Z0-9]{0,9})$/.test(path)
  if (!path.startsWith('/')) return extension
  if (before === '<' || path.startsWith('//') || new RegExp(`^/[0-9${wide}([]`).test(path)) return false
  return extension || (path.split(/\/+/).length > 2 && !/^\/[^/]+\/[dgimsuvy]{1,4}$/.test(path))
}

function hasParts(word: string): boolean {
  return (
    new RegExp(`[${letter}0-9][A-Z]`).test(word) ||
    new RegExp(`[A-Z]{2}[${letter}]{2}`).test(word) ||
    new RegExp(`[A-Z${letter}0-9]_+[A-Z${letter}0-9]`).test(word)
  )
}

const isError = (word: string): boolean =>
  errnoNames.includes(word) || /^(?:[A-Z]\w*(?:Error|Exception|Warning)|ERR_\w+|TS\d{4,5}|E0\d{3})$/.test(word)

/** The terms of a text as they stand in it, the slow way. */
function slowScan(input: string): Found[] {
  const found: Found[] = []
  let text = input
  const take = (at: number, textClass: TermClass, raw: string): string => {
    found.push({ at, textClass, raw })
    return blank(raw)
  }
  text = text.replace(early, (raw: string, ...rest) => {
    const groups = rest.at(-1) as Record<string, string | undefined>
    const at = rest.at(-3) as number
    if (groups.block !== undefined || groups.escape !== undefined) return blank(raw)
    if (groups.drive !== undefined) {
      const kept = raw.replace(/[.\-+@~%$/\\]+$/, '')
      return kept.length < 3 ? raw : take(at, 'path', kept) + raw.slice(kept.length)
    }
    const kept = trimmedUrl(raw)
    const file = kept.startsWith('file:///')
    found.push({
      at,
      textClass: file ? 'path' : 'url',
      raw: file ? kept.slice(7).replace(/^\/(?=[A-Za-z]:)/, '') : kept,
    })
    return blank(kept) + raw.slice(kept.length)
  })
  text = text.replace(path, (raw: string, at: number) => {
    const trimmed = raw.replace(/[.\-+@~%$/]+$/, '')
    const kept = trimmed.replace(/(\.[A-Za-z][A-Za-z0-9]{0,9})-\d+(?:-[^/]*)?$/, '$1')
    const end = at + raw.length
    return isPath(kept, text.charAt(at - 1), text.slice(end, end + 2))
      ? take(at, 'path', kept) + raw.slice(kept.length)
      : raw
  })
  text = text.replace(wholeWord, (raw, at) =>
    raw.length >= 5 && raw.length <= 64 && isError(raw) ? take(at, 'error', raw) : raw,
  )
  text = text.replace(uuid, (raw, at) => take(at, 'id', raw))
  text = text.replace(wholeWord, (raw, at) =>
    /^([0-9a-f]{7,40}|[0-9a-f]{64})$/.test(raw) && /[0-9]/.test(raw) && /[a-f]/.test(raw) && !isMadeUp(raw.slice(0, 7))
      ? take(at, 'id', raw)
      : raw,
  )
  text = text.replace(wholeWord, (raw, at) =>
    raw.length >= 6 &&
    raw.length <= 64 &&
    !/^[0-9]/.test(raw) &&
    hasParts(raw) &&
    new RegExp(`[A-Z${letter}]`).test(raw)
      ? take(at, 'identifier', raw)
      : raw,
  )
  text = text.replace(number, (raw, at) => take(at, 'number', raw))
  text.replace(name, (raw: string, inner: string, at: number) => {
    found.push({ at: at + inner.length, textClass: 'identifier', raw: inner })
    return raw
  })
  return found.sort((a, b) => a.at - b.at)
}

/** abc1234, bbb2222, a1b2c3d */
function isMadeUp(digits: string): boolean {
  const steps = [...digits.slice(1)].map((digit, at) => digit.charCodeAt(0) - digits.charCodeAt(at))
  if (steps.filter((step) => step === 0 || step === 1).length >= 5) return true
  const letters = digits.replace(/[0-9]/g, '')
  return 'abcdef'.includes(letters) && /^[0-9]?([a-f][0-9])+[a-f]?$/.test(digits)
}

/** The terms of a text, in order: `class key`, and the two halves of the hash. */
export function slowTerms(text: string, cwd = ''): string[] {
  return slowScan(text).flatMap(({ textClass, raw }) => {
    const key = keyOf(textClass, raw, cwd)
    return key === null ? [] : [`${textClass} ${key} ${hashOfTerm(termClasses.indexOf(textClass), key).join(' ')}`]
  })
}

function keyOf(termClass: TermClass, raw: string, cwd: string): string | null {
  if (termClass === 'path') return pathKey(raw, cwd)
  if (termClass === 'url') return urlKey(raw)
  if (termClass === 'id') return raw.length <= 12 || raw.length === 40 ? raw.slice(0, 7) : raw.toLowerCase()
  return termClass === 'number' && raw.startsWith('v') ? raw.slice(1) : raw
}
