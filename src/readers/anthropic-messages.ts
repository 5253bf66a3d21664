/**
 * Anthropic Messages: request bodies, logs of them, request/response pairs, and the bare message lists that Cline, Roo
 * and chat programs keep. Tool results stand in user messages there; each becomes a message of its own, and the parts of
 * one recorded message stay marked as such, so that it can be put together again exactly.
 *
 * A body records all that was sent. A bare list does not say which system prompt and tools went with it.
 */
import type { Block, Message } from '../model/message.ts'
import { anthropicBlocks, type JsonObject, objectOf, stringOf } from './blocks.ts'
import { timeOf } from './bodies.ts'
import { OpenCalls } from './calls.ts'
import { type Finder, type Mapping, type Opening, readConversations } from './conversations.ts'
import type { Entry } from './growing.ts'
import type { Reader, TranscriptWriter } from './reader.ts'
import { likeness } from './recognise.ts'
import { usageOf } from './usage.ts'

const reader: Reader = {
  name: 'anthropic-messages',
  summary: 'Anthropic Messages: requests and message lists as JSON or JSONL',
  source: 'API logs and proxies, Cline, Roo, Kilo, programs that speak the Messages API',
  recognise: (record) => likeness(record).anthropic,
  read: (context) =>
    readConversations(context, {
      provider: 'anthropic',
      completeAlone: false,
      begin: (opening, writer, finding) => new MessagesMapping(opening, writer, finding),
    }),
}

export default reader

const roles: readonly unknown[] = ['system', 'user', 'assistant'] satisfies Message['role'][]

/** What one recorded message says about all its parts. */
type Common = Pick<Message, 'line' | 'time' | 'model' | 'usage'>

class MessagesMapping implements Mapping {
  readonly #writer: TranscriptWriter
  readonly #finding: Finder
  readonly #calls = new OpenCalls()

  constructor({ system, tools, complete }: Opening, writer: TranscriptWriter, finding: Finder) {
    this.#writer = writer
    this.#finding = finding
    const recorded: Message = { role: 'system', line: 1, blocks: anthropicBlocks(system), ...wire(system) }
    writer.preamble({ system: system === undefined ? [] : [recorded], ...(tools ? { tools } : {}), complete })
  }

  add({ value, line, reply }: Entry): void {
    const record = objectOf(value)
    const role = record?.role as Message['role']
    const content = record?.content
    if (!record || !roles.includes(role) || !(typeof content === 'string' || Array.isArray(content))) {
      this.#finding('unknown-record', line)
      return
    }
    const time = reply?.time ?? timeOf(record.ts ?? record.timestamp)
    const model = reply?.model ?? stringOf(objectOf(record.modelInfo)?.id) ?? stringOf(record.model)
    const usage = reply?.usage ?? usageOf(record.metrics ?? record.usage)
    const common: Common = {
      line,
      ...(time === undefined ? {} : { time }),
      ...(model === undefined ? {} : { model }),
      ...(usage ? { usage } : {}),
    }
    if (role === 'user') this.#user(content, common)
    else {
      const blocks = anthropicBlocks(content)
      this.#writer.message({
        ...common,
        role,
        blocks: role === 'assistant' ? this.#calls.make(blocks) : blocks,
        ...wire(content),
      })
    }
  }

  end(): void {}

  /** A message with results in it carries the step on: what a user typed meanwhile rides on them and starts nothing. */
  #user(content: string | readonly unknown[], common: Common): void {
    const results = typeof content === 'string' ? [] : content.filter((block) => resultOf(block))
    if (typeof content === 'string' || results.length === 0) {
      this.#calls.endStep()
      this.#writer.message({ ...common, role: 'user', blocks: anthropicBlocks(content), ...wire(content) })
      return
    }
    runsOf(content).forEach((run, index) => {
      const part = { ...common, ...(index > 0 ? { continues: true } : {}), ...wire(run) }
      const blocks: Block[] = anthropicBlocks(run)
      const result = resultOf(run[0])
      if (!result) this.#writer.message({ ...part, role: 'user', origin: 'queued', blocks })
      else {
        const answered = this.#calls.answer(stringOf(result.tool_use_id) ?? '', undefined)
        const failed = result.is_error === true ? { isError: true } : {}
        this.#writer.message({ ...part, role: 'tool', blocks, ...answered, ...failed })
      }
    })
  }
}

function resultOf(block: unknown): JsonObject | undefined {
  const object = objectOf(block)
  return object?.type === 'tool_result' ? object : undefined
}

/** Each result by itself, and what stands between results together. */
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

function wire(value: unknown): Pick<Message, 'wire'> {
  return { wire: { provider: 'anthropic', value } }
}
