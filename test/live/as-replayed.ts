/** What goes out of a window over a library's messages, held against a replay of the same messages. */
import { expect } from 'vitest'
import { firstCell } from '../../src/app/plan.ts'
import bytes from '../../src/estimators/bytes.ts'
import { live } from '../../src/live/index.ts'
import { type Block, isEmpty, type Message } from '../../src/model/message.ts'
import { captureEach } from '../../src/simulator/capture.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { type Library, readBy } from './libraries.ts'
import { planFor } from './tried.ts'

export const models = [
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

/** Neighbours of one role as one, with the results first. */
function joined(messages: readonly Message[]): Message[] {
  const ordered: Message[] = []
  for (const message of messages) {
    const users = ordered.length - ordered.findLastIndex(({ role }) => role !== 'user') - 1
    ordered.splice(ordered.length - (message.role === 'tool' ? users : 0), 0, message)
  }
  const whole: Message[] = []
  for (const message of ordered) {
    const last = whole.at(-1)
    if (last?.role !== message.role || message.role === 'tool') whole.push(message)
    else whole[whole.length - 1] = { ...last, blocks: [...last.blocks, ...message.blocks] }
  }
  return whole
}

const isBlank = (block: Block) => block.type === 'text' && block.text === ''
const isCall = (block: Block) => block.type === 'call'

/** Chat Completions have arguments as text. */
const plain = (block: Block): Block =>
  block.type === 'call' && typeof block.input === 'string' ? { ...block, input: JSON.parse(block.input) } : block

/** Asks before each response, and once more at the end. */
export function expectAsReplayed(
  { form, elementsOf, isAnswer, joins }: Library,
  messages: readonly Message[],
  policy: string,
  budget: number,
  [spoken, model]: (typeof models)[number],
): void {
  const history = elementsOf(messages)
  const provider = form.provider ?? spoken
  const meter = bytes.meter({ provider, model }, { bytesPerToken: 4 })
  const trace = traceOf(readBy(form, history, provider), [meter.message], provider, {
    preamble: { system: [], complete: true },
    head: { model },
  })
  const shown = [...captureEach(firstCell(trace, planFor(policy, budget)))]
  const window = live(policy, { api: form, budget, model, estimator: 'bytes' })
  const isInside = (at: number) => joins === true && at > 0 && isAnswer(history[at - 1])
  const places = [...history.keys()].filter((at) => isAnswer(history[at]) && !isInside(at))
  expect(shown.length).toBe(places.length + 1)
  for (const [nth, at] of [...places, history.length].entries()) {
    // Behind a final answer comes a prompt, and no request.
    if (at === history.length && at > 0 && isAnswer(history.at(-1))) continue
    const { messages: sent } = window.next(history.slice(0, at), { at: Number.NaN })
    const whole = joins ? joined : (all: readonly Message[]) => all
    expect(told(whole(readBy(form, sent, provider)))).toEqual(told(whole(shown[nth]?.messages ?? [])))
  }
}
