/**
 * What is wrong with one file, in a few words whatever its size: a file of a million damaged lines is one sentence, not a
 * million objects. Every problem is counted; the first of each code are named.
 */

/** What was found in a line, or in several: then `count` says in how many, and `line` is the first of them. */
export interface Told<Code> {
  readonly code: Code
  readonly line: number
  /** Numbers and places only. */
  readonly detail?: string
  readonly count?: number
}

/** Of each code so many are told by themselves, and the rest of them together. */
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

  /** Lines of whose content something is lost, however many problems each has. */
  get damagedLines(): number {
    return this.#damaged.size
  }

  /** @param kind problems of one code and kind are told together */
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

/** A bit a line: problems do not always come in the order of their lines, so the newest one is not enough to know. */
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
