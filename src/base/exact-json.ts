/**
 * JSON that comes back as it was: with the numbers that JSON has no word for, and with sets. What was written on one thread or
 * machine is added up on another, where a null for NaN, or a 0 for -0, would print other bytes.
 */

/** The key of an object that stands for something else; an object that has it itself is written as its entries. */
const stand = '$'

export function writeExact(value: unknown): string {
  return JSON.stringify(value, (_, one: unknown) => {
    if (typeof one === 'number') {
      if (Object.is(one, -0)) return { [stand]: '-0' }
      return Number.isFinite(one) ? one : { [stand]: String(one) }
    }
    if (typeof one !== 'object' || one === null) return one
    if (one instanceof Set) return { [stand]: 'set', of: [...one] }
    return Object.hasOwn(one, stand) ? { [stand]: 'object', of: Object.entries(one) } : one
  })
}

/** @throws SyntaxError for a text that is no JSON, or has a stand-in that `writeExact` does not write */
export function readExact(text: string): unknown {
  // A reviver makes parsing several times as slow, and few lines need one.
  if (!text.includes(`"${stand}":`)) return JSON.parse(text)
  return JSON.parse(text, (_, one: unknown) => {
    if (typeof one !== 'object' || one === null || !Object.hasOwn(one, stand)) return one
    const { [stand]: kind, of } = one as { readonly [stand]: unknown; readonly of?: unknown }
    if (kind === 'set' && Array.isArray(of)) return new Set(of)
    if (kind === 'object' && Array.isArray(of) && of.every(isEntry)) return Object.fromEntries(of)
    const found = numbers.get(kind)
    if (found === undefined) throw new SyntaxError('a stand-in that nobody writes')
    return found
  })
}

const numbers: ReadonlyMap<unknown, number> = new Map(
  [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY].map((one) => [String(one), one] as const),
).set('-0', -0)

function isEntry(value: unknown): value is [string, unknown] {
  return Array.isArray(value) && value.length === 2 && typeof value[0] === 'string'
}
