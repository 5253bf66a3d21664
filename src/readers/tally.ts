/**
 * Collects the problems of one file in little memory, even where a million lines are damaged. Every problem is counted;
 * only the first few of each code are listed with their lines.
 */

/** A problem of one line, or of `count` lines: then `line` is the first of them. */
export interface Reported<Code> {
  readonly code: Code
  readonly line: number
  /** Numbers and places only. */
  readonly detail?: string
  readonly count?: number
}

/** This many problems of each code are listed one by one, the rest together. */
const named = 20

type Counting<Code> = { -readonly [Key in keyof Reported<Code>]: Reported<Code>[Key] }

interface OfCode<Code> {
  readonly kinds: Map<string, Counting<Code>>
  named: number
  rest?: Counting<Code>
}

/** A tally as plain data. A problem that is in two of its lists is one object in both. */
export interface PlainTally<Code> {
  readonly reported: Reported<Code>[]
  readonly codes: Map<Code, OfCode<Code>>
  readonly damaged: { readonly size: number; readonly bits: Uint32Array }
}

export class Tally<Code> {
  readonly #reported: Counting<Code>[]
  readonly #codes: Map<Code, OfCode<Code>>
  readonly #damaged: LineSet

  /** @param plain of a tally that was written down, whose data become its own; default: an empty one */
  constructor(plain?: PlainTally<Code>) {
    this.#reported = plain?.reported ?? []
    this.#codes = plain?.codes ?? new Map()
    this.#damaged = new LineSet(plain?.damaged)
  }

  plain(): PlainTally<Code> {
    return { reported: this.#reported, codes: this.#codes, damaged: this.#damaged.plain() }
  }

  /** The problems, in the order in which they were found. */
  get reported(): readonly Reported<Code>[] {
    return this.#reported
  }

  /** Lines that lost content, each counted once. */
  get damagedLines(): number {
    return this.#damaged.size
  }

  /** @param kind problems with the same code and kind are reported together */
  add(problem: Reported<Code>, damaged: boolean, kind?: string): void {
    if (damaged) this.#damaged.add(problem.line)
    let of = this.#codes.get(problem.code)
    if (!of) {
      of = { kinds: new Map(), named: 0 }
      this.#codes.set(problem.code, of)
    }
    const known = (kind === undefined ? undefined : of.kinds.get(kind)) ?? (of.named < named ? undefined : of.rest)
    if (known) {
      known.count = (known.count ?? 1) + (problem.count ?? 1)
      return
    }
    const { code, line, detail, count } = problem
    const isRest = of.named >= named
    const isNamed = detail !== undefined && !isRest
    const entry: Counting<Code> = { code, line, ...(isNamed && { detail }), ...(count !== undefined && { count }) }
    this.#reported.push(entry)
    if (isRest) of.rest = entry
    else if (kind !== undefined) of.kinds.set(kind, entry)
    of.named++
  }
}

/** A set with one bit per line: problems do not always come in line order, so knowing the newest line is not enough. */
class LineSet {
  size: number
  #bits: Uint32Array

  constructor(plain: ReturnType<LineSet['plain']> = { size: 0, bits: new Uint32Array(16) }) {
    this.size = plain.size
    this.#bits = plain.bits
  }

  plain(): { readonly size: number; readonly bits: Uint32Array } {
    return { size: this.size, bits: this.#bits }
  }

  add(line: number): void {
    const word = line >>> 5
    if (word >= this.#bits.length) {
      const larger = new Uint32Array(Math.max(word + 1, 2 * this.#bits.length))
      larger.set(this.#bits)
      this.#bits = larger
    }
    const before = this.#bits[word] as number
    const after = before | (1 << (line & 31))
    // Bitwise operators give signed numbers, the array holds unsigned ones: `>>> 0` makes them comparable.
    if (after >>> 0 === before) return
    this.#bits[word] = after
    this.size++
  }
}
