/**
 * What references need of a transcript's text, stored in columns while it is read: the terms of each message, what
 * calls fetch or write, a fingerprint of each result, and the text that is copied, as hashes. It takes about ten bytes
 * per occurrence, and stores each different term once. It does not depend on policy or estimator, so it is built once
 * for all runs.
 */
import { Column } from '../base/column.ts'
import { AgentCalls, agentCalls, type PlainAgentCalls } from '../measures/agent-calls.ts'
import { Outcomes, type PlainOutcomes } from '../measures/outcomes.ts'
import type { Message } from '../model/message.ts'
import { type TermClass, termClasses } from '../model/run.ts'
import type { Digest, DigestKind, Trace, TranscriptHead } from '../model/trace.ts'
import { ContentDigest, type Pieces, type PlainContent } from './content/content-digest.ts'
import {
  type CallTexts,
  quotationsIn,
  sentByCall,
  type Taken,
  takenByCall,
  textsOf,
  writtenByCall,
} from './content/taken-over.ts'
import { type Anchors, CopiedDigest, type PlainCopied, shortestCopy } from './copied/copied-digest.ts'
import { owned } from './strings.ts'
import { type ToolTarget, toolTargets } from './targets/tool-target.ts'
import { createExtractor, parsedInput, type TermExtractor } from './terms/extractor.ts'
import type { TakeAnchors, TakePiece, TakeTerm } from './terms/find.ts'
import { find, fingerprintOf } from './terms/finder.ts'
import { normalCwd, pathKey } from './terms/paths.ts'
import { hashesOfPrefixes, hashesOfTerm, hashOfTerm, type PlainSlots, TermTable } from './terms/term-table.ts'
import { urlKey } from './terms/urls.ts'

/** Of a complete transcript. */
export interface PlainDigest {
  readonly cwd: string | null
  readonly classes: Uint8Array
  readonly keys: readonly string[]
  readonly occurrences: Int32Array
  readonly content: PlainContent
  readonly agents: PlainAgentCalls
  readonly outcomes: PlainOutcomes
  readonly copied: PlainCopied
  readonly targets: string[]
  readonly names: readonly string[]
  readonly ends: Int32Array
  readonly callEnds: Int32Array
  readonly fetches: Int32Array
  readonly writeEnds: Int32Array
  readonly writes: Int32Array
  readonly results: Float64Array
  readonly targetsOf: (readonly number[])[]
  readonly filesOf: (readonly number[])[]
}

/** Of a transcript that is not complete yet: all content, and what is known of its calls. */
interface DigestState extends PlainDigest {
  readonly fetching: ReadonlySet<string>
  readonly fetchIds: ReadonlyMap<string, number>
  readonly slots: PlainSlots
}

const kindOf = (name: string, copies: boolean, lighter: DigestKind['lighter']): DigestKind => ({
  name,
  ...(lighter && { lighter }),
  of({ cwd }, state) {
    if (state === undefined) return new ReferenceDigest({ cwd }, undefined, copies)
    return new ReferenceDigest(state as DigestState, state as DigestState)
  },
  revived: (plain) => new ReferenceDigest(plain as PlainDigest, plain as PlainDigest),
})

/** For who does not ask what of copied text is gone. */
export const referencesWithoutCopies = kindOf('references without copies', false, {
  kind: agentCalls,
  partOf: (plain) => (plain as PlainDigest).agents,
})

export const references = kindOf('references', true, { kind: referencesWithoutCopies, partOf: (plain) => plain })

export class ReferenceDigest implements Digest {
  /** The terms of all messages, message by message, each once per message. */
  readonly occurrences: Column<Int32Array>
  /** The long lines of all messages, and which of them the agent copies. */
  readonly content: ContentDigest
  /** The tools that are called, and which calls started sub-agents. */
  readonly agents: AgentCalls
  /** What became of each call, and what the user said to it. */
  readonly outcomes: Outcomes
  /** What may be copied, and what the agent sends to tools. */
  readonly copied: CopiedDigest
  /** What calls read and write, by number. */
  readonly targets: string[]
  /** Names of the transcript's tools and their parameters, which are no terms. */
  readonly names: Set<string>
  readonly #ends: Column<Int32Array>
  /** Of a complete transcript: its terms, which are looked up only where a policy writes text of its own. */
  #plain: PlainDigest | null
  #table: TermTable | null
  /** For each term, the number of the last message with it. */
  readonly #lastIn = Column.int32()
  #messages = 0
  // One row per call, in the order of the trace's numbers; one row per written target.
  readonly #callEnds: Column<Int32Array>
  readonly #fetches: Column<Int32Array>
  readonly #writeEnds: Column<Int32Array>
  readonly #writes: Column<Int32Array>
  readonly #results: Column
  /** Calls whose results are compared. */
  readonly #fetching = new Set<string>()
  readonly #fetchIds = new Map<string, number>()
  readonly #targetIds = new Map<string, number>()
  /** The targets of each fetch, and those of them that are not searches. */
  readonly #targetsOf: (readonly number[])[]
  readonly #filesOf: (readonly number[])[]
  readonly #head: Pick<TranscriptHead, 'cwd'>
  readonly #cwd: string
  readonly #extractor: TermExtractor
  /** Of texts that may be copied. */
  readonly #source: TermExtractor
  /** Extractors for texts that are not in the transcript: of their terms, and of their pieces of content. */
  readonly #termLookup: TermExtractor
  readonly #pieceLookup: TermExtractor
  #known: TakeTerm = () => {}
  #shown: TakePiece = () => {}

  /**
   * @param plain a digest of a complete transcript, or the state of one that is read on with; default an empty one
   * @param copies whether it is to be known what was copied
   */
  constructor(head: Pick<TranscriptHead, 'cwd'>, plain?: PlainDigest | DigestState, copies = true) {
    const ints = (values: Int32Array | undefined) => (values ? Column.of(values) : Column.int32())
    this.#plain = plain ?? null
    this.#table = plain ? null : new TermTable()
    this.occurrences = ints(plain?.occurrences)
    this.content = new ContentDigest(plain?.content)
    this.agents = new AgentCalls(plain?.agents)
    this.outcomes = new Outcomes(this.agents.tools, plain?.outcomes)
    this.copied = plain || copies ? new CopiedDigest(plain?.copied) : CopiedDigest.nothing()
    this.targets = plain?.targets ?? []
    this.names = new Set(plain?.names)
    this.#ends = ints(plain?.ends)
    this.#callEnds = ints(plain?.callEnds)
    this.#fetches = ints(plain?.fetches)
    this.#writeEnds = ints(plain?.writeEnds)
    this.#writes = ints(plain?.writes)
    this.#results = plain ? Column.of(plain.results) : Column.float64()
    this.#targetsOf = plain?.targetsOf ?? []
    this.#filesOf = plain?.filesOf ?? []
    if (plain && 'fetching' in plain) this.#readOn(plain)
    this.#head = head
    this.#cwd = normalCwd(head.cwd ?? undefined)
    const known: TakeTerm = (termClass, high, low, key) => this.#known(termClass, high, low, key)
    const shown: TakePiece = (high, low) => this.#shown(high, low)
    const takers = { term: this.#keep, piece: this.content.standing.push }
    this.#extractor = createExtractor(this.#cwd, takers)
    this.#source = this.copied.isFull
      ? this.#extractor
      : createExtractor(this.#cwd, { ...takers, anchors: this.copied.stand })
    this.#termLookup = createExtractor(this.#cwd, { term: known, piece: null })
    this.#pieceLookup = createExtractor(this.#cwd, { term: null, piece: shown })
  }

  /** The class of each term, as an index of `termClasses`. */
  get classes(): ArrayLike<number> {
    return this.#plain?.classes ?? this.#terms.classes
  }

  /** The key of each term. */
  get keys(): readonly string[] {
    return this.#plain?.keys ?? this.#terms.keys
  }

  get #terms(): TermTable {
    this.#table ??= new TermTable(this.#plain ?? undefined)
    return this.#table
  }

  get length(): number {
    return this.#ends.length
  }

  /** The index of message `index`'s first term among the occurrences; its terms end where those of the next begin. */
  start(index: number): number {
    return index === 0 ? 0 : this.#ends.at(index - 1)
  }

  add(message: Message): void {
    this.#messages++
    const sent = new Set<string>()
    for (const block of message.blocks) {
      if (block.type === 'text') {
        if (message.role !== 'assistant') this.#source.text(block.text)
        else {
          this.#extractor.text(block.text)
          this.#take(quotationsIn(block.text))
        }
      } else if (block.type === 'call') this.#addCall(block.id, block.name, parsedInput(block.input), sent)
    }
    this.content.endMessage()
    this.agents.add(message)
    this.outcomes.add(message)
    this.copied.endMessage()
    this.#ends.push(this.occurrences.length)
    this.#callEnds.push(this.#fetches.length)
    this.#results.push(message.callId !== undefined && this.#fetching.has(message.callId) ? contentOf(message) : 0)
  }

  rewind(length: number): void {
    if (length >= this.length) return
    this.occurrences.truncate(this.start(length))
    const calls = this.#firstCall(length)
    this.#writes.truncate(this.#firstWrite(calls))
    this.#writeEnds.truncate(calls)
    this.#fetches.truncate(calls)
    for (const column of [this.#ends, this.#callEnds, this.#results]) column.truncate(length)
    this.content.rewind(length)
    this.outcomes.rewind(length)
    this.agents.rewind(length)
    this.copied.rewind(length)
  }

  plain(): PlainDigest {
    return {
      ...this.#columns(),
      content: this.content.plain(),
      copied: this.copied.plain(),
      agents: this.agents.plain(),
      outcomes: this.outcomes.plain(),
    }
  }

  #columns(): Omit<PlainDigest, 'content' | 'copied' | 'agents' | 'outcomes'> {
    return {
      cwd: this.#head.cwd,
      classes: Uint8Array.from(this.classes),
      keys: this.keys,
      occurrences: this.occurrences.values(),
      targets: this.targets,
      names: [...this.names],
      ends: this.#ends.values(),
      callEnds: this.#callEnds.values(),
      fetches: this.#fetches.values(),
      writeEnds: this.#writeEnds.values(),
      writes: this.#writes.values(),
      results: this.#results.values(),
      targetsOf: this.#targetsOf,
      filesOf: this.#filesOf,
    }
  }

  state(): DigestState {
    return {
      ...this.#columns(),
      content: this.content.state(),
      agents: this.agents.state(),
      outcomes: this.outcomes.plain(),
      copied: this.copied.state(),
      fetching: this.#fetching,
      fetchIds: this.#fetchIds,
      slots: this.#terms.plain(),
    }
  }

  #readOn(state: DigestState): void {
    const { fetching, fetchIds, targets, keys } = state
    this.#table = new TermTable(state, state.slots)
    this.#plain = null
    for (const id of fetching) this.#fetching.add(id)
    for (const [key, id] of fetchIds) this.#fetchIds.set(key, id)
    for (const [id, key] of targets.entries()) this.#targetIds.set(key, id)
    // Messages are counted from 1, so 0 says that no message has the term yet.
    for (let term = 0; term < keys.length; term++) this.#lastIn.push(0)
  }

  /** Number of the term, or -1 if no message contains it. */
  idOf(termClass: TermClass, key: string): number {
    const [high, low] = hashOfTerm(termClasses.indexOf(termClass), key)
    return this.#terms.find(high, low)
  }

  /** The numbers of the terms that are folders of a path. */
  foldersOf(path: string): number[] {
    const hashes = hashesOfPrefixes(termClasses.indexOf('path'), path, '/')
    return hashes.map(([high, low]) => this.#terms.find(high, low)).filter((id) => id >= 0)
  }

  /** The numbers of the terms with this key, of any class. */
  idsOf(key: string): number[] {
    const hashes = hashesOfTerm(termClasses.length, key)
    return hashes.map(([high, low]) => this.#terms.find(high, low)).filter((id) => id >= 0)
  }

  /** The terms of a message that is not in the transcript: only those that also occur in the transcript. */
  termsOf(message: Message): Set<number> {
    const terms = new Set<number>()
    this.#known = (_, high, low) => {
      const id = this.#terms.find(high, low)
      if (id >= 0) terms.add(id)
    }
    if (this.#termLookup) read(message, this.#termLookup)
    return terms
  }

  /** Which of these pieces of content are in such a message. */
  piecesOf(message: Message, pieces: Pieces): Set<number> {
    const found = new Set<number>()
    this.#shown = (high, low) => {
      const piece = pieces.idOf(high, low)
      if (piece >= 0) found.add(piece)
    }
    read(message, this.#pieceLookup)
    return found
  }

  /** Which of these anchors are in such a message, whoever is made to say it: of calls, what is written into files. */
  anchorsOf(message: Message, anchors: Anchors): Set<number> {
    const found = new Set<number>()
    const take: TakeAnchors = (pairs, from, to) => {
      for (let at = from; at < to; at += 2) {
        const anchor = anchors.numberOf(pairs[at] as number)
        if (anchor >= 0) found.add(anchor)
      }
    }
    for (const block of message.blocks) {
      if (block.type === 'text') find(block.text, '', null, null, take)
      if (block.type !== 'call') continue
      const input = parsedInput(block.input)
      const written = writtenByCall(textsOf(input), toolTargets(block.name, input))
      for (const { text } of written) find(text, '', null, null, take)
    }
    return found
  }

  /** Number of what call `nth` of message `index` fetches, or -1. */
  fetchOf(index: number, nth: number): number {
    return this.#fetches.at(this.#firstCall(index) + nth)
  }

  /** What call number `call` of the trace reads, where that is a single file; else null. */
  fileOf(call: number): string | null {
    const fetch = call >= 0 && call < this.#fetches.length ? this.#fetches.at(call) : -1
    const [file, ...others] = fetch < 0 ? [] : this.filesOf(fetch)
    return file === undefined || others.length > 0 ? null : (this.targets[file] ?? null)
  }

  targetsOf(fetch: number): readonly number[] {
    return this.#targetsOf[fetch] ?? []
  }

  /** Those of its targets that are not searches. */
  filesOf(fetch: number): readonly number[] {
    return this.#filesOf[fetch] ?? []
  }

  *writesOf(index: number, nth: number): Generator<number> {
    const call = this.#firstCall(index) + nth
    for (let at = this.#firstWrite(call); at < this.#writeEnds.at(call); at++) yield this.#writes.at(at)
  }

  /** What call number `call` reads and writes. */
  *targetsOfCall(call: number): Generator<number> {
    yield* this.targetsOf(this.#fetches.at(call))
    for (let at = this.#firstWrite(call); at < this.#writeEnds.at(call); at++) yield this.#writes.at(at)
  }

  /** Equal where two results of fetches have the same content. */
  resultOf(index: number): number {
    return this.#results.at(index)
  }

  /** Adds the names of tools and parameters from the tool definitions. */
  nameTools(trace: Trace): void {
    for (const tool of trace.preamble.tools ?? []) this.#nameTool(tool)
  }

  readonly #keep: TakeTerm = (termClass, high, low, key) => {
    const term = this.#terms.add(termClass, high, low, key)
    if (term < 0) return
    if (term === this.#lastIn.length) this.#lastIn.push(this.#messages)
    else if (this.#lastIn.at(term) === this.#messages) return
    else this.#lastIn.set(term, this.#messages)
    this.occurrences.push(term)
  }

  #firstCall(index: number): number {
    return index === 0 ? 0 : this.#callEnds.at(index - 1)
  }

  #firstWrite(call: number): number {
    return call === 0 ? 0 : this.#writeEnds.at(call - 1)
  }

  /** @param sent the texts that the message has sent to tools: each counts once */
  #addCall(id: string, name: string, input: unknown, sent: Set<string>): void {
    const targets = this.#extractor.call(name, input)
    const texts = textsOf(input)
    this.#take(takenByCall(texts, targets))
    if (!this.copied.isFull) this.#send(name, texts, targets, sent)
    const reads = targets.filter(({ kind, target }) => kind === 'read' && target !== null)
    this.#fetches.push(reads.length === 0 ? -1 : this.#fetchId(name, reads))
    if (reads.length > 0) this.#fetching.add(id)
    for (const { kind, target, form } of targets)
      if (kind === 'write' && target !== null) this.#writes.push(this.#targetId(target, form))
    this.#writeEnds.push(this.#writes.length)
    this.names.add(name)
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
      for (const key of Object.keys(input)) this.names.add(key)
    }
  }

  #send(name: string, texts: CallTexts, targets: readonly ToolTarget[], sent: Set<string>): void {
    const written = writtenByCall(texts, targets)
    for (const { text, kind } of sentByCall(name, texts, written)) {
      const isWritten = written.some((one) => one.text === text)
      // What is too short to be a copy is not kept, unless others may copy it.
      if (sent.has(text) || (text.length < shortestCopy && !isWritten)) continue
      sent.add(text)
      this.copied.send(text, kind, isWritten)
    }
  }

  #take(taken: readonly Taken[]): void {
    for (const { target, text } of taken) this.content.take(target === null ? -1 : this.#targetId(target, 'path'), text)
  }

  /** The number of a fetch: equal for the same tool with the same targets and line ranges. */
  #fetchId(tool: string, reads: readonly ToolTarget[]): number {
    const targets = reads.map(({ target, form }) => this.#targetId(target as string, form))
    const key = JSON.stringify([tool, ...reads.map(({ range }, nth) => [targets[nth], range])])
    const known = this.#fetchIds.get(key)
    if (known !== undefined) return known
    this.#fetchIds.set(key, this.#targetsOf.length)
    this.#filesOf.push(targets.filter((_, nth) => reads[nth]?.form !== 'query'))
    return this.#targetsOf.push(targets) - 1
  }

  /** The number of a target, the same for all its spellings. */
  #targetId(target: string, form: ToolTarget['form']): number {
    const key = (form === 'path' ? pathKey(target, this.#cwd) : form === 'url' ? urlKey(target) : target) ?? target
    const known = this.#targetIds.get(key)
    if (known !== undefined) return known
    const own = owned(key)
    this.#targetIds.set(own, this.targets.length)
    return this.targets.push(own) - 1
  }

  /** Adds the names in a tool definition of any provider: a name, and a schema with properties. */
  #nameTool(tool: unknown): void {
    const left = [tool]
    while (left.length > 0) {
      const next = left.pop()
      if (typeof next !== 'object' || next === null) continue
      const { name, properties, ...rest } = next as Readonly<Record<string, unknown>>
      if (typeof name === 'string') this.names.add(name)
      if (typeof properties === 'object' && properties !== null) {
        for (const key of Object.keys(properties)) this.names.add(key)
      }
      for (const key of ['function', 'parameters', 'input_schema', 'functionDeclarations']) {
        const inner = rest[key]
        for (const one of Array.isArray(inner) ? inner : [inner]) left.push(one)
      }
    }
  }
}

function read(message: Message, extractor: TermExtractor): void {
  for (const block of message.blocks) {
    if (block.type === 'text') extractor.text(block.text)
    else if (block.type === 'call') extractor.call(block.name, block.input)
  }
}

/** A number for the content of a message. */
function contentOf({ blocks }: Message): number {
  return fingerprintOf(
    blocks.map((block) => (block.type === 'text' ? block.text : `${block.type}:${'bytes' in block ? block.bytes : 0}`)),
  )
}
