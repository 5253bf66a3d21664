/** The bounds, held against every schedule of small transcripts and against every policy over real ones. */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { simulateSources } from '../../src/app/analyse.ts'
import { simulate } from '../../src/app/by-plan.ts'
import { estimators, openFile, policies, type Total } from '../../src/app/index.ts'
import { firstCell, type Plan, sizersFor } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { Block, Message } from '../../src/model/message.ts'
import type { PolicyBounds, TraceRun } from '../../src/model/run.ts'
import type { Trace } from '../../src/model/trace.ts'
import { definePolicy } from '../../src/policies/catalogue/define-policy.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { TraceBuilder } from '../../src/readers/trace-builder.ts'
import { ReferenceDigest } from '../../src/references/digest.ts'
import { simulateOne } from '../../src/simulator/simulate.ts'
import { sampled } from '../whole.ts'
import { headOf } from './arbitrary.ts'

/** A step of a file: it is read, so that so many lines of it are shown, or the line that makes it out is edited. */
interface Step {
  readonly file: number
  readonly edits: boolean
  readonly lines: number
}

const line = (file: number) => `this line can only be found in file number ${file}`
const filler = (lines: number) => Array.from({ length: lines }, (_, at) => `a line that nobody ever uses, ${at}`)

function messagesOf(prompt: number, steps: readonly Step[]): Message[] {
  const text = (content: string): Block => ({ type: 'text', text: content })
  const messages: Omit<Message, 'line'>[] = [{ role: 'user', blocks: [text(['go', ...filler(prompt)].join('\n'))] }]
  for (const [at, { file, edits, lines }] of steps.entries()) {
    const path = `src/file${file}.ts`
    const input = edits
      ? { file_path: path, old_string: line(file), new_string: `something else that is new in step ${at}` }
      : { file_path: path }
    const id = `call ${at}`
    messages.push({ role: 'assistant', blocks: [{ type: 'call', id, name: edits ? 'Edit' : 'Read', input }] })
    const shown = edits ? 'done' : [line(file), ...filler(lines)].join('\n')
    messages.push({ role: 'tool', callId: id, blocks: [text(shown)] })
  }
  return messages.map((message, index) => ({ ...message, line: index + 1 }))
}

function planOf(policy: Policy, budget: number): Plan {
  return {
    policies: [choose(policy)],
    estimators: [choose(bytes)],
    budgets: [budget],
    model: 'claude-sonnet-4-5',
    cache: 'ideal',
    references: true,
  }
}

function traceOf(messages: readonly Message[], system = 'You are an agent. '.repeat(20)): Trace {
  const head = { ...headOf('anthropic'), model: 'claude-sonnet-4-5' }
  const sizers = sizersFor(planOf(policies.get('keep-all'), 0))(head)
  const trace = new TraceBuilder(head, sizers, true, new ReferenceDigest(head))
  trace.preamble = {
    system: [{ role: 'system', line: 0, blocks: [{ type: 'text', text: system }] }],
    complete: true,
  }
  for (const message of messages) trace.add(message)
  return trace.build()
}

/** The same request for each message, from which on it is no longer sent. */
type Schedule = readonly number[]

/** Every way in which messages can leave for good after they were sent once. */
function schedulesOf(trace: Trace): Schedule[] {
  let all: number[][] = [[]]
  for (let index = 0; index < trace.length; index++) {
    let first = 0
    while (first < trace.requests && trace.requestAt(first) <= index) first++
    const leaves = Array.from({ length: Math.max(1, trace.requests - first) }, (_, later) => first + 1 + later)
    all = all.flatMap((before) => leaves.map((request) => [...before, request]))
  }
  return all
}

function following(schedule: Schedule): Policy {
  return definePolicy({
    name: 'schedule',
    start() {
      let request = 0
      return {
        request(window) {
          for (let entry = window.first; entry; entry = entry.next) {
            if ((schedule[entry.index] as number) <= request) window.drop(entry, entry)
          }
          request++
        },
      }
    },
  })
}

const clairvoyant = policies.get('clairvoyant')
const known = (run: TraceRun) => ({
  lost: run.references?.headline.sourceLost as number,
  paid: run.cost.input + run.cost.summaries,
  over: run.overBudgetRequests,
})

/** Every schedule, and what clairvoyant comes to. */
function everythingOf(messages: readonly Message[], budget: number) {
  const trace = traceOf(messages)
  // One plan of them all: what is the same for each policy is computed once.
  const plan = planOf(clairvoyant, budget)
  const schedules = schedulesOf(trace).map((schedule) => choose(following(schedule)))
  const [run, ...runs] = simulate(trace, { ...plan, policies: [...plan.policies, ...schedules] })
  if (run === undefined) throw new Error('clairvoyant has no run')
  const all = runs.map(known)
  // None is over the budget more often than one that sends what it must.
  const fewest = Math.min(...all.map(({ over }) => over))
  return {
    all,
    within: all.filter(({ over }) => over === fewest),
    run,
    bounds: run.bounds as PolicyBounds,
    ...known(run),
  }
}

const stepsOf = (length: number) =>
  fc
    .array(fc.record({ file: fc.nat({ max: 2 }), edits: fc.boolean(), lines: fc.nat({ max: 9 }) }), {
      minLength: length,
      maxLength: length,
    })
    .map((list) => list.map((step, at) => ({ ...step, edits: step.edits || at > length / 2 })))

describe('the bounds', () => {
  // Five steps have thousands of schedules, four a twentieth of them.
  it.each([
    [4, 25],
    [5, 2],
  ])('are below every schedule of small transcripts of %i steps', { timeout: 300_000 }, (length, numRuns) => {
    let lossy = 0
    fc.assert(
      fc.property(stepsOf(length), fc.nat({ max: 2 }), fc.integer({ min: 205, max: 305 }), (steps, prompt, budget) => {
        const { all, within, bounds, lost } = everythingOf(messagesOf(prompt, steps), budget)
        const fewest = Math.min(...within.map((one) => one.lost))
        if (fewest > 0) lossy++
        expect(bounds.lost).toBeLessThanOrEqual(fewest)
        // One `expect` for thousands of schedules: each takes as long as a replay.
        const cheapest = (some: typeof all) => Math.min(...some.map(({ paid }) => paid))
        expect(cheapest(within.filter((one) => one.lost <= lost))).toBeGreaterThanOrEqual(bounds.paid)
        expect(cheapest(all)).toBeGreaterThanOrEqual(bounds.preamble)
      }),
      { numRuns, seed: 14 },
    )
    expect(lossy).toBeGreaterThan(1)
  })

  it('are what the best schedule loses where three files do not fit, and clairvoyant loses no more', () => {
    const read = (file: number) => ({ file, edits: false, lines: 9 })
    const edit = (file: number) => ({ file, edits: true, lines: 0 })
    const messages = messagesOf(0, [read(0), read(1), read(2), edit(0), edit(1), edit(2)])
    const trace = traceOf(messages)
    const lostAt = (budget: number) => {
      const { bounds, references } = simulateOne(firstCell(trace, planOf(clairvoyant, budget)), [])
      return [bounds?.lost, references?.headline.sourceLost]
    }
    // 430 tokens hold one result beside a new step; at 250 no step with a result fits, so nothing has to leave before the edits.
    expect([1000, 430, 290, 250].map(lostAt)).toEqual([
      [0, 0],
      [1, 1],
      [3, 3],
      [2, 2],
    ])
  })

  it('are what has to be paid, but for a hundredth, where most of a request is its system prompt', () => {
    const messages = messagesOf(
      0,
      [0, 1, 0].map((file) => ({ file, edits: false, lines: 0 })),
    )
    const trace = traceOf(messages, 'You are an agent. '.repeat(5000))
    const { bounds, cost } = simulateOne(firstCell(trace, planOf(clairvoyant, 0)), [])
    expect(bounds?.paid).toBeGreaterThan(0.99 * cost.input)
    expect(bounds?.paid).toBeLessThanOrEqual(cost.input)
  })

  it('are absent where references are not measured, and from every other policy', () => {
    const trace = traceOf(messagesOf(0, [{ file: 0, edits: false, lines: 3 }]))
    const blind = simulateOne(firstCell(trace, { ...planOf(clairvoyant, 100), references: false }), [])
    expect([blind.bounds, blind.references]).toEqual([undefined, undefined])
    expect(simulateOne(firstCell(trace, planOf(policies.get('drop-oldest'), 100)), []).bounds).toBeUndefined()
  })
})

const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'

describe.skipIf(!existsSync(corpus))('no policy is below the bounds on real sessions', () => {
  const all = ['claude-code', 'codex-rollout', 'opencode-export', 'pi'].map((format) =>
    existsSync(join(corpus, format))
      ? readdirSync(join(corpus, format), { recursive: true, withFileTypes: true })
          .filter((entry) => entry.isFile())
          .map(({ parentPath, name }) => join(parentPath, name))
          .sort()
      : [],
  )
  const files = all.flatMap((paths) => sampled(paths, 24)).filter((path) => statSync(path).size < 2 ** 21)

  it('at budgets of 50,000 and 150,000 tokens', { timeout: 600_000 }, async () => {
    const budgets = [50_000, 150_000]
    const plan: Plan = {
      policies: policies.all.filter(({ part }) => !part).map((policy) => choose(policy)),
      estimators: [choose(estimators.get('auto'))],
      budgets,
      references: true,
    }
    const { runs, totals } = await simulateSources(files.map(openFile), plan, {}, () => {})
    for (const budget of budgets) {
      const at = totals.filter((total) => total.budget === budget)
      const best = at.find(({ policy }) => policy === 'clairvoyant') as Total
      const { overBudgetRequests } = best
      const priced = runs.filter(
        (run) => run.policy === 'clairvoyant' && run.budget === budget && run.copyOf === undefined,
      )
      const bound = (of: (bounds: PolicyBounds) => number, all = priced) =>
        all.reduce((sum, { bounds }) => sum + of(bounds as PolicyBounds), 0)
      const costed = priced.filter(({ cost }) => cost.unit === best.cost.unit)
      const bounds = {
        lost: bound(({ lost }) => lost),
        paid: bound(({ paid }) => paid, costed),
        preamble: bound(({ preamble }) => preamble, costed),
      }
      const lostOf = ({ references }: Total) => references?.headline.sourceLost as number
      const below = at.filter(
        (row) =>
          row.cost.paid < bounds.preamble - 1e-6 ||
          (row.overBudgetRequests <= overBudgetRequests && lostOf(row) < bounds.lost) ||
          (lostOf(row) <= lostOf(best) && row.cost.paid < bounds.paid - 1e-6),
      )
      expect(below.map(({ policy }) => policy)).toEqual([])
      // Without being proven, here none is cheaper than what knows the future, whatever it loses.
      expect(at.filter((row) => row.cost.paid < best.cost.paid).map(({ policy }) => policy)).toEqual([])
    }
  })
})
