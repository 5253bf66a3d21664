/**
 * Which calls of a transcript started sub-agents, and what each transcript was asked first, by which callers and their
 * sub-agents are joined. Of the words only hashes are kept.
 */
import { fingerprint } from '../base/fingerprint.ts'
import { type Message, textOf } from '../model/message.ts'
import { type Digest, type DigestKind, noDigest } from '../model/trace.ts'
import { type PlainNames, ToolNames } from './tool-names.ts'

/** A call that started a sub-agent, or may have. */
export interface AgentCall {
  /** Index of the message that makes it. */
  readonly message: number
  readonly id: string
  /** Hash of what the sub-agent is asked; null where the call does not say. */
  readonly prompt: number | null
  /** Index of its result; null where none is recorded. */
  readonly answer: number | null
  /** The sub-agent's conversation, where the result names it. */
  readonly conversation: string | null
  readonly inBackground: boolean
}

export interface PlainAgentCalls {
  readonly tools: PlainNames
  readonly length: number
  readonly calls: readonly AnyCall[]
  readonly asked: { readonly at: number; readonly prompt: number } | null
}

/** A call to any tool: the result says of some that they started a sub-agent. */
interface AnyCall extends AgentCall {
  readonly isStart: boolean
}

/** The tools that start sub-agents: of Claude Code, which has renamed its own, and of opencode. */
const startingTools: ReadonlySet<string> = new Set(['Task', 'Agent', 'task'])

export const agentCalls: DigestKind = {
  name: 'agent calls',
  of: (_, state) => new AgentCalls(state as PlainAgentCalls | undefined),
  revived: (plain) => new AgentCalls(plain as PlainAgentCalls),
  lighter: { kind: noDigest, partOf: () => null },
}

export class AgentCalls implements Digest {
  readonly tools: ToolNames
  #length: number
  #calls: AnyCall[]
  #asked: PlainAgentCalls['asked']

  constructor(plain?: PlainAgentCalls) {
    this.tools = new ToolNames(plain?.tools)
    this.#length = plain?.length ?? 0
    this.#calls = [...(plain?.calls ?? [])]
    this.#asked = plain?.asked ?? null
  }

  get calls(): readonly AgentCall[] {
    return this.#calls.filter(({ isStart, conversation }) => isStart || conversation !== null)
  }

  /** Hash of the first prompt; null without any. */
  get asked(): number | null {
    return this.#asked?.prompt ?? null
  }

  add(message: Message): void {
    const at = this.#length++
    this.tools.add(message)
    if (message.role === 'assistant') this.#call(message, at)
    else if (message.role === 'tool') this.#answer(message, at)
    else if (message.role === 'user' && message.origin === undefined && this.#asked === null) {
      const prompt = hashOf(textOf(message))
      if (prompt !== null) this.#asked = { at, prompt }
    }
  }

  rewind(length: number): void {
    if (length >= this.#length) return
    this.#length = length
    this.tools.rewind(length)
    this.#calls = this.#calls
      .filter(({ message }) => message < length)
      .map((call) => (call.answer !== null && call.answer >= length ? { ...call, ...unanswered } : call))
    if (this.#asked !== null && this.#asked.at >= length) this.#asked = null
  }

  plain(): PlainAgentCalls {
    return { tools: this.tools.plain(), length: this.#length, calls: this.#calls, asked: this.#asked }
  }

  state(): PlainAgentCalls {
    return this.plain()
  }

  #call({ blocks }: Message, message: number): void {
    for (const block of blocks) {
      if (block.type !== 'call') continue
      const isStart = startingTools.has(block.name)
      const { prompt } = (block.input ?? {}) as { readonly prompt?: unknown }
      this.#calls.push({ ...unanswered, message, id: block.id, prompt: isStart ? hashOf(prompt) : null, isStart })
    }
  }

  #answer({ callId, agent }: Message, answer: number): void {
    const nth = this.#calls.findLastIndex(({ id }) => id === callId)
    const call = this.#calls[nth]
    if (call === undefined || call.answer !== null) return
    const { conversation = null, inBackground = false } = agent ?? {}
    this.#calls[nth] = { ...call, answer, conversation, inBackground }
  }
}

const unanswered = { answer: null, conversation: null, inBackground: false } as const

/** Null for what is no text, or blank. */
function hashOf(prompt: unknown): number | null {
  const text = typeof prompt === 'string' ? prompt.trim() : ''
  return text === '' ? null : fingerprint([text])
}
