/**
 * Builds one transcript of a session file: the main conversation, or a sub-agent's. It joins the lines of a response and
 * moves the messages between them behind it.
 *
 * A response is written as it streams, one block per line, and its tools run meanwhile: their results, reminders and
 * queued prompts are between its lines. All of them wait until the next response or prompt shows that it is complete.
 */
import type { Block, Message, Usage } from '../../../model/message.ts'
import type { TranscriptWriter } from '../../reader.ts'
import type { Draft } from '../../wire/conversations.ts'
import { beginWithoutHead } from '../../wire/lost-head.ts'
import { IdTable, type PlainIds } from './id-table.ts'
import type { Links } from './links.ts'
import { type PlainRestored, Restored } from './restored.ts'
import { planReminder } from './shown.ts'

/** One line of a response. */
export interface ResponsePart {
  /** Identifies the response. */
  readonly key: string
  readonly line: number
  readonly blocks: readonly Block[]
  readonly wire: readonly unknown[]
  readonly model: string | undefined
  readonly time: number | undefined
  readonly usage: Usage | undefined
  /** It says why the response ended, so that its usage is the final one. */
  readonly hasEnded: boolean
}

interface Response {
  readonly key: string
  readonly line: number
  readonly blocks: Block[]
  readonly wire: unknown[]
  readonly model: string | undefined
  readonly time: number | undefined
  usage: Usage | undefined
  hasEnded: boolean
}

/** A branch of the tree, and the transcript's length when it began. */
interface Branch {
  readonly number: number
  readonly start: number
}

interface Result {
  readonly message: Message
  readonly record: number
}

/** A compaction whose summary has not come yet. */
interface Begun {
  readonly at: number
  readonly keptFrom: number
  readonly line: number
}

/** What is known of a chain between two records, as plain data. */
class State {
  isSide = false
  /** Whether its records name their parents. If none does, a missing parent means nothing. */
  isLinked = false
  hasCwd = false
  /** Its system prompt and its tools are recorded. */
  hasPrompt = false
  /** What the program adds to the context is recorded (`attachment`), so it need not be inferred. */
  recordsAttachments = false
  /** The user has the agent plan, and it has been told how. */
  isPlanning = false
  /** No record of it has been read yet. */
  isFresh = true
  branches: Branch[] = []
  response: Response | undefined
  /** The results since the last compaction, and the responses with several calls by their index. */
  answers: Answer[] = []
  parallel = new Map<number, Message>()
  // Messages that wait behind the response, in wire order: results, what the user said with a result, and the rest.
  results: Result[] = []
  riding: Message[] = []
  rest: Message[] = []
  hasRestored = false
  compaction: Begun | undefined
}

/** A chain without its writer. */
export interface PlainChain extends State {
  readonly restored: PlainRestored
  readonly answered: PlainIds
}

export class Chain {
  readonly writer: TranscriptWriter
  readonly state = new State()
  readonly restored: Restored
  readonly #answered: IdTable

  /** @param plain as `plain` gave it, or what is known at the start */
  constructor(writer: TranscriptWriter, { restored, answered, ...state }: Partial<PlainChain>) {
    this.writer = writer
    this.restored = new Restored(restored)
    this.#answered = new IdTable(0, answered)
    Object.assign(this.state, state)
  }

  plain(): PlainChain {
    return { ...this.state, restored: this.restored.plain(), answered: this.#answered.plain() }
  }

  /** The branch of a record whose parent does not say which it is. */
  get branch(): number {
    return (this.state.branches.at(-1) as Branch).number
  }

  /** How many messages there are so far, waiting ones included. */
  get length(): number {
    const waiting = this.state.results.length + this.state.riding.length + this.state.rest.length
    return this.writer.length + (this.state.response ? 1 : 0) + waiting
  }

  /** The file begins in the middle of the conversation: adds a placeholder for what came before. */
  beginWithoutHead(line: number): void {
    beginWithoutHead(this.writer, line)
    this.restored.beginWithoutHead()
  }

  /** Whether response `key` is the one that is being put together. */
  isAnswering(key: string): boolean {
    return this.state.response?.key === key
  }

  /** @returns false if the response is complete already: the line is a duplicate */
  part(part: ResponsePart): boolean {
    if (!this.isAnswering(part.key)) {
      if (this.#answered.find(part.key) >= 0) return false
      this.#answered.add(part.key)
      this.flush()
      this.state.response = { ...part, blocks: [...part.blocks], wire: [...part.wire] }
      return true
    }
    const response = this.state.response as Response
    for (const block of part.blocks) response.blocks.push(block)
    for (const block of part.wire) response.wire.push(block)
    response.usage = largest(response.usage, part.usage)
    response.hasEnded ||= part.hasEnded
    return true
  }

  /** @param record number of the record with the result */
  result(result: Message, record: number): void {
    const message = this.state.results.length > 0 ? { ...result, continues: true } : result
    this.state.results.push({ message, record })
  }

  /** A user message together with a tool result: it shares the wire message of the results. */
  riding(message: Message): void {
    this.state.riding.push({ ...message, continues: true })
  }

  /** A message that starts no exchange: it goes out with the next request. */
  aside(message: Message): void {
    this.state.rest.push(message)
  }

  /** The agent is told how to plan, unless it has been told already. Where attachments are recorded, one shows it. */
  planning(line: number): void {
    if (!this.state.isPlanning && !this.state.recordsAttachments) this.aside(planReminder(line))
    this.state.isPlanning = true
  }

  prompt(message: Message): void {
    this.flush()
    this.writer.message(message)
  }

  /** Writes the response, which is complete, and everything that waited for it. */
  flush(): void {
    const { writer } = this
    if (this.state.response) {
      const { key, line, blocks, wire, model, time, usage, hasEnded } = this.state.response
      this.state.response = undefined
      const message: Draft = {
        role: 'assistant',
        line,
        blocks,
        responseId: key,
        wire: { provider: 'anthropic', value: wire },
      }
      if (model !== undefined) message.model = model
      if (time !== undefined) message.time = time
      if (usage) message.usage = hasEnded ? usage : { ...usage, partial: true }
      if (blocks.filter(({ type }) => type === 'call').length > 1) {
        this.state.parallel.set(writer.length, message)
        if (this.state.parallel.size > mostKnown)
          this.state.parallel.delete(this.state.parallel.keys().next().value as number)
      }
      writer.message(message)
    }
    for (const { message, record } of this.state.results) {
      if (message.callId !== undefined) this.state.answers.push({ call: message.callId, record, index: writer.length })
      if (this.state.answers.length >= 2 * mostKnown) this.state.answers = this.state.answers.slice(-mostKnown)
      writer.message(message)
    }
    for (const message of this.state.riding) writer.message(message)
    for (const message of this.state.rest) writer.message(message)
    if (this.state.results.length > 0) this.state.results = []
    if (this.state.riding.length > 0) this.state.riding = []
    if (this.state.rest.length > 0) this.state.rest = []
  }

  /** A prompt begins branch `number`. */
  beginBranch(number: number): void {
    this.flush()
    this.state.branches.push({ number, start: this.writer.length })
  }

  /**
   * The next message continues branch `parent`: everything after that branch is abandoned. If the branch was itself
   * abandoned, it cannot be brought back, and nothing is removed.
   */
  continueFrom(parent: number): void {
    const at = this.state.branches.findLastIndex((branch) => branch.number === parent)
    const abandoned = at === -1 ? undefined : this.state.branches[at + 1]
    if (!abandoned) return
    this.flush()
    this.writer.rewind(abandoned.start)
    this.state.answers = this.state.answers.filter(({ index }) => index < abandoned.start)
    for (const index of this.state.parallel.keys()) if (index >= abandoned.start) this.state.parallel.delete(index)
    this.state.branches.length = at + 1
    if (this.state.compaction && this.state.compaction.at > abandoned.start) this.state.compaction = undefined
  }

  /** The next message has no parent: a new history begins as branch `number`. */
  startAnew(number: number): void {
    this.flush()
    this.writer.reset()
    this.state.branches.push({ number, start: this.writer.length })
  }

  /** The agent cleared the results of these calls. Unknown calls are ignored. */
  cleared(calls: readonly string[], line: number): void {
    this.flush()
    const named = new Set(calls)
    const left = this.state.answers
      .filter(({ call }) => named.has(call))
      .map(({ index }) => [index, clearedText] as const)
    this.writer.clearing({ at: this.writer.length, left: new Map(left), restored: false, line })
  }

  /**
   * The session was left and resumed. What the program had restored after a compaction is gone. And versions that do not
   * record attachments resume only the path from the last record back to the first. Of parallel results that path
   * contains only one: the others are gone, with their calls.
   * @param path of the record at which the session is resumed
   */
  resumed({ on, knownFrom }: ReturnType<Links['pathTo']>, line: number): void {
    if (this.state.recordsAttachments) return
    this.flush()
    const isGone = ({ record }: Answer): boolean => record >= knownFrom && !on.has(record)
    const gone = this.state.answers.filter(isGone)
    this.state.answers = this.state.answers.filter((answer) => !isGone(answer))
    const calls = new Set(gone.map(({ call }) => call))
    const left = new Map<number, readonly Block[]>(gone.map(({ index }) => [index, []]))
    for (const [index, { blocks }] of this.state.parallel) {
      const rest = blocks.filter((block) => block.type !== 'call' || !calls.has(block.id))
      if (rest.length < blocks.length) left.set(index, rest)
    }
    if (left.size > 0 || this.state.hasRestored)
      this.writer.clearing({ at: this.writer.length, left, restored: this.state.hasRestored, line })
    this.state.hasRestored = false
  }

  /** The agent compacted its history here and kept the messages from `keptFrom` on, if any. */
  compacted(keptFrom: number | undefined, line: number): void {
    this.#endCompaction([])
    this.flush()
    const at = this.writer.length
    this.state.compaction = { at, keptFrom: Math.min(keptFrom ?? at, at), line }
  }

  summary(message: Message): void {
    if (!this.state.compaction) this.compacted(undefined, message.line)
    this.#endCompaction([message])
  }

  /** Whether a compaction still has no summary. It ends without one. */
  lacksSummary(): boolean {
    const lacks = this.state.compaction !== undefined
    this.#endCompaction([])
    return lacks
  }

  end(): void {
    this.#endCompaction([])
    this.flush()
  }

  #endCompaction(summary: readonly Message[]): void {
    if (this.state.compaction) {
      const restored = this.state.recordsAttachments ? [] : this.restored.messages(this.state.compaction.line)
      this.state.hasRestored = restored.length > 0
      const { keptFrom } = this.state.compaction
      this.state.answers = this.state.answers.filter(({ index }) => index >= keptFrom)
      for (const index of this.state.parallel.keys()) if (index < keptFrom) this.state.parallel.delete(index)
      this.writer.compaction({ ...this.state.compaction, summary, ...(restored.length > 0 && { restored }) })
    }
    this.state.compaction = undefined
  }
}

/** A tool result whose place in the file is known. */
interface Answer {
  readonly call: string
  readonly record: number
  readonly index: number
}

/** More calls than any context held between two compactions. It bounds memory for files without compactions. */
const mostKnown = 2_000

/** What Claude Code leaves of a tool result that it clears. */
const clearedText: readonly Block[] = [{ type: 'text', text: '[Old tool result content cleared]' }]

/** Every line of a response repeats its usage so far, which only grows: the largest figures are the final ones. */
function largest(a: Usage | undefined, b: Usage | undefined): Usage | undefined {
  if (!a || !b) return a ?? b
  const beside = b.beside ?? a.beside
  const terms = b.terms ?? a.terms
  const cost = Math.max(a.cost ?? 0, b.cost ?? 0)
  return {
    input: Math.max(a.input, b.input),
    cacheRead: Math.max(a.cacheRead, b.cacheRead),
    cacheWrite: Math.max(a.cacheWrite, b.cacheWrite),
    cacheWrite1h: Math.max(a.cacheWrite1h, b.cacheWrite1h),
    output: Math.max(a.output, b.output),
    ...(terms && { terms }),
    ...((a.cost ?? b.cost) !== undefined && { cost }),
    ...(beside && { beside }),
  }
}
