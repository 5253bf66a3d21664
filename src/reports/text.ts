/**
 * Measures text as a terminal shows it: by grapheme, with two cells for wide ones. There is no package for it here: the
 * ranges of wide scripts have not changed in years, emoji are known to the regex engine, and cli-table3's own measure
 * (string-width 4) treats later additions to Unicode as narrow.
 */
/** Made when a text first needs it: making it takes tens of milliseconds, and most runs print no such text. */
let segmenter: Intl.Segmenter | undefined
/** Characters that are a grapheme and a cell each, whatever they stand beside: ASCII, Latin, dashes, arrows, frames. */
const plain = /^[\x20-\x7e\xa0-\xac\xae-\u02ff\u2010-\u2027\u2190-\u21ff\u2500-\u257f]*$/
const emoji = /^\p{Emoji_Presentation}|\ufe0f/u
const nothing = /^[\p{M}\p{Cc}\p{Cf}]*$/u
/** East Asian Wide and Fullwidth (Unicode TR 11), in blocks. */
const wide =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u4dff\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18dff}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f2ff}\u{20000}-\u{3fffd}]/u

/**
 * The graphemes of a text, found piece by piece, because each step of the engine's iterator takes time proportional to
 * its whole text: a name of 250 kB took a minute. No grapheme is split at the end of a piece: its last grapheme begins
 * the next piece, which is made longer if it is the only one.
 */
function* graphemesOf(text: string): Generator<string> {
  segmenter ??= new Intl.Segmenter('en', { granularity: 'grapheme' })
  for (let from = 0, length = 256; from < text.length; ) {
    const isLast = from + length >= text.length
    const whole = text.slice(from, from + length)
    // Half a surrogate pair would be a grapheme of its own.
    const piece = isLast ? whole : whole.replace(/[\ud800-\udbff]$/, '')
    let held = ''
    for (const { segment } of segmenter.segment(piece)) {
      if (held !== '') yield held
      from += held.length
      held = segment
    }
    if (isLast) {
      yield held
      return
    }
    length = held.length === piece.length ? length * 2 : 256
  }
}

/** The text with a capital letter in front. */
export const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** The width of the text in terminal cells. For one line without control characters. */
export function widthOf(text: string): number {
  if (plain.test(text)) return text.length
  let width = 0
  for (const grapheme of graphemesOf(text)) width += graphemeWidth(grapheme)
  return width
}

function graphemeWidth(grapheme: string): number {
  if (plain.test(grapheme)) return grapheme.length
  if (nothing.test(grapheme)) return 0
  return emoji.test(grapheme) || wide.test(grapheme) ? 2 : 1
}

/** The start of the text, with an ellipsis if it does not fit. */
export function clip(text: string, width: number): string {
  if (text.length <= width && plain.test(text)) return text
  return widthOf(text) <= width ? text : `${head(text, width - 1)}${width > 0 ? '…' : ''}`
}

/** Both ends of the text, with an ellipsis in the middle: for a path, these matter most. */
export function clipMiddle(text: string, width: number): string {
  if (widthOf(text) <= width) return text
  if (width < 4) return clip(text, width)
  const end = Math.ceil((width - 1) / 2)
  return `${head(text, width - 1 - end)}…${tail(text, end)}`
}

/** A path, shortened: the name of the file is what tells it from others, so its directory is cut first. */
export function clipPath(path: string, width: number): string {
  if (widthOf(path) <= width) return path
  const at = Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\'))
  const name = path.slice(at)
  // Fewer than three columns of a directory say nothing.
  const room = width - 1 - widthOf(name)
  if (at > 0 && room >= 0) return `${room < 3 ? '' : head(path, room)}…${name}`
  return at < 0 || width < 16 ? clipMiddle(path, width) : `…${clipMiddle(name, width - 1)}`
}

function head(text: string, width: number): string {
  if (plain.test(text)) return text.slice(0, Math.max(0, width))
  let left = width
  let end = 0
  for (const grapheme of graphemesOf(text)) {
    left -= graphemeWidth(grapheme)
    if (left < 0) break
    end += grapheme.length
  }
  return text.slice(0, end)
}

function tail(text: string, width: number): string {
  if (plain.test(text)) return text.slice(-width)
  // Only the end is measured, so that a text of megabytes costs no more than a short one.
  const parts = [...graphemesOf(text.slice(-width * 16))]
  let left = width
  let out = ''
  for (const grapheme of parts.reverse()) {
    left -= graphemeWidth(grapheme)
    if (left < 0) break
    out = grapheme + out
  }
  return out
}

/**
 * Lines of at most `width` cells, broken between words, or inside a word that is too long. The first is indented by
 * `first` blanks, the others by `rest`. What belongs together stays on one line where that has room for it: a figure
 * and what it counts ("2.9 %", "183 requests"), two figures of one ratio or range ("1 in 4", "9 of 10", "$20 to $64"),
 * and a command with its flags.
 */
export function wrap(text: string, width: number, first: number, rest: number): string[] {
  const lines: string[] = []
  let line = ''
  let cells = 0
  const indented = (words: string): string => ' '.repeat(lines.length === 0 ? first : rest) + words
  for (const word of bound(text.split(' '), width - Math.max(first, rest))) {
    const longer = line === '' ? indented(word) : `${line} ${word}`
    const taken = line === '' ? widthOf(longer) : cells + widthOf(` ${word}`)
    if (taken <= width) {
      line = longer
      cells = taken
      continue
    }
    if (line !== '') lines.push(line)
    line = indented(word)
    cells = widthOf(line)
    if (cells <= width) continue
    // Split once: measuring the rest for each line again would be quadratic.
    const parts: ArrayLike<string> = plain.test(word) && !word.includes('::') ? word : [...graphemesOf(word)]
    for (let from = 0; ; ) {
      const room = width - (lines.length === 0 ? first : rest)
      const to = lineEnd(parts, from, room)
      const part = Array.prototype.slice.call(parts, from, to).join('')
      if (to === parts.length) {
        line = indented(part)
        cells = widthOf(line)
        break
      }
      // A grapheme wider than the whole line is left out.
      if (to === from) return [...lines, clip(indented(parts[from] as string), width)]
      lines.push(indented(part))
      from = to
      // No line may begin like a command to a CI runner: `safe` has checked whole words only.
      if (parts[to] === ':' && parts[to + 1] === ':') (parts as string[])[to] = '\\x3a'
    }
  }
  return [...lines, line]
}

/** Words, and groups of words that stay on one line, as far as they are no wider than `room`. */
function bound(words: readonly string[], room: number): string[] {
  const groups: string[] = []
  let cells = 0
  let before = ''
  let isRatio = false
  let isCommand = false
  for (const word of words) {
    const isFlag = /^--?[a-z]/.test(word)
    const isBound = word === '·' || (isCommand && isFlag) || leans.test(before) || (isRatio && /^-?\$?\d/.test(word))
    const wider = cells + 1 + widthOf(word)
    if (isBound && groups.length > 0 && wider <= room) {
      groups[groups.length - 1] += ` ${word}`
      cells = wider
    } else {
      groups.push(word)
      cells = widthOf(word)
    }
    isRatio = figure.test(before) && /^(?:in|of|to)$/.test(word)
    isCommand = (isCommand || word === 'ctxwin') && !/[.,;:)]$/.test(word)
    before = isCommand && word === 'help' ? '--help' : word
  }
  return groups
}

/** "2.9", "$24", "(4", "364/6,024", "12k" */
const figure = /^["“([]?[-+]?\$?\d(?:[\d.,/]*\d)?[kMBT]?$/

/** A word that the next belongs to: a figure, a flag, and `ctxwin`. */
const leans = new RegExp(`${figure.source}|^(?:--[a-z][\\w-]*|ctxwin)$`)

/**
 * Where a line ends that begins with grapheme `from` of a word and has `room` cells: if possible after punctuation, as
 * in `drop-oldest:target=0.5` and `~/.codex/sessions`, else after a hyphen.
 */
function lineEnd(parts: ArrayLike<string>, from: number, room: number): number {
  let left = room
  let breath = from
  let hyphen = from
  for (let at = from; at < parts.length; at++) {
    const part = parts[at] as string
    left -= graphemeWidth(part)
    if (left < 0) return breath > from ? breath : hyphen > from && /[\w-]/.test(part) ? hyphen : at
    // No line has no more of a path than its root.
    const isPause = /[:,]/.test(part) || (part === '/' && at - from > 1)
    if (isPause && !/\d/.test(parts[at + 1] ?? '')) breath = at + 1
    if (part === '-' && at - from > 1 && /[a-z]/i.test(parts[at + 1] ?? '')) hyphen = at + 1
  }
  return parts.length
}
