/**
 * The Pareto front: the items that no other is at least as good as in every respect, and better in one. Items that are
 * equal in all respects stay together.
 * @param losses what is to be small, each as a number; negate what is to be large
 */
export function paretoFront<T>(items: readonly T[], losses: readonly ((item: T) => number)[]): T[] {
  const values = items.map((item) => losses.map((loss) => loss(item)))
  const beats = (one: readonly number[], other: readonly number[]): boolean =>
    one.every((value, at) => value <= (other[at] as number)) && one.some((value, at) => value < (other[at] as number))
  return items.filter((_, at) => !values.some((one) => beats(one, values[at] as readonly number[])))
}
