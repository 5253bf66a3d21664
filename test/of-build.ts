/**
 * Gives tests that import a module of `src` the one that was built of it, in `dist`: it is what is shipped, and does some
 * things that sources cannot, as to measure files in threads.
 */
import { existsSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { Plugin } from 'vitest/config'

const root = resolve(import.meta.dirname, '..')
const sources = join(root, 'src/')

export const ofBuild: Plugin = {
  name: 'of-build',
  enforce: 'pre',
  resolveId(id, importer) {
    const path = importer !== undefined && id.startsWith('.') ? resolve(dirname(importer), id) : id
    if (!path.startsWith(sources)) return null
    const built = join(root, 'dist', path.slice(sources.length).replace(/\.ts$/, '.js'))
    // The script of the page is built into one file.
    return existsSync(built) ? { id: built, external: true } : null
  },
}
