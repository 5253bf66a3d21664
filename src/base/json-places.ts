/**
 * What JSON.parse does not say of a text: in which lines its parts begin, and which keys an object has twice. JSON.parse takes
 * the last of these and drops the others without a word.
 */

/** Of keys and indices, from the outermost. */
export type Path = readonly (string | number)[]

export interface Places {
  /** The line, from 1, where the part at a path of at most so many steps begins; 0 where there is none. */
  lineOf(path: Path): number
  /** The second of each pair of equal keys. */
  readonly doubled: readonly { readonly path: Path; readonly line: number }[]
}

const token = /([ \t\n\r]*)(?:([[\]{},:])|"([^"\\]*(?:\\.[^"\\]*)*)"|[^[\]{},:" \t\n\r]+)/y

interface Open {
  /** Null in an array. */
  readonly keys: Set<string> | null
  /** The key or index of the member that is being read. */
  at: string | number
}

/**
 * @param text valid JSON
 * @param deepest of how many steps the paths are whose lines are kept
 */
export function placesIn(text: string, deepest: number): Places {
  const lines = new Map<string, number>()
  const doubled: { path: Path; line: number }[] = []
  const open: Open[] = []
  const path = (): Path => open.map(({ at }) => at)
  let line = 1
  let isKey = false
  /** A member of the innermost array or object begins. */
  const begin = (): void => {
    if (open.length > 0 && open.length <= deepest) lines.set(JSON.stringify(path()), line)
  }
  token.lastIndex = 0
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [, space = '', mark, word] = found
    for (let at = space.indexOf('\n'); at >= 0; at = space.indexOf('\n', at + 1)) line++
    const top = open.at(-1)
    if (mark === '{' || mark === '[') {
      if (top?.keys === null) begin()
      open.push(mark === '{' ? { keys: new Set(), at: '' } : { keys: null, at: 0 })
      isKey = mark === '{'
    } else if (mark === '}' || mark === ']') {
      open.pop()
      isKey = false
    } else if (mark === ',') {
      isKey = top?.keys !== null
      if (top?.keys === null) top.at = (top.at as number) + 1
    } else if (mark === ':') {
      isKey = false
    } else if (top?.keys === null) {
      begin()
    } else if (top && isKey && word !== undefined) {
      const key = word.includes('\\') ? (JSON.parse(`"${word}"`) as string) : word
      top.at = key
      if (top.keys.has(key)) doubled.push({ path: path(), line })
      else begin()
      top.keys.add(key)
    }
  }
  return { lineOf: (path) => lines.get(JSON.stringify(path)) ?? 0, doubled }
}
