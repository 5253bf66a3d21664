/**
 * The law of `bytes`: it counts the request that `window` prints, byte for byte, for every provider, whatever was pruned. Where it
 * cannot, as sizes add up and nobody knows what else will be in a request, docs/estimators.md says by how much it is off.
 */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstCell, type Plan, sizersFor } from '../../src/app/plan.ts'
import { windowRequests } from '../../src/app/window.ts'
import bytes from '../../src/estimators/bytes.ts'
import type { ProviderName } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { readTranscripts } from '../../src/readers/read.ts'
import { captureEach } from '../../src/simulator/capture.ts'
import { conversationIn, formats } from './conversations.ts'
import { subjects } from './subjects.ts'

const providers: readonly (ProviderName | null)[] = [null, 'anthropic', 'openai', 'google']

interface Setting {
  readonly subject?: (typeof subjects)[number]
  readonly budget?: number
  readonly provider?: ProviderName | null
  readonly bytesPerToken?: number
}

const keepAll = subjects.find(({ name }) => name === 'keep-all') as (typeof subjects)[number]

/** Of each request of which all words are known: tokens as counted, and bytes as printed. */
async function requestsOf(text: string, format: string, setting: Setting = {}) {
  const { subject = keepAll, budget = 0, provider = null, bytesPerToken = 1 } = setting
  const plan: Plan = {
    policies: [{ plugin: subject.policy, values: subject.values }],
    estimators: [{ plugin: bytes, values: { bytesPerToken } }],
    budgets: [budget],
    provider,
    references: false,
  }
  const traces: Trace[] = []
  const options = { format, sizersFor: sizersFor(plan), keepMessages: true }
  await readTranscripts({ name: 'text', chunks: [Buffer.from(text)] }, options, (trace) => void traces.push(trace))
  return traces.flatMap((trace) => {
    const bodies = [...windowRequests(trace, plan, null)].map(({ body }) => Buffer.byteLength(JSON.stringify(body)))
    const cell = firstCell(trace, plan)
    const { source, prior } = cell.facts.counted
    // What a program is known to send besides, no transcript has, so that it cannot be printed.
    const hidden = source === 'usual' ? Math.round(prior!.tokens) : 0
    return Array.from(captureEach(cell), ({ tokens, messages, unwritten }, request) => ({
      tokens: tokens - hidden,
      printed: bodies[request] as number,
      // A model has yet to write the summary.
      isKnown: !messages.some((message) => unwritten.has(message)),
    })).filter(({ isKnown }) => isKnown)
  })
}

describe.each(formats)('a conversation recorded as %s', (format) => {
  it.each(providers)('counts as many bytes as are sent, to %s', async (provider) => {
    let seen = 0
    let pruned = 0
    const setting = fc.record({
      subject: fc.constantFrom(...subjects.filter(({ policy }) => !policy.looksAhead)),
      budget: fc.constantFrom(0, 20, 60, 120, 300),
      bytesPerToken: fc.constantFrom(1, 4),
    })
    await fc.assert(
      fc.asyncProperty(conversationIn(format), setting, async (text, { subject, budget, bytesPerToken }) => {
        const whole = await requestsOf(text, format, { provider, bytesPerToken })
        const setting = { subject, budget: (budget * 4) / bytesPerToken, provider, bytesPerToken }
        const requests = await requestsOf(text, format, setting)
        for (const { tokens, printed } of [...whole, ...requests])
          expect(tokens).toBe(Math.ceil(printed / bytesPerToken))
        seen += whole.length + requests.length
        if (requests.at(-1)?.printed !== whole.at(-1)?.printed) pruned++
      }),
      { numRuns: 25 },
    )
    expect(seen).toBeGreaterThan(100)
    expect(pruned).toBeGreaterThan(3)
  })
})

/** How many bytes each request has that are not counted. */
async function uncounted(format: string, messages: readonly unknown[]): Promise<number[]> {
  const requests = await requestsOf(JSON.stringify({ model: 'claude-sonnet-4-5', messages }), format)
  return requests.map(({ tokens, printed }) => printed - tokens)
}

const user = (content: unknown) => ({ role: 'user', content })
const said = (...content: readonly unknown[]) => ({ role: 'assistant', content })

describe('what a request cannot be counted by, as docs/estimators.md says', () => {
  it('is the number behind an id that comes again', async () => {
    const call = { id: 'a', type: 'function', function: { name: 'read', arguments: '{}' } }
    const step = [
      user('Go on.'),
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'a', content: 'ok' },
    ]
    const again = 2 * '_2'.length
    expect(await uncounted('openai-chat', [...step, ...step, ...step])).toEqual([0, 0, again, 2 * again])
  })

  it('is the name of a model that is not the first', async () => {
    const answer = { ...said({ type: 'text', text: 'ok' }), model: 'claude-opus-4-5-20251101' }
    const first = { ...answer, model: 'claude-opus-4-5' }
    const date = '-20251101'.length
    expect(await uncounted('anthropic-messages', [user('a'), first, user('b'), answer])).toEqual([0, date, date])
  })

  it('is the digits of max_tokens, where less fits than the model may write', async () => {
    const fewer = '5000'.length - '64000'.length
    expect(await uncounted('anthropic-messages', [user('x'.repeat(195_000)), said()])).toEqual([fewer, fewer])
  })

  it('is a call that the provider answers itself, and its answer, in two messages', async () => {
    const use = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
    const answer = { type: 'web_search_tool_result', tool_use_id: 's', content: [] }
    const text = { type: 'text', text: 'So.' }
    const blocks = JSON.stringify([use, answer]).length - '[]'.length
    const split = [user('a'), said(use, text), said(answer, text)]
    expect(await uncounted('anthropic-messages', split)).toEqual([0, 0, blocks + 1])
    expect(await uncounted('anthropic-messages', [user('a'), said(use, answer, text)])).toEqual([0, 0])
  })

  it('is a system message among results', async () => {
    const calls = ['a', 'b'].map((id) => ({ type: 'tool_use', id, name: 'read', input: {} }))
    const result = (id: string) => user([{ type: 'tool_result', tool_use_id: id, content: 'ok' }])
    const list = [user('a'), said(...calls), result('a'), { role: 'system', content: 'It rains.' }, result('b')]
    // Both results are in one message, and the system message behind it.
    const found = await uncounted('anthropic-messages', list)
    expect(found.at(-1)).toBe(-JSON.stringify({ role: 'user', content: [] }).length)
  })
})
