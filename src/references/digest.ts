/**
 * What references need of a transcript's text, kept in columns while the text goes by: which terms each message holds,
 * which calls fetch or write what, and a fingerprint of each result. Some ten bytes an occurrence, and each different
 * term once; no policy and no estimator has a say in it, so it is made once and serves every run.
 */
import { Column } from '../base/column.ts'
import type { Message } from '../model/message.ts'
import { type TermClass, termClasses } from '../model/run.ts'
import type { Digest, Trace, TranscriptHead } from '../model/trace.ts'
import { fingerprint, owned } from './strings.ts'
import type { ToolTarget } from './targets/tool-target.ts'
import { createExtractor, parsedInput, type TermExtractor } from './terms/extractor.ts'
import { normalCwd, pathKey } from './terms/paths.ts'

export class ReferenceDigest implements Digest {
  /** The class of each term, as an index of `termClasses`, and its key. */
  readonly classes: number[] = []
  readonly keys: string[] = []
  /** The terms of all messages, message by message, each once per message. */
  readonly occurrences = Column.int32()
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
  readonly #fetchIds = new Map<string, number>()
  readonly #targetIds = new Map<string, number>()
  /** The targets of each fetch. */
  readonly #targetsOf: (readonly number[])[] = []
  readonly #cwd: string
  readonly #extractor: TermExtractor
  #found: (termClass: TermClass, key: string) => void = () => {}

  constructor(head: Pick<TranscriptHead, 'cwd'>) {
    this.#cwd = normalCwd(head.cwd ?? undefined)
    this.#extractor = createExtractor(head.cwd === null ? {} : { cwd: head.cwd }, (termClass, key) =>
      this.#found(termClass, key),
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
    this.#found = this.#keep
    for (const block of message.blocks) {
      if (block.type === 'text') this.#extractor.text(block.text)
      else if (block.type === 'call') this.#addCall(block.name, parsedInput(block.input))
    }
    this.#extractor.flush()
    this.#ends.push(this.occurrences.length)
    this.#callEnds.push(this.#fetches.length)
    this.#results.push(message.role === 'tool' ? fingerprint(message) : 0)
  }

  rewind(length: number): void {
    if (length >= this.length) return
    this.occurrences.truncate(this.start(length))
    const calls = this.#firstCall(length)
    this.#writes.truncate(this.#firstWrite(calls))
    this.#writeEnds.truncate(calls)
    this.#fetches.truncate(calls)
    for (const column of [this.#ends, this.#callEnds, this.#results]) column.truncate(length)
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
    this.#found = (termClass, key) => {
      const id = this.idOf(termClass, key)
      if (id >= 0) terms.add(id)
    }
    for (const block of message.blocks) {
      if (block.type === 'text') this.#extractor.text(block.text)
      else if (block.type === 'call') this.#extractor.call(block.name, block.input)
    }
    this.#extractor.flush()
    return terms
  }

  /** What call `nth` of message `index` fetches (-1 for nothing), what that is made of, and what the call writes. */
  fetchOf(index: number, nth: number): number {
    return this.#fetches.at(this.#firstCall(index) + nth)
  }

  targetsOf(fetch: number): readonly number[] {
    return this.#targetsOf[fetch] ?? []
  }

  *writesOf(index: number, nth: number): Generator<number> {
    const call = this.#firstCall(index) + nth
    for (let at = this.#firstWrite(call); at < this.#writeEnds.at(call); at++) yield this.#writes.at(at)
  }

  /** Equal where two results have the same content. */
  resultOf(index: number): number {
    return this.#results.at(index)
  }

  /** Names of tools and parameters that only the definitions show. */
  nameTools(trace: Trace): void {
    for (const tool of trace.preamble.tools ?? []) this.#nameTool(tool)
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

  #addCall(name: string, input: unknown): void {
    const targets = this.#extractor.call(name, input)
    const reads = targets.filter(({ kind, target }) => kind === 'read' && target !== null)
    this.#fetches.push(reads.length === 0 ? -1 : this.#fetchId(name, reads))
    for (const { kind, target } of targets)
      if (kind === 'write' && target !== null) this.#writes.push(this.#targetId(target))
    this.#writeEnds.push(this.#writes.length)
    this.names.add(name)
    if (typeof input === 'object' && input !== null && !Array.isArray(input)) {
      for (const key of Object.keys(input)) this.names.add(key)
    }
  }

  /** The same tool asked for the same targets and the same lines of them. */
  #fetchId(tool: string, reads: readonly ToolTarget[]): number {
    const targets = reads.map(({ target }) => this.#targetId(target as string))
    const key = JSON.stringify([tool, ...reads.map(({ range }, nth) => [targets[nth], range])])
    const known = this.#fetchIds.get(key)
    if (known !== undefined) return known
    this.#fetchIds.set(key, this.#targetsOf.length)
    return this.#targetsOf.push(targets) - 1
  }

  #targetId(target: string): number {
    const key = pathKey(target, this.#cwd) ?? target
    const known = this.#targetIds.get(key)
    if (known !== undefined) return known
    this.#targetIds.set(owned(key), this.#targetIds.size)
    return this.#targetIds.size - 1
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
