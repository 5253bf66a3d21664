import { itemsOf, type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { jsonText } from '../../../base/json-text.ts'
import { setOf } from '../../../base/words.ts'
import { bad, type Outcome, type Shape } from '../../reader.ts'
import { definitionsShape, type Reply, timeOf } from '../../wire/bodies.ts'
import { chatShape } from '../../wire/chat.ts'
import { both, keys, kinds, listOf, optional, someOf, under, where } from '../../wire/shape.ts'
import { atTier, usageOf, usageShape } from '../../wire/usage.ts'
import type { Conversation } from './conversation.ts'

/** Whether it is an action or an observation. */
export function isEvent({ source, action, observation, args, content, extras, thought, kind }: JsonObject): boolean {
  if (kind !== undefined || (typeof action === 'string') === (typeof observation === 'string')) return false
  if (typeof source === 'string')
    return objectOf(args) !== undefined || typeof content === 'string' || extras !== undefined
  return source === undefined && (typeof content === 'string' || typeof thought === 'string')
}

/** What no model sees. */
const unseen = setOf(
  'agent_state_changed change_agent_state condensation_request loop_recovery null pause recall resume stop',
)

/** Whether its name says that a model sees it, whatever the rest of it holds. */
export function isKnownEvent({ action, observation, kind }: JsonObject): boolean {
  if (kind !== undefined) return false
  return known.has(action) || known.has(observation)
}

/** The calls and their results that every agent has, beside what is said. */
const known = setOf('browse edit finish message read run run_ipython system write')

/** The response that an action came from must hold the call. */
const responseShape = keys({
  id: 'string',
  choices: listOf(keys({ message: both(chatShape, keys({ tool_calls: listOf(keys({ id: 'string' })) })) })),
  usage: optional(usageShape),
})

const metadataShape = keys({
  tool_call_metadata: optional(keys({ function_name: 'string?', model_response: optional(responseShape) })),
})

const saidShape = keys({ content: 'string', image_urls: 'list?', images_urls: 'list?' })

/** Without a source, the key that says who waits tells the speaker. */
const spokenShape = both(saidShape, keys({ wait_for_response: 'boolean' }))

const actionShapes: Readonly<Record<string, Shape>> = {
  system: keys({ content: 'string', tools: optional(definitionsShape) }),
  message: saidShape,
  finish: someOf({ final_thought: 'string', thought: 'string', content: 'string' }),
  condensation: both(
    keys({ forgotten_event_ids: 'list?', summary: 'string?' }),
    where(
      ({ forgotten_event_ids }) => (forgotten_event_ids ?? null) === null,
      keys({ forgotten_events_start_id: 'number', forgotten_events_end_id: 'number' }),
    ),
    where(({ summary_offset }) => typeof summary_offset === 'number', keys({ summary: 'string' })),
  ),
}

const recalledShape = keys({
  extras: both(
    keys({ additional_agent_instructions: 'string?', conversation_instructions: 'string?' }),
    kinds('recall_type', {
      workspace_context: keys({ repo_instructions: 'string|null' }),
      knowledge: keys({ microagent_knowledge: listOf(keys({ content: 'string' })) }),
    }),
  ),
})

const thoughtShape = keys({ thought: 'string?' })

const observedShape = both(
  saidShape,
  keys({ tool_call_metadata: optional(keys({ tool_call_id: 'string', function_name: 'string?' })) }),
)

/** What an event must hold. The arguments of most actions are those of a call. */
export const eventShape: Shape = (value) => {
  const event = objectOf(value) ?? {}
  if (event.observation === 'recall') return recalledShape(event)
  const name = stringOf(event.action) ?? stringOf(event.observation) ?? ''
  if (unseen.has(name)) return null
  if (typeof event.observation === 'string') return observedShape(event)
  const odd = metadataShape(event)
  const isRecorded = objectOf(objectOf(event.tool_call_metadata)?.model_response) !== undefined
  if (odd !== null || isRecorded) return odd
  const args = objectOf(event.args)
  if (name === 'message' && event.source === undefined) return spokenShape(event)
  const found = (actionShapes[name] ?? thoughtShape)(args ?? event)
  return found === null || !args ? found : under('args', found)
}

export function readEvent(event: JsonObject, line: number, conversation: Conversation): Outcome {
  conversation.place(event.id)
  const args = objectOf(event.args) ?? event
  if (event.observation === 'recall') return recalled(objectOf(event.extras) ?? {}, line, conversation)
  const name = stringOf(event.action) ?? stringOf(event.observation) ?? ''
  if (unseen.has(name)) return 'no-context'
  if (typeof event.observation === 'string') return observed(event, line, conversation)
  const time = timeOf(event.timestamp)
  const reply = time === undefined ? {} : { time }
  if (name === 'system') {
    if (!conversation.isEmpty) return bad
    conversation.preamble(args.content, args.tools)
    return 'used'
  }
  if (name === 'condensation') {
    conversation.condensed(forgottenBy(args), stringOf(args.summary), line)
    return 'used'
  }
  if (name === 'message' && isOfUser(event, conversation)) {
    conversation.add({ value: { role: 'user', content: contentOf(args) }, line, reply })
    return 'used'
  }
  if (event.source === 'user' || event.source === 'environment') {
    conversation.add({ value: { role: 'user', content: jsonText({ [name]: args }) }, line, reply, as: 'injected' })
    return 'used'
  }
  return acted(name, event, args, { line, reply }, conversation)
}

/** Without a source the first message is the user's, and later ones that wait for an answer the agent's. */
function isOfUser({ source, wait_for_response }: JsonObject, conversation: Conversation): boolean {
  if (source !== undefined) return source === 'user'
  return conversation.isEmpty || wait_for_response !== true
}

function acted(
  name: string,
  event: JsonObject,
  args: JsonObject,
  about: { line: number; reply: Reply },
  conversation: Conversation,
): Outcome {
  const { line, reply } = about
  const metadata = objectOf(event.tool_call_metadata)
  const response = objectOf(metadata?.model_response)
  const id = stringOf(response?.id)
  if (id !== undefined && conversation.responses.has(id)) return 'used'
  if (id !== undefined) conversation.responses.add(id)
  const message = objectOf(objectOf(itemsOf(response?.choices)[0])?.message)
  const usage = atTier(usageOf(response?.usage) ?? conversation.usageOf(id), response?.service_tier)
  const model = stringOf(response?.model)
  const told = { ...reply, ...(usage && { usage }), ...(model !== undefined && { model }) }
  if (message) {
    conversation.add({ value: { ...message, role: 'assistant' }, line, reply: told })
    return 'used'
  }
  if (name === 'message' || name === 'finish') {
    const content = stringOf(args.content) || stringOf(args.final_thought) || stringOf(args.thought) || ''
    conversation.add({ value: { role: 'assistant', content }, line, reply: told })
    return 'used'
  }
  const { thought, ...input } = Object.fromEntries(Object.entries(args).filter(([key]) => !notSent.has(key)))
  const call = {
    id: '',
    type: 'function',
    function: { name: stringOf(metadata?.function_name) ?? name, arguments: jsonText(input) },
  }
  conversation.call(id, call, { value: { role: 'assistant', content: stringOf(thought) ?? '' }, line, reply: told })
  conversation.open++
  return 'used'
}

/** Keys that the agent's program adds to an action, and that are not sent. */
const notSent = setOf(`
  action action_risk args blocking cause confirmation_state hidden id is_confirmed keep_prompt kernel_init_code
  llm_metrics message security_risk source timeout timestamp tool_call_metadata
`)

function observed(event: JsonObject, line: number, conversation: Conversation): Outcome {
  const content = contentOf(event)
  const time = timeOf(event.timestamp)
  const about = { line, ...(time !== undefined && { reply: { time } }) }
  const metadata = objectOf(event.tool_call_metadata)
  if (metadata || conversation.open > 0) {
    if (!metadata) conversation.open--
    const name = stringOf(metadata?.function_name)
    const value = {
      role: 'tool',
      tool_call_id: metadata?.tool_call_id ?? '',
      ...(name !== undefined && { name }),
      content,
    }
    conversation.add({ value, ...about })
  } else conversation.add({ value: { role: 'user', content }, ...about, as: 'injected' })
  return 'used'
}

/** What the program looked up for a prompt: the texts in `extras`, of which a template made a message. */
function recalled(extras: JsonObject, line: number, conversation: Conversation): Outcome {
  const knowledge = itemsOf(extras.microagent_knowledge).map((each) => objectOf(each)?.content)
  const texts = [
    extras.repo_instructions,
    extras.additional_agent_instructions,
    extras.conversation_instructions,
    ...knowledge,
  ]
  const content = texts.filter((text) => typeof text === 'string' && text !== '').join('\n')
  if (content === '') return 'no-context'
  conversation.add({ value: { role: 'user', content }, line, as: 'injected' })
  return 'used'
}

/** A text with images beside it as parts. */
function contentOf({ content, image_urls, images_urls }: JsonObject): unknown {
  const urls = itemsOf(image_urls ?? images_urls)
  if (urls.length === 0) return content
  return [{ type: 'text', text: content }, ...urls.map((url) => ({ type: 'image_url', image_url: { url } }))]
}

function forgottenBy({ forgotten_event_ids, forgotten_events_start_id, forgotten_events_end_id }: JsonObject) {
  const ids = new Set(itemsOf(forgotten_event_ids).map(String))
  const [start, end] = [Number(forgotten_events_start_id ?? Number.NaN), Number(forgotten_events_end_id ?? Number.NaN)]
  return (id: string) => ids.has(id) || (Number(id) >= start && Number(id) <= end)
}
