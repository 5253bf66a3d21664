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

/** Directories that hold worktrees: each is a branch of a project that is checked out beside it. */
const holdsWorktrees = /^(?:(?<project>.+)[._-])?\.?worktrees$/

/**
 * "agentv · 3": a worktree by its project and its branch folder, where git or a program lays it; null for any other
 * directory. Known are `<project>/.worktrees/<branch>`, `<project>/.claude/worktrees/<branch>`,
 * `<project>.worktrees/<branch>`, `worktrees/<project>/<branch>`, `.codex/worktrees/<id>/<project>` and
 * `conductor/workspaces/<project>/<branch>`.
 */
export function worktreeName(directory: string): string | null {
  const parts = directory.split(/[\\/]+/).filter((part) => part !== '')
  const at = parts.findLastIndex(
    (part, index) =>
      index < parts.length - 1 &&
      (holdsWorktrees.test(part) || (part === 'workspaces' && parts[index - 1] === 'conductor')),
  )
  if (at < 0) return null
  const behind = parts.slice(at + 1)
  const before = parts[at - 1]
  const named = holdsWorktrees.exec(parts[at] as string)?.groups?.project
  const of = (project: string | undefined, branch: readonly string[]): string | null =>
    project === undefined || branch.length === 0 ? null : `${project} · ${branch.join('/')}`
  if (named !== undefined) return of(named, behind)
  if (before === '.codex') return of(behind.at(-1), behind.slice(0, -1))
  if (before === '.claude') return of(parts[at - 2], behind)
  if (parts[at] === '.worktrees') return of(before, behind)
  if (behind.length === 1) return of(before, behind)
  // The project's own directory may stand once more inside of the branch's.
  return of(behind[0], behind.slice(1, behind.at(-1) === behind[0] ? -1 : undefined))
}

/**
 * What directories are called where worktrees are told apart: a worktree by project and branch, another as
 * `projectNames` has it.
 */
export function placeNames(directories: readonly (string | null)[]): (directory: string | null) => string | null {
  const isPlain = (directory: string | null): boolean => directory !== null && worktreeName(directory) === null
  const plainOf = projectNames(directories.filter(isPlain))
  const times = new Map<string, number>()
  for (const directory of new Set(directories)) {
    const name = directory === null ? null : worktreeName(directory)
    if (name !== null) times.set(name, (times.get(name) ?? 0) + 1)
  }
  return (directory) => {
    const name = directory === null ? null : worktreeName(directory)
    if (name === null) return plainOf(directory)
    return times.get(name) === 1 ? name : directory
  }
}
