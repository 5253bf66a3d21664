/** Whether a run keeps what it has read of files, and where it stopped in them; in which place, and how much of it. */
import { resolve } from 'node:path'
import type { Checkpoints } from '../../app/files/follow.ts'
import type { TraceCache } from '../../app/files/trace-cache.ts'
import { buildOf } from '../../base/build.ts'
import { openCheckpoints } from '../../cache/checkpoints.ts'
import { cacheDirectory, isCi } from '../../cache/directory.ts'
import { openTraceCache } from '../../cache/traces.ts'
import type { World } from '../output/world.ts'
import type { Settings } from './config.ts'
import { settingOf, valueFor } from './options.ts'

/**
 * Null where nothing is to be kept, or nowhere.
 * @throws CtxwinError for a size that is none
 */
export function traceCacheOf(settings: Settings, world: Pick<World, 'env' | 'cwd' | 'now'>): TraceCache | null {
  const limit = valueFor(settings, 'cacheSize')
  const directory = keptIn(settings, world)
  return directory === null ? null : openTraceCache({ directory, limit, build: buildOf(), now: world.now })
}

/** Null where nothing is to be kept, or nowhere: as for the trace cache. */
export function checkpointsOf(settings: Settings, world: Pick<World, 'env' | 'cwd'>): Checkpoints | null {
  const directory = keptIn(settings, world)
  return directory === null ? null : openCheckpoints(directory, buildOf())
}

function keptIn(settings: Settings, world: Pick<World, 'env' | 'cwd'>): string | null {
  const isAsked = settingOf(settings, 'traceCache').origin !== 'default'
  if (!valueFor(settings, 'traceCache') || (!isAsked && isCi(world.env))) return null
  return traceDirectory(world)
}

/** Null where no home directory is known. */
export function traceDirectory({ env, cwd }: Pick<World, 'env' | 'cwd'>): string | null {
  const directory = cacheDirectory(env)
  return directory === null ? null : resolve(cwd(), directory, 'traces')
}
