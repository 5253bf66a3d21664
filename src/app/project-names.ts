/**
 * What projects are called in a report: names short enough for a column, and no two the same.
 */

/** A name of more directories is the whole path. */
const deepest = 6

/** A directory's name; where another has the same, as many of the directories around it as tell the two apart. */
export function projectNames(directories: readonly (string | null)[]): (directory: string | null) => string | null {
  const namesOf = (directory: string): string[] => {
    const parts = directory.split(/[\\/]+/).filter((part) => part !== '')
    const most = Math.min(deepest, parts.length - 1)
    return [...Array.from({ length: most }, (_, index) => parts.slice(-1 - index).join('/')), directory]
  }
  const times = new Map<string, number>()
  for (const directory of new Set(directories)) {
    if (directory === null) continue
    for (const name of namesOf(directory)) times.set(name, (times.get(name) ?? 0) + 1)
  }
  return (directory) =>
    directory === null ? null : (namesOf(directory).find((name) => times.get(name) === 1) ?? directory)
}
