import { defined } from '../../../base/defined.ts'
import { itemsOf, type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { jsonText } from '../../../base/json-text.ts'
import { setOf } from '../../../base/words.ts'
import { type Kind, kind, kindsBy } from '../../frames.ts'
import { bad } from '../../reader.ts'
import type { Reply } from '../../wire/bodies.ts'
import { both, keys, kinds, listOf, optional, orText, someOf, where } from '../../wire/shape.ts'
import type { Conversation } from './conversation.ts'

const textShape = keys({ text: 'string' })

const contentShape = orText(listOf(kinds('type', { text: textShape, image: keys({ image_urls: 'list' }) })))

const thoughtsShape = listOf(
  kinds('type', { thinking: keys({ thinking: 'string' }), redacted_thinking: keys({ data: 'string' }) }),
)

const callShape = keys({ name: 'string', arguments: 'string' })
const wrappedShape = keys({ function: callShape })

const resultShape = keys({ tool_call_id: 'string' })

const answered: Kind<Conversation>['read'] = (event, { line, time }, conversation) => {
  const { tool_call_id, tool_name: name, error, rejection_reason, observation } = event
  const content = error ?? rejection_reason ?? observedIn(observation)
  const value = { role: 'tool', tool_call_id, name, content }
  conversation.add({ value, line, reply: replyOf(event, time, conversation) })
}

/** The events of the agent SDK. */
export const sdkEvents = kindsBy<Conversation>(
  'kind',
  {
    SystemPromptEvent: kind(
      { system_prompt: orText(textShape), dynamic_context: optional(orText(textShape)), tools: 'list' },
      ({ system_prompt, dynamic_context, tools }, _, conversation) => {
        if (!conversation.isEmpty) return bad
        conversation.preamble(
          [system_prompt, dynamic_context].map(textOf).filter((text) => text !== undefined),
          tools,
        )
      },
    ),
    MessageEvent: kind(
      {
        llm_message: keys({ role: 'string', content: contentShape }),
        extended_content: optional(contentShape),
      },
      (event, { line, time }, conversation) => {
        const message = objectOf(event.llm_message)
        if (!message) return bad
        const content = [...itemsOf(message.content), ...itemsOf(event.extended_content)].flatMap(partsOf)
        conversation.add({ value: { ...message, content }, line, reply: replyOf(event, time, conversation) })
      },
    ),
    ActionEvent: kind(
      {
        thought: contentShape,
        reasoning_content: 'string?',
        thinking_blocks: optional(thoughtsShape),
        tool_name: 'string',
        tool_call_id: 'string',
        tool_call: (call) => (objectOf(call)?.function === undefined ? callShape : wrappedShape)(call),
      },
      (event, { line, time }, conversation) => {
        const { reasoning_content, thinking_blocks, thought, llm_response_id } = event
        const content = itemsOf(thought).flatMap(partsOf)
        const value = { role: 'assistant', content, reasoning_content, thinking_blocks }
        const reply = replyOf(event, time, conversation)
        conversation.call(stringOf(llm_response_id), callOf(event), { value, line, reply })
      },
    ),
    ObservationEvent: kind(
      both(
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
      answered,
    ),
    AgentErrorEvent: kind(both(resultShape, keys({ error: 'string' })), answered),
    UserRejectObservation: kind(both(resultShape, keys({ rejection_reason: 'string' })), answered),
    Condensation: kind(
      both(
        keys({ forgotten_event_ids: 'list', summary: 'string?' }),
        where(({ summary_offset }) => typeof summary_offset === 'number', keys({ summary: 'string' })),
      ),
      ({ forgotten_event_ids, summary }, { line }, conversation) => {
        const forgotten = new Set(itemsOf(forgotten_event_ids).map(String))
        conversation.condensed((id) => forgotten.has(id), stringOf(summary), line)
      },
    ),
    // The summary stands in its condensation already.
    CondensationSummaryEvent: kind(null, () => 'no-context'),
  },
  setOf(`
    CondensationRequest ConversationErrorEvent ConversationStateUpdateEvent InterruptEvent LLMCompletionLogEvent
    PauseEvent StreamingDeltaEvent TokenEvent
  `),
)

export function isSdkEvent({ kind, source }: JsonObject): boolean {
  return sdkEvents.has(kind) && (source === undefined || typeof source === 'string')
}

function replyOf({ llm_response_id }: JsonObject, time: number | undefined, conversation: Conversation): Reply {
  return defined({ time, usage: conversation.usageOf(stringOf(llm_response_id)) })
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
