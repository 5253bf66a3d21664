/** The command lines that `ctxwin` alone and `sessions` suggest next. */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathWord, shellCommand } from '../../../base/quoting.ts'
import type { Redaction } from '../../../model/redaction.ts'
import type { NextSteps } from '../../../reports/sessions.ts'
import type { Call } from '../../inputs/call.ts'
import { discover, type Found, realPath } from '../../inputs/places.ts'
import type { World } from '../../output/world.ts'

/** @param redaction what stands in for the names of inputs */
export function nextSteps({ world }: Call, inputs: readonly string[], redaction?: Redaction | null): NextSteps {
  const idOf = inputs.length === 0 ? sessionIds(world) : pathWord
  return {
    history: ({ file }: { readonly file: string }) => shellCommand(['ctxwin', 'history', idOf(file)]),
    recommend: withInputs(['recommend'], inputs, redaction),
  }
}

/** A command line with the inputs that this one has. @param redaction what stands in for their names */
export function withInputs(words: readonly string[], inputs: readonly string[], redaction?: Redaction | null): string {
  return shellCommand(['ctxwin', ...words, ...inputs.map((name) => pathWord(redaction?.file(name) ?? name))])
}

/**
 * What `history` takes for a file: of one that lies where its program keeps sessions, as much of its id as tells it
 * from the others; of any other its path.
 */
export function sessionIds(world: Pick<World, 'cwd' | 'env'>): (file: string) => string {
  const { found } = discover(world)
  const ids = beginnings(found)
  const byPath = new Map(found.map((one) => [realPath(one.path) ?? one.path, one]))
  return (file) => {
    const path = resolve(world.cwd(), file)
    const { session = null } = byPath.get(realPath(path) ?? path) ?? {}
    const id = session === null ? undefined : ids.get(session)
    // A file of that name in the working directory would be opened instead.
    return id === undefined || existsSync(resolve(world.cwd(), id)) ? pathWord(file) : id
  }
}

/**
 * By id as much of it as tells it from the others; without those that two files have, or that `history` takes for no
 * id.
 */
function beginnings(found: readonly Found[]): ReadonlyMap<string, string> {
  const sorted = found.flatMap(({ session }) => session ?? []).sort()
  const shortened = new Map<string, string>()
  for (const [at, id] of sorted.entries()) {
    const neighbours = [sorted[at - 1], sorted[at + 1]]
    if (neighbours.includes(id)) continue
    let length = 8
    while (length < id.length && neighbours.some((other) => other?.startsWith(id.slice(0, length)))) length++
    const word = id.slice(0, length)
    if (/^\w[\w-]{3,}$/.test(word)) shortened.set(id, word)
  }
  return shortened
}
