/** Builds the page of `report` anew where a source is younger: a test must not look at an older one. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

export default async function setup(): Promise<void> {
  const built = 'dist/page.html'
  const sources = ['src', 'tools/build'].flatMap((directory) =>
    readdirSync(directory, { recursive: true, encoding: 'utf8' }).map((name) => join(directory, name)),
  )
  const newest = sources.reduce((last, file) => Math.max(last, statSync(file).mtimeMs), 0)
  if (existsSync(built) && statSync(built).mtimeMs >= newest) return
  await import('../tools/build/page.mjs')
}
