/** The order of two texts by their UTF-16 units, for `sort`: the same on every machine. */
export const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)
