/**
 * The host of the module that finds terms, pieces of content and anchors (wasm/references.ts), in WebAssembly or as its
 * twin. A text is written into the module's memory once; what is found comes back as numbers, and a key becomes a
 * string only where it is asked for.
 *
 * The lists of words and characters stand in TypeScript, and are given to the module when it is made.
 */
import { fingerprint } from '../../base/fingerprint.ts'
import {
  instantiate,
  newMemory,
  plainMemory,
  sharedMemory,
  type WasmAddress,
  type WasmMemory,
} from '../../base/wasm.ts'
import { boilerplateTags } from './boilerplate.ts'
import { KIND } from './characters.ts'
import { errnoNames } from './error-codes.ts'
import type { Find, TakeAnchors, TakePiece, TakeTerm } from './find.ts'
import { endsUrl, neverLast } from './urls.ts'

interface Exports {
  readonly kinds: WasmAddress
  readonly endsUrl: WasmAddress
  readonly neverLast: WasmAddress
  readonly records: WasmAddress
  readonly keys: WasmAddress
  readonly pieces: WasmAddress
  /** Makes room for a text of `length` code units. @returns its address; 0 if there is no room */
  room(length: number): number
  /** Each of these takes the text as a word of its list, or as the working directory. */
  addTag(length: number): void
  addErrorName(length: number): void
  setCwd(length: number): void
  scan(): void
  findPieces(): void
  /** The anchors stand where pieces stand otherwise. */
  findAnchors(): void
  beginFingerprint(): void
  /** @returns the number of all texts since the beginning */
  addToFingerprint(): number
}

/**
 * In words of four bytes: class, whether the key stands among `keys`, its start and length, and the two halves of its
 * hash.
 */
const recordWords = 6

/** In code units: a longer text gets a memory of its own, which is freed afterwards. */
const longestKept = 1 << 22

const isLong = (text: string): boolean => text.length > longestKept

/** Makes a kernel where there is memory for it, and keeps it for all texts but the long ones. */
function keptKernel(memoryFor: (text: string) => WasmMemory | null): (text: string) => Kernel | null {
  let kept: Kernel | null = null
  return (text) => {
    if (kept && !isLong(text)) return kept
    const memory = memoryFor(text)
    const kernel = memory && new Kernel(memory)
    if (!isLong(text)) kept = kernel
    return kernel
  }
}

const wasmKernel = keptKernel((text) => (isLong(text) ? newMemory(2 * text.length) : sharedMemory()))
const twinKernel = keptKernel(plainMemory)

export const findInTwin: Find = (text, cwd, takeTerm, takePiece, takeAnchors) => {
  if (!twinKernel(text)?.find(text, cwd, takeTerm, takePiece, takeAnchors)) throw new RangeError('no memory for a text')
}

export const findInWasm: Find = (text, cwd, takeTerm, takePiece, takeAnchors) => {
  if (!wasmKernel(text)?.find(text, cwd, takeTerm, takePiece, takeAnchors))
    findInTwin(text, cwd, takeTerm, takePiece, takeAnchors)
}

export const fingerprintInWasm = (texts: readonly string[]): number =>
  (texts.some(isLong) ? null : wasmKernel('')?.fingerprint(texts)) ?? fingerprint(texts)

class Kernel {
  readonly #shared: WasmMemory
  readonly #exports: Exports
  #memory: Buffer
  #words: Int32Array
  #cwd = ''
  #text = ''
  #takeTerm: TakeTerm | null = null
  #takePiece: TakePiece | null = null
  #takeAnchors: TakeAnchors | null = null
  // The record that is being handed over: where it lies, and where its key stands in the text.
  #place = 0
  #start = 0
  #length = 0

  constructor(memory: WasmMemory) {
    this.#shared = memory
    const host = { takeTerms: this.#takeTerms, takePieces: this.#takePieces, takeAnchors: this.#handAnchors }
    this.#exports = instantiate('references', memory, { host })
    this.#memory = Buffer.from(memory.buffer)
    this.#words = new Int32Array(memory.buffer)
    const { kinds, endsUrl: ends, neverLast: last } = this.#exports
    for (const [table, at] of [
      [KIND, kinds],
      [endsUrl, ends],
      [neverLast, last],
    ] as const)
      this.#memory.set(table, at.value)
    // There is room for words from the start.
    for (const name of errnoNames) if (this.#write(name)) this.#exports.addErrorName(name.length)
    for (const tag of boilerplateTags) if (this.#write(tag)) this.#exports.addTag(tag.length)
  }

  /** @returns whether there was room for the text; if not, nothing was found */
  find(
    text: string,
    cwd: string,
    takeTerm: TakeTerm | null,
    takePiece: TakePiece | null,
    takeAnchors: TakeAnchors | null = null,
  ): boolean {
    if (takeTerm && cwd !== this.#cwd) {
      if (!this.#write(cwd)) return false
      this.#exports.setCwd(cwd.length)
      this.#cwd = cwd
    }
    if (!this.#write(text)) return false
    this.#text = text
    this.#takeTerm = takeTerm
    this.#takePiece = takePiece
    this.#takeAnchors = takeAnchors
    if (takeTerm) this.#exports.scan()
    if (takePiece) this.#exports.findPieces()
    if (takeAnchors) this.#exports.findAnchors()
    this.#text = ''
    return true
  }

  /** @returns null where there was no room for one of them */
  fingerprint(texts: readonly string[]): number | null {
    this.#exports.beginFingerprint()
    let found = fingerprint([])
    for (const text of texts) {
      if (!this.#write(text)) return null
      found = this.#exports.addToFingerprint()
    }
    return found
  }

  /** @returns whether there was room for it */
  #write(text: string): boolean {
    const at = this.#exports.room(text.length)
    if (this.#memory.buffer !== this.#shared.buffer) {
      // The memory has grown, which takes the views on it away.
      this.#memory = Buffer.from(this.#shared.buffer)
      this.#words = new Int32Array(this.#shared.buffer)
    }
    if (at !== 0) this.#memory.write(text, at, 'utf16le')
    return at !== 0
  }

  readonly #takeTerms = (count: number): void => {
    const take = this.#takeTerm as TakeTerm
    const words = this.#words
    let at = this.#exports.records.value >> 2
    for (let record = 0; record < count; record++, at += recordWords) {
      this.#place = words[at + 1] as number
      this.#start = words[at + 2] as number
      this.#length = words[at + 3] as number
      take(words[at] as number, words[at + 5] as number, words[at + 4] as number, this.#key)
    }
  }

  readonly #key = (): string => {
    const end = this.#start + this.#length
    if (this.#place === 0) return this.#text.slice(this.#start, end)
    const from = this.#exports.keys.value
    return this.#memory.toString('utf16le', from + 2 * this.#start, from + 2 * end)
  }

  readonly #takePieces = (count: number): void => {
    const take = this.#takePiece as TakePiece
    const words = this.#words
    const first = this.#exports.pieces.value >> 2
    for (let at = first; at < first + 2 * count; at += 2) take(words[at] as number, words[at + 1] as number)
  }

  readonly #handAnchors = (count: number): void => {
    const first = this.#exports.pieces.value >> 2
    const take = this.#takeAnchors as TakeAnchors
    take(this.#words, first, first + 2 * count)
  }
}
