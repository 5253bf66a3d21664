/** Lists of words, written as one text: kinds of records, of which a format may have dozens, and keys. */

/** The words of a text, which white space separates. */
export function wordsIn(text: string): readonly string[] {
  return text.trim().split(/\s+/)
}

/** The same as a set, with all that is in the others; a value of any type may be looked up. */
export function setOf(text: string, ...others: readonly Iterable<unknown>[]): ReadonlySet<unknown> {
  return new Set([...wordsIn(text), ...others.flatMap((other) => [...other])])
}
