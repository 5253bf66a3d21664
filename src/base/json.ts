/** Values that were read from JSON, of which nothing is known yet. */

export type JsonObject = Readonly<Record<string, unknown>>

/** The value if it is an object; undefined for everything else, including arrays. */
export function objectOf(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined
}

export function stringOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** The items of a list; none for a missing value; anything else as the only item. */
export function itemsOf(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return []
  return Array.isArray(value) ? value : [value]
}
