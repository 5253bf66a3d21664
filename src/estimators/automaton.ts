/**
 * Reads a text once with a finite automaton: the previous state and a code unit's class give the next state, and each
 * state counts its visits. The number of tokens is then a dot product of the visits with a family's coefficients, so one
 * pass counts a text for every family of models.
 *
 * Why this works: a byte-pair tokenizer first cuts at the borders of words, digits, punctuation and white space, and
 * then needs fewer pieces the more common the letters are. A state tells where in such a piece a code unit is.
 * Features computed with regular expressions or maps are ten times slower, and a constant per byte is wrong by a factor
 * of two on logs, numbers and other scripts.
 */

/** Code units by class. ASCII first; then scripts, each with the code points that show it. */
const ranges: readonly (readonly [name: string, ...spans: readonly (string | readonly [number, number])[]])[] = [
  ['other'],
  ['vowel', 'aeiou'],
  ['consonant', 'tnsrldhcmpg'],
  ['rare', 'bfjkqvwxyz'],
  ['upper', [0x41, 0x5a]],
  ['digit', [0x30, 0x39]],
  ['space', ' '],
  ['newline', '\n\r'],
  ['tab', '\t'],
  ['doubleQuote', '"'],
  ['quote', "'`"],
  ['comma', ','],
  ['dot', '.'],
  ['colon', ':;'],
  ['open', '([{<'],
  ['close', ')]}>'],
  ['slash', '/\\'],
  ['dash', '-'],
  ['underscore', '_'],
  ['rule', '=*#'],
  ['mark', '!$%&+?@^|~'],
  ['control', [0x00, 0x08], [0x0b, 0x0c], [0x0e, 0x1f], [0x7f, 0x9f]],
  ['latin', [0xaa, 0xaa], [0xb5, 0xb5], [0xba, 0xba], [0xc0, 0x24f], [0x1e00, 0x1eff]],
  ['phonetic', [0x250, 0x2ff], [0x1d00, 0x1dff], [0x2c60, 0x2c7f], [0xa720, 0xa7ff]],
  ['combining', [0x300, 0x36f], [0x1ab0, 0x1aff], [0x20d0, 0x20ff], [0xfe00, 0xfe0f], [0xfe20, 0xfe2f]],
  ['greek', [0x370, 0x3ff], [0x1f00, 0x1fff]],
  ['cyrillic', [0x400, 0x52f], [0x1c80, 0x1c8f], [0x2de0, 0x2dff], [0xa640, 0xa69f]],
  ['armenian', [0x530, 0x58f]],
  ['hebrew', [0x590, 0x5ff]],
  ['arabic', [0x600, 0x6ff], [0x750, 0x77f], [0x8a0, 0x8ff], [0xfb50, 0xfdff], [0xfe70, 0xfefe]],
  ['devanagari', [0x900, 0x97f], [0xa8e0, 0xa8ff]],
  ['bengali', [0x980, 0x9ff]],
  ['gurmukhi', [0xa00, 0xa7f]],
  ['gujarati', [0xa80, 0xaff]],
  ['oriya', [0xb00, 0xb7f]],
  ['tamil', [0xb80, 0xbff]],
  ['telugu', [0xc00, 0xc7f]],
  ['kannada', [0xc80, 0xcff]],
  ['malayalam', [0xd00, 0xd7f]],
  ['sinhala', [0xd80, 0xdff]],
  ['thai', [0xe00, 0xe7f]],
  ['lao', [0xe80, 0xeff]],
  ['tibetan', [0xf00, 0xfff]],
  ['myanmar', [0x1000, 0x109f], [0xa9e0, 0xa9ff], [0xaa60, 0xaa7f]],
  ['georgian', [0x10a0, 0x10ff], [0x1c90, 0x1cbf], [0x2d00, 0x2d2f]],
  ['ethiopic', [0x1200, 0x139f], [0x2d80, 0x2ddf], [0xab00, 0xab2f]],
  ['syllabics', [0x13a0, 0x167f], [0x18b0, 0x18ff], [0xab70, 0xabbf]],
  ['khmer', [0x1780, 0x17ff], [0x19e0, 0x19ff]],
  ['mongolian', [0x1800, 0x18af]],
  ['kana', [0x3040, 0x30ff], [0x31f0, 0x31ff], [0xff66, 0xff9f]],
  ['han', [0x2e80, 0x2fdf], [0x3400, 0x4dbf], [0x4e00, 0x9fff], [0xf900, 0xfaff]],
  ['hangul', [0x1100, 0x11ff], [0x3130, 0x318f], [0xa960, 0xa97f], [0xac00, 0xd7ff]],
  ['minor', [0x700, 0x74f], [0x780, 0x89f], [0x1700, 0x177f], [0x1900, 0x19df], [0x1a00, 0x1aaf], [0x1b00, 0x1c7f]],
  ['tifinagh', [0x2d30, 0x2d7f]],
  [
    'eastern',
    [0xa000, 0xa63f],
    [0xa800, 0xa82f],
    [0xa840, 0xa8df],
    [0xa900, 0xa95f],
    [0xa980, 0xa9df],
    [0xaa00, 0xaa5f],
    [0xaa80, 0xaadf],
  ],
  ['wide', [0x3000, 0x303f], [0xfe10, 0xfe1f], [0xfe30, 0xfe6f], [0xff00, 0xff65], [0xffa0, 0xffef]],
  ['typographic', [0xa0, 0xa9], [0xab, 0xb4], [0xb6, 0xb9], [0xbb, 0xbf], [0x2000, 0x206f], [0x20a0, 0x20cf]],
  ['box', [0x2500, 0x259f]],
  ['symbol', [0x2070, 0x209f], [0x2100, 0x24ff], [0x25a0, 0x2bff]],
  ['emoji', [0xd83c, 0xd83e]],
  ['astral', [0xd800, 0xd83b], [0xd83f, 0xdbff]],
  ['low', [0xdc00, 0xdfff]],
]

const letters = new Set(['vowel', 'consonant', 'rare'])
const marks = new Set('doubleQuote quote comma dot colon open close slash dash underscore rule mark'.split(' '))
const inPieces = ['word', 'upper', 'digit', 'tail', 'space']
/** By class, after which kinds of states it leads elsewhere than from the start; any other class after its own alone. */
const heeded: ReadonlyMap<string, readonly string[]> = new Map<string, readonly string[]>([
  ...[...letters, 'upper', 'digit'].map((name) => [name, inPieces] as const),
  ...[...marks].map((name) => [name, [...marks, 'space']] as const),
  ['low', ['emoji', 'astral']],
])
const longestWord = 12

/**
 * The transition: the name of the state after `kind:detail` if a code unit of class `name` follows. State names are
 * `kind` or `kind:detail`; each has a coefficient.
 */
function follow(kind: string, detail: string, name: string): string {
  const afterSpace = kind === 'space' && detail === '1' ? 'spaced' : 'joined'
  if (letters.has(name)) {
    if (kind === 'word') return `word:${Math.min(longestWord, Number.parseInt(detail, 10) + 1)}${name}`
    if (kind === 'upper') return detail.startsWith('1') ? `word:2${name}` : `word:1${name}`
    if (kind === 'digit' || kind === 'tail') return `tail:${kind === 'tail' ? 2 : 1}`
    return `word:1${name}${afterSpace}`
  }
  if (name === 'upper') {
    if (kind === 'upper') return `upper:${Math.min(5, Number.parseInt(detail, 10) + 1)}`
    if (kind === 'word') return 'upper:1hump'
    if (kind === 'digit' || kind === 'tail') return 'upper:1tail'
    return `upper:1${afterSpace}`
  }
  if (name === 'digit') {
    if (kind === 'digit') return `digit:${(Number.parseInt(detail, 10) % 3) + 1}`
    return kind === 'word' || kind === 'upper' || kind === 'tail' ? 'digit:1word' : `digit:1${afterSpace}`
  }
  if (name === 'space') return `space:${kind === 'space' ? ({ 1: 2, 2: 3, 3: 4 }[detail] ?? 4) : 1}`
  if (name === 'newline' || name === 'tab') return `${name}:${kind === name ? 2 : 1}`
  if (marks.has(name)) {
    const position = marks.has(kind) ? /^[123]/.exec(detail)?.[0] : undefined
    if (position) return `${name}:${kind === name && position === '3' ? 3 : Math.min(3, Number(position) + 1)}`
    return `${name}:1${afterSpace === 'spaced' ? 'spaced' : ''}`
  }
  if (name === 'low') return kind === 'emoji' || kind === 'astral' ? `low:${kind}` : 'low:alone'
  return `${name}:${kind === name ? 2 : 1}`
}

const classNames = ranges.map(([name]) => name)
/** By kind of state, the classes that lead elsewhere after it than from the start, by their numbers. */
const turning = new Map<string, number[]>()
for (const [column, name] of classNames.entries()) {
  for (const kind of new Set([name, ...(heeded.get(name) ?? [])])) {
    turning.set(kind, [...(turning.get(kind) ?? []), column])
  }
}
const classOf = new Uint8Array(0x10000)
for (const [id, [, ...spans]] of ranges.entries())
  for (const span of spans)
    if (typeof span === 'string') for (const character of span) classOf[character.charCodeAt(0)] = id
    else classOf.fill(id, span[0], span[1] + 1)

/** The states by id, in the order of a breadth-first walk from the start. */
export const states: readonly string[] = ['start']
const rowBits = 6
const table = new Uint16Array(256 << rowBits)
{
  const ids = new Map([['start', 0]])
  const found = states as string[]
  for (let id = 0; id < found.length; id++) {
    const [kind = '', detail = ''] = found[id]!.split(':')
    // As from the start, but where the place is heeded: the interpreter fills this table whenever the program starts.
    table.copyWithin(id << rowBits, 0, classNames.length)
    for (const column of id === 0 ? classNames.keys() : (turning.get(kind) ?? [])) {
      const target = follow(kind, detail, classNames[column]!)
      const known = ids.get(target) ?? found.push(target) - 1
      ids.set(target, known)
      table[(id << rowBits) | column] = known << rowBits
    }
  }
}

/** What the automaton is made of: the class of each code unit, and by row and class the next row. */
export const tables: { readonly classOf: Uint8Array; readonly rows: Uint16Array } = { classOf, rows: table }

/** An array for the visits by state id, to be reused. */
export const newVisits = (): Uint32Array => new Uint32Array(states.length)

/** Adds the visits of one text. Texts are independent: each begins in the start state. */
export function visit(text: string, visits: Uint32Array): void {
  let row = 0
  for (let at = 0; at < text.length; at++) {
    row = table[row | classOf[text.charCodeAt(at)]!]!
    visits[row >> rowBits]!++
  }
}

/** Tokens of a text if a visit of state `id` costs `costs[id]`: `visit` and the dot product in one loop. See pricer.ts. */
export function price(text: string, costs: Float64Array): number {
  let row = 0
  let tokens = 0
  for (let at = 0; at < text.length; at++) {
    row = table[row | classOf[text.charCodeAt(at)]!]!
    tokens += costs[row >> rowBits]!
  }
  return tokens
}
