/**
 * opencode's sessions, as `opencode export` writes them: the session's `info`, and messages with an `info` and `parts`, which
 * mean what src/readers/wire/opencode.ts says. System prompt and tools are not recorded. Messages are numbered 1, 2, …. Of a
 * database the messages are records of their own, behind the session's; older files (lines/opencode-storage.ts) come as an export.
 */
import { bad, defineReader, type Outcome, type ReaderContext, type Reading, type TranscriptWriter } from '../reader.ts'
import { type JsonObject, objectOf, stringOf } from '../wire/blocks.ts'
import { entryOf, idOf, OpencodeMapping } from '../wire/opencode.ts'
import { spokenBy } from '../wire/spoken.ts'

/** A database says itself what its sessions are called. */
const inDatabase = /(?!)/

/** Where opencode and Kilo keep their data, on Windows, too. */
const homes = ['opencode', 'kilo'].flatMap((program) => {
  const directories = [`$XDG_DATA_HOME/${program}`, `~/.local/share/${program}`]
  return [
    { directories: [`$${program.toUpperCase()}_DB`], files: '*', session: inDatabase },
    { directories, files: `${program}*.db`, session: inDatabase },
    { directories, files: 'storage/session/*/*.json', session: /([^/]+)\.json$/ },
  ]
})

export default defineReader({
  name: 'opencode',
  program: 'opencode',
  summary: "opencode's and Kilo's databases and files, and session exports",
  source:
    '~/.local/share/opencode/opencode.db and storage/session/*/*.json, ~/.local/share/kilo, output of `opencode export`',
  places: homes,
  shapes: [['info', 'info.id', 'messages', 'messages.info', 'messages.parts']],
  recognise(record) {
    const session = sessionOf(record)
    if (!session) return isMessage(record) ? 1 : 0
    if (session.messages.length > 0) return session.messages.some(entryOf) ? 1 : 0
    // A session without messages yet.
    return 'projectID' in session.info ? 1 : 0
  },
  read: (context) => new Exports(context),
})

class Exports implements Reading {
  readonly #context: ReaderContext
  /** The session that is being read. */
  #writer: TranscriptWriter | null = null
  #mapping: OpencodeMapping | null = null

  constructor(context: ReaderContext) {
    this.#context = context
  }

  record(value: unknown, line: number): Outcome {
    const session = sessionOf(value)
    if (!session) {
      if (!this.#mapping || !isMessage(value)) return bad
      this.#mapping.add(value, line)
      return 'used'
    }
    this.end()
    const { info, messages } = session
    const [model, provider] = modelOf([{ info, parts: [] }, ...messages])
    const spoken = spokenBy(`${provider ?? ''}/${model ?? ''}`)
    const writer = this.#context.open({ conversation: idOf(info.id), provider: spoken })
    const cwd = stringOf(info.directory)
    const version = stringOf(info.version)
    writer.describe({
      parent: idOf(info.parentID),
      ...(model !== undefined && { model }),
      ...(cwd !== undefined && { cwd }),
      ...(version !== undefined && { version }),
    })
    const mapping = new OpencodeMapping(writer, spoken, (found, line) => this.#context.finding({ ...found, line }))
    for (const [index, message] of messages.entries()) mapping.add(message, index + 1)
    this.#writer = writer
    this.#mapping = mapping
    return 'used'
  }

  end(): void {
    this.#writer?.close()
    this.#writer = null
    this.#mapping = null
  }
}

function isMessage(record: unknown): boolean {
  return /^(?:user|assistant)$/.test(stringOf(entryOf(record)?.info.role) ?? '')
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
