import fc from 'fast-check'
import { expect, test } from 'vitest'
import { caseOf, firstCell } from '../../../src/app/plan.ts'
import { choose } from '../../../src/base/chosen.ts'
import {
  type Copied,
  type CopiedCounts,
  copyKinds,
  noCopied,
  ofEachKind,
  type References,
} from '../../../src/model/run.ts'
import type { Trace } from '../../../src/model/trace.ts'
import asRecorded from '../../../src/policies/as-recorded.ts'
import { definePolicy } from '../../../src/policies/catalogue/define-policy.ts'
import keepAll from '../../../src/policies/keep-all.ts'
import type { Entry, Policy, Window } from '../../../src/policies/policy.ts'
import dropMessages from '../../../src/policies/primitives/drop-messages.ts'
import { simulateOne } from '../../../src/simulator/simulate.ts'
import { cases } from '../../whole.ts'
import { planOf } from '../both.ts'
import { Capture } from '../slow.ts'
import { countCopiedSlowly } from './slow.ts'
import { type Step, step, steps, stretches, traceOf } from './transcripts.ts'

/** Drops, replaces and inserts as the seed says. */
function editing(kind: 'sticky' | 'view', seed: number): Policy {
  return definePolicy({
    ...{ name: 'editing', summary: 'edits the window', source: 'a test', params: {} },
    ...{ kind, monotone: false, wholePairs: false, text: true },
    start() {
      let state = seed
      const below = (limit: number) => {
        state = (Math.imul(state, 1664525) + 1013904223) >>> 0
        return Math.floor((state / 2 ** 32) * limit)
      }
      const request = (window: Window) => {
        const entries: Entry[] = []
        for (let entry = window.first; entry; entry = entry.next) entries.push(entry)
        const entry = entries[below(entries.length)]
        if (!entry || below(2) === 0) return
        const blocks = [{ type: 'text' as const, text: stretches[below(stretches.length)] as string }]
        const what = below(kind === 'view' ? 4 : 3)
        if (what === 0) window.drop(entry, entry)
        else if (what === 1) window.replace(entry, blocks)
        else if (what === 2) window.insert(entry, { role: below(2) === 0 ? 'user' : 'assistant', blocks })
        else window.restore(below(20))
      }
      return { request }
    },
  })
}

function counted(trace: Trace, policy: Policy, budget: number): { copied: Copied; sent: Capture['sent'] } {
  const capture = new Capture(trace)
  const { references } = simulateOne(firstCell(trace, planOf(policy, budget)), [capture])
  return { copied: (references as References).copied as Copied, sent: capture.sent }
}

const pick = ({ requests, lost, shares, floor, byKind }: Copied) => ({ requests, lost, shares, floor, byKind })

const policies = fc.oneof(
  fc.tuple(fc.constantFrom('sticky' as const, 'view' as const), fc.nat(1e6)).map(([kind, seed]) => editing(kind, seed)),
  fc.constantFrom(dropMessages, asRecorded),
)

test('what was copied, and what of it is gone, is that of a recount of every window', () => {
  let [requests, lost, floor] = [0, 0, 0]
  const byKind = ofEachKind(() => 0)
  fc.assert(
    fc.property(steps, policies, fc.constantFrom(50, 200), (list, policy, budget) => {
      const trace = traceOf(list)
      const { copied, sent } = counted(trace, policy, budget)
      const [whole, recorded] = [counted(trace, keepAll, 0).sent, counted(trace, asRecorded, 0).sent]
      expect(pick(copied)).toEqual(countCopiedSlowly(trace, whole, recorded, sent))
      requests += copied.requests
      lost += copied.lost
      floor += copied.floor.lost
      for (const kind of copyKinds) byKind[kind] += copied.byKind[kind].lost
    }),
    { numRuns: cases(150) },
  )
  expect(Math.min(requests, lost, floor, ...Object.values(byKind))).toBeGreaterThan(5)
})

test('the recorded agent keeps all, and so does who drops nothing', () => {
  fc.assert(
    fc.property(steps, (list) => {
      const trace = traceOf(list)
      for (const policy of [asRecorded, keepAll])
        expect(counted(trace, policy, 0).copied).toMatchObject({ lost: 0, shares: 0 })
    }),
  )
})

test('a copy that is planted is found, and is lost where its source is gone', () => {
  const says = (kind: Step['kind'], one: string): Step => ({ kind, texts: [one, ''], happens: null, kept: 0 })
  const line = 'a line of a file that nobody else has in this form, 1234567890'
  const trace = traceOf([
    says('prompt', 'go on'),
    says('Bash', 'cat a.ts'),
    says('result', `   12→${line}\n`),
    says('Bash', 'echo nothing of it'),
    says('result', 'nothing'),
    says('Bash', `git commit -m '${line}'`),
  ])
  const first = definePolicy({
    ...{ name: 'first', summary: 'drops one', source: 'a test', params: {}, kind: 'sticky' },
    ...{ monotone: true, wholePairs: false, text: false },
    start: () => ({
      request(window) {
        for (let entry = window.first; entry; entry = entry.next) if (entry.index === 2) window.drop(entry, entry)
      },
    }),
  })
  const one = { requests: 1, lost: 1, shares: 1e6 }
  const floor = { requests: 1, lost: 0, shares: 0 }
  const none = { ...noCopied, floor }
  const ofCommands = (counts: CopiedCounts) => ({ ...noCopied.byKind, command: { ...counts, floor } })
  expect(counted(trace, first, 10).copied).toEqual({ ...none, ...one, byKind: ofCommands(one) })
  expect(counted(trace, keepAll, 0).copied).toEqual({ ...none, ...floor, byKind: ofCommands(floor) })
  const cell = { policy: choose<Policy>(first), facts: caseOf(trace, planOf(first, 10)), budget: 10 }
  const told: unknown[] = []
  simulateOne(cell, [], null, 'lost', (request) => told.push(request))
  expect(told).toMatchObject([
    { request: 2, kind: null, message: 5, source: 2, kept: 0 },
    { request: 2, kind: 'command', message: 5, source: 2, kept: 0 },
  ])
})

test('a transcript with a summary that cannot be read is not judged', () => {
  fc.assert(
    fc.property(steps, step, (list, last) => {
      const trace = traceOf([...list, { ...last, happens: 'sealed' }])
      expect(counted(trace, keepAll, 0).copied).toMatchObject({ requests: 0, unjudged: 1 })
    }),
    { numRuns: 20 },
  )
})
