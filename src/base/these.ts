/** A list of what applies: what is false, null or undefined is left out, and lists stand in it item by item. */
export function these<Item>(...items: readonly (Item | readonly Item[] | false | null | undefined)[]): Item[] {
  return items.flatMap((item) => (item === false || item === null || item === undefined ? [] : item)) as Item[]
}
