/** The middle of some values; of two in the middle the larger, so that it is one of them. Null where there is none. */
export function medianOf(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? null
}
