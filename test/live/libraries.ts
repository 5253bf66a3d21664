/** Canonical messages as libraries and agents have them, as far as tests need it: what was thought and said, calls and results. */

import type { Form } from '../../src/live/forms/form.ts'
import {
  type AiSdkMessage,
  aiSdk,
  langchain,
  openaiAgents,
  opencode,
  type PiMessage,
  pi,
  strands,
} from '../../src/live/forms.ts'
import { type Block, type Message, type ProviderName, textOf } from '../../src/model/message.ts'

export interface Library {
  readonly name: string
  readonly form: Form<unknown>
  elementsOf(messages: readonly Message[]): unknown[]
  isAnswer(element: unknown): boolean
  /** Neighbours of one role are one message, or one response. */
  readonly joins?: true
}

type Call = Block & { readonly type: 'call' }

const callsOf = ({ blocks }: Message) => blocks.filter((block): block is Call => block.type === 'call')
const textPart = (text: string) => (text === '' ? [] : [{ type: 'text', text }])
const thoughtsOf = ({ blocks }: Message) =>
  blocks.flatMap((block) => (block.type === 'thinking' && block.text !== '' ? [block.text] : []))
const roleOf = (element: unknown) => (element as { readonly role?: string }).role

/** Results that stand side by side are one message. */
function aiSdkMessages(messages: readonly Message[]): AiSdkMessage[] {
  const list: { role: string; content: unknown }[] = []
  for (const message of messages) {
    const { role, callId: toolCallId, toolName = 'read' } = message
    const text = textOf(message)
    if (role === 'assistant') {
      const calls = callsOf(message).map(({ id, name, input }) => ({
        ...{ type: 'tool-call', toolCallId: id, toolName: name, input },
      }))
      const thoughts = thoughtsOf(message).map((text) => ({ type: 'reasoning', text }))
      list.push({ role, content: [...thoughts, ...textPart(text), ...calls] })
    } else if (role === 'tool') {
      const part = {
        type: 'tool-result',
        toolCallId,
        toolName,
        output: { type: message.isError ? 'error-text' : 'text', value: text },
      }
      const last = list.at(-1)
      if (last?.role === 'tool') (last.content as unknown[]).push(part)
      else list.push({ role, content: [part] })
    } else list.push({ role, content: text })
  }
  return list
}

/** A class as LangChain's are: what is stored of a message has its fields once more. */
export class Said {
  readonly lc_kwargs: object
  readonly type: string
  readonly content: unknown

  constructor(type: string, content: string, fields: object = {}) {
    this.type = type
    this.content = content
    this.lc_kwargs = { content, ...fields }
    Object.assign(this, fields)
  }

  getType(): string {
    return this.type
  }
}

const chainTypes = { user: 'human', assistant: 'ai', tool: 'tool', system: 'system' } as const

function chainMessage(message: Message): Said {
  const tool_calls = callsOf(message).map(({ id, name, input }) => ({ id, name, args: input, type: 'tool_call' }))
  const [reasoning_content] = thoughtsOf(message)
  const more = {
    assistant: { tool_calls, additional_kwargs: reasoning_content === undefined ? {} : { reasoning_content } },
    tool: { tool_call_id: message.callId, ...(message.isError && { status: 'error' }) },
    ...{ user: {}, system: {} },
  }
  return new Said(chainTypes[message.role], textOf(message), more[message.role])
}

function piMessage(message: Message): PiMessage & object {
  const text = textPart(textOf(message))
  const { role, callId: toolCallId, toolName = 'read' } = message
  if (role === 'tool')
    return { role: 'toolResult', ...{ toolCallId, toolName, content: text, isError: message.isError === true } }
  if (role !== 'assistant') return { role: role === 'user' ? role : 'custom', ...{ content: text, timestamp: 1 } }
  const calls = callsOf(message).map(({ id, name, input }) => ({ type: 'toolCall', id, name, arguments: input }))
  const thoughts = thoughtsOf(message).map((thinking) => ({ type: 'thinking', thinking }))
  return { role, ...{ content: [...thoughts, ...text, ...calls], stopReason: calls.length > 0 ? 'toolUse' : 'stop' } }
}

/** A result is part of its call. */
function opencodeMessages(messages: readonly Message[]): unknown[] {
  const results = new Map(messages.map((message) => [message.callId, message]))
  return messages.flatMap((message) => {
    const { role } = message
    if (role === 'tool') return []
    const calls = callsOf(message).map(({ id, name, input }) => {
      const result = results.get(id)
      const ended = result?.isError ? { status: 'error', error: textOf(result) } : { status: 'completed' }
      const state = result ? { output: textOf(result), ...ended, input } : { status: 'running', input }
      return { type: 'tool', callID: id, tool: name, state }
    })
    const isAdded = role === 'system' || message.origin === 'injected'
    const said = textPart(textOf(message)).map((part) => (isAdded ? { ...part, synthetic: true } : part))
    const thoughts = thoughtsOf(message).map((text) => ({ type: 'reasoning', text }))
    return [{ info: { role: role === 'assistant' ? role : 'user' }, parts: [...thoughts, ...said, ...calls] }]
  })
}

/** A call is an item of its own. */
function agentsItems(messages: readonly Message[]): unknown[] {
  return messages.flatMap((message): unknown[] => {
    const { role, callId, toolName: name = 'read' } = message
    const text = textOf(message)
    if (role === 'tool') return [{ type: 'function_call_result', callId, name, output: { type: 'text', text } }]
    if (role === 'system') return [{ role, content: text }]
    if (role === 'user')
      return [{ type: 'message', role, content: text === '' ? text : [{ type: 'input_text', text }] }]
    const calls = callsOf(message).map(({ id, name, input }) => ({
      ...{ type: 'function_call', callId: id, name, arguments: JSON.stringify(input), status: 'completed' },
    }))
    const said = { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text }] }
    const thoughts = thoughtsOf(message).map((text) => ({ type: 'reasoning', content: [{ type: 'input_text', text }] }))
    return [...thoughts, ...(text === '' && calls.length > 0 ? calls : [said, ...calls])]
  })
}

/** A class as that of Strands is. */
export class StrandsSaid {
  readonly type = 'message'
  readonly role: string
  readonly content: object[]

  constructor(role: string, content: object[]) {
    this.role = role
    this.content = content
  }
}

/** Neighbours of one role are one message. */
function strandsMessages(messages: readonly Message[]): unknown[] {
  const list: StrandsSaid[] = []
  for (const message of messages) {
    const { callId: toolUseId, isError } = message
    const role = message.role === 'assistant' ? 'assistant' : 'user'
    const said = textPart(textOf(message)).map(({ text }) => ({ type: 'textBlock', text }))
    const calls = callsOf(message).map(({ id, name, input }) => ({ type: 'toolUseBlock', toolUseId: id, name, input }))
    const result = { type: 'toolResultBlock', toolUseId, status: isError ? 'error' : 'success', content: said }
    const thoughts = thoughtsOf(message).map((text) => ({ type: 'reasoningBlock', text, signature: 's' }))
    const content = message.role === 'tool' ? [result] : [...thoughts, ...said, ...calls]
    const last = list.at(-1)
    if (last?.role === role) last.content.push(...content)
    else list.push(new StrandsSaid(role, content))
  }
  return list
}

export const libraries: readonly Library[] = [
  {
    name: 'the AI SDK',
    form: aiSdk as Form<unknown>,
    elementsOf: aiSdkMessages,
    isAnswer: (one) => roleOf(one) === 'assistant',
  },
  {
    ...{ name: 'LangChain', form: langchain as Form<unknown> },
    elementsOf: (messages) => messages.map(chainMessage),
    isAnswer: (one) => (one as Said).type === 'ai',
  },
  {
    ...{ name: 'pi', form: pi as Form<unknown> },
    elementsOf: (messages) => messages.map(piMessage),
    isAnswer: (one) => roleOf(one) === 'assistant',
  },
  {
    ...{ name: 'opencode', form: opencode as Form<unknown>, elementsOf: opencodeMessages },
    isAnswer: (one) => roleOf((one as { readonly info: unknown }).info) === 'assistant',
  },
  {
    ...{ name: 'OpenAI Agents', form: openaiAgents as Form<unknown>, elementsOf: agentsItems },
    isAnswer: (one) =>
      roleOf(one) === 'assistant' || ['function_call', 'reasoning'].includes((one as { readonly type: string }).type),
    joins: true,
  },
  {
    ...{ name: 'Strands', form: strands as Form<unknown>, elementsOf: strandsMessages },
    isAnswer: (one) => roleOf(one) === 'assistant',
    joins: true,
  },
]

/** What a form reads. */
export function readBy(form: Form<unknown>, elements: readonly unknown[], provider: ProviderName): Message[] {
  const messages: Message[] = []
  const reader = form.reader(
    { provider },
    {
      preamble: () => {},
      message: (message) => messages.push(message),
      stranger: (index) => {
        throw new Error(`element ${index} is none`)
      },
    },
  )
  for (const [index, element] of elements.entries()) reader.add(element, index)
  reader.settle()
  return messages
}
