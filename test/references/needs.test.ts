/** What uses of content need of the window, from their definition: by a look at every message in front of each use. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Sizes, unitsWithin } from '../../src/model/sizes.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { ReferenceDigest } from '../../src/references/digest.ts'
import { type Need, needsOf, usersOf } from '../../src/references/needs.ts'
import { resolveReferences } from '../../src/references/resolve.ts'
import { traceOf, worked } from './transcripts.ts'

const sizes = {
  joins: { first: 2, next: 3, continued: 1 },
  of: (index: number) => 10 + ((index * 7) % 13),
} satisfies Pick<Sizes, 'joins' | 'of'>

/** Of each use: its request, and the messages in front of it with a piece of it. */
function sourcesSlowly(trace: Trace, digest: ReferenceDigest): { request: number; sources: number[] }[] {
  const { uses, piece } = resolveReferences(trace, digest).content
  const { content } = digest
  const { pieces } = resolveReferences(trace, digest)
  const piecesIn = (message: number): number[] => {
    const found: number[] = []
    for (let at = content.start(message); at < content.start(message + 1); at++) {
      found.push(pieces.idOf(content.standing.high(at), content.standing.low(at)))
    }
    return found
  }
  return Array.from({ length: uses.count }, (_, use) => {
    const request = uses.starts.findLastIndex((start) => start <= use)
    const wanted = Array.from(uses.places.slice(uses.pieceStarts[use], uses.pieceStarts[use + 1]), (at) => piece[at])
    const sources: number[] = []
    for (let message = trace.requestAt(request) - 1; message >= 0; message--) {
      if (piecesIn(message).some((one) => wanted.includes(one))) sources.push(message)
      if (trace.isReset(message)) break
    }
    return { request, sources }
  })
}

it('a need takes of the time of its sources what no other use can have of them', () => {
  let shared = 0
  fc.assert(
    fc.property(worked, (list) => {
      const trace = traceOf(list, [])
      const digest = trace.digest as ReferenceDigest
      const uses = sourcesSlowly(trace, digest)
      const firstWith = (message: number) => {
        const answers = Array.from({ length: trace.requests }, (_, request) => trace.requestAt(request))
        return answers.findIndex((answer) => answer > message)
      }
      const needs = uses.map(({ request, sources }, use): Need => {
        const first = firstWith(Math.max(...sources))
        const before = uses.slice(0, use).filter((other) => other.sources.some((source) => sources.includes(source)))
        if (before.length > 0) shared++
        return {
          request,
          from: Math.max(first, ...before.map((other) => other.request + 1)),
          units: Math.min(...sources.map((source) => unitsWithin(trace, sizes, source).least)),
          first,
        }
      })
      expect(needsOf(trace, digest, sizes)).toEqual(needs)
      const users = new Map<number, Set<number>>()
      for (const { request, sources } of uses) {
        const newest = Math.max(...sources)
        users.set(newest, (users.get(newest) ?? new Set()).add(trace.requestAt(request)))
      }
      expect(new Map([...usersOf(trace, digest)].map(([source, answers]) => [source, new Set(answers)]))).toEqual(users)
    }),
    { numRuns: 150 },
  )
  expect(shared).toBeGreaterThan(40)
})
