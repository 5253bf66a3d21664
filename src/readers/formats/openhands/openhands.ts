/**
 * OpenHands (OpenDevin): the events of a conversation, as an array, a line each, or as the `history` of the rows that its
 * evaluation writes (`output.jsonl`), there also as pairs of action and observation.
 *
 * - Since 0.15 an action records the response that it came from: all calls of it are one message, with its usage.
 * - Before, only the action is recorded, not the words it was sent in: it is taken for a call, its thought for the text.
 * - A condensation is a recorded compaction: in front of its summary the first events stay.
 * - The agent SDK (V1) writes events of a `kind`; their usage is in the row's `metrics`, by response.
 * - Events of an array are numbered 1, 2, …; those of a row have the line of the row.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { recordReader } from '../../frames.ts'
import { bad, type Outcome, type ReaderContext, tell, unknown } from '../../reader.ts'
import { timeOf } from '../../wire/bodies.ts'
import { both, keys, listOf, mapOf, oddIn, optional, where } from '../../wire/shape.ts'
import { Conversation } from './conversation.ts'
import { eventShape, isEvent, isKnownEvent, readEvent } from './events.ts'
import { isSdkEvent, sdkEvents } from './sdk.ts'

/** Versions that record the sum of usage record the counts of each response, too. */
const metricsShape = both(
  keys({
    token_usages: optional(
      listOf(
        keys({
          response_id: 'string',
          prompt_tokens: 'any',
          completion_tokens: 'any',
          cache_read_tokens: 'amount?',
          cache_write_tokens: 'amount?',
        }),
      ),
    ),
  }),
  where(({ accumulated_token_usage }) => (accumulated_token_usage ?? null) !== null, keys({ token_usages: 'list' })),
)

/** What a row must hold. */
const rowShape = keys({
  metrics: optional(both(metricsShape, keys({ usage_to_metrics: optional(mapOf(metricsShape)) }))),
})

export default recordReader({
  name: 'openhands',
  program: 'openhands',
  summary: "OpenHands' trajectories, events and evaluation outputs",
  source: '`output.jsonl` of its evaluation, trajectories that it saves, `events/event-*.json` of the agent SDK',
  shapes: [
    ['id', 'timestamp', 'source', 'message', 'action', 'args', 'observation', 'content', 'extras', 'cause'],
    ['instance_id', 'instruction', 'metadata', 'history', 'metrics', 'test_result', 'git_patch'],
    ['id', 'timestamp', 'source', 'kind', 'llm_message', 'tool_name', 'tool_call_id', 'llm_response_id'],
  ],
  recognise(record) {
    if (isSdkEvent(record)) return 1
    if (isEvent(record)) return record.source === undefined ? 0.6 : 1
    return eventsOf(record)?.slice(0, looked).some(isKnown) === true
  },
  // The conversation of the events that are records themselves.
  begin: () => ({ conversation: null as Conversation | null }),
  record(record, { line }, file, context) {
    const events = isKnown(record) ? undefined : eventsOf(record)
    if (!events) {
      file.conversation ??= new Conversation(context, null, {})
      return add(context, record, line, file.conversation)
    }
    tell(context, oddIn(rowShape, record), line)
    const name = stringOf(record.instance_id) ?? stringOf(record.id) ?? stringOf(record.conversation_id)
    const conversation = new Conversation(context, name ?? `line:${line}`, record)
    for (const event of events) {
      const outcome = add(context, event, line, conversation)
      if (typeof outcome === 'object') context.finding({ ...outcome, line })
    }
    conversation.end()
  },
  end: ({ conversation }) => conversation?.end(),
})

function isKnown(value: unknown): boolean {
  const event = objectOf(value)
  return event !== undefined && (isEvent(event) || isSdkEvent(event))
}

/** How many events of a row are looked at: a single one may be of a kind that other programs have, too. */
const looked = 20

function add(context: ReaderContext, value: unknown, line: number, conversation: Conversation): Outcome {
  const event = objectOf(value)
  if (!event) return bad
  const isSdk = isSdkEvent(event)
  if (!isSdk && !isEvent(event))
    return isKnownEvent(event) ? bad : unknown(event.kind ?? event.action ?? event.observation)
  // An event that others may name has its place, be it used or not.
  if (isSdk && !sdkEvents.isUnseen(event.kind)) conversation.place(event.id)
  const outcome = isSdk
    ? sdkEvents.read(event, { line, time: timeOf(event.timestamp) }, conversation)
    : readEvent(event, line, conversation)
  tell(context, typeof outcome === 'string' ? oddIn(isSdk ? sdkEvents.shape : eventShape, event) : null, line)
  return outcome
}

/** The events that a record holds, pairs of them one after the other; undefined if it holds none. */
function eventsOf({ history, trajectory, events }: JsonObject): readonly unknown[] | undefined {
  const list = [history, trajectory, events].find((each) => Array.isArray(each))
  return list && itemsOf(list).flatMap(itemsOf)
}
