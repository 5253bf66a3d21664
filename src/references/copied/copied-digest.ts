/**
 * The anchors of what may be copied, and of what the agent sent to tools, stored as hashes while the transcript is
 * read: about one byte a character. What the user said, results and what the agent wrote into files may be copied; not
 * what it answered.
 */
import { Column } from '../../base/column.ts'
import { type CopyKind, copyKinds } from '../../model/run.ts'
import type { TakeAnchors } from '../terms/find.ts'
import { find } from '../terms/finder.ts'

/** The fewest characters of a copy, with white space folded: what is shorter is often the same by chance. */
export const shortestCopy = 48

/** The anchors that are kept of a transcript at most: of about 75 MB of text. Of a longer one nothing is judged. */
export const mostAnchors = 1 << 24

/** A text that the agent sent to a tool: the range of its anchors. */
export interface SentText {
  /** As an index of `copyKinds`. */
  readonly kind: number
  readonly from: number
  readonly to: number
}

/** The columns of a digest. */
export interface PlainCopied {
  readonly standing: Int32Array
  readonly ends: Int32Array
  readonly sent: Int32Array
  readonly places: Int32Array
  readonly sentEnds: Int32Array
  readonly kinds: Int32Array
  readonly texts: Int32Array
  readonly isFull: boolean
}

export class CopiedDigest {
  /** The anchors of all messages that may be copied, message by message. */
  readonly standing: Column<Int32Array>
  /** The anchors of texts that were sent to tools, and where each stands in its text. */
  readonly sent: Column<Int32Array>
  readonly places: Column<Int32Array>
  readonly #ends: Column<Int32Array>
  readonly #sentEnds: Column<Int32Array>
  readonly #kinds: Column<Int32Array>
  /** How many texts there are up to and including each message. */
  readonly #texts: Column<Int32Array>
  #isFull: boolean
  #anchors: Anchors | null = null

  /** @param plain of the digest of a complete transcript; default: an empty one */
  constructor(plain?: PlainCopied) {
    const column = (key: Exclude<keyof PlainCopied, 'isFull'>) => (plain ? Column.of(plain[key]) : Column.int32())
    this.standing = column('standing')
    this.sent = column('sent')
    this.places = column('places')
    this.#ends = column('ends')
    this.#sentEnds = column('sentEnds')
    this.#kinds = column('kinds')
    this.#texts = column('texts')
    this.#isFull = plain?.isFull ?? false
  }

  /** For transcripts whose copies are not asked for: full from the start. */
  static nothing(): CopiedDigest {
    const digest = new CopiedDigest()
    digest.#isFull = true
    return digest
  }

  /** There were more anchors than are kept: nothing is judged. */
  get isFull(): boolean {
    return this.#isFull
  }

  /** Of a transcript that is complete. */
  get anchors(): Anchors {
    this.#anchors ??= new Anchors(this)
    return this.#anchors
  }

  /** The columns without the anchors that are never sent: nothing asks for these, and they are most of all. */
  plain(): PlainCopied {
    const { hashes, standing, ends } = this.anchors
    return { ...this.#columns(), standing: standing.map((anchor) => hashes[anchor] as number), ends }
  }

  /** All columns, including anchors not sent yet: a later message may send them. */
  state(): PlainCopied {
    return { ...this.#columns(), standing: this.standing.values(), ends: this.#ends.values() }
  }

  #columns(): Omit<PlainCopied, 'standing' | 'ends'> {
    return {
      sent: this.sent.values(),
      places: this.places.values(),
      sentEnds: this.#sentEnds.values(),
      kinds: this.#kinds.values(),
      texts: this.#texts.values(),
      isFull: this.#isFull,
    }
  }

  /** How many messages there are. */
  get length(): number {
    return this.#ends.length
  }

  /** Index of the first anchor of message `index`; its anchors end where those of the next begin. */
  start(index: number): number {
    return index === 0 ? 0 : this.#ends.at(index - 1)
  }

  /** Takes anchors of the next message that may be copied. */
  readonly stand: TakeAnchors = (pairs, from, to) => this.standing.append(pairs, from, this.#withRoom(from, to), 2)

  /**
   * Adds a text that the next message sends to a tool.
   * @param isWritten into a file, from where it may be copied later
   */
  send(text: string, kind: CopyKind, isWritten: boolean): void {
    if (this.#isFull) return
    const before = this.sent.length
    find(text, '', null, null, (pairs, from, to) => {
      const end = this.#withRoom(from, to)
      this.sent.append(pairs, from, end, 2)
      this.places.append(pairs, from + 1, end, 2)
      if (isWritten) this.stand(pairs, from, to)
    })
    if (this.sent.length === before) return
    this.#sentEnds.push(this.sent.length)
    this.#kinds.push(copyKinds.indexOf(kind))
  }

  /** @returns where those end of the anchors of a range that there is room for */
  #withRoom(from: number, to: number): number {
    const end = from + 2 * (mostAnchors - this.standing.length - this.sent.length)
    if (end < to) this.#isFull = true
    return Math.min(end, to)
  }

  endMessage(): void {
    this.#anchors = null
    this.#ends.push(this.standing.length)
    this.#texts.push(this.#sentEnds.length)
  }

  /** Takes back every message from `length` on. */
  rewind(length: number): void {
    this.#anchors = null
    this.standing.truncate(this.start(length))
    const texts = this.#firstText(length)
    const sent = this.#firstSent(texts)
    for (const column of [this.sent, this.places]) column.truncate(sent)
    this.#sentEnds.truncate(texts)
    this.#kinds.truncate(texts)
    for (const column of [this.#ends, this.#texts]) column.truncate(length)
  }

  /** The texts that message `index` sends to tools. */
  *sentBy(index: number): Generator<SentText> {
    const end = this.#firstText(index + 1)
    for (let text = this.#firstText(index); text < end; text++) {
      yield { kind: this.#kinds.at(text), from: this.#firstSent(text), to: this.#sentEnds.at(text) }
    }
  }

  #firstText(index: number): number {
    return index === 0 ? 0 : this.#texts.at(index - 1)
  }

  #firstSent(text: number): number {
    return text === 0 ? 0 : this.#sentEnds.at(text - 1)
  }
}

/** The anchors that are ever sent, with numbers. Most lookups are of others, and must be quick. */
export class Anchors {
  /** By number. */
  readonly hashes: Int32Array
  /** Of all texts that were sent, the number of each anchor. */
  readonly sent: Int32Array
  /** Those that may be copied, by number, message by message: a message's end where those of the next begin. */
  readonly standing: Int32Array
  readonly ends: Int32Array
  readonly #slots: Int32Array
  /**
   * A bit for the lowest bits of each hash: it says of most others at once that they are none, and fits where the slots
   * do not.
   */
  readonly #bits: Int32Array

  constructor(digest: CopiedDigest) {
    const sent = digest.sent.view
    let slots = 64
    while (slots < sent.length * 2) slots *= 2
    this.#slots = new Int32Array(slots)
    this.#bits = new Int32Array(slots / 4)
    const hashes = new Int32Array(sent.length)
    this.sent = new Int32Array(sent.length)
    let count = 0
    for (let at = 0; at < sent.length; at++) {
      const hash = sent[at] as number
      const slot = this.#slotOf(hash, hashes)
      if (this.#slots[slot] === 0) {
        hashes[count] = hash
        this.#slots[slot] = ++count
        const word = this.#wordOf(hash)
        this.#bits[word] = (this.#bits[word] as number) | (1 << hash)
      }
      this.sent[at] = (this.#slots[slot] as number) - 1
    }
    this.hashes = hashes.slice(0, count)
    const all = digest.standing.view
    const standing = Column.int32()
    this.ends = new Int32Array(digest.length)
    for (let index = 0, at = 0; index < digest.length; index++) {
      for (const end = digest.start(index + 1); at < end; at++) {
        const anchor = this.numberOf(all[at] as number)
        if (anchor >= 0) standing.push(anchor)
      }
      this.ends[index] = standing.length
    }
    this.standing = standing.values()
  }

  /** The number of the anchor, or -1. */
  numberOf(hash: number): number {
    if ((((this.#bits[this.#wordOf(hash)] as number) >>> hash) & 1) === 0) return -1
    return (this.#slots[this.#slotOf(hash, this.hashes)] as number) - 1
  }

  #wordOf(hash: number): number {
    return (hash >>> 5) & (this.#bits.length - 1)
  }

  #slotOf(hash: number, hashes: Int32Array): number {
    const last = this.#slots.length - 1
    // The least of eight is kept, so that hashes are small; their upper bits are mixed in to spread them.
    let slot = (hash ^ (hash >>> 15)) & last
    for (let number = this.#slots[slot] as number; number !== 0; number = this.#slots[slot] as number) {
      if (hashes[number - 1] === hash) break
      slot = (slot + 1) & last
    }
    return slot
  }
}
