/** Which build of ctxwin runs: what is kept of one is not read by another. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'

export const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  version: string
}

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

/** What was summed up when it was bundled; else by all files. Not SHA-256: to load it and to sum up took 40 ms of each run. */
export function contentOf(directory: string): string {
  const built = join(directory, 'build.txt')
  if (existsSync(built)) return readFileSync(built, 'utf8').trim()
  let [sum, size] = [0, 0]
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' })
  for (const file of names.filter((name) => /\.(?:ts|json|wasm)$/.test(name)).sort()) {
    const bytes = readFileSync(join(directory, file))
    sum = crc32(bytes, crc32(file, sum))
    size += bytes.length
  }
  return `${sum}-${size}`
}
