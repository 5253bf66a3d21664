import { itemsOf, type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { jsonText } from '../../../base/json-text.ts'
import { setOf } from '../../../base/words.ts'
import { bad, type Outcome, type Shape } from '../../reader.ts'
import { timeOf } from '../../wire/bodies.ts'
import { both, keys, kinds, listOf, optional, orText, someOf, where } from '../../wire/shape.ts'
import type { Conversation } from './conversation.ts'

/** Kinds of events that no model sees. */
const unseen = setOf(`
  CondensationRequest ConversationErrorEvent ConversationStateUpdateEvent InterruptEvent LLMCompletionLogEvent
  PauseEvent StreamingDeltaEvent TokenEvent
`)

const kindsOfEvent = setOf(
  `
  ActionEvent AgentErrorEvent Condensation CondensationSummaryEvent MessageEvent ObservationEvent SystemPromptEvent
  UserRejectObservation
`,
  unseen,
)

export function isSdkEvent({ kind, source }: JsonObject): boolean {
  return kindsOfEvent.has(kind) && (source === undefined || typeof source === 'string')
}

const textShape = keys({ text: 'string' })

const contentShape = orText(listOf(kinds('type', { text: textShape, image: keys({ image_urls: 'list' }) })))

const thoughtsShape = listOf(
  kinds('type', { thinking: keys({ thinking: 'string' }), redacted_thinking: keys({ data: 'string' }) }),
)

const callShape = keys({ name: 'string', arguments: 'string' })
const wrappedShape = keys({ function: callShape })

const resultShape = keys({ tool_call_id: 'string' })

/** What an event must hold. */
export const sdkShape: Shape = kinds('kind', {
  SystemPromptEvent: keys({
    system_prompt: orText(textShape),
    dynamic_context: optional(orText(textShape)),
    tools: 'list',
  }),
  MessageEvent: keys({
    llm_message: keys({ role: 'string', content: contentShape }),
    extended_content: optional(contentShape),
  }),
  ActionEvent: keys({
    thought: contentShape,
    reasoning_content: 'string?',
    thinking_blocks: optional(thoughtsShape),
    tool_name: 'string',
    tool_call_id: 'string',
    tool_call: (call) => (objectOf(call)?.function === undefined ? callShape : wrappedShape)(call),
  }),
  ObservationEvent: both(
    resultShape,
    // Before all had a content, each had its text under a name of its own.
    keys({
      observation: someOf({
        content: contentShape,
        output: contentShape,
        result: contentShape,
        text: 'string',
        message: 'string',
      }),
    }),
  ),
  AgentErrorEvent: both(resultShape, keys({ error: 'string' })),
  UserRejectObservation: both(resultShape, keys({ rejection_reason: 'string' })),
  Condensation: both(
    keys({ forgotten_event_ids: 'list', summary: 'string?' }),
    where(({ summary_offset }) => typeof summary_offset === 'number', keys({ summary: 'string' })),
  ),
})

export function readSdkEvent(event: JsonObject, line: number, conversation: Conversation): Outcome {
  const kind = stringOf(event.kind) ?? ''
  if (unseen.has(kind)) return 'no-context'
  conversation.place(event.id)
  const time = timeOf(event.timestamp)
  const response = stringOf(event.llm_response_id)
  const usage = conversation.usageOf(response)
  const reply = { ...(time !== undefined && { time }), ...(usage && { usage }) }
  switch (kind) {
    case 'SystemPromptEvent': {
      if (!conversation.isEmpty) return bad
      const texts = [event.system_prompt, event.dynamic_context].map(textOf).filter((text) => text !== undefined)
      conversation.preamble(texts, event.tools)
      return 'used'
    }
    case 'MessageEvent': {
      const message = objectOf(event.llm_message)
      if (!message) return bad
      const content = [...itemsOf(message.content), ...itemsOf(event.extended_content)].flatMap(partsOf)
      conversation.add({ value: { ...message, content }, line, reply })
      return 'used'
    }
    case 'ActionEvent': {
      const { reasoning_content, thinking_blocks } = event
      const content = itemsOf(event.thought).flatMap(partsOf)
      const value = { role: 'assistant', content, reasoning_content, thinking_blocks }
      conversation.call(response, callOf(event), { value, line, reply })
      return 'used'
    }
    case 'ObservationEvent':
    case 'AgentErrorEvent':
    case 'UserRejectObservation': {
      const { tool_call_id, tool_name: name } = event
      const content = event.error ?? event.rejection_reason ?? observedIn(event.observation)
      conversation.add({ value: { role: 'tool', tool_call_id, name, content }, line, reply })
      return 'used'
    }
    case 'Condensation': {
      const forgotten = new Set(itemsOf(event.forgotten_event_ids).map(String))
      conversation.condensed((id) => forgotten.has(id), stringOf(event.summary), line)
      return 'used'
    }
    default:
      // The summary stands in its condensation already.
      return 'no-context'
  }
}

function textOf(part: unknown): string | undefined {
  return stringOf(part) ?? stringOf(objectOf(part)?.text)
}

/** Parts in OpenAI's form: here one part has several images. */
function partsOf(value: unknown): unknown[] {
  const part = objectOf(value)
  if (part?.type !== 'image') return [value]
  return itemsOf(part.image_urls).map((url) => ({ type: 'image_url', image_url: { url } }))
}

/** The call as it was made; `action` is what the program took it for. */
function callOf({ tool_call, tool_call_id, tool_name, action }: JsonObject): unknown {
  const call = objectOf(tool_call)
  const made = objectOf(call?.function) ?? call
  const input = made?.arguments ?? jsonText(action ?? {})
  return {
    id: tool_call_id ?? call?.id,
    type: 'function',
    function: { name: tool_name ?? made?.name, arguments: input },
  }
}

function observedIn(value: unknown): unknown {
  const observation = objectOf(value)
  if (!observation) return value ?? ''
  const { content, output, result, text } = observation
  const told = [content, output, result, text].find((each) => typeof each === 'string' || Array.isArray(each))
  return Array.isArray(told) ? told.flatMap(partsOf) : (told ?? jsonText(observation))
}
