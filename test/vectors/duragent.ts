import { utf8Length } from '../../src/base/bytes.ts'
import { type Message, textOf } from '../../src/model/message.ts'
import { fillNewest, skipLeadingResults } from '../../src/policies/primitives/fill-newest.ts'
import { Notice } from '../../src/policies/primitives/insert-notice.ts'
import { maskedRange } from '../../src/policies/primitives/mask-tool-results.ts'
import { type Kept, truncateText } from '../../src/policies/primitives/truncate-tool-results.ts'
import { maskAgain } from '../../src/policies/systems/duragent-shipped.ts'
import { estimateTokens, headBytes, tailBytes } from '../../src/policies/text.ts'
import {
  ActorWindow,
  actorMessageLimit,
  assumedWindow,
  groupsToDrop,
  historyBudget,
  iterationGroups,
  type LoopKind,
  loopBudget,
  messageTokens,
  programCounter,
  toolTokens,
  truncationNotice,
} from '../../src/policies/upstream/duragent.ts'
import { type Json, messageOf, type WireMessage, windowOf } from './window.ts'

/** All keys of the inputs of duragent's cases; a case has those that its function needs. */
interface Input extends WireMessage {
  readonly text: string
  readonly tools: readonly unknown[]
  readonly model: string
  readonly max_input_tokens: number | null
  readonly max_output_tokens: number | null
  readonly max_history_tokens: number
  readonly plain_user_or_assistant_adds: number
  readonly adds: readonly string[] | string
  readonly limit: number
  readonly messages: readonly WireMessage[]
  readonly system: string | null
  readonly tool_tokens: number
  readonly content_spec: Spec
  readonly max_tokens: number
  readonly strategy: Kept
  readonly max_bytes: number
  readonly conversation_end_idx: number
  readonly keep_first: number
  readonly keep_last: number
  readonly token_budget: number
}

type Spec = string | { readonly repeat: readonly [string, number] } | { readonly concat: readonly Spec[] }

function written(spec: Spec): string {
  if (typeof spec === 'string') return spec
  return 'repeat' in spec ? spec.repeat[0].repeat(spec.repeat[1]) : spec.concat.map(written).join('')
}

const sum = (numbers: readonly number[]) => numbers.reduce((total, value) => total + value, 0)

function rendered(input: Input): Json {
  const messages = input.messages.map((message, index) => messageOf(message, index + 1))
  const preamble = (input.system === null ? 0 : estimateTokens(input.system)) + (input.tool_tokens ?? 0)
  const window = windowOf(messages, { tokens: programCounter, preamble })
  const reserves = { maxInput: input.max_input_tokens as number, maxOutput: input.max_output_tokens ?? 4096 }
  const budget = historyBudget(reserves, window.preambleTokens, input.max_history_tokens)
  fillNewest(window, budget)
  skipLeadingResults(window)
  const kept = window.count
  const { omitted } = window
  const text = truncationNotice(omitted)
  new Notice().set(window, text)
  const system = input.system === null ? 0 : 1
  return {
    history_budget: budget,
    included_from: messages.length - kept,
    omitted,
    kept,
    notice: text,
    request_messages: window.count + system,
    first_is_system: system > 0 || window.first?.role === 'system',
  }
}

/** Masks what the program masks, in place, and returns the window. */
function masked(messages: readonly Message[], end: number, first: number, last: number, times: number) {
  const window = windowOf(messages, { tokens: programCounter })
  const results: NonNullable<typeof window.first>[] = []
  for (let item = window.first; item; item = item.next)
    if (item.role === 'tool' && item.index >= end) results.push(item)
  const { from, to } = maskedRange(results.length, first, last)
  const texts: string[][] = []
  for (let time = 0; time < times; time++) {
    for (const item of results.slice(from, to)) maskAgain(window, item)
    texts.push(results.slice(from, to).map((item) => textOf(item.message as Message)))
  }
  return { indices: results.slice(from, to).map((item) => item.index), texts }
}

function groupsOf({ messages, conversation_end_idx: end }: Input) {
  const kinds = messages.slice(end).map((message): LoopKind => {
    if (message.role === 'assistant') return message.tool_calls ? 'calls' : 'other'
    if (message.role === 'tool') return 'result'
    return message.role === 'user' && message.content?.startsWith('[steering]') ? 'steering' : 'other'
  })
  return iterationGroups(kinds).map(({ from, to }): [number, number] => [from + end, to + end])
}

/** The scenario that `mask_tool_results_twice` describes: five calls, the second result long. */
function fiveCalls(): Message[] {
  const call = [{ id: 'call_1', function: { name: 'bash', arguments: '{}' } }]
  const messages: WireMessage[] = [{ role: 'user', content: 'hello' }]
  for (let number = 1; number <= 5; number++) {
    messages.push({ role: 'assistant', tool_calls: call })
    messages.push({ role: 'tool', content: `result ${number}`, tool_call_id: 'call_1' })
  }
  messages[4] = { role: 'tool', content: 'x'.repeat(4000), tool_call_id: 'call_1' }
  return messages.map((message) => messageOf(message))
}

export const duragent: Readonly<Record<string, (input: Input) => Json>> = {
  estimate_tokens: ({ text }) => ({ tokens: estimateTokens(text) }),
  estimate_message_tokens: (input) => ({ tokens: messageTokens(messageOf(input)) }),
  estimate_tool_definitions_tokens: ({ tools }) => ({ tokens: toolTokens(tools) }),
  default_context_window: ({ model }) => ({ tokens: assumedWindow(model) }),
  effective_max_input_tokens: ({ model, max_input_tokens }) => ({ tokens: max_input_tokens ?? assumedWindow(model) }),
  actor_message_limit: ({ max_input_tokens }) => ({
    limit: max_input_tokens === null ? 1000 : actorMessageLimit(max_input_tokens),
  }),
  actor_window: ({ plain_user_or_assistant_adds: adds, limit }) => {
    const actor = new ActorWindow(limit)
    for (let index = 0; index < adds; index++) actor.add(index % 2 === 0 ? 'user' : 'assistant')
    return { kept: actor.checkpointed + actor.pending, checkpointed: actor.checkpointed, pending: actor.pending }
  },
  render_with_budget: rendered,
  truncate_tool_result: ({ content_spec, max_tokens, strategy }) => {
    const output = truncateText(written(content_spec), max_tokens, strategy)
    return { output, output_bytes: utf8Length(output) }
  },
  safe_truncate: ({ text, max_bytes }) => ({ text: headBytes(text, max_bytes) }),
  safe_truncate_tail: ({ text, max_bytes }) => ({ text: tailBytes(text, max_bytes) }),
  mask_tool_results: ({ messages, conversation_end_idx, keep_first, keep_last }) => {
    const { indices, texts } = masked(
      messages.map((message) => messageOf(message)),
      conversation_end_idx,
      keep_first,
      keep_last,
      1,
    )
    return { masked_indices: indices, masked_content: texts[0] }
  },
  mask_tool_results_twice: ({ messages, conversation_end_idx, keep_first, keep_last }) => {
    const list = messages ? messages.map((message) => messageOf(message)) : fiveCalls()
    const [first, second] = masked(list, conversation_end_idx, keep_first, keep_last, 2).texts
    return { after_first: first?.[0], after_second: second?.[0] }
  },
  find_iteration_groups: (input) => ({ groups: groupsOf(input) }),
  drop_oldest_iterations: (input) => {
    const groups = groupsOf(input)
    const tokens = input.messages.map((message) => messageTokens(messageOf(message)))
    const sizes = groups.map(([from, to]) => sum(tokens.slice(from, to + 1)))
    const dropped = groups.slice(0, groupsToDrop(sizes, sum(tokens), input.token_budget))
    return {
      groups,
      dropped,
      messages_left: input.messages.length - sum(dropped.map(([from, to]) => to - from + 1)),
      total_before: sum(tokens),
    }
  },
  loop_budget: ({ max_input_tokens, max_output_tokens }) => ({
    loop_token_budget: loopBudget({ maxInput: max_input_tokens as number, maxOutput: max_output_tokens ?? 4096 }),
  }),
}
