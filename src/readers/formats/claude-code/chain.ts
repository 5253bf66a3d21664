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

/** A chain as plain data, without its writer. */
export interface PlainChain {
  readonly isSide: boolean
  readonly isLinked: boolean
  readonly hasCwd: boolean
  readonly hasPrompt: boolean
  readonly recordsAttachments: boolean
  readonly isPlanning: boolean
  readonly isFresh: boolean
  readonly restored: PlainRestored
  readonly branches: readonly Branch[]
  readonly response: Response | undefined
  readonly answered: PlainIds
  readonly answers: readonly Answer[]
  readonly parallel: ReadonlyMap<number, Message>
  readonly results: readonly Result[]
  readonly riding: readonly Message[]
  readonly rest: readonly Message[]
  readonly hasRestored: boolean
  readonly compaction: Begun | undefined
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

export class Chain {
  readonly writer: TranscriptWriter
  readonly isSide: boolean
  /** The branch of a record whose parent does not say which it is. */
  get branch(): number {
    return (this.#branches.at(-1) as Branch).number
  }
  /** Whether its records name their parents. If none does, a missing parent means nothing. */
  isLinked = false
  hasCwd = false
  /** Its system prompt and its tools are recorded. */
  hasPrompt = false
  /** What the program adds to the context is recorded (`attachment`), so it need not be inferred. */
  recordsAttachments = false
  /** The user has the agent plan, and it has been told how. */
  isPlanning = false
  restored = new Restored()
  /** No record of it has been read yet. */
  isFresh = true
  #branches: Branch[]
  #response: Response | undefined
  #answered = new IdTable(0)
  /** The results since the last compaction, and the responses with several calls by their index. */
  #answers: Answer[] = []
  #parallel = new Map<number, Message>()
  // Messages that wait behind the response, in wire order: results, what the user said with a result, and the rest.
  #results: Result[] = []
  #riding: Message[] = []
  #rest: Message[] = []
  #hasRestored = false
  #compaction: Begun | undefined

  constructor(writer: TranscriptWriter, isSide: boolean, branch: number) {
    this.writer = writer
    this.isSide = isSide
    this.#branches = [{ number: branch, start: 0 }]
  }

  /** The chain that was `plain`. */
  static of(writer: TranscriptWriter, plain: PlainChain): Chain {
    const chain = new Chain(writer, plain.isSide, 0)
    chain.isLinked = plain.isLinked
    chain.hasCwd = plain.hasCwd
    chain.hasPrompt = plain.hasPrompt
    chain.recordsAttachments = plain.recordsAttachments
    chain.isPlanning = plain.isPlanning
    chain.isFresh = plain.isFresh
    chain.restored = new Restored(plain.restored)
    chain.#branches = [...plain.branches]
    chain.#response = plain.response
    chain.#answered = new IdTable(0, plain.answered)
    chain.#answers = [...plain.answers]
    chain.#parallel = new Map(plain.parallel)
    chain.#results = [...plain.results]
    chain.#riding = [...plain.riding]
    chain.#rest = [...plain.rest]
    chain.#hasRestored = plain.hasRestored
    chain.#compaction = plain.compaction
    return chain
  }

  plain(): PlainChain {
    return {
      isSide: this.isSide,
      isLinked: this.isLinked,
      hasCwd: this.hasCwd,
      hasPrompt: this.hasPrompt,
      recordsAttachments: this.recordsAttachments,
      isPlanning: this.isPlanning,
      isFresh: this.isFresh,
      restored: this.restored.plain(),
      branches: this.#branches,
      response: this.#response,
      answered: this.#answered.plain(),
      answers: this.#answers,
      parallel: this.#parallel,
      results: this.#results,
      riding: this.#riding,
      rest: this.#rest,
      hasRestored: this.#hasRestored,
      compaction: this.#compaction,
    }
  }

  /** How many messages there are so far, waiting ones included. */
  get length(): number {
    const waiting = this.#results.length + this.#riding.length + this.#rest.length
    return this.writer.length + (this.#response ? 1 : 0) + waiting
  }

  /** The file begins in the middle of the conversation: adds a placeholder for what came before. */
  beginWithoutHead(line: number): void {
    beginWithoutHead(this.writer, line)
    this.restored.beginWithoutHead()
  }

  /** Whether response `key` is the one that is being put together. */
  isAnswering(key: string): boolean {
    return this.#response?.key === key
  }

  /** @returns false if the response is complete already: the line is a duplicate */
  part(part: ResponsePart): boolean {
    if (!this.isAnswering(part.key)) {
      if (this.#answered.find(part.key) >= 0) return false
      this.#answered.add(part.key)
      this.flush()
      this.#response = { ...part, blocks: [...part.blocks], wire: [...part.wire] }
      return true
    }
    const response = this.#response as Response
    for (const block of part.blocks) response.blocks.push(block)
    for (const block of part.wire) response.wire.push(block)
    response.usage = largest(response.usage, part.usage)
    response.hasEnded ||= part.hasEnded
    return true
  }

  /** @param record number of the record with the result */
  result(result: Message, record: number): void {
    const message = this.#results.length > 0 ? { ...result, continues: true } : result
    this.#results.push({ message, record })
  }

  /** A user message together with a tool result: it shares the wire message of the results. */
  riding(message: Message): void {
    this.#riding.push({ ...message, continues: true })
  }

  /** A message that starts no exchange: it goes out with the next request. */
  aside(message: Message): void {
    this.#rest.push(message)
  }

  /** The agent is told how to plan, unless it has been told already. Where attachments are recorded, one shows it. */
  planning(line: number): void {
    if (!this.isPlanning && !this.recordsAttachments) this.aside(planReminder(line))
    this.isPlanning = true
  }

  prompt(message: Message): void {
    this.flush()
    this.writer.message(message)
  }

  /** Writes the response, which is complete, and everything that waited for it. */
  flush(): void {
    const { writer } = this
    if (this.#response) {
      const { key, line, blocks, wire, model, time, usage, hasEnded } = this.#response
      this.#response = undefined
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
        this.#parallel.set(writer.length, message)
        if (this.#parallel.size > mostKnown) this.#parallel.delete(this.#parallel.keys().next().value as number)
      }
      writer.message(message)
    }
    for (const { message, record } of this.#results) {
      if (message.callId !== undefined) this.#answers.push({ call: message.callId, record, index: writer.length })
      if (this.#answers.length >= 2 * mostKnown) this.#answers = this.#answers.slice(-mostKnown)
      writer.message(message)
    }
    for (const message of this.#riding) writer.message(message)
    for (const message of this.#rest) writer.message(message)
    if (this.#results.length > 0) this.#results = []
    if (this.#riding.length > 0) this.#riding = []
    if (this.#rest.length > 0) this.#rest = []
  }

  /** A prompt begins branch `number`. */
  beginBranch(number: number): void {
    this.flush()
    this.#branches.push({ number, start: this.writer.length })
  }

  /**
   * The next message continues branch `parent`: everything after that branch is abandoned. If the branch was itself
   * abandoned, it cannot be brought back, and nothing is removed.
   */
  continueFrom(parent: number): void {
    const at = this.#branches.findLastIndex((branch) => branch.number === parent)
    const abandoned = at === -1 ? undefined : this.#branches[at + 1]
    if (!abandoned) return
    this.flush()
    this.writer.rewind(abandoned.start)
    this.#answers = this.#answers.filter(({ index }) => index < abandoned.start)
    for (const index of this.#parallel.keys()) if (index >= abandoned.start) this.#parallel.delete(index)
    this.#branches.length = at + 1
    if (this.#compaction && this.#compaction.at > abandoned.start) this.#compaction = undefined
  }

  /** The next message has no parent: a new history begins as branch `number`. */
  startAnew(number: number): void {
    this.flush()
    this.writer.reset()
    this.#branches.push({ number, start: this.writer.length })
  }

  /** The agent cleared the results of these calls. Unknown calls are ignored. */
  cleared(calls: readonly string[], line: number): void {
    this.flush()
    const named = new Set(calls)
    const left = this.#answers.filter(({ call }) => named.has(call)).map(({ index }) => [index, clearedText] as const)
    this.writer.clearing({ at: this.writer.length, left: new Map(left), restored: false, line })
  }

  /**
   * The session was left and resumed. What the program had restored after a compaction is gone. And versions that do not
   * record attachments resume only the path from the last record back to the first. Of parallel results that path
   * contains only one: the others are gone, with their calls.
   * @param path of the record at which the session is resumed
   */
  resumed({ on, knownFrom }: ReturnType<Links['pathTo']>, line: number): void {
    if (this.recordsAttachments) return
    this.flush()
    const isGone = ({ record }: Answer): boolean => record >= knownFrom && !on.has(record)
    const gone = this.#answers.filter(isGone)
    this.#answers = this.#answers.filter((answer) => !isGone(answer))
    const calls = new Set(gone.map(({ call }) => call))
    const left = new Map<number, readonly Block[]>(gone.map(({ index }) => [index, []]))
    for (const [index, { blocks }] of this.#parallel) {
      const rest = blocks.filter((block) => block.type !== 'call' || !calls.has(block.id))
      if (rest.length < blocks.length) left.set(index, rest)
    }
    if (left.size > 0 || this.#hasRestored)
      this.writer.clearing({ at: this.writer.length, left, restored: this.#hasRestored, line })
    this.#hasRestored = false
  }

  /** The agent compacted its history here and kept the messages from `keptFrom` on, if any. */
  compacted(keptFrom: number | undefined, line: number): void {
    this.#endCompaction([])
    this.flush()
    const at = this.writer.length
    this.#compaction = { at, keptFrom: Math.min(keptFrom ?? at, at), line }
  }

  summary(message: Message): void {
    if (!this.#compaction) this.compacted(undefined, message.line)
    this.#endCompaction([message])
  }

  /** Whether a compaction still has no summary. It ends without one. */
  lacksSummary(): boolean {
    const lacks = this.#compaction !== undefined
    this.#endCompaction([])
    return lacks
  }

  end(): void {
    this.#endCompaction([])
    this.flush()
  }

  #endCompaction(summary: readonly Message[]): void {
    if (this.#compaction) {
      const restored = this.recordsAttachments ? [] : this.restored.messages(this.#compaction.line)
      this.#hasRestored = restored.length > 0
      const { keptFrom } = this.#compaction
      this.#answers = this.#answers.filter(({ index }) => index >= keptFrom)
      for (const index of this.#parallel.keys()) if (index < keptFrom) this.#parallel.delete(index)
      this.writer.compaction({ ...this.#compaction, summary, ...(restored.length > 0 && { restored }) })
    }
    this.#compaction = undefined
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
