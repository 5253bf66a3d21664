/**
 * opencode's sessions, as `opencode export` writes them: the session's `info`, and messages with an `info` and `parts`, which
 * mean what src/readers/wire/opencode.ts says. System prompt and tools are not recorded. Messages are numbered 1, 2, …. Of a
 * database the messages are records of their own, behind the session's; older files (lines/opencode-storage.ts) come as an
 * export. `opencode run --format json` prints the parts of each step as they end; neither prompt nor model is in that.
 */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { recordReader, Underway } from '../frames.ts'
import { bad, type LeftOut, type Outcome, type TranscriptWriter } from '../reader.ts'
import { textBlocks } from '../wire/blocks.ts'
import { unrecordedPrompt } from '../wire/lost-head.ts'
import { entryOf, idOf, OpencodeMapping } from '../wire/opencode.ts'
import { keys, kinds } from '../wire/shape.ts'
import { spokenBy } from '../wire/spoken.ts'

/** A run prints what each step came to. */
const eventShape = keys({
  part: kinds('type', {
    'step-finish': keys({
      cost: 'number',
      tokens: keys({ input: 'any', output: 'any', reasoning: 'number', cache: keys({ read: 'any', write: 'any' }) }),
    }),
  }),
})

/** Where opencode, and Kilo and MiMo Code, which are made of it, keep their data, on Windows, too. */
const homes = ['opencode', 'kilo', 'mimocode'].flatMap((program) => {
  const directories = [`$XDG_DATA_HOME/${program}`, `~/.local/share/${program}`]
  return [
    { directories: [`$${program.toUpperCase()}_DB`], files: '*' },
    { directories, files: `${program}*.db` },
    { directories, files: 'storage/session/*/*.json', session: /([^/]+)\.json$/ },
  ]
})

export default recordReader({
  name: 'opencode',
  program: 'opencode',
  summary: 'databases and files of opencode, Kilo and MiMo Code, session exports, and the stream of `opencode run`',
  source:
    '~/.local/share/opencode/opencode.db and storage/session/*/*.json, ~/.local/share/kilo, output of `opencode export` and `opencode run --format json`',
  places: homes,
  shapes: [
    ['info', 'info.id', 'messages', 'messages.info', 'messages.parts'],
    ['type', 'timestamp', 'sessionID', 'part', 'part.messageID', 'part.type'],
  ],
  recognise(record) {
    const session = sessionOf(record)
    if (!session) return isMessage(record) || partOf(record) !== undefined
    if (session.messages.length > 0) return session.messages.some(entryOf)
    // A session without messages yet.
    return 'projectID' in session.info
  },
  shape: (record) => (partOf(record) ? eventShape(record) : null),
  begin: (context) => new Exports(context),
  record: (record, { line }, exports) => exports.add(record, line),
  end: (exports) => exports.end(),
})

class Exports extends Underway {
  /** The session that is being read. */
  #id: string | null = null
  #writer: TranscriptWriter | null = null
  #mapping: OpencodeMapping | null = null
  /** Parts of a step that is being printed, and where it began. */
  #step: { readonly parts: JsonObject[]; readonly line: number; readonly time: unknown } | null = null

  add(value: JsonObject, line: number): Outcome {
    const session = sessionOf(value)
    if (session) {
      const mapping = this.#open(session.info, session.messages)
      for (const [index, message] of session.messages.entries()) mapping.add(message, index + 1)
      return 'used'
    }
    const part = partOf(value)
    if (part) return this.#printed(part, value, line)
    if (this.#mapping && isMessage(value)) {
      this.#mapping.add(value, line)
      return 'used'
    }
    return value.type === 'error' ? 'no-context' : bad
  }

  #open(info: JsonObject, messages: readonly unknown[]): OpencodeMapping {
    this.end()
    const [model, provider] = modelOf([{ info, parts: [] }, ...messages])
    const spoken = spokenBy(`${provider ?? ''}/${model ?? ''}`)
    this.#id = idOf(info.id)
    const writer = this.context.open({ conversation: this.#id, provider: spoken })
    const version = stringOf(info.version)
    writer.describe({ parent: idOf(info.parentID), model, cwd: stringOf(info.directory), version })
    const finding = (found: LeftOut, line: number) => this.context.finding({ ...found, line })
    const mapping = new OpencodeMapping(writer, spoken, finding, version)
    this.#writer = writer
    this.#mapping = mapping
    return mapping
  }

  #printed(part: JsonObject, { sessionID, timestamp }: JsonObject, line: number): Outcome {
    if (!this.#writer || idOf(sessionID) !== this.#id) {
      this.#open({ id: sessionID }, [])
      this.#writer?.message({ role: 'user', line, blocks: textBlocks(unrecordedPrompt) })
    }
    this.#step ??= { parts: [], line, time: timestamp }
    this.#step.parts.push(part)
    if (part.type === 'step-finish') this.#endStep(part)
    return 'used'
  }

  /** @param end the part that has its usage */
  #endStep(end: JsonObject): void {
    if (!this.#step) return
    const { parts, line, time } = this.#step
    this.#mapping?.add({ info: { ...end, role: 'assistant', time: { created: time } }, parts }, line)
    this.#step = null
  }

  end(): void {
    this.#endStep({})
    this.#writer?.close()
    this.#writer = null
    this.#mapping = null
  }
}

function isMessage(record: unknown): boolean {
  return /^(?:user|assistant)$/.test(stringOf(entryOf(record)?.info.role) ?? '')
}

/** What an event of a run is about. */
function partOf(record: unknown): JsonObject | undefined {
  const event = objectOf(record)
  const part = objectOf(event?.part)
  return typeof event?.sessionID === 'string' && typeof part?.messageID === 'string' ? part : undefined
}

function sessionOf(record: unknown): { info: JsonObject; messages: readonly unknown[] } | undefined {
  const object = objectOf(record)
  // The clients of opencode's server wrap a response in `data`.
  const { info, messages } = objectOf(object?.data) ?? object ?? {}
  const head = objectOf(info)
  return head && Array.isArray(messages) ? { info: head, messages } : undefined
}

/** The first model named, and its provider. A user message names both one level deeper than an assistant message. */
function modelOf(messages: readonly unknown[]): [model: string | undefined, provider: string | undefined] {
  for (const value of messages) {
    const info = entryOf(value)?.info
    const named = objectOf(info?.model) ?? info
    if (typeof named?.modelID === 'string') return [named.modelID, stringOf(named.providerID)]
  }
  return [undefined, undefined]
}
