/**
 * Finds paths that are the same file: `checkpoint/committed.go` and `cmd/entire/cli/checkpoint/committed.go`, if one is
 * the end of the other after a slash, and no third path ends in the same way.
 */

/**
 * @param paths different keys
 * @returns for each path the number of the one that stands for its file; its own number if it has no other spelling
 */
export function aliasesOf(paths: readonly string[]): Int32Array {
  const numbers = new Map(paths.map((path, number) => [path, number]))
  const roots = Int32Array.from(paths, (_, number) => number)
  // What the paths that end like this one are: one file, or several.
  const endings = new Map<number, number | 'several'>()
  const depths = paths.map((path) => path.split('/').length)
  const longestFirst = [...paths.keys()].sort((a, b) => (depths[b] as number) - (depths[a] as number) || a - b)
  for (const number of longestFirst) {
    const path = paths[number] as string
    const longer = endings.get(number)
    if (typeof longer === 'number') roots[number] = longer
    const root = roots[number] as number
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', slash + 1)) {
      const ending = numbers.get(path.slice(slash + 1))
      if (ending === undefined || ending === number) continue
      const known = endings.get(ending)
      endings.set(ending, known === undefined || known === root ? root : 'several')
    }
  }
  return named(paths, roots, longestFirst)
}

/** A file is named by its longest spelling that does not begin with `../`, which depends on a working directory. */
function named(paths: readonly string[], roots: Int32Array, longestFirst: readonly number[]): Int32Array {
  const names = new Map<number, number>()
  for (const number of longestFirst) {
    const root = roots[number] as number
    if (!names.has(root) && !paths[number]?.startsWith('../')) names.set(root, number)
  }
  return roots.map((root) => names.get(root) ?? root)
}
