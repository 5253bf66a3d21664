/** What to say of a name that there is not: the name that was meant, the names there are, or those most like it. */

/** A list of more names is not read to its end. */
const few = 12
/** So many of a longer list are named. */
const some = 6

/**
 * @param names all that there are
 * @param all where a person finds all of them: "ctxwin list policies shows all"
 * @returns a sentence: "Did you mean x?", else "Known: " and the names, or the nearest of many
 */
export function closest(word: string, names: readonly string[], all = ''): string {
  if (names.length === 0) return 'It has none.'
  // No typo is longer, and the distance takes time proportional to both lengths.
  const wanted = word.slice(0, 100)
  const ranked = names
    .map((name) => ({ name, distance: editDistance(wanted.toLowerCase(), name.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance)
  const [best] = ranked as [(typeof ranked)[0]]
  const isNear = best.distance <= Math.max(2, Math.floor(wanted.length / 3)) && best.distance < wanted.length
  if (isNear) return `Did you mean "${best.name}"?`
  if (names.length <= few) return `Known: ${names.join(', ')}`
  const alike = ranked
    .map(({ name }) => ({ name, shared: sharedParts(wanted, name) }))
    .sort((a, b) => b.shared - a.shared)
    .filter(({ shared }, _, [first]) => shared > 0 || first?.shared === 0)
    .slice(0, some)
  return `Nearest: ${alike.map(({ name }) => name).join(', ')}${all === '' ? '' : `; ${all}`}`
}

/** How many parts of a name are in the other: `lost` and `percent` of `maxLostPercent` and `lostReferencePercent`. */
function sharedParts(word: string, name: string): number {
  const whole = name.toLowerCase()
  return partsOf(word).filter((part) => whole.includes(part)).length
}

/** Of three letters or more: fewer are in too many names. */
function partsOf(word: string): string[] {
  const parts = word
    .replaceAll(/([a-z\d])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z\d]+/)
  return parts.filter((part) => part.length > 2)
}

/** The Levenshtein distance, row by row. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1, swap))
    }
    row = next
  }
  return row[b.length] as number
}
