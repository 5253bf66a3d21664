/**
 * Interprets messages in the form of Anthropic's Messages API. Tool results are blocks in user messages there; each becomes
 * a message of its own, marked with `continues`, so that the recorded message can be rebuilt exactly.
 */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { type Block, type Message, textOf } from '../../model/message.ts'
import type { TranscriptWriter } from '../reader.ts'
import { anthropicBlocks, anthropicShape } from './blocks.ts'
import { timeOf } from './bodies.ts'
import { OpenCalls } from './calls.ts'
import type { Draft, Finder, Mapping, Opening } from './conversations.ts'
import type { Entry } from './growing.ts'
import { itemShape, responseBlocks } from './responses.ts'
import type { ScreenCuts } from './screen-cuts.ts'
import type { ScreenUsage } from './screen-usage.ts'
import { injected, textIn } from './session.ts'
import { keys, kinds, optional, which } from './shape.ts'
import { usageOf, usageShape } from './usage.ts'

const roles: readonly unknown[] = ['system', 'user', 'assistant'] satisfies Message['role'][]

const saidShape = keys({ content: anthropicShape })
const countsShape = optional(usageShape)

/** Newer versions of Cline count in another form, in which cache reads and writes are one figure. */
const metricsShape = optional((metrics) => (objectOf(objectOf(metrics)?.tokens) ? null : usageShape(metrics)))

const roleShape = kinds('role', {
  system: saidShape,
  user: saidShape,
  assistant: keys({ content: anthropicShape, usage: countsShape, metrics: metricsShape }),
})

/** Cline keeps the first message and what answered it. */
const headElements = 2

/** What a message must hold. */
export const messagesShape = which(
  (value) => (objectOf(value)?.type === 'reasoning' ? itemShape : roleShape),
  [itemShape, roleShape],
)

/** What stands beside the messages of a task of Cline. */
export interface Screen {
  readonly usage: ScreenUsage
  readonly cuts: ScreenCuts
}

export class MessagesMapping implements Mapping {
  readonly #writer: TranscriptWriter
  readonly #finding: Finder
  readonly #screen: Screen | undefined
  readonly #calls = new OpenCalls()
  /** Reasoning that Roo records in front of the message that it belongs to. */
  #thoughts: readonly Block[] = []
  /** The place of the first message of each element, and the messages in front of the earliest cut. */
  readonly #places: number[] = []
  readonly #head: Message[] = []
  #cutTo = 0

  constructor({ system, tools, complete }: Opening, writer: TranscriptWriter, finding: Finder, screen?: Screen) {
    this.#writer = writer
    this.#finding = finding
    this.#screen = screen
    const recorded = system === undefined ? [] : [draft('system', 1, anthropicBlocks(system), system)]
    writer.preamble({ system: recorded, ...(tools ? { tools } : {}), complete })
  }

  add({ value, line, reply }: Entry): void {
    const record = objectOf(value)
    const role = record?.role as Message['role']
    this.#places[line - 1] = this.#writer.length
    if (role === 'assistant') this.#cut(line)
    const content = record?.content
    if (record?.type === 'reasoning') {
      this.#thoughts = responseBlocks(record) ?? []
      return
    }
    if (!record || !roles.includes(role) || !(typeof content === 'string' || Array.isArray(content))) {
      this.#finding(line)
      return
    }
    const time = reply?.time ?? timeOf(record.ts ?? record.timestamp)
    if (record.isSummary === true || record.isTruncationMarker === true) {
      this.#compacted(content, line)
      return
    }
    const rest = role === 'assistant' ? this.#behindCompaction(content, line) : content
    if (rest.length === 0 && content.length > 0) return
    const model = reply?.model ?? textIn(objectOf(record.modelInfo), 'id', 'modelId') ?? stringOf(record.model)
    const counted = role === 'assistant' ? this.#screen?.usage.next(time) : undefined
    const usage = reply?.usage ?? usageOf(record.metrics ?? record.usage) ?? counted
    for (const message of role === 'user' ? this.#user(rest, line) : [this.#other(role, rest, line)]) {
      if (time !== undefined) message.time = time
      if (model !== undefined) message.model = model
      if (usage) message.usage = usage
      if (line <= headElements) this.#head.push(message)
      this.#writer.message(message)
    }
  }

  end(): void {
    for (const call of this.#screen?.usage.beside(this.#places.length) ?? []) this.#writer.sideCall(call)
  }

  /** Cline did not send these elements from here on: the first ones stay in front of the rest. */
  #cut(line: number): void {
    const cut = this.#screen?.cuts.of(line - 1)
    if (!cut || cut.to <= this.#cutTo) return
    const keptFrom = this.#places[cut.to]
    if (keptFrom === undefined) return
    this.#cutTo = cut.to
    const restored = this.#head.filter(({ line }) => line <= cut.from)
    this.#writer.compaction({ at: this.#writer.length, keptFrom, summary: [], restored, head: true, line })
  }

  /** Adds a summary that replaced all messages in front of it. Roo marks the summary, and keeps the messages in the file. */
  #compacted(content: unknown, line: number): void {
    const at = this.#writer.length
    this.#writer.compaction({ at, keptFrom: at, summary: [injected(anthropicBlocks(content), line)], line })
  }

  /**
   * The API itself compacts on demand (`compact_20260112`): the response begins with the summary, and whatever stands
   * before that block is part of no request from then on. A block without text stands for a compaction that failed, and
   * changes nothing.
   * @returns the content behind it
   */
  #behindCompaction(content: string | readonly unknown[], line: number): string | readonly unknown[] {
    if (typeof content === 'string') return content
    const at = content.findLastIndex((block) => objectOf(block)?.type === 'compaction')
    if (at === -1) return content
    const summary = stringOf(objectOf(content[at])?.content)
    if (summary) this.#compacted(summary, line)
    return content.slice(at + 1)
  }

  #other(role: Message['role'], content: unknown, line: number): Draft {
    const thoughts = role === 'assistant' ? this.#thoughts : []
    if (role === 'assistant') this.#thoughts = []
    const blocks = [...thoughts, ...anthropicBlocks(content)]
    return draft(role, line, role === 'assistant' ? this.#calls.make(blocks) : blocks, content)
  }

  /** A message with tool results continues the step: text beside them was typed meanwhile and starts no exchange. */
  #user(content: string | readonly unknown[], line: number): Draft[] {
    if (typeof content === 'string' || !content.some(resultOf)) {
      this.#calls.endStep()
      const message = draft('user', line, anthropicBlocks(content), content)
      if (isWrittenResult(message)) message.origin = 'injected'
      return [message]
    }
    return runsOf(content).map((run, index) => {
      const result = resultOf(run[0])
      const message = draft(result ? 'tool' : 'user', line, anthropicBlocks(run), run)
      if (result) this.#answer(message, result)
      else message.origin = 'queued'
      if (index > 0) message.continues = true
      return message
    })
  }

  #answer(message: Draft, result: JsonObject): void {
    const { callId, toolName } = this.#calls.answer(stringOf(result.tool_use_id) ?? '', undefined)
    if (callId !== undefined) message.callId = callId
    if (toolName !== undefined) message.toolName = toolName
    if (result.is_error === true) message.isError = true
  }
}

function draft(role: Message['role'], line: number, blocks: Block[], value: unknown): Draft {
  return { role, line, blocks, wire: { provider: 'anthropic', value } }
}

function resultOf(block: unknown): JsonObject | undefined {
  const object = objectOf(block)
  return object?.type === 'tool_result' ? object : undefined
}

/**
 * Whether the first text is a tool's result, as older versions of Cline and Roo write it, whose calls are XML in the text of a
 * response: `[read_file for 'lamp.md'] Result:`. With feedback of the user in it, it is a prompt.
 */
function isWrittenResult(message: Message): boolean {
  const [first] = message.blocks
  if (first?.type !== 'text' || !/^\[\w+(?: for [^\n]*)?\] Result:/.test(first.text)) return false
  return !textOf(message).includes('<feedback>')
}

/** Splits the content into runs: each result alone, and the blocks between two results together. */
function runsOf(content: readonly unknown[]): unknown[][] {
  const runs: unknown[][] = []
  let afterResult = true
  for (const block of content) {
    const isResult = resultOf(block) !== undefined
    if (isResult || afterResult) runs.push([block])
    else runs.at(-1)?.push(block)
    afterResult = isResult
  }
  return runs
}
