/** Builds windows and messages from the role patterns and message objects of the vector files. */
import type { Block, Message, Role } from '../../src/model/message.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { NativeCounter } from '../../src/policies/policy.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { traceOf } from '../simulator/arbitrary.ts'

export type Json = Record<string, unknown>

const roles: Record<string, Role> = {
  s: 'system',
  m: 'system',
  u: 'user',
  d: 'user',
  a: 'assistant',
  t: 'assistant',
  r: 'tool',
}

/** One message per letter; results answer the calls before them. `text` gives the text of message `index`. */
export function messagesOf(pattern: string, text: (index: number) => string = () => 'x'): Message[] {
  let call = 0
  return [...pattern].map((letter, index): Message => {
    const role = roles[letter]
    if (!role) throw new Error(`no such letter: ${letter}`)
    const blocks: Block[] = [{ type: 'text', text: text(index) }]
    if (letter === 't') blocks.push({ type: 'call', id: `c${++call}`, name: 'tool', input: {} })
    return {
      role,
      line: index + 1,
      blocks,
      ...(letter === 'r' ? { callId: `c${call}` } : {}),
      ...(letter === 'd' ? { origin: 'injected' as const } : {}),
    }
  })
}

interface ToolCall {
  readonly id: string
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface WireMessage {
  readonly role: string
  readonly content?: string | null
  readonly tool_calls?: readonly ToolCall[]
  readonly tool_call_id?: string
}

/** A message as duragent writes it. The role `steering` marks a message typed while the agent works. */
export function messageOf(wire: WireMessage, line = 1): Message {
  const blocks: Block[] = typeof wire.content === 'string' ? [{ type: 'text', text: wire.content }] : []
  for (const call of wire.tool_calls ?? []) {
    blocks.push({ type: 'call', id: call.id, name: call.function.name, input: call.function.arguments })
  }
  return {
    role: wire.role === 'steering' ? 'user' : (wire.role as Role),
    line,
    blocks,
    ...(wire.role === 'steering' ? { origin: 'queued' as const } : {}),
    ...(wire.tool_call_id === undefined ? {} : { callId: wire.tool_call_id }),
  }
}

export interface WindowSettings {
  readonly budget?: number
  readonly preamble?: number
  /** Tokens of a message: a counter, or a number for each message. */
  readonly tokens: NativeCounter | readonly number[]
}

/** A window with the messages, counted in whole tokens, with joins that cost nothing. */
export function windowOf(
  list: readonly Message[],
  { budget = 1, preamble = 0, tokens }: WindowSettings,
): EditableWindow {
  const given = Array.isArray(tokens) ? (tokens as readonly number[]) : null
  const counter = given ? null : (tokens as NativeCounter)
  const trace = traceOf(list, [])
  const sizes: Sizes = {
    preamble,
    joins: () => 0,
    of: (index) => given?.[index] ?? counter?.message(list[index] as Message) ?? 0,
    message: (message) => counter?.message(message) ?? 0,
    tokens: (units) => units,
    units: (tokens) => tokens,
  }
  const window = new EditableWindow(trace, { budget, sent: sizes, believed: null, keepsDropped: true })
  for (let index = 0; index < trace.length; index++) window.append(index)
  return window
}

/** Transcript indices of the messages inside. */
export function inside(window: EditableWindow): number[] {
  const indices: number[] = []
  for (let item = window.first; item; item = item.next) if (item.index >= 0) indices.push(item.index)
  return indices
}
