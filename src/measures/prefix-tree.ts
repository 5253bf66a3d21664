/**
 * Finds out which requests begin alike: a radix tree of everything that was sent, in which each request is a path from
 * the root. Unchanged messages that follow each other in the transcript are one node, however many they are, so a
 * sliding window costs a node per request and an appended step costs nothing.
 *
 * A message has an id: its index in the transcript while it is unchanged, a negative number (one for each content) if
 * the policy wrote it. Equal texts in two messages of the transcript are not recognised as equal.
 */

interface Node {
  /** The ids from `from` to before `to`; only messages of the transcript make ranges of more than one. */
  readonly from: number
  to: number
  /** Units of a request up to here minus the transcript's prefix sum. */
  readonly base: number
  /** When it was last sent. Not up to date for the nodes of the latest request, which count as just sent. */
  used: number
  children: Map<number, Node> | null
}

export class PrefixTree {
  /** Units of the prefix that the request being added shares with requests that are still alive. */
  sharedUnits = 0
  readonly #sums: Float64Array
  readonly #root: Node
  readonly #life: number
  /** The nodes of the latest request, the root first. */
  readonly #path: Node[]
  /** Nodes of the previous request, in order, that the one being added has not followed so far. */
  #left: Node[] = []
  /** Ids matched in the last node of the path: `from` to here. */
  #at = 0
  #now = Number.NEGATIVE_INFINITY
  #alive = false
  #apart = true
  #nodes = 0
  #sweepAt = 4096

  /**
   * @param preamble units of the preamble of every request
   * @param sums units of the transcript's messages before each index, joins included
   * @param life how long after its last use a prefix is still alive, in the unit of `now`
   */
  constructor(preamble: number, sums: Float64Array, life: number) {
    this.#sums = sums
    this.#life = life
    this.#root = { from: 0, to: 0, base: preamble, used: Number.NEGATIVE_INFINITY, children: null }
    this.#path = [this.#root]
  }

  /**
   * Begins the next request. It starts with everything of the latest one up to transcript message `anchor`, unchanged;
   * for null with nothing of it.
   * @param now never less than before
   * @param depth the depth after the anchor, if the anchor is a message that the policy wrote
   */
  begin(now: number, anchor: number | null, depth: number | null = null): void {
    this.#left.length = 0
    while (this.#path.length > 1) {
      const last = this.#last
      if (this.depth === depth) break
      if (depth === null && anchor !== null && last.from <= anchor && anchor < last.to) {
        if (anchor + 1 < last.to) this.#left.push(this.#split(last, anchor + 1, this.#now))
        break
      }
      last.used = this.#now
      this.#left.push(last)
      this.#path.pop()
    }
    this.#left.reverse()
    // The latest request is the newest of all: if it has expired, all have.
    this.#alive = now - this.#now <= this.#life
    this.#now = now
    this.#at = this.#last.to
    this.#apart = false
    this.sharedUnits = this.#alive ? this.#unitsAt(this.#last, this.#at) : 0
  }

  /**
   * Continues with the rest of the previous request, after the next `dropped` of its messages.
   * @param first the transcript message it continues with
   * @param units what that message adds at its new position
   * @returns false, without doing anything, if there is another message at that point
   */
  skip(dropped: number, first: number, units: number): boolean {
    let left = dropped
    let start = this.#unitsAt(this.#last, this.#last.to)
    const parts: [from: number, to: number, units: number][] = []
    for (const { from, to, base } of this.#left) {
      const length = to - from
      const end = from < 0 ? base : base + (this.#sums[to] as number)
      if (parts.length > 0)
        parts.push([from, to, (length === 1 ? end : base + (this.#sums[from + 1] as number)) - start])
      else if (left >= length) left -= length
      else if (from + left === first) parts.push([first, to, units])
      else return false
      start = end
    }
    for (const [from, to, units] of parts) this.add(from, to, units)
    return parts.length > 0
  }

  /**
   * Continues with messages `from` to `to` of the transcript, or with one that the policy wrote.
   * @param units what the first of them adds to the request at its position
   */
  add(from: number, to: number, units: number): void {
    const at = this.#apart ? from : this.#follow(from, to)
    if (at < to) this.#append(at, to, at === from ? units : null)
  }

  /** @returns whether the whole previous request is a prefix of this one */
  end(): boolean {
    if (!this.#apart && this.#at < this.#last.to) this.#split(this.#last, this.#at, this.#last.used)
    if (this.#nodes > this.#sweepAt) this.#sweep()
    return this.#left.length === 0
  }

  /** Number of nodes between the root and the present end of the request. */
  get depth(): number {
    return this.#path.length - 1
  }

  get #last(): Node {
    return this.#path[this.#path.length - 1] as Node
  }

  /** Follows the tree as far as it agrees. */
  #follow(from: number, to: number): number {
    let at = from
    let node = this.#last
    while (at < to) {
      if (this.#at < node.to) {
        if (at !== this.#at) break
        const length = Math.min(to - at, node.to - this.#at)
        at += length
        this.#at += length
        if (this.#alive) this.sharedUnits = this.#unitsAt(node, this.#at)
        if (this.#at === node.to && node === this.#left[0]) this.#left.shift()
        continue
      }
      const child = node.children?.get(at)
      if (!child) break
      if (this.#now - child.used > this.#life) this.#alive = false
      this.#path.push(child)
      this.#at = child.from
      node = child
    }
    return at
  }

  #append(from: number, to: number, units: number | null): void {
    const last = this.#last
    if (!this.#apart && this.#at < last.to) this.#split(last, this.#at, last.used)
    this.#apart = true
    const sums = this.#sums
    const own = from < 0 ? 0 : (sums[from + 1] as number) - (sums[from] as number)
    const goesOn = last.from >= 0 && from === last.to && (units === null || units === own)
    if (goesOn && last.children === null && last !== this.#root) {
      last.to = to
      return
    }
    const before = this.#unitsAt(last, last.to)
    const place = units === null || from < 0 ? 0 : units - own
    const base = from < 0 ? before + (units ?? 0) : before + place - (sums[from] as number)
    const node: Node = { from, to, base, used: this.#now, children: null }
    last.children ??= new Map()
    last.children.set(from, node)
    this.#path.push(node)
    this.#nodes++
  }

  /** Splits a node in two; the upper half stays in the path. */
  #split(node: Node, at: number, used: number): Node {
    const rest: Node = { from: at, to: node.to, base: node.base, used, children: node.children }
    node.to = at
    node.children = new Map([[at, rest]])
    this.#nodes++
    return rest
  }

  #unitsAt(node: Node, to: number): number {
    return node.from < 0 || node === this.#root ? node.base : node.base + (this.#sums[to] as number)
  }

  /** Removes expired nodes, so that memory is bounded by what is alive. */
  #sweep(): void {
    for (const node of this.#path) node.used = this.#now
    this.#nodes = 0
    const todo = [this.#root]
    for (let node = todo.pop(); node; node = todo.pop()) {
      if (!node.children) continue
      for (const [id, child] of node.children) {
        if (this.#now - child.used > this.#life) node.children.delete(id)
        else todo.push(child)
      }
      this.#nodes += node.children.size
      if (node.children.size === 0) node.children = null
    }
    this.#sweepAt = Math.max(4096, this.#nodes * 2)
  }
}
