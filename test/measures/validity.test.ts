/** Which faults count: what a policy adds, and what the provider at hand refuses. */
import { describe, expect, it } from 'vitest'
import { choose, estimators, type ProviderName, policies, simulate } from '../../src/app/index.ts'
import type { Plan } from '../../src/app/plan.ts'
import type { Message } from '../../src/model/message.ts'
import { traceOf } from '../simulator/arbitrary.ts'

const text = (words: string) => [{ type: 'text' as const, text: words }]
const user = (line: number): Message => ({ role: 'user', line, blocks: text('Please') })
const answer = (line: number): Message => ({ role: 'assistant', line, blocks: text('Done') })
const call = (line: number, id: string): Message => ({
  role: 'assistant',
  line,
  blocks: [{ type: 'call', id, name: 'read', input: {} }],
})
const result = (line: number, callId: string): Message => ({ role: 'tool', line, callId, blocks: text('ok') })

/** Each message is 10 tokens, and nothing else is counted. */
function runOf(
  policy: string,
  list: readonly Message[],
  budget: number,
  provider: ProviderName = 'anthropic',
  more: Parameters<typeof traceOf>[3] = {},
) {
  const plan: Plan = {
    policies: [choose(policies.get(policy))],
    estimators: [choose(estimators.get('openai'), {})],
    budgets: [budget],
    provider,
  }
  const [run] = simulate(traceOf(list, [() => 10], provider, more), plan)
  return run!
}

const none = { orphanResults: 0, orphanCalls: 0, firstNotUser: 0, emptyMessages: 0, lostLatestUser: 0, thinkingLost: 0 }

describe('a fault', () => {
  it('of the transcript itself is none of the policy that sends it', () => {
    const list = [answer(1), result(2, 'nobody'), user(3), call(4, 'a'), user(5), answer(6)]
    for (const policy of ['keep-all', 'truncate-tool-results', 'as-recorded']) {
      const { validity, exact, firstFaults } = runOf(policy, list, 1000)
      expect([validity, exact.invalidRequests, firstFaults]).toEqual([none, 0, undefined])
    }
  })

  it('of a request that was recorded is none: the provider took it', () => {
    const list = [user(1), call(2, 'a'), result(3, 'a'), answer(4), user(5), answer(6)]
    // The agent compacted between a call and its result.
    const compactions = [{ at: 4, keptFrom: 2, summary: [], line: 4 }]
    const { validity, exact } = runOf('as-recorded', list, 1000, 'anthropic', { compactions })
    expect([{ ...validity, lostLatestUser: 0, thinkingLost: 0 }, exact.invalidRequests]).toEqual([none, 0])
    expect(exact.edits).toBeGreaterThan(0)
  })

  it('is a result whose call the policy drops, and a request that begins with the model if the provider minds', () => {
    const list = [user(1), call(2, 'a'), result(3, 'a'), answer(4), answer(5)]
    const tokens = runOf('keep-all', list, 0).peakTokens
    const validities = (['anthropic', 'google', 'openai'] as const).map((provider) => {
      // One message less than the largest request, then two less: the user's goes first, then the call.
      const first = runOf('drop-messages', list, tokens - 5, provider)
      const both = runOf('drop-messages', list, tokens - 15, provider)
      return [first.validity, first.exact.invalidRequests, both.validity.orphanResults]
    })
    const begun = { ...none, lostLatestUser: 1 }
    expect(validities).toEqual([
      [{ ...begun, firstNotUser: 1 }, 1, 1],
      [{ ...begun, firstNotUser: 1 }, 1, 1],
      [begun, 0, 1],
    ])
  })
})
