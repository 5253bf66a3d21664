/** The messages of libraries go out as a replay of the same messages shows them, and what nothing was done to as the very objects. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstCell } from '../../src/app/plan.ts'
import bytes from '../../src/estimators/bytes.ts'
import { live } from '../../src/live/index.ts'
import type { Block, Message } from '../../src/model/message.ts'
import { isEmpty } from '../../src/model/message.ts'
import { captureEach } from '../../src/simulator/capture.ts'
import { transcripts } from '../laws/transcripts.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { libraries, readBy } from './libraries.ts'
import { planFor, tried } from './tried.ts'

const models = [
  ['anthropic', 'claude-opus-4-5'],
  ['openai', 'gpt-4.1'],
] as const

/**
 * Who says what, for which call; calls and results that stand alone are nothing that an API takes, and a system message in
 * front of what is left is read as one that was always there.
 */
function told(messages: readonly Message[]): unknown[] {
  const made = new Set(messages.flatMap(({ blocks }) => blocks.flatMap((block) => (isCall(block) ? [block.id] : []))))
  const answered = new Set(messages.map(({ callId }) => callId))
  return messages
    .filter(({ role, callId }) => role !== 'system' && (role !== 'tool' || made.has(callId ?? '')))
    .map((message) => ({
      ...message,
      blocks: message.blocks.filter((block) => (isCall(block) ? answered.has(block.id) : !isBlank(block))).map(plain),
    }))
    .filter((message) => !isEmpty(message))
    .map(({ role, blocks, callId }) => ({ role, blocks, callId }))
}

const isBlank = (block: Block) => block.type === 'text' && block.text === ''
const isCall = (block: Block) => block.type === 'call'

/** Chat Completions have arguments as text. */
const plain = (block: Block): Block =>
  block.type === 'call' && typeof block.input === 'string' ? { ...block, input: JSON.parse(block.input) } : block

for (const { name, form, elementsOf, isAnswer } of libraries) {
  describe(`messages of ${name}`, () => {
    it('go back as they came where nothing was done', () => {
      fc.assert(
        fc.property(transcripts, (messages) => {
          const history = elementsOf(messages)
          const { messages: sent } = live('drop-oldest', { api: form, budget: '10M' }).next(history)
          expect(sent.length).toBe(history.length)
          for (const [at, one] of sent.entries()) expect(one).toBe(history[at])
        }),
        { numRuns: 20 },
      )
    })

    for (const policy of tried) {
      it(`go out under ${policy} as they do in a replay`, () => {
        fc.assert(
          fc.property(
            transcripts,
            fc.integer({ min: 20, max: 900 }),
            fc.constantFrom(...models),
            (messages, budget, [spoken, model]) => {
              const history = elementsOf(messages)
              const provider = form.provider ?? spoken
              const meter = bytes.meter({ provider, model }, { bytesPerToken: 4 })
              const trace = traceOf(readBy(form, history, provider), [meter.message], provider, {
                preamble: { system: [], complete: true },
              })
              const shown = [...captureEach(firstCell(trace, planFor(policy, budget)))]
              const window = live(policy, { api: form, budget, model, estimator: 'bytes' })
              const places = [...history.keys()].filter((at) => isAnswer(history[at]))
              expect(shown.length).toBe(places.length + 1)
              for (const [nth, at] of [...places, history.length].entries()) {
                // Behind a final answer comes a prompt, and no request.
                if (at === history.length && at > 0 && isAnswer(history.at(-1))) continue
                const { messages: sent } = window.next(history.slice(0, at), { at: Number.NaN })
                expect(told(readBy(form, sent, provider))).toEqual(told(shown[nth]?.messages ?? []))
              }
            },
          ),
          { numRuns: 12 },
        )
      })
    }
  })
}
