/** What uses of content need of the window, from their definition: by a look at every message in front of each use. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { namedClasses } from '../../src/model/run.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Trace } from '../../src/model/trace.ts'
import type { ReferenceDigest } from '../../src/references/digest.ts'
import { LostReferences } from '../../src/references/lost.ts'
import { type Need, needsOf, usersByNameOf, usersOf } from '../../src/references/needs.ts'
import { resolveReferences } from '../../src/references/resolve.ts'
import { traceOf, worked } from './transcripts.ts'

const sizes = {
  joins: (end: number) => (end === 0 ? 2 : 1 + (end % 3)),
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
          units: Math.min(...sources.map((source) => sizes.of(source) + 1)),
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

it('who uses a message by name, too, is who finds content or a name of which it is the latest source', () => {
  let named = 0
  fc.assert(
    fc.property(worked, (list) => {
      const trace = traceOf(list, [])
      const digest = trace.digest as ReferenceDigest
      const users = new Map<number, Set<number>>()
      const told = new LostReferences(
        trace,
        digest,
        { ...sizes, preamble: 0, message: () => 0, tokens: (units) => units, units: (tokens) => tokens },
        ({ termClass, source, request }) => {
          if (source < 0 || !(termClass === 'content' || namedClasses.has(termClass))) return
          if (termClass !== 'content') named++
          users.set(source, (users.get(source) ?? new Set()).add(trace.requestAt(request)))
        },
        'every',
      )
      for (let index = 0; index < trace.requests; index++) {
        const message = trace.requestAt(index)
        const sent = { presence: null } as never
        told.request({ index, message, line: 0, exchange: 0, fullTokens: 0, sentTokens: 0, believedTokens: 0, sent })
      }
      const found = [...usersByNameOf(trace, digest)].map(([source, answers]) => [source, new Set(answers)] as const)
      expect(new Map(found)).toEqual(users)
    }),
    { numRuns: 100 },
  )
  expect(named).toBeGreaterThan(40)
})
