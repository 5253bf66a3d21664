/** A number of 53 bits for texts in their order: equal for equal texts, and by a rare chance for others (cyrb53). */
export function fingerprint(texts: Iterable<string>): number {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (const text of texts) {
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      low = Math.imul(low ^ code, 2654435761)
      high = Math.imul(high ^ code, 1597334677)
    }
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return 4294967296 * (2097151 & high) + (low >>> 0)
}
