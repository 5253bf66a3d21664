/** Checks how deep JSON text nests before it is parsed: a line of forty million `[` would become gigabytes of arrays. */

/** The most brackets that may be open at once; real transcripts nest a few dozen deep. */
export const deepest = 10_000

/**
 * Whether more than `deepest` brackets are open at once. Almost every text has fewer brackets than that altogether, which
 * `indexOf` finds out much faster than the exact count.
 */
export function nestsTooDeep(json: string): boolean {
  // Valid JSON that nests too deep is longer than this, because each bracket is closed again. Shorter text that nests as
  // deep is invalid, and JSON.parse refuses it.
  return json.length > 2 * deepest && hasManyOpenings(json) && opensTooMany(json)
}

function hasManyOpenings(json: string): boolean {
  let left = deepest
  for (const opening of ['{', '[']) {
    for (let at = json.indexOf(opening); at !== -1; at = json.indexOf(opening, at + 1)) if (left-- === 0) return true
  }
  return false
}

const quote = 0x22
const backslash = 0x5c

function opensTooMany(json: string): boolean {
  let open = 0
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (code === quote) at = endOfString(json, at)
    else if (code === 0x5b || code === 0x7b) open++
    else if (code === 0x5d || code === 0x7d) open--
    if (open > deepest) return true
  }
  return false
}

/** @returns the offset of the closing quote, or the end of the text */
export function endOfString(json: string, opening: number): number {
  for (let at = json.indexOf('"', opening + 1); at !== -1; at = json.indexOf('"', at + 1)) {
    let escapes = 0
    while (json.charCodeAt(at - 1 - escapes) === backslash) escapes++
    if (escapes % 2 === 0) return at
  }
  return json.length
}
