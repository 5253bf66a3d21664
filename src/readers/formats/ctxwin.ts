/**
 * ctxwin's own form, which `export --to ctxwin` writes: canonical conversations as NDJSON. It is read back to the same
 * runs: whatever a replay depends on is recorded, the program that the transcript comes from and its wire form included.
 * docs/schema/transcript.schema.json has its shape.
 *
 * Only the line numbers differ: messages have those of this file.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import {
  type Block,
  type Message,
  type Preamble,
  type ProviderName,
  type SideCallKind,
  sideCallKinds,
  type Usage,
} from '../../model/message.ts'
import { type PriceTerm, priceTerms } from '../../model/price-terms.ts'
import type { Clearing, Compaction, SideCall, SizedBy } from '../../model/trace.ts'
import {
  bad,
  defineReader,
  type Learnt,
  type Outcome,
  type ReaderContext,
  type Reading,
  type TranscriptWriter,
} from '../reader.ts'
import { definitionsShape } from '../wire/bodies.ts'
import { keys, listOf, optional } from '../wire/shape.ts'

/** A value inside another record that is no message is left out; on a line of its own it is a bad record. */
const messagesShape = listOf((value) => (messageOf(value, 1) === null ? '' : null))

const recordShape = keys({
  transcript: optional(
    keys({ preamble: keys({ system: messagesShape, tools: optional(definitionsShape), complete: 'boolean' }) }),
  ),
  message: optional(keys({ usage: optional(keys({ input: 'any', output: 'any', cacheRead: 'any' })) })),
  compaction: optional(keys({ summary: messagesShape, restored: optional(messagesShape) })),
})

export default defineReader({
  name: 'ctxwin',
  summary: 'what `export --to ctxwin` writes: canonical conversations, a message a line',
  source: '`ctxwin export --to ctxwin`',
  shapes: [
    ['transcript.format', 'transcript.provider', 'transcript.preamble'],
    ['message.role', 'message.blocks'],
  ],
  recognise(record) {
    const { transcript, message } = objectOf(record) ?? {}
    const isHead = typeof objectOf(transcript)?.ctxwin === 'number'
    return isHead || Array.isArray(objectOf(message)?.blocks) ? 1 : 0
  },
  shape: recordShape,
  read: (context) => new Transcripts(context),
  resume: (context, state, writers) => new Transcripts(context, writers[state as number]),
})

class Transcripts implements Reading {
  readonly #context: ReaderContext
  #writer: TranscriptWriter | null

  constructor(context: ReaderContext, writer: TranscriptWriter | null = null) {
    this.#context = context
    this.#writer = writer
  }

  /** The number of the transcript that is being written; -1 before the first. */
  state(numberOf: (writer: TranscriptWriter) => number): number {
    return this.#writer ? numberOf(this.#writer) : -1
  }

  record(value: unknown, line: number): Outcome {
    const record = objectOf(value)
    const head = objectOf(record?.transcript)
    if (head) return this.#open(head)
    const writer = this.#writer
    if (!record || !writer) return bad
    if (record.reset === true) writer.reset()
    else if (record.resumed === true) writer.resumed()
    else {
      const message = messageOf(record.message, line)
      const compaction = compactionOf(record.compaction, line)
      const clearing = clearingOf(record.clearing, line)
      const sideCall = sideCallOf(record.sideCall, line)
      if (message) writer.message(message)
      else if (compaction) writer.compaction(compaction)
      else if (clearing) writer.clearing(clearing)
      else if (sideCall) writer.sideCall(sideCall)
      else return bad
    }
    return 'used'
  }

  end(): void {}

  #open({ ctxwin, conversation, provider, preamble, ...about }: JsonObject): Outcome {
    this.#writer?.close()
    this.#writer = null
    const { sizedBy } = about
    if (ctxwin !== 1 || !providers.includes(provider) || (sizedBy !== undefined && !isSizedBy(sizedBy))) return bad
    const name = stringOf(conversation) ?? null
    this.#writer = this.#context.open({ conversation: name, provider: provider as ProviderName })
    this.#writer.describe(headOf(about))
    this.#writer.preamble(preambleOf(preamble))
    return 'used'
  }
}

const providers: readonly unknown[] = ['anthropic', 'openai', 'google'] satisfies ProviderName[]
const roles: readonly unknown[] = ['system', 'user', 'assistant', 'tool'] satisfies Message['role'][]
const origins: readonly unknown[] = ['queued', 'injected'] satisfies Message['origin'][]
const types: readonly unknown[] = ['text', 'thinking', 'opaque', 'call', 'image', 'document'] satisfies Block['type'][]

function headOf(head: JsonObject): Learnt {
  const { forkMessage, window, headless, sizedBy } = head
  return {
    format: stringOf(head.format),
    model: stringOf(head.model),
    cwd: stringOf(head.cwd),
    parent: stringOf(head.parent),
    forkMessage: isIndex(forkMessage) ? forkMessage : undefined,
    version: stringOf(head.version),
    window: isIndex(window) ? window : undefined,
    headless: headless === true || undefined,
    sizedBy: isSizedBy(sizedBy) ? sizedBy : undefined,
  }
}

function preambleOf(value: unknown): Preamble {
  const { system, tools, complete } = objectOf(value) ?? {}
  return { system: messagesOf(system), ...(Array.isArray(tools) && { tools }), complete: complete === true }
}

function messagesOf(value: unknown): Message[] {
  return itemsOf(value).flatMap((item) => messageOf(item, Number(objectOf(item)?.line) || 1) ?? [])
}

/** The message as it is, if its parts are what they must be; its line is this file's. */
function messageOf(value: unknown, line: number): Message | null {
  const message = objectOf(value)
  if (!message || !roles.includes(message.role) || !isBlocks(message.blocks)) return null
  const { callId, toolName, responseId, model, time, usage, wire, origin, interrupted, sizes, thoughtSizes } = message
  const texts = [callId, toolName, responseId, model]
  if (!texts.every((text) => text === undefined || typeof text === 'string')) return null
  if (time !== undefined && typeof time !== 'number') return null
  if (origin !== undefined && !origins.includes(origin)) return null
  if (interrupted !== undefined && interrupted !== true) return null
  if (usage !== undefined && !isUsage(usage)) return null
  if (wire !== undefined && !providers.includes(objectOf(wire)?.provider)) return null
  if (![sizes, thoughtSizes].every((one) => one === undefined || isSizes(one))) return null
  return { ...(message as unknown as Message), line }
}

function isSizedBy(value: unknown): value is readonly SizedBy[] {
  return Array.isArray(value) && value.every(isSizing)
}

function isSizing(value: unknown): boolean {
  const { name, version, values, model, provider, preamble } = objectOf(value) ?? {}
  if (typeof name !== 'string' || typeof version !== 'number' || !objectOf(values) || !isSize(preamble)) return false
  return (model === null || typeof model === 'string') && (provider === null || providers.includes(provider))
}

function isSizes(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every(isSize)
}

/** In bytes. No file is as large as this, and sums of such sizes stay exact. */
const largest = 2 ** 32

function isSize(value: unknown): boolean {
  return typeof value === 'number' && value >= 0 && value <= largest
}

function isBlocks(value: unknown): value is readonly Block[] {
  return Array.isArray(value) && value.every(isBlock)
}

function isBlock(value: unknown): boolean {
  const { type, text, id, name, bytes, mediaType, data } = objectOf(value) ?? {}
  if (!types.includes(type)) return false
  if (type === 'text' || type === 'thinking') return typeof text === 'string'
  if (type === 'call') return typeof id === 'string' && typeof name === 'string'
  if (typeof bytes !== 'number') return false
  return type === 'opaque' || (typeof mediaType === 'string' && (data === undefined || typeof data === 'string'))
}

const counts = ['input', 'cacheRead', 'cacheWrite', 'cacheWrite1h', 'output']

function isTerm(value: unknown): boolean {
  return priceTerms.includes(value as PriceTerm)
}

function isUsage(value: unknown): boolean {
  const usage = objectOf(value)
  const isTerms = usage?.terms === undefined || (Array.isArray(usage.terms) && usage.terms.every(isTerm))
  const isCost = usage?.cost === undefined || typeof usage.cost === 'number'
  const isPartial = usage?.partial === undefined || usage.partial === true
  return (
    isTerms &&
    isCost &&
    isPartial &&
    counts.every((count) => Number.isSafeInteger(usage?.[count]) && (usage?.[count] as number) >= 0)
  )
}

function compactionOf(value: unknown, line: number): Compaction | null {
  const { at, keptFrom, summary, sealed, restored, head } = objectOf(value) ?? {}
  if (!isIndex(at) || !isIndex(keptFrom) || !Array.isArray(summary)) return null
  const inner = [...summary, ...itemsOf(restored)].map((item) => objectOf(item)?.sizes)
  if (!inner.every((sizes) => sizes === undefined || isSizes(sizes))) return null
  return {
    at,
    keptFrom,
    summary: messagesOf(summary),
    ...(sealed === true && { sealed }),
    ...(Array.isArray(restored) && { restored: messagesOf(restored) }),
    ...(head === true && { head }),
    line,
  }
}

function clearingOf(value: unknown, line: number): Clearing | null {
  const { at, left, restored, sizes } = objectOf(value) ?? {}
  if (!isIndex(at) || !Array.isArray(left)) return null
  if (sizes !== undefined && !isSizesByIndex(sizes)) return null
  const known = left.flatMap((entry): [number, readonly Block[]][] => {
    const [index, blocks] = Array.isArray(entry) ? entry : []
    return isIndex(index) && isBlocks(blocks) ? [[index, blocks]] : []
  })
  return { at, left: new Map(known), ...(sizes && { sizes: new Map(sizes) }), restored: restored === true, line }
}

function sideCallOf(value: unknown, line: number): SideCall | null {
  const { kind, usage, model, time, response, calls, span } = objectOf(value) ?? {}
  if (!sideCallKinds.includes(kind as SideCallKind) || !isUsage(usage) || !isIndex(response)) return null
  if (!(model === null || typeof model === 'string')) return null
  const when = typeof time === 'number' ? time : Number.NaN
  const { from, to } = objectOf(span) ?? {}
  if (!(calls === undefined || (isIndex(calls) && calls > 0))) return null
  if (span !== undefined && !(isIndex(from) && isIndex(to))) return null
  return {
    ...{ kind: kind as SideCallKind, usage: usage as unknown as Usage, model, time: when, line, response },
    ...(calls !== undefined && { calls }),
    ...(isIndex(from) && isIndex(to) && { span: { from, to } }),
  }
}

function isSizesByIndex(value: unknown): value is readonly (readonly [number, readonly number[]])[] {
  return Array.isArray(value) && value.every((entry) => Array.isArray(entry) && isIndex(entry[0]) && isSizes(entry[1]))
}

function isIndex(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}
