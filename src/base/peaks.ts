/** The largest of each of `count` stretches of the values, which are about as long as each other; of fewer values each by itself. */
export function peaksOf(values: readonly number[], count: number): number[] {
  const { length } = values
  const parts = Math.min(count, length)
  return Array.from({ length: parts }, (_, at) => {
    const own = values.slice(Math.floor((at * length) / parts), Math.floor(((at + 1) * length) / parts))
    return own.reduce((high, value) => Math.max(high, value), 0)
  })
}
