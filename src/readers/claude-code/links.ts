/**
 * The tree of a session file: every record with a uuid hangs off another one, progress and system records included. The
 * tree only says which branches were abandoned; the order of messages is the order of the file, because parallel tool
 * results hang off different records and no single path from leaf to root holds them all.
 *
 * A *branch* is what one prompt started: everything that hangs off it up to the next prompt. Branches are numbered
 * through the file and a number is never used again, so a record of an abandoned branch is known for what it is.
 *
 * A file of two gigabytes has a million uuids. As keys of a Map they would cost a hundred bytes each; here each is 64
 * bits of hash in an open-addressed table, sixteen bytes with what is known of it. That two of a million uuids share
 * theirs has a chance of one in thirty million.
 */
export class Links {
  // Four words an entry: hash, hash, branch + 1 (0 is an empty place), message.
  #table = new Int32Array(4 << 6)
  #mask = (1 << 6) - 1
  #count = 0
  #low = 0
  #high = 0

  has(uuid: string): boolean {
    return this.#find(uuid) >= 0
  }

  /** @param message index, in its transcript, of the message that the record is or stands in front of */
  add(uuid: string, branch: number, message: number): void {
    const found = this.#find(uuid)
    if (found < 0 && ++this.#count * 2 > this.#mask) this.#grow()
    const place = found < 0 ? this.#vacancy() : found
    this.#table[place] = this.#low
    this.#table[place + 1] = this.#high
    this.#table[place + 2] = branch + 1
    this.#table[place + 3] = message
  }

  branchOf(uuid: string): number | undefined {
    const place = this.#find(uuid)
    return place < 0 ? undefined : (this.#table[place + 2] as number) - 1
  }

  messageOf(uuid: string): number | undefined {
    const place = this.#find(uuid)
    return place < 0 ? undefined : this.#table[place + 3]
  }

  /** Where the uuid's entry is, or -1; its hash is in `#low` and `#high` afterwards. */
  #find(uuid: string): number {
    let low = 0x811c9dc5
    let high = 0x01000193
    for (let at = 0; at < uuid.length; at++) {
      const code = uuid.charCodeAt(at)
      low = Math.imul(low ^ code, 0x01000193)
      high = Math.imul(high ^ code, 0x85ebca6b)
    }
    this.#low = low ^ (low >>> 15)
    this.#high = high ^ (high >>> 13)
    for (let at = this.#low & this.#mask; ; at = (at + 1) & this.#mask) {
      const place = at * 4
      if (this.#table[place + 2] === 0) return -1
      if (this.#table[place] === this.#low && this.#table[place + 1] === this.#high) return place
    }
  }

  #vacancy(): number {
    let at = this.#low & this.#mask
    while (this.#table[at * 4 + 2] !== 0) at = (at + 1) & this.#mask
    return at * 4
  }

  #grow(): void {
    const old = this.#table
    const [low, high] = [this.#low, this.#high]
    this.#table = new Int32Array(old.length * 2)
    this.#mask = this.#mask * 2 + 1
    for (let place = 0; place < old.length; place += 4) {
      if (old[place + 2] === 0) continue
      this.#low = old[place] as number
      this.#table.set(old.subarray(place, place + 4), this.#vacancy())
    }
    this.#low = low
    this.#high = high
  }
}
