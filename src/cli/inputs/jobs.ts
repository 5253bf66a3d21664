/** How many files are measured at once: one if threads cannot measure them, or would not pay. */
import { existsSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import { resolve } from 'node:path'
import type { Source } from '../../app/index.ts'
import { threadsWithRoom } from '../../base/address-space.ts'
import type { Call } from './call.ts'
import { takes } from './commands.ts'
import type { Settings } from './config.ts'
import { filterNamed, ownModules, settingOf, valueFor } from './options.ts'

/**
 * In bytes: with less for each, threads gain little wall time for the processor time in which each finds out what to
 * optimise.
 */
const worthOfThread = 1e8
/**
 * So many bytes that an earlier run has kept are worth as much of a thread as one that is read. They take a ninth of
 * its time or less, but what threads find has to be handed over all the same: two were no quicker than one over 400 and
 * 800 MB of them.
 */
const keptPerRead = 32

interface ToMeasure {
  readonly sources: readonly Source[]
  /** In bytes; null for what is no plain file. */
  readonly sizeOf: (source: Source) => number | null
  /** The files that an earlier run has kept. */
  readonly kept: () => ReadonlySet<Source>
  /** Whether there are threads that could measure them. */
  readonly threads: boolean
}

/** @throws CtxwinError for --jobs that is no number of them */
export function jobsFor(call: Call, settings: Settings, { sources, sizeOf, kept, threads }: ToMeasure): number {
  const asked = valueFor(settings, 'jobs')
  const isWhole = settingOf(settings, 'last').value === null
  // The user's own modules run in one thread, so that what they print and how they fail is reported once and in order.
  const isOurs = ownModules(settings).length === 0 && filterNamed(settings) === undefined
  if (asked === 1 || !takes(call.command, 'jobs') || !isWhole || !isOurs || !threads) return 1
  const isOnce = (source: Source) =>
    sizeOf(source) === null && (source.name === '-' || existsSync(resolve(call.world.cwd(), source.name)))
  if (sources.some(isOnce)) return 1
  const most = asked ?? Math.min(idleProcessors(), Math.floor(bytesToRead(sources, sizeOf, kept()) / worthOfThread))
  const files = sources.filter((source) => sizeOf(source) !== null).length
  return Math.max(1, Math.min(most, files, threadsWithRoom()))
}

/** Threads that compete with other processes take more processor time than one, and finish no sooner. */
function idleProcessors(): number {
  const [load = 0] = loadavg()
  return Math.max(1, Math.round(availableParallelism() - load))
}

function bytesToRead(sources: readonly Source[], sizeOf: ToMeasure['sizeOf'], kept: ReadonlySet<Source>): number {
  return sources.reduce((sum, source) => sum + (sizeOf(source) ?? 0) / (kept.has(source) ? keptPerRead : 1), 0)
}
