/** What the catalogue and the readers were made from, held against what is published now. */
import { newerVersion } from '../model/turn-on.ts'
import { policies } from '../policies/index.ts'
import { learned } from '../readers/learned.ts'

/** One thing that was learned from a published program. */
export interface Learning {
  /** A policy, or the reader of a program. */
  readonly kind: 'policy' | 'reader'
  readonly name: string
  readonly package: string
  /** The version that was read, or up to which the reader's rules were learned. */
  readonly version: string
  /** The month: `2026-11`. */
  readonly on: string
}

export interface Staleness extends Learning {
  /** The newest version that is published. */
  readonly published: string
  /** A newer one is published. */
  readonly stale: boolean
}

/** How many questions are under way at once. */
const atOnce = 4

export function learnings(): Learning[] {
  return [
    ...policies.all.flatMap(({ name, package: read }): Learning[] =>
      read ? [{ kind: 'policy', name, package: read.name, version: read.version, on: read.on }] : [],
    ),
    ...learned.map(({ program, ...rest }): Learning => ({ kind: 'reader', name: program, ...rest })),
  ]
}

/**
 * @param ask which version of a package is the newest; asked once for each
 * @throws what it throws
 */
export async function staleness(
  all: readonly Learning[],
  ask: (name: string) => Promise<string>,
): Promise<Staleness[]> {
  const names = [...new Set(all.map((one) => one.package))]
  const published = new Map<string, string>()
  let next = 0
  const work = async (): Promise<void> => {
    for (let at = next++; at < names.length; at = next++) {
      const name = names[at] as string
      published.set(name, await ask(name))
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, names.length) }, work))
  return all.map((one) => {
    const newest = published.get(one.package) as string
    return { ...one, published: newest, stale: newerVersion(one.version, newest) !== one.version }
  })
}
