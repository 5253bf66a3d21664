/** The messages of one path through the tree, from the root to the last entry. */

import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import type { ProviderName } from '../../../model/message.ts'
import type { TranscriptWriter } from '../../reader.ts'
import { timeOf } from '../../wire/bodies.ts'
import type { Draft } from '../../wire/conversations.ts'
import { contentOf, injected, isFailed, PiMapping, summaryText } from '../../wire/pi.ts'
import { spokenBy } from '../../wire/spoken.ts'
import type { Node as Entry } from '../../wire/tree.ts'
import { isMessage } from './entries.ts'
import { Prompt } from './prompt.ts'

/** For a fork: where it comes from, and when. */
export interface Origin {
  readonly parent: string
  readonly time: number
}

/** Whether a fork repeats the entry from its parent, where the calls that it tells of were billed. */
export function isInherited({ record }: Entry, origin: Origin | null): boolean {
  return origin !== null && (timeOf(record.timestamp) ?? Infinity) < origin.time
}

/** The entries that others name. Each says so where it is not in the file. */
export interface Links {
  /** The first entry that a compaction keeps. */
  firstKept(compaction: Entry): Entry | undefined
  /** The entry that an edit is of. */
  target(edit: Entry): Entry | undefined
}

/** Turns the entries of one path into messages. */
export class Path {
  readonly #writer: TranscriptWriter
  readonly #provider: ProviderName
  readonly #links: Links
  readonly #prompt = new Prompt()
  readonly #mapping = new PiMapping()
  /** How many messages come before each entry. */
  readonly #starts = new Map<Entry, number>()
  /** Entries that are a message. */
  readonly #said = new Set<Entry>()

  constructor(writer: TranscriptWriter, provider: ProviderName, links: Links) {
    this.#writer = writer
    this.#provider = provider
    this.#links = links
  }

  write(path: readonly Entry[], origin: Origin | null): void {
    const messages = path.map((entry) => this.#message(entry))
    this.#writer.preamble(this.#prompt.preamble)
    if (origin) {
      const inherited = path.findIndex((entry) => !isInherited(entry, origin))
      const front = messages.slice(0, inherited === -1 ? path.length : inherited)
      const forkMessage = this.#writer.length + front.filter((message) => message).length
      this.#writer.describe({ parent: origin.parent, forkMessage })
    }
    let before: Draft | undefined
    for (const [index, entry] of path.entries()) {
      this.#starts.set(entry, this.#writer.length)
      const { type } = entry.record
      if (type === 'compaction') this.#compaction(entry)
      else if (type === 'context_edit') this.#edit(entry)
      else if (type === 'reset_boundary') this.#writer.reset()
      const message = messages[index]
      if (!message) continue
      if (message.role === 'tool' && before?.role === 'tool' && this.#provider !== 'openai') message.continues = true
      this.#writer.message(message)
      this.#said.add(entry)
      before = message
    }
  }

  #compaction(entry: Entry): void {
    const { record, line } = entry
    const at = this.#writer.length
    const summary = [injected(summaryText('compaction', record.summary), line)]
    const { retainedTail } = record
    const kept = Array.isArray(retainedTail)
      ? Math.max(0, at - retainedTail.length)
      : this.#starts.get(this.#links.firstKept(entry) ?? entry)
    this.#writer.compaction({ at, keptFrom: kept ?? at, summary, line })
  }

  /** A message is sent with other content from here on, or no more. */
  #edit(entry: Entry): void {
    const { record, line } = entry
    const target = this.#links.target(entry)
    const place = target && this.#starts.get(target)
    // An entry that is no message is not sent anyway.
    if (!target || place === undefined || !this.#said.has(target)) return
    const replacement = objectOf(record.replacement)
    const left = new Map([[place, replacement ? contentOf(replacement.content) : []]])
    this.#writer.clearing({ at: this.#writer.length, left, restored: false, line })
  }

  #message({ record, line }: Entry): Draft | undefined {
    const message = this.#of(record, line)
    const time = timeOf(record.timestamp)
    if (message && time !== undefined) message.time = time
    return message
  }

  #of(record: JsonObject, line: number): Draft | undefined {
    if (record.type === 'custom_message') return injected(contentOf(record.content), line)
    if (record.type === 'session_init') this.#prompt.begin(record.systemPrompt, line)
    // The entry for a branch that was dropped without a summary has an empty one.
    if (record.type === 'branch_summary' && record.summary !== '') {
      return injected(summaryText('branch', record.summary), line)
    }
    if (record.type !== 'message' || !isMessage(record.message)) return undefined
    const { message } = record
    if (message.role === 'system') this.#prompt.system(message, line)
    const said = this.#mapping.message(message, line)
    if (said?.role === 'assistant') this.#prompt.sent()
    return said
  }
}

/** A response of the most frequent model: the model can change in a session, but a transcript is counted for one. */
export function typicalResponse(path: readonly Entry[]): JsonObject | undefined {
  const byModel = new Map<string, JsonObject[]>()
  for (const { record } of path) {
    const message = objectOf(record.message)
    const model = stringOf(message?.model)
    if (message?.role !== 'assistant' || model === undefined || isFailed(message)) continue
    const responses = byModel.get(model)
    if (responses) responses.push(message)
    else byModel.set(model, [message])
  }
  let most: readonly JsonObject[] = []
  for (const responses of byModel.values()) if (responses.length > most.length) most = responses
  return most[0]
}

/** The API that was used decides the wire form, else the model's name. */
export function providerOf(response: JsonObject | undefined): ProviderName {
  const api = stringOf(response?.api) ?? ''
  for (const name of ['anthropic', 'google', 'openai'] as const) if (api.startsWith(name)) return name
  return spokenBy(stringOf(response?.model))
}
