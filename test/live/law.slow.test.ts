/**
 * What is simulated is what is shipped: an agent is given, step by step, the very requests that `window --at` shows of the same
 * messages.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstCell, type Plan } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import { estimators } from '../../src/estimators/index.ts'
import { openFile, readTraces } from '../../src/index.ts'
import type { Message } from '../../src/model/message.ts'
import { policies } from '../../src/policies/index.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { captureEach } from '../../src/simulator/capture.ts'
import { casesOf } from '../laws/drawn.ts'
import { subjects } from '../laws/subjects.ts'
import { transcripts } from '../laws/transcripts.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { planOf } from '../simulator/plan.ts'
import { sampled } from '../whole.ts'
import { isOneHistory, type Requested, requestsOf } from './replayed.ts'

/** What tells a message of a request: who says what, for which call. A summary is named by when it was asked for, and by nothing else. */
const told = ({ role, blocks, callId, isError }: Message) => ({ role, blocks, callId, isError })

/** One without a price that takes its reasoning back only behind what has not changed. */
const models = fc.constantFrom(null, 'claude-opus-9')

/** Only a replay knows what is to come, or what was recorded. */
const canRunLive = ({ looksAhead, repeats }: Policy) => !looksAhead && !repeats

describe('an agent is given what a replay shows', () => {
  const bytes = choose(estimators.get('bytes'))
  const system: Message[] = [{ role: 'system', line: 1, blocks: [{ type: 'text', text: 'S' }] }]
  const forAny = casesOf(fc.tuple(transcripts, fc.integer({ min: 20, max: 700 }), models), 6, 8)
  for (const [turn, subject] of subjects.filter(({ policy }) => canRunLive(policy)).entries()) {
    it(subject.name, () => {
      const policy = { plugin: subject.policy, values: subject.values }
      forAny((list, budget, model) => {
        const meter = estimators.get('bytes').meter({ provider: 'anthropic', model }, bytes.values)
        const preamble = { system, complete: true }
        const trace = traceOf(list, [meter.message], 'anthropic', { preamble, head: { model } })
        const cell = firstCell(trace, planOf(policy, budget))
        const shown = [...captureEach(cell)]
        const given = [...requestsOf(trace, policy, bytes, budget, null, cell.facts.known.cache ?? null)]
        expect(given.map(({ tokens }) => tokens)).toEqual(shown.map(({ tokens }) => tokens))
        expect(given.map(({ messages }) => messages.map(told))).toEqual(shown.map(({ messages }) => messages.map(told)))
      }, turn)
    })
  }
})

const corpus = '../shared/corpus'

/** Of each transcript a few policies at two budgets, by turns, so that all of them meet transcripts of every kind. */
async function differences(file: string, turn: number): Promise<{ requests: number; found: string[] }> {
  const live = policies.all.filter(canRunLive)
  const estimator = choose(estimators.get(turn % 2 === 0 ? 'bytes' : 'estimate'))
  const [preamble, found] = [20_000, [] as string[]]
  let requests = 0
  const asked: Plan = { policies: [choose(policies.get('knobs'))], estimators: [estimator], budgets: [0], preamble }
  for await (const trace of readTraces([openFile(file)], { plan: asked })) {
    if (!isOneHistory(trace) || trace.requests === 0) continue
    const whole = [...captureEach(firstCell(trace, { ...asked, policies: [choose(policies.get('keep-all'))] }))].at(-1)
    for (const share of [0.3, 0.7]) {
      const budget = preamble + Math.ceil(((whole?.tokens ?? preamble) - preamble) * share)
      for (let nth = 0; nth < 3; nth++) {
        const plugin = live[(turn * 5 + nth * 31) % live.length] as Policy
        const policy = choose(plugin)
        const cell = firstCell(trace, { ...asked, policies: [policy], budgets: [budget] })
        const shown = captureEach(cell)
        for (const given of requestsOf(trace, policy, estimator, budget, preamble, cell.facts.known.cache ?? null)) {
          const { messages, tokens } = shown.next().value as Requested
          requests++
          const isSame = given.tokens === tokens && given.messages.length === messages.length
          if (isSame && given.messages.every((one, at) => isSent(one, messages[at] as Message))) continue
          found.push(`${file} ${plugin.name} at ${budget}: request ${requests}`)
          break
        }
      }
    }
  }
  return { requests, found }
}

const isSent = (one: Message, other: Message) => one === other || isDeepStrictEqual(told(one), told(other))

describe.skipIf(!existsSync(corpus))('the same on real transcripts', () => {
  const names = existsSync(corpus) ? readdirSync(corpus, { recursive: true, encoding: 'utf8' }) : []
  const files = names
    .map((name) => join(corpus, name))
    .filter((file) => /\.(jsonl|json|traj)$/.test(file) && !file.includes('damaged') && statSync(file).size < 3_000_000)
    .sort()

  it('of files that are not large', { timeout: 120_000 }, async () => {
    let requests = 0
    for (const [turn, file] of sampled(files, 16).entries()) {
      try {
        const result = await differences(file, turn)
        expect(result.found).toEqual([])
        requests += result.requests
      } catch (error) {
        // Not a transcript.
        if (!('code' in (error as object))) throw error
      }
    }
    expect(requests).toBeGreaterThan(10_000)
  })
})
