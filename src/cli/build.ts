/** Which build of ctxwin runs: what is kept of one is not read by another. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { version } from './bug.ts'

let build: string | undefined

/**
 * Another word for each build of ctxwin, and for each engine that runs it. By content: two checkouts have the same version,
 * and an installed package the same times.
 */
export function buildOf(): string {
  const home = fileURLToPath(new URL('..', import.meta.url))
  build ??= [version, process.version, process.arch, process.versions.icu, contentOf(home)].join(' ')
  return build
}

/** Of the bundle where there is one: it is all of the program. Not SHA-256: to load it and to sum up took 40 ms of each run. */
export function contentOf(directory: string): string {
  let [sum, size] = [0, 0]
  const isBundled = existsSync(join(directory, 'main.cjs'))
  const files = isBundled
    ? ['main.cjs', ...namesIn(join(directory, 'wasm')).map((name) => `wasm/${name}`)]
    : namesIn(directory).filter((name) => /\.(?:ts|json)$/.test(name))
  for (const file of files.sort()) {
    const bytes = readFileSync(join(directory, file))
    sum = crc32(bytes, crc32(file, sum))
    size += bytes.length
  }
  return `${sum}-${size}`
}

function namesIn(directory: string): string[] {
  return existsSync(directory) ? readdirSync(directory, { recursive: true, encoding: 'utf8' }) : []
}
