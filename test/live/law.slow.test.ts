/**
 * What is simulated is what is shipped: an agent is given, step by step, the very requests that `history --request --at` shows of the same
 * messages.
 */
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openFile, readTraces } from '../../src/app/index.ts'
import { firstCell, type Plan } from '../../src/app/plan.ts'
import { choose } from '../../src/base/chosen.ts'
import { estimators } from '../../src/estimators/index.ts'
import type { Message } from '../../src/model/message.ts'
import { policies } from '../../src/policies/index.ts'
import type { Policy } from '../../src/policies/policy.ts'
import { captureEach } from '../../src/simulator/capture.ts'
import { casesOf } from '../laws/drawn.ts'
import { subjects } from '../laws/subjects.ts'
import { transcripts } from '../laws/transcripts.ts'
import { sampled } from '../whole.ts'
import { canRunLive, expectAsShown, isOneHistory, models, type Requested, requestsOf, told } from './replayed.ts'

describe('an agent is given what a replay shows', () => {
  const forAny = casesOf(fc.tuple(transcripts, fc.integer({ min: 20, max: 700 }), models), 6, 8)
  for (const [turn, subject] of subjects.filter(({ policy }) => canRunLive(policy)).entries()) {
    it(subject.name, () => {
      forAny((list, budget, model) => expectAsShown(subject, list, budget, model), turn)
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
