/** What may be spent, in any unit of money, and in requests: before anything goes out its worst case is set aside, and settled by what it cost. */

/** Nothing more may go out. */
export class PurseEmpty extends Error {
  /** The most that the next request could have cost. */
  readonly worst: number

  constructor(worst: number) {
    super()
    this.worst = worst
  }
}

export interface Limits {
  /** Null for none. */
  readonly most: number | null
  /** Tries; null for none. */
  readonly requests: number | null
}

export class Purse {
  readonly #limits: Limits
  #spent = 0
  #setAside = 0
  #requests = 0
  #inFlight = 0
  #waiting: (() => void)[] = []

  constructor(limits: Limits) {
    this.#limits = limits
  }

  /** What was spent before. */
  earlier(cost: number): void {
    this.#spent += cost
  }

  /** Of what was settled so much cannot have been spent. */
  giveBack(cost: number): void {
    this.#spent -= cost
    this.#wake()
  }

  /** Waits until so much can be set aside, or nothing is under way that may give something back. */
  async room(worst: number): Promise<void> {
    while (!this.#fits(worst) && this.#inFlight > 0) {
      await new Promise<void>((done) => this.#waiting.push(done))
    }
  }

  /** @throws PurseEmpty where it could come to more than the limit */
  setAside(worst: number): void {
    if (!this.#fits(worst)) throw new PurseEmpty(worst)
    this.#setAside += worst
    this.#requests++
    this.#inFlight++
  }

  /**
   * @param cost null where nobody can tell: then it is the worst case, which is also the most that it can be
   * @returns what is taken for it
   */
  settle(worst: number, cost: number | null): number {
    const taken = cost !== null && cost >= 0 && cost <= worst ? cost : worst
    this.#setAside -= worst
    this.#inFlight--
    this.#spent += taken
    this.#wake()
    return taken
  }

  #wake(): void {
    for (const done of this.#waiting.splice(0)) done()
  }

  #fits(worst: number): boolean {
    const { most, requests } = this.#limits
    const isWithin = most === null || this.#spent + this.#setAside + worst <= most
    return isWithin && (requests === null || this.#requests < requests)
  }
}
