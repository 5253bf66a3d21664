import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import type { Block, Message } from '../../../model/message.ts'
import type { TranscriptWriter } from '../../reader.ts'
import { callBlock, opaque, textBlocks } from '../../wire/blocks.ts'
import { OpenCalls } from '../../wire/calls.ts'
import type { Draft } from '../../wire/conversations.ts'
import { usageOf } from '../../wire/usage.ts'
import { numberOf, type Row } from './rows.ts'

/** Replays the rows of one agent into messages. */
export class Conversation {
  /** Called with the line of a row that cannot be replayed. */
  #skipped: (line: number) => void = () => {}
  readonly #messages: Draft[] = []
  #system: Message | null = null
  /** Indices of the messages that start a new history. */
  readonly #resets = new Set<number>()
  /** Messages at which the user stopped the agent. */
  readonly #stops = new Set<Draft>()
  #forkMessage: number | null = null
  /** The rows since the last clear that are still in force, with the number of messages after each. */
  #path: { readonly id: number | null; readonly length: number }[] = []
  readonly #calls = new OpenCalls()
  /** The newest response since the last user message, and a usage that was recorded before its response. */
  #response: Draft | null = null
  #counted: Message['usage']
  #callsTools = false
  #model: string | undefined

  play(rows: readonly Row[], skipped: (line: number) => void): void {
    this.#skipped = skipped
    for (const row of rows) {
      this.#row(row)
      const last = this.#messages.at(-1)
      if (row.interrupted && last) this.#stops.add(last)
      if (row.kind !== 'clear') this.#path.push({ id: row.id, length: this.#messages.length })
    }
  }

  /** Marks all messages so far as inherited. */
  fork(): void {
    this.#forkMessage = this.#messages.length
    this.#endTurn()
  }

  write(writer: TranscriptWriter): void {
    const model = this.#messages.find((message) => message.model !== undefined)?.model
    writer.describe({ forkMessage: this.#forkMessage, ...(model !== undefined && { model }) })
    writer.preamble({ system: this.#system ? [this.#system] : [], complete: false })
    let prompt: Draft | null = null
    for (const message of this.#messages) {
      if (message.role === 'user') prompt = message
      if (prompt && this.#stops.has(message)) prompt.interrupted = true
    }
    for (const [index, message] of this.#messages.entries()) {
      if (this.#resets.has(index)) writer.reset()
      writer.message(message)
    }
  }

  #row(row: Row): void {
    switch (row.kind) {
      case 'system':
        // The system prompt is part of the preamble, not a message; the newest one counts.
        this.#system = { role: 'system', line: row.line, blocks: textBlocks(row.content) }
        return
      case 'user':
        this.#endTurn()
        this.#model = stringOf(row.data.model) ?? this.#model
        this.#add({ role: 'user', line: row.line, blocks: textBlocks(row.content) }, row)
        return
      case 'assistant':
        this.#answered({ role: 'assistant', line: row.line, blocks: textBlocks(row.content) }, row)
        this.#callsTools = row.data.finish_reason === 'tool_use'
        return
      case 'tool_call':
        this.#called(row)
        return
      case 'tool_result':
      case 'tool':
        this.#result(row)
        return
      case 'usage':
        this.#count(row)
        return
      case 'clear':
        if (this.#messages.length > 0) this.#resets.add(this.#messages.length)
        this.#path = []
        this.#endTurn()
        return
      case 'rewind':
        this.#rewind(numberOf(row.data.target_message_id), row.line)
    }
  }

  #add(message: Draft, { time }: Row): void {
    if (time !== undefined) message.time = time
    this.#messages.push(message)
  }

  #answered(message: Draft, row: Row): void {
    const thoughts = thoughtsOf(row.data)
    message.blocks = this.#calls.make([...thoughts, ...message.blocks])
    const model = stringOf(row.data.model) ?? this.#model
    if (model !== undefined) message.model = model
    if (this.#counted) message.usage = this.#counted
    this.#counted = undefined
    this.#response = message
    this.#callsTools = false
    this.#add(message, row)
  }

  /** The text in front of a call has a row of its own, but belongs to the same response. */
  #called(row: Row): void {
    const { tool_call_id, tool_name, tool_args } = row.data
    const call = callBlock(tool_call_id, tool_name, tool_args ?? '')
    const response = this.#response
    if (response && this.#callsTools && this.#messages.at(-1) === response) {
      response.blocks = [...thoughtsOf(row.data), ...response.blocks, ...this.#calls.make([call])]
      this.#callsTools = false
    } else this.#answered({ role: 'assistant', line: row.line, blocks: [call] }, row)
  }

  #result(row: Row): void {
    const { tool_call_id, name, tool_name, output, success } = row.data
    const blocks = textBlocks(output ?? row.content)
    const answer = this.#calls.answer(stringOf(tool_call_id) ?? '', stringOf(name) ?? stringOf(tool_name))
    const failed = success === false ? { isError: true } : {}
    this.#add({ role: 'tool', line: row.line, blocks, ...answer, ...failed }, row)
  }

  #count({ data, line }: Row): void {
    const usage = usageOf(data)
    if (!usage) this.#skipped(line)
    else if (this.#response && !this.#response.usage) this.#response.usage = usage
    // The row of a call is written after its tool has run, so its usage comes first.
    else this.#counted = usage
  }

  #rewind(target: number | null, line: number): void {
    const place = target === null ? -1 : this.#path.findLastIndex(({ id }) => id === target)
    const { length } = this.#path[place] ?? {}
    if (length === undefined) {
      this.#skipped(line)
      return
    }
    this.#path.length = place + 1
    this.#messages.length = length
    if (this.#forkMessage !== null) this.#forkMessage = Math.min(this.#forkMessage, length)
    this.#endTurn()
  }

  #endTurn(): void {
    this.#calls.endStep()
    this.#response = null
    this.#counted = undefined
    this.#callsTools = false
  }
}

function thoughtsOf({ thinking, redacted_thinking }: JsonObject): Block[] {
  const text = objectOf(thinking)?.text
  const redacted = objectOf(redacted_thinking)
  return [
    ...(typeof text === 'string' && text !== '' ? [{ type: 'thinking', text } as const] : []),
    ...(redacted ? [opaque(redacted.data)] : []),
  ]
}
