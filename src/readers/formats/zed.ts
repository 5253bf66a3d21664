/**
 * Threads of Zed's own agent, as the rows of its database: the thread's row, and behind it the document that it holds.
 *
 * - A message of the agent is one response, with the results of its calls.
 * - A mention is sent with what it stands for; `Resume` is a prompt of the program. Before a compaction all is summarised, but for
 *   the newest prompts, which the program sends again: that is not replayed.
 * - Usage is that of the last request behind each prompt. What the thread came to beyond that is one sum.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { jsonText } from '../../base/json-text.ts'
import type { Block, Usage } from '../../model/message.ts'
import { recordReader } from '../frames.ts'
import { bad, type LeftOut, tell, unknown } from '../reader.ts'
import { callBlock, jsonBlock, opaque, textBlocks, thinkingBlocks, urlBlock } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { injected, Session, textIn } from '../wire/session.ts'
import { keys, listLike, listOf, mapOf, oddIn, oneOrList, optional, orText, someOf } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { usageAt, usageBeyond } from '../wire/usage.ts'

const countsShape = keys({
  input_tokens: 'amount?',
  output_tokens: 'amount?',
  cache_creation_input_tokens: 'amount?',
  cache_read_input_tokens: 'amount?',
})

const image = keys({ source: 'string' })
const contentShape = orText(oneOrList(orText(someOf({ Text: 'string', Image: image }))))

const messageShape = orText(
  someOf({
    User: keys({
      id: 'string',
      content: listOf(someOf({ Text: 'string', Mention: keys({ content: 'string' }), Image: image })),
    }),
    Agent: keys({
      content: listOf(
        someOf({
          Text: 'string',
          Thinking: keys({ text: 'string' }),
          RedactedThinking: 'string',
          ToolUse: keys({ id: 'string', name: 'string', input: 'object' }),
        }),
      ),
      tool_results: mapOf(keys({ is_error: 'boolean?', content: contentShape })),
    }),
    Compaction: someOf({ Summary: 'string', ProviderNative: 'object' }),
  }),
)

const threadShape = keys({
  messages: listLike(messageShape),
  request_token_usage: optional(mapOf(countsShape)),
  cumulative_token_usage: optional(countsShape),
  model: optional(keys({ model: 'string' })),
})

export default recordReader({
  name: 'zed',
  program: 'zed',
  summary: "threads of Zed's agent",
  source: '~/.local/share/zed/threads/threads.db, on macOS ~/Library/Application Support/Zed/threads/threads.db',
  places: [
    ['$XDG_DATA_HOME/zed/threads', '~/.local/share/zed/threads'],
    ['~/Library/Application Support/Zed/threads'],
    ['$LOCALAPPDATA/Zed/threads'],
  ].map((directories) => ({ directories, files: 'threads.db' })),
  shapes: [['messages', 'messages.User', 'messages.Agent', 'request_token_usage', 'cumulative_token_usage', 'model']],
  recognise: (row) =>
    isHead(row) || itemsOf(row.messages).some((one) => objectOf(objectOf(one)?.User ?? objectOf(one)?.Agent)),
  shape: (row) => (isHead(row as JsonObject) ? null : threadShape(row)),
  begin: (_, head) => ({ head, session: new Session() }),
  begins: isHead,
  record(thread, _, { head, session }, context) {
    if (isHead(thread)) return 'used'
    if (!Array.isArray(thread.messages)) return bad
    for (const [index, found] of addThread(thread, thread.messages, session, timeOf(head.updated_at)).entries())
      tell(context, found, index + 1)
  },
  end: ({ head, session }, context) =>
    session.write(context, {
      conversation: head.id,
      parent: textIn(head, 'parent_id'),
      cwd: textIn(head, 'folder_paths')?.split('\n', 1)[0],
    }),
})

function isHead(row: JsonObject): boolean {
  return 'data_type' in row && 'updated_at' in row
}

/** @returns of each message what was not used */
function addThread(thread: JsonObject, messages: readonly unknown[], session: Session, time: number | undefined) {
  const model = textIn(objectOf(thread.model), 'model')
  const counts = objectOf(thread.request_token_usage) ?? {}
  let rest = usageIn(thread.cumulative_token_usage)
  let [responses, hasAnswered] = [0, false]
  let usage: Usage | undefined
  const endPrompt = (): void => {
    if (!usage || !hasAnswered) return
    session.continueResponse([], usage)
    responses--
    rest = rest && usageBeyond(rest, usage)
  }
  const found = messages.map((value, index): LeftOut | null => {
    const line = index + 1
    const { User: user, Agent: agent, Compaction: compaction } = objectsIn(value)
    if (user) {
      endPrompt()
      usage = usageIn(counts[stringOf(user.id) ?? ''])
      hasAnswered = false
      session.prompt(itemsOf(user.content).flatMap(partBlocks), { line })
    } else if (agent) {
      session.response(itemsOf(agent.content).flatMap(partBlocks), { line, model })
      responses++
      hasAnswered = true
      for (const [id, result] of Object.entries(objectsIn(agent.tool_results))) {
        const { content, is_error, tool_name: name } = result ?? {}
        const blocks = itemsOf(content).flatMap(partBlocks)
        session.result(blocks, { line, id, name, isError: is_error })
      }
    } else if (compaction) {
      const { Summary, ProviderNative } = compaction
      const summary = ProviderNative ? [opaque(jsonText(ProviderNative))] : textBlocks(Summary)
      session.compaction([injected(summary, line)], line)
    } else if (value === 'Resume') session.prompt(textBlocks('Continue where you left off'), { line }, 'injected')
    else return unknown(Object.keys(objectOf(value) ?? {})[0])
    return oddIn(messageShape, value)
  })
  endPrompt()
  if (rest && rest.input + rest.output > 0) {
    const kind = responses > 0 ? 'summed' : 'aside'
    session.sideCall(sideCallOf({ kind, usage: rest, model, time, line: 1, calls: Math.max(1, responses) }))
  }
  return found
}

/** The members of an object that are objects. */
function objectsIn(value: unknown): Readonly<Record<string, JsonObject | undefined>> {
  return Object.fromEntries(Object.entries(objectOf(value) ?? {}).map(([key, one]) => [key, objectOf(one)]))
}

function partBlocks(part: unknown): Block[] {
  const { Text, Thinking, RedactedThinking, ToolUse, Mention, Image } = objectOf(part) ?? { Text: part }
  const call = objectOf(ToolUse)
  if (Text !== undefined) return textBlocks(Text)
  if (Mention !== undefined) return textBlocks(objectOf(Mention)?.content)
  if (Thinking !== undefined) return thinkingBlocks(objectOf(Thinking)?.text)
  if (RedactedThinking !== undefined) return [opaque(RedactedThinking)]
  if (Image !== undefined) return [urlBlock('image', `data:image/png;base64,${objectOf(Image)?.source}`)]
  return [call ? callBlock(call.id, call.name, call.input ?? {}) : jsonBlock(part)]
}

/** Anthropic's counts; what is zero is left out. */
function usageIn(value: unknown): Usage | undefined {
  const counts = objectOf(value)
  if (!counts || Object.keys(counts).length === 0) return undefined
  return usageAt(counts, {
    input: 'input_tokens',
    cacheRead: 'cache_read_input_tokens',
    cacheWrite: 'cache_creation_input_tokens',
    output: 'output_tokens',
    isBeside: true,
  })
}
