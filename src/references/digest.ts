/**
 * What references need of a transcript's text, kept in columns while the text goes by: which terms each message holds,
 * which calls fetch or write what, and a fingerprint of each result. Some ten bytes an occurrence, and each different
 * term once; no policy and no estimator has a say in it, so it is made once and serves every run.
 */
import { Column } from '../base/column.ts'
import type { Message } from '../model/message.ts'
import { type TermClass, termClasses } from '../model/run.ts'
import type { Digest, Trace, TranscriptHead } from '../model/trace.ts'
import { ContentDigest, type Pieces } from './content/content-digest.ts'
import { eachPiece } from './content/lines.ts'
import { quotationsIn, type Taken, takenByCall } from './content/taken-over.ts'
import { fingerprint, owned } from './strings.ts'
import type { ToolTarget } from './targets/tool-target.ts'
import type { Codes } from './terms/characters.ts'
import { createExtractor, parsedInput, type TermExtractor } from './terms/extractor.ts'
import { normalCwd, pathKey } from './terms/paths.ts'
import { urlKey } from './terms/urls.ts'

export class ReferenceDigest implements Digest {
  /** The class of each term, as an index of `termClasses`, and its key. */
  readonly classes: number[] = []
  readonly keys: string[] = []
  /** The terms of all messages, message by message, each once per message. */
  readonly occurrences = Column.int32()
  /** The long lines of all messages, and which of them are taken over. */
  readonly content = new ContentDigest()
  /** What calls read and write, by number. */
  readonly targets: string[] = []
  /** What tools and their parameters are called here: no terms. */
  readonly names = new Set<string>()
  readonly #ends = Column.int32()
  readonly #ids: readonly Map<string, number>[] = termClasses.map(() => new Map())
  // One row per call, in the order of the trace's numbers; one row per written target.
  readonly #callEnds = Column.int32()
  readonly #fetches = Column.int32()
  readonly #writeEnds = Column.int32()
  readonly #writes = Column.int32()
  readonly #results = Column.float64()
  /** Calls whose results are compared. */
  readonly #fetching = new Set<string>()
  readonly #fetchIds = new Map<string, number>()
  readonly #targetIds = new Map<string, number>()
  /** The targets of each fetch, and those of them that are no searches. */
  readonly #targetsOf: (readonly number[])[] = []
  readonly #filesOf: (readonly number[])[] = []
  readonly #cwd: string
  readonly #extractor: TermExtractor
  /** The same, for texts that are not in the transcript as it stands. */
  readonly #lookup: TermExtractor
  #known: (termClass: TermClass, key: string) => void = () => {}
  #shown: (codes: Codes, length: number) => void = () => {}

  constructor(head: Pick<TranscriptHead, 'cwd'>) {
    this.#cwd = normalCwd(head.cwd ?? undefined)
    const options = head.cwd === null ? {} : { cwd: head.cwd }
    this.#extractor = createExtractor({ ...options, text: this.content.add }, this.#keep)
    this.#lookup = createExtractor(
      { ...options, text: (codes, length) => this.#shown(codes, length) },
      (termClass, key) => this.#known(termClass, key),
    )
  }

  get length(): number {
    return this.#ends.length
  }

  /** Where the terms of message `index` begin among the occurrences; they end where those of the next begin. */
  start(index: number): number {
    return index === 0 ? 0 : this.#ends.at(index - 1)
  }

  add(message: Message): void {
    for (const block of message.blocks) {
      if (block.type === 'text') {
        this.#extractor.text(block.text)
        if (message.role === 'assistant') this.#take(quotationsIn(block.text))
      } else if (block.type === 'call') this.#addCall(block.id, block.name, parsedInput(block.input))
    }
    this.#extractor.flush()
    this.content.endMessage()
    this.#ends.push(this.occurrences.length)
    this.#callEnds.push(this.#fetches.length)
    this.#results.push(message.callId !== undefined && this.#fetching.has(message.callId) ? fingerprint(message) : 0)
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
  }

  /** Number of the term, or -1 for one that no message holds. */
  idOf(termClass: TermClass, key: string): number {
    return this.#ids[termClasses.indexOf(termClass)]?.get(key) ?? -1
  }

  /** The numbers of the terms with this key, in whatever class. */
  idsOf(key: string): number[] {
    return this.#ids.map((ids) => ids.get(key) ?? -1).filter((id) => id >= 0)
  }

  /** The terms of a message that is not in the transcript as it stands; only those that the transcript holds. */
  termsOf(message: Message): Set<number> {
    const terms = new Set<number>()
    this.#shown = () => {}
    this.#known = (termClass, key) => {
      const id = this.idOf(termClass, key)
      if (id >= 0) terms.add(id)
    }
    this.#read(message)
    return terms
  }

  /** Which of these pieces of content stand in such a message. */
  piecesOf(message: Message, pieces: Pieces): Set<number> {
    const found = new Set<number>()
    this.#known = () => {}
    this.#shown = (codes, length) =>
      eachPiece(codes, length, (high, low) => {
        const piece = pieces.idOf(high, low)
        if (piece >= 0) found.add(piece)
      })
    this.#read(message)
    return found
  }

  /** What call `nth` of message `index` fetches (-1 for nothing), what that is made of, and what the call writes. */
  fetchOf(index: number, nth: number): number {
    return this.#fetches.at(this.#firstCall(index) + nth)
  }

  targetsOf(fetch: number): readonly number[] {
    return this.#targetsOf[fetch] ?? []
  }

  /** Those of its targets that are no searches. */
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

  /** Names of tools and parameters that only the definitions show. */
  nameTools(trace: Trace): void {
    for (const tool of trace.preamble.tools ?? []) this.#nameTool(tool)
  }

  #read(message: Message): void {
    for (const block of message.blocks) {
      if (block.type === 'text') this.#lookup.text(block.text)
      else if (block.type === 'call') this.#lookup.call(block.name, block.input)
    }
    this.#lookup.flush()
  }

  readonly #keep = (termClass: TermClass, key: string): void => {
    const number = termClasses.indexOf(termClass)
    const ids = this.#ids[number] as Map<string, number>
    let id = ids.get(key)
    if (id === undefined) {
      id = this.keys.length
      const own = owned(key)
      ids.set(own, id)
      this.keys.push(own)
      this.classes.push(number)
    }
    this.occurrences.push(id)
  }

  #firstCall(index: number): number {
    return index === 0 ? 0 : this.#callEnds.at(index - 1)
  }

  #firstWrite(call: number): number {
    return call === 0 ? 0 : this.#writeEnds.at(call - 1)
  }

  #addCall(id: string, name: string, input: unknown): void {
    const targets = this.#extractor.call(name, input)
    this.#take(takenByCall(input, targets))
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

  #take(taken: readonly Taken[]): void {
    for (const { target, text } of taken) this.content.take(target === null ? -1 : this.#targetId(target, 'path'), text)
  }

  /** The same tool asked for the same targets and the same lines of them. */
  #fetchId(tool: string, reads: readonly ToolTarget[]): number {
    const targets = reads.map(({ target, form }) => this.#targetId(target as string, form))
    const key = JSON.stringify([tool, ...reads.map(({ range }, nth) => [targets[nth], range])])
    const known = this.#fetchIds.get(key)
    if (known !== undefined) return known
    this.#fetchIds.set(key, this.#targetsOf.length)
    this.#filesOf.push(targets.filter((_, nth) => reads[nth]?.form !== 'query'))
    return this.#targetsOf.push(targets) - 1
  }

  /** One number for the target however it is written, by the key of its term. */
  #targetId(target: string, form: ToolTarget['form']): number {
    const key = (form === 'path' ? pathKey(target, this.#cwd) : form === 'url' ? urlKey(target) : target) ?? target
    const known = this.#targetIds.get(key)
    if (known !== undefined) return known
    const own = owned(key)
    this.#targetIds.set(own, this.targets.length)
    return this.targets.push(own) - 1
  }

  /** In the wire form of whichever provider: a name, and a schema with properties. */
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
