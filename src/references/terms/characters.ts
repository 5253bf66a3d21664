// Every UTF-16 code unit belongs to one kind. The order matters: 1-4 are word characters, 1-5 may stand in a path
// component, 1-6 make up a chunk (the longest run that could hold a path).
// 0: separators.
const UPPER = 1
const LOWER = 2 // and every letter outside ASCII that belongs to a script written with spaces
const DIGIT = 3
const UNDERSCORE = 4
const MARK = 5 // . - + @ ~ % $
const SLASH = 6
const WIDE = 7 // letters of scripts written without spaces, and surrogates: both halves of a pair, so none is split

/** The kind of each code unit. */
export const KIND = new Uint8Array(0x10000)

function fill(kind: number, ...ranges: readonly (readonly [number, number])[]): void {
  for (const [from, to] of ranges) KIND.fill(kind, from, to + 1)
}

fill(UPPER, [0x41, 0x5a])
fill(LOWER, [0x61, 0x7a], [0xc0, 0xd6], [0xd8, 0xf6], [0xf8, 0x167f], [0x1681, 0x1fff])
fill(DIGIT, [0x30, 0x39])
fill(UNDERSCORE, [0x5f, 0x5f])
for (const mark of '.-+@~%$') KIND[mark.charCodeAt(0)] = MARK
fill(SLASH, [0x2f, 0x2f])
fill(WIDE, [0x2e80, 0x2fdf], [0x3005, 0x3007], [0x3040, 0xdfff], [0xf900, 0xfaff])
fill(WIDE, [0xff10, 0xff19], [0xff21, 0xff3a], [0xff41, 0xff5a], [0xff66, 0xffdc])
