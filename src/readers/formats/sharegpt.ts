/**
 * ShareGPT's conversations and the dialects of training sets that grew from it.
 *
 * - `conversations` of `{from, value}`; LLaMA-Factory's `function_call` and `observation` are a call and its result.
 * - XTuner's `conversation` of `{system, input, output}`, ms-swift's `query`, `response` and `history`, Alpaca's
 *   `instruction`, `input` and `output`.
 * - The record is taken for everything that was sent, so the preamble counts as complete.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { parsedJson } from '../../base/json-text.ts'
import type { Block, Message } from '../../model/message.ts'
import { recordReader } from '../frames.ts'
import { bad, type ReaderContext, type Shape } from '../reader.ts'
import { callBlock, textBlocks } from '../wire/blocks.ts'
import { Session, textIn } from '../wire/session.ts'
import { both, keys, listOf, optional, someOf, where } from '../wire/shape.ts'

const toolsShape: Shape = (tools) => (tools === '' || listIn(tools) ? null : '')

const pairShape: Shape = (pair) =>
  Array.isArray(pair) && pair.length === 2 && pair.every((said) => typeof said === 'string') ? null : ''

const recordShape = both(
  keys({
    conversations: optional(listOf(someOf({ value: 'string', content: 'string' }))),
    conversation: optional(listOf(keys({ system: 'string?', input: 'string', output: 'string' }))),
    system: 'string?',
    tools: optional(toolsShape),
  }),
  where(
    ({ conversations, conversation }) => !conversations && !conversation,
    keys({ input: 'string?', history: optional(listOf(pairShape)) }),
  ),
)

export default recordReader({
  name: 'sharegpt',
  summary: 'ShareGPT conversations and their dialects (LLaMA-Factory, XTuner, ms-swift, Alpaca)',
  source: 'training sets',
  shapes: [
    ['conversations', 'conversations.from', 'conversations.value'],
    ['conversation', 'conversation.input', 'conversation.output'],
    ['query', 'response', 'history'],
    ['instruction', 'input', 'output'],
  ],
  shape: recordShape,
  recognise(record) {
    if (!turnsOf(record)) return 0
    return Array.isArray(record.conversations) || Array.isArray(record.conversation) ? 1 : 0.6
  },
  // The first record is held until it is known whether there is another: if there is, each needs a name.
  begin: () => ({ first: null as (() => void) | null, isOnly: true }),
  record(record, { line }, file, context) {
    const turns = turnsOf(record)
    if (!turns) return bad
    const put = () => write(context, record, turns, line, file.isOnly)
    if (file.isOnly && file.first === null) file.first = put
    else {
      file.isOnly = false
      file.first?.()
      file.first = null
      put()
    }
  },
  end: ({ first }) => first?.(),
})

/** One part of a conversation: who speaks, in words of any dialect, and what is said. */
interface Turn {
  readonly from: string
  readonly value: unknown
}

const speakers: ReadonlyMap<string, Message['role'] | 'call'> = new Map([
  ['system', 'system'],
  ['human', 'user'],
  ['user', 'user'],
  ['gpt', 'assistant'],
  ['assistant', 'assistant'],
  ['chatgpt', 'assistant'],
  ['bing', 'assistant'],
  ['bard', 'assistant'],
  ['model', 'assistant'],
  ['function_call', 'call'],
  ['observation', 'tool'],
  ['tool', 'tool'],
  ['function_response', 'tool'],
])

function write(
  context: ReaderContext,
  record: JsonObject,
  turns: readonly Turn[],
  line: number,
  isOnly: boolean,
): void {
  const session = new Session()
  const system: Message[] = textBlocks(record.system).map((block) => ({ role: 'system', line, blocks: [block] }))
  for (const { from, value } of turns) {
    const role = speakers.get(from)
    if (role === undefined) context.finding({ ...bad, line })
    else if (role === 'system' && session.length === 0) system.push({ role, line, blocks: textBlocks(value) })
    else say(role, textBlocks(value), line, session)
  }
  const tools = listIn(record.tools)
  session.write(context, {
    conversation: textIn(record, 'id', 'conversation_id') ?? (isOnly ? null : `line:${line}`),
    model: textIn(record, 'model'),
    provider: 'openai',
    preamble: { system, ...(tools?.length ? { tools } : {}), complete: true },
  })
}

function say(role: Message['role'] | 'call', blocks: readonly Block[], line: number, session: Session): void {
  const isCalling = session.last?.blocks.some(({ type }) => type === 'call') || session.last?.role === 'tool'
  if (role === 'user') session.prompt(blocks, { line })
  else if (role === 'system') session.instruct(blocks, { line })
  else if (role === 'call') session.response(blocks.flatMap(callsIn), { line })
  else if (role === 'assistant') session.response(blocks, { line })
  else if (isCalling) session.result(blocks, { line, id: '' })
  // The result of a call that the assistant wrote in its text.
  else session.prompt(blocks, { line }, 'injected')
}

/** The turns of a record in any of the dialects. */
function turnsOf(record: JsonObject): readonly Turn[] | undefined {
  const { conversations, conversation, query, response, instruction, output, history } = record
  if (Array.isArray(conversations)) return conversations.some(isTurn) ? conversations.map(turnOf) : undefined
  if (Array.isArray(conversation)) {
    const pairs = conversation.map(objectOf)
    if (!pairs.some((pair) => typeof pair?.input === 'string' && typeof pair.output === 'string')) return undefined
    return pairs.flatMap((pair) => [
      ...(pair?.system ? [{ from: 'system', value: pair.system }] : []),
      ...pairOf(pair?.input, pair?.output),
    ])
  }
  const before = itemsOf(history).flatMap((pair) => (Array.isArray(pair) ? pairOf(pair[0], pair[1]) : []))
  if (typeof query === 'string' && typeof response === 'string') return [...before, ...pairOf(query, response)]
  if (typeof instruction !== 'string' || typeof output !== 'string') return undefined
  const asked = [instruction, record.input].filter((part) => typeof part === 'string' && part !== '')
  return [...before, ...pairOf(asked.join('\n'), output)]
}

function pairOf(asked: unknown, answered: unknown): Turn[] {
  return [
    { from: 'user', value: asked },
    { from: 'assistant', value: answered },
  ]
}

function isTurn(value: unknown): boolean {
  const turn = objectOf(value)
  return turn !== undefined && typeof (turn.from ?? turn.role) === 'string' && ('value' in turn || 'content' in turn)
}

function turnOf(value: unknown): Turn {
  const turn = objectOf(value) ?? {}
  return { from: stringOf(turn.from ?? turn.role) ?? '', value: turn.value ?? turn.content }
}

/** A call is JSON in text: one object, or a list of them for parallel calls. */
function callsIn(block: Block): Block[] {
  if (block.type !== 'text') return [block]
  const calls = itemsOf(parsedJson(block.text)).map(objectOf)
  if (calls.length === 0 || calls.some((call) => typeof call?.name !== 'string')) return [block]
  return calls.map((call) => callBlock('', call?.name, call?.arguments ?? {}))
}

function listIn(tools: unknown): readonly unknown[] | undefined {
  const list = typeof tools === 'string' ? parsedJson(tools) : tools
  return Array.isArray(list) ? list : undefined
}
