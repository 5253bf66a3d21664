/** When files were last changed, to build only what is older than what it is made of. In milliseconds since the epoch. */
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** 0 where there is no such file. */
export function changedAt(path) {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}

/** The latest change of files, and of directories with all in them: what was removed or renamed shows in its directory. */
export function latestChange(paths) {
  return paths.flatMap(below).reduce((latest, path) => Math.max(latest, changedAt(path)), 0)
}

function below(path) {
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) return [path]
  return [path, ...readdirSync(path, { recursive: true }).map((name) => join(path, name))]
}
