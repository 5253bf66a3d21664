/** Measures how deep JSON text nests before it is parsed: a line of forty million `[` would become gigabytes of arrays. */

/** No transcript nests deeper than some dozens. */
export const deepest = 10_000

/**
 * Whether more brackets are open at once than there may be. Almost every text has too few of them altogether, and that is
 * counted at the speed of memory.
 */
export function nestsTooDeep(json: string): boolean {
  // Each bracket has its partner, or the text is no JSON and refused by JSON.parse soon after its end.
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
