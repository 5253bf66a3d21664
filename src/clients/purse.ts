/** What may be spent, in US dollars and in requests: before anything goes out its worst case is set aside, and settled by what it cost. */

/** Nothing more may go out. */
export class PurseEmpty extends Error {}

export interface Limits {
  /** US dollars; null for none. */
  readonly dollars: number | null
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

  /** At most what has been spent: what nobody can tell the cost of counts as its worst case. */
  get spent(): number {
    return this.#spent
  }

  /** Waits until so much can be set aside, or nothing is under way that may give something back. */
  async room(worst: number): Promise<void> {
    while (!this.#fits(worst) && this.#inFlight > 0) {
      await new Promise<void>((done) => this.#waiting.push(done))
    }
  }

  /** @throws PurseEmpty where it could come to more than the limit */
  setAside(worst: number): void {
    if (!this.#fits(worst)) throw new PurseEmpty()
    this.#setAside += worst
    this.#requests++
    this.#inFlight++
  }

  /** @param cost null where nobody can tell: then it is the worst case, which is also the most that it can be */
  settle(worst: number, cost: number | null): void {
    this.#setAside -= worst
    this.#inFlight--
    this.#spent += cost === null || !(cost >= 0 && cost <= worst) ? worst : cost
    for (const done of this.#waiting.splice(0)) done()
  }

  /** What was spent before this run. */
  earlier(cost: number, requests: number): void {
    this.#spent += cost
    this.#requests += requests
  }

  #fits(worst: number): boolean {
    const { dollars, requests } = this.#limits
    const isWithin = dollars === null || this.#spent + this.#setAside + worst <= dollars
    return isWithin && (requests === null || this.#requests < requests)
  }
}
