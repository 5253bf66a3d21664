/**
 * opencode's messages, an `info` with `parts`, as canonical ones.
 *
 * - An assistant message is one response; its usage is in `info.tokens`, where `input` excludes cached tokens. Before 1.3.16 `output` holds
 *   the reasoning that stands beside it (opencode's own costs count it twice), later it does not: the total says which, where there is one.
 * - A tool part holds both call and result. The results become messages of their own after the response. Old outputs that
 *   opencode cleared in later requests (`time.compacted`) stay in the history: clearing them is its pruning policy.
 * - Synthetic text is what opencode adds to a prompt (files it read, reminders): it starts no exchange. An attached text
 *   file or folder appears as such text; its own part is not sent.
 * - A compaction is a user message with a `compaction` part and the assistant's `summary`: it becomes a recorded
 *   compaction, not a part of the history, and its tokens are those of a call beside the requests. Since 1.16 it names the
 *   message from which on the history stays, behind the summary (`tail_start_id`).
 * - Tools that publish sessions overwrite ids, so many ids are equal: a call is matched by its part, a message by order.
 */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import type { Block, Message, ProviderName, Usage } from '../../model/message.ts'
import { thoughtsOf } from '../../model/thoughts.ts'
import { bad, type LeftOut, type TranscriptWriter, unknown, unlinked } from '../reader.ts'
import { callBlock, opaque, textBlocks, urlBlock } from './blocks.ts'
import { timeOf } from './bodies.ts'
import type { Draft } from './conversations.ts'
import { keys, kinds, listOf, oddIn, optional } from './shape.ts'
import { sideCallOf } from './side-calls.ts'
import { unreadText } from './unread.ts'
import { costIn, tokens, usageOf } from './usage.ts'

/** Parts that no model sees, in either role. (A compaction's summary is a message of its own.) */
const unseen = new Set(['agent', 'compaction', 'patch', 'retry', 'snapshot', 'step-finish', 'step-start'])

const fileShape = keys({ mime: 'string', url: 'string' })

const partShape = kinds('type', {
  compaction: keys({ tail_start_id: 'string?' }),
  text: keys({ text: 'string', synthetic: 'boolean?', ignored: 'boolean?' }),
  reasoning: keys({ text: 'string', metadata: 'object?' }),
  file: fileShape,
  tool: keys({
    tool: 'string',
    state: kinds('status', {
      completed: keys({ input: 'object', output: 'string', attachments: optional(listOf(fileShape)) }),
      running: keys({ input: 'object' }),
      error: keys({ input: 'object', error: 'string' }),
    }),
  }),
})

const tokensShape = keys({
  input: 'any',
  output: 'any',
  reasoning: 'amount?',
  cache: optional(keys({ read: 'any', write: 'any' })),
})

const messageShape = keys({
  info: kinds('role', { assistant: keys({ summary: 'boolean?', tokens: optional(tokensShape), cost: 'amount?' }) }),
  parts: listOf(partShape),
})

/** The text that opencode sends as the user for parts without a text of their own. */
const wordsOf = {
  compaction: 'What did we do so far?',
  subtask: 'The following tool was executed by the user',
} as const

type Finder = (found: LeftOut, line: number) => void

export class OpencodeMapping {
  readonly #writer: TranscriptWriter
  readonly #provider: ProviderName
  readonly #finding: Finder
  /** What the output is taken to hold where no total tells. */
  readonly #holdsReasoning: boolean
  readonly #callIds = new Set<string>()
  /** Where each message begins, by its id; null where ids are equal. */
  readonly #starts = new Map<string, number | null>()
  /** The id of the message from which on the newest compaction keeps the history; null if it keeps nothing. */
  #keptFrom: string | null = null
  /** The line of the message that asked for it. */
  #askedOn: number | null = null
  /** How many parts could not be read. */
  #bad = 0

  /** @param version of the program, where it is known */
  constructor(writer: TranscriptWriter, provider: ProviderName, finding: Finder, version?: string) {
    this.#holdsReasoning = isBefore1316(version)
    this.#writer = writer
    this.#provider = provider
    this.#finding = finding
  }

  add(value: unknown, line: number): void {
    const entry = entryOf(value)
    const before = this.#bad
    const id = idOf(entry?.info.id)
    if (id !== null) this.#starts.set(id, this.#starts.has(id) ? null : this.#writer.length)
    if (entry?.info.role === 'user') this.#user(entry, line)
    else if (entry?.info.role === 'assistant' && entry.info.summary === true) this.#compacted(entry, line)
    else if (entry?.info.role === 'assistant') this.#response(entry, line)
    else this.#badPart(line)
    const odd = this.#bad === before ? oddIn(messageShape, value) : null
    if (odd !== null) this.#finding(odd, line)
  }

  #user({ info, parts }: Entry, line: number): void {
    const said: Block[] = []
    const injected: Block[] = []
    const compaction = parts.map(objectOf).find((part) => part?.type === 'compaction')
    if (compaction) {
      this.#keptFrom = stringOf(compaction.tail_start_id) ?? null
      this.#askedOn = line
    }
    for (const part of this.#known(parts, line)) {
      if (part.type === 'text') append(textBlocks(part.text), part.synthetic === true ? injected : said)
      else if (part.type === 'file') append(fileBlocks(part), said)
      else if (part.type === 'subtask') append(textBlocks(wordsOf.subtask), said)
      else this.#finding(unknown(part.type), line)
    }
    const time = timeIn(info.time, 'created')
    if (said.length > 0) this.#writer.message({ role: 'user', line, blocks: said, ...time })
    if (injected.length === 0) return
    const message: Draft = { role: 'user', line, blocks: injected, origin: 'injected', ...time }
    if (said.length > 0) message.continues = true
    this.#writer.message(message)
  }

  #response({ info, parts }: Entry, line: number): void {
    const blocks: Block[] = []
    const results: Message[] = []
    for (const part of this.#known(parts, line)) {
      const id = part.type === 'tool' ? this.#callId(part.callID) : ''
      const said = saidBlocks(part, id)
      if (!said) {
        this.#finding(unknown(part.type), line)
        continue
      }
      append(said, blocks)
      if (part.type !== 'tool') continue
      const state = objectOf(part.state)
      const result = resultOf(state, { role: 'tool', line, blocks: [], callId: id })
      if (!result) {
        if (!running.has(stringOf(state?.status) ?? '')) this.#badPart(line)
        continue
      }
      if (typeof part.tool === 'string') result.toolName = part.tool
      const agent = stringOf(objectOf(state?.metadata)?.sessionId)
      if (agent !== undefined && part.tool === 'task') result.agent = { conversation: agent }
      // OpenAI's API takes one message per result, the others one message with all of them.
      if (results.length > 0 && this.#provider !== 'openai') result.continues = true
      results.push(result)
    }
    const usage = usageIn(info, this.#holdsReasoning)
    // The request failed or was aborted before anything came back.
    if (blocks.length === 0 && !usage) return
    const message: Draft = { role: 'assistant', line, blocks, ...timeIn(info.time, 'created') }
    if (usage) message.usage = usage
    if (typeof info.modelID === 'string') message.model = info.modelID
    this.#writer.message(message)
    for (const result of results) this.#writer.message(result)
  }

  #compacted({ info, parts }: Entry, line: number): void {
    const usage = usageIn(info, this.#holdsReasoning)
    const time = timeOf(objectOf(info.time)?.created)
    if (usage) this.#writer.sideCall(sideCallOf({ kind: 'summary', usage, model: stringOf(info.modelID), time, line }))
    const blocks = this.#known(parts, line).flatMap((part) => (part.type === 'text' ? textBlocks(part.text) : []))
    // Without a summary the compaction failed, and the history stayed as it was.
    if (blocks.length === 0) return
    const question: Message = {
      role: 'user',
      line: this.#askedOn ?? line,
      blocks: textBlocks(wordsOf.compaction),
      origin: 'injected',
    }
    const at = this.#writer.length
    const kept = this.#keptFrom === null ? at : this.#starts.get(this.#keptFrom)
    if (typeof kept !== 'number') this.#finding(unlinked, line)
    this.#writer.compaction({
      at,
      keptFrom: kept ?? at,
      summary: [question, { role: 'assistant', line, blocks: [...hiddenThought(info), ...blocks] }],
      line,
    })
  }

  /** The parts that a model may have seen. A value that is not a part is reported. */
  #known(parts: readonly unknown[], line: number): JsonObject[] {
    const known: JsonObject[] = []
    for (const value of parts) {
      const part = objectOf(value)
      if (!part) this.#badPart(line)
      else if (isSeen(part)) known.push(part)
    }
    return known
  }

  #badPart(line: number): void {
    this.#bad++
    this.#finding(bad, line)
  }

  #callId(recorded: unknown): string {
    const id = stringOf(recorded) ?? ''
    const usable = id !== '' && !this.#callIds.has(id)
    const unique = usable ? id : `unnamed:${this.#callIds.size}`
    this.#callIds.add(unique)
    return unique
  }
}

/** Whether a model may have seen a part. */
export function isSeen({ type, ignored }: JsonObject): boolean {
  return !unseen.has(stringOf(type) ?? '') && !(type === 'text' && ignored === true)
}

/** What a part of a response says; undefined for one of an unknown kind. @param callId of a call */
export function saidBlocks(part: JsonObject, callId: string): readonly Block[] | undefined {
  if (part.type === 'text') return textBlocks(part.text)
  if (part.type === 'reasoning') return thoughtOf(part)
  if (part.type === 'file') return fileBlocks(part)
  return part.type === 'tool' ? [callBlock(callId, part.tool, objectOf(part.state)?.input ?? {})] : undefined
}

function append(blocks: readonly Block[], to: Block[]): void {
  for (const block of blocks) to.push(block)
}

interface Entry {
  readonly info: JsonObject
  readonly parts: readonly unknown[]
}

export function entryOf(value: unknown): Entry | undefined {
  const { info, parts } = objectOf(value) ?? {}
  const head = objectOf(info)
  if (!head || !Array.isArray(parts)) return undefined
  return { info: head, parts }
}

/** States of a tool that was still running when the session ended. */
const running = new Set(['pending', 'running'])

function resultOf(state: JsonObject | undefined, result: Draft): Draft | undefined {
  if (state?.status === 'error') {
    result.isError = true
    result.blocks = textBlocks(state.error)
  } else if (state?.status === 'completed') {
    const attachments: unknown[] = Array.isArray(state.attachments) ? state.attachments : []
    result.blocks = [...textBlocks(state.output), ...attachments.flatMap((file) => fileBlocks(objectOf(file) ?? {}))]
  } else return undefined
  return { ...result, ...timeIn(state.time, 'end') }
}

/** No blocks for a text file or folder: its content is in a synthetic text part. */
function fileBlocks({ mime, url }: JsonObject): Block[] {
  if (mime === 'text/plain' || mime === 'application/x-directory') return []
  const mediaType = stringOf(mime) ?? ''
  const block = urlBlock(mediaType.startsWith('image/') ? 'image' : 'document', url)
  return [{ ...block, mediaType } as Block]
}

/** The reasoning's text, or if the provider hides that, the opaque data that has to be sent back. */
function thoughtOf({ text, metadata }: JsonObject): Block[] {
  if (typeof text === 'string' && text !== '') return [{ type: 'thinking', text }]
  for (const value of Object.values(objectOf(metadata) ?? {})) {
    const { reasoningEncryptedContent, reasoningOpaque, redactedData } = objectOf(value) ?? {}
    const data = [reasoningEncryptedContent, reasoningOpaque, redactedData].find((each) => typeof each === 'string')
    if (data !== undefined) return [opaque(data)]
  }
  return []
}

/**
 * The reasoning behind a summary. A response's reasoning is told by its output, but a summary is no response of the
 * history: where the model is sent it again, it stands here as large as it was counted.
 */
function hiddenThought({ modelID, tokens: counts }: JsonObject): Block[] {
  const reasoning = tokens(objectOf(counts)?.reasoning) ?? 0
  const { after, tau } = thoughtsOf({ program: 'opencode', model: stringOf(modelID) ?? null })
  const sent = after === 'keeps' ? Math.round(tau * reasoning) : 0
  return sent === 0 ? [] : textBlocks(unreadText('reasoning that only the provider can read', sent))
}

/** Since 1.3.16 the reasoning stands beside the output alone (https://github.com/anomalyco/opencode/pull/21047). */
const isBefore1316 = (version = ''): boolean => {
  const [, major, minor, patch] = /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? []
  return patch !== undefined && (Number(major) * 1000 + Number(minor)) * 1000 + Number(patch) < 1_003_016
}

/**
 * Counts that are all zero belong to a request without a response.
 * @param holdsReasoning whether the output does, where no total tells
 */
export function usageIn(info: JsonObject, holdsReasoning = false): Usage | undefined {
  const counts = objectOf(info.tokens)
  const cache = objectOf(counts?.cache)
  const [output, reasoning] = [tokens(counts?.output) ?? 0, tokens(counts?.reasoning) ?? 0]
  const told = (tokens(counts?.total) ?? 0) - (tokens(counts?.input) ?? 0) - output
  const cached = (tokens(cache?.read) ?? 0) + (tokens(cache?.write) ?? 0)
  const isInside = counts?.total === undefined ? holdsReasoning : told === 0 || told === cached
  const usage = usageOf({
    input_tokens: counts?.input,
    cache_read_input_tokens: cache?.read,
    cache_creation_input_tokens: cache?.write,
    output_tokens: isInside ? Math.max(output, reasoning) : output + reasoning,
  })
  return usage && usage.input !== 0 ? { ...usage, ...costIn(info.cost) } : undefined
}

function timeIn(times: unknown, name: string): { time?: number } {
  const time = timeOf(objectOf(times)?.[name])
  return time === undefined ? {} : { time }
}

/** Publishing tools overwrite ids with `REDACTED`. */
export function idOf(value: unknown): string | null {
  return value === 'REDACTED' ? null : (stringOf(value) ?? null)
}
