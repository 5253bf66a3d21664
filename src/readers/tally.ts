/**
 * Collects the problems of one file in little memory: a million damaged lines are one sentence, not a million objects. Every
 * problem is counted; the first ones of each code are named.
 */

/** A problem of one line, or of several: then `count` says how many, and `line` is the first. */
export interface Told<Code> {
  readonly code: Code
  readonly line: number
  /** Numbers and places only. */
  readonly detail?: string
  readonly count?: number
}

/** This many problems of each code are reported separately, the rest together. */
const named = 20

type Counting<Code> = { -readonly [Key in keyof Told<Code>]: Told<Code>[Key] }

export class Tally<Code> {
  readonly #told: Counting<Code>[] = []
  readonly #codes = new Map<
    Code,
    { readonly kinds: Map<string, Counting<Code>>; named: number; rest?: Counting<Code> }
  >()
  readonly #damaged = new LineSet()

  /** In the order in which they were found. */
  get told(): readonly Told<Code>[] {
    return this.#told
  }

  /** Lines that lost content, each counted once. */
  get damagedLines(): number {
    return this.#damaged.size
  }

  /** @param kind problems with the same code and kind are reported together */
  add(problem: Told<Code>, damaged: boolean, kind?: string): void {
    if (damaged) this.#damaged.add(problem.line)
    let of = this.#codes.get(problem.code)
    if (!of) {
      of = { kinds: new Map(), named: 0 }
      this.#codes.set(problem.code, of)
    }
    const known = (kind === undefined ? undefined : of.kinds.get(kind)) ?? (of.named < named ? undefined : of.rest)
    if (known) {
      known.count = (known.count ?? 1) + 1
      return
    }
    const { code, line, detail } = problem
    const isRest = of.named >= named
    const telling: Counting<Code> = detail === undefined || isRest ? { code, line } : { code, line, detail }
    this.#told.push(telling)
    if (isRest) of.rest = telling
    else if (kind !== undefined) of.kinds.set(kind, telling)
    of.named++
  }
}

/** A set with one bit per line: problems do not always come in line order, so knowing the newest line is not enough. */
class LineSet {
  size = 0
  #bits = new Uint32Array(16)

  add(line: number): void {
    const word = line >>> 5
    if (word >= this.#bits.length) {
      const larger = new Uint32Array(Math.max(word + 1, 2 * this.#bits.length))
      larger.set(this.#bits)
      this.#bits = larger
    }
    const before = this.#bits[word] as number
    const after = before | (1 << (line & 31))
    // A bitwise result is signed, what the array holds is not.
    if (after >>> 0 === before) return
    this.#bits[word] = after
    this.size++
  }
}
