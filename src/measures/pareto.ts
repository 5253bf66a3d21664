/**
 * The Pareto front: items for which no other is at least as good in every respect and better in one. Of items equal in
 * all respects, all or none are on it.
 * @param losses the figures that should be small; negate those that should be large
 */
export function paretoFront<T>(items: readonly T[], losses: readonly ((item: T) => number)[]): T[] {
  const values = items.map((item) => losses.map((loss) => loss(item)))
  const beats = (one: readonly number[], other: readonly number[]): boolean =>
    one.every((value, at) => value <= (other[at] as number)) && one.some((value, at) => value < (other[at] as number))
  return items.filter((_, at) => !values.some((one) => beats(one, values[at] as readonly number[])))
}
