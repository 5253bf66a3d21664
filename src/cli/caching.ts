/** Whether a run keeps what it has read of files, where, and how much of it. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import type { TraceCache } from '../app/door.ts'
import { version } from './bug.ts'
import { cacheDirectory, isCi } from './cache-directory.ts'
import type { Resolved } from './config.ts'
import { bytesOf, flagOf, settingOf } from './options.ts'
import { openTraceCache } from './trace-cache.ts'
import type { World } from './world.ts'

type Settings = ReadonlyMap<string, Resolved>

/**
 * Null where nothing is to be kept, or nowhere.
 * @throws CtxwinError for a size that is none
 */
export function traceCacheOf(settings: Settings, world: Pick<World, 'env' | 'cwd' | 'now'>): TraceCache | null {
  const limit = bytesOf(settings, 'cacheSize')
  const isAsked = settingOf(settings, 'traceCache').origin !== 'default'
  if (!flagOf(settings, 'traceCache') || (!isAsked && isCi(world.env))) return null
  const directory = traceDirectory(world)
  return directory === null ? null : openTraceCache({ directory, limit, build: buildOf(), now: world.now })
}

/** Null where no home directory is known. */
export function traceDirectory({ env, cwd }: Pick<World, 'env' | 'cwd'>): string | null {
  const directory = cacheDirectory(env)
  return directory === null ? null : resolve(cwd(), directory, 'traces')
}

let build: string | undefined

/**
 * Another word for each build of ctxwin, and for each engine that runs it. By content: two checkouts have the same version,
 * and an installed package the same times.
 */
function buildOf(): string {
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
