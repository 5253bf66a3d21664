/**
 * Requests, tokens and dollars added up: of a cell, a cause or everything, as `spend` shows them.
 */
import { rounded } from '../../measures/cost.ts'
import type { BilledCall } from '../../measures/spent.ts'
import { percent } from '../../model/run.ts'
import { type Billed, type ByKind, type SpendingSum, tokenKinds } from '../../model/spending.ts'

/** The figures of a sum, as plain data. */
export type Amounts = Readonly<
  Pick<
    Sum,
    | 'requests'
    | 'unpriced'
    | 'missedRequests'
    | 'missedTokens'
    | 'missedBillionths'
    | 'besideCalls'
    | 'besideInput'
    | 'besideOutput'
    | 'tokens'
    | 'billionths'
  >
>

/** Amounts are added up in billionths of a dollar: whole numbers, so that no order or grouping shows in a sum. */
const billion = 1e9

export class Sum {
  requests = 0
  unpriced = 0
  missedRequests = 0
  missedTokens = 0
  missedBillionths = 0
  /** Of `requests` and `billionths`, those of calls outside the conversation. */
  besideCalls = 0
  besideInput = 0
  besideOutput = 0
  readonly tokens = noAmounts()
  readonly billionths = noAmounts()

  add({ calls, tokens, cost }: BilledCall): void {
    this.requests += calls
    if (!cost) this.unpriced += calls
    for (const kind of tokenKinds) {
      this.tokens[kind] += tokens[kind]
      this.billionths[kind] += billionthsOf(cost?.[kind] ?? 0)
    }
  }

  /** Adds a call outside the conversation. */
  addBeside(call: BilledCall): void {
    this.add(call)
    this.besideCalls += call.calls
    for (const kind of tokenKinds) {
      const amount = billionthsOf(call.cost?.[kind] ?? 0)
      if (kind === 'output') this.besideOutput += amount
      else this.besideInput += amount
    }
  }

  miss(tokens: number, usd: number | null): void {
    this.missedRequests++
    this.missedTokens += tokens
    this.missedBillionths += billionthsOf(usd ?? 0)
  }

  merge(other: Amounts): void {
    this.requests += other.requests
    this.unpriced += other.unpriced
    this.missedRequests += other.missedRequests
    this.missedTokens += other.missedTokens
    this.missedBillionths += other.missedBillionths
    this.besideCalls += other.besideCalls
    this.besideInput += other.besideInput
    this.besideOutput += other.besideOutput
    for (const kind of tokenKinds) {
      this.tokens[kind] += other.tokens[kind]
      this.billionths[kind] += other.billionths[kind]
    }
  }

  get total(): number {
    return tokenKinds.reduce((sum, kind) => sum + this.billionths[kind], 0)
  }

  /** In US dollars; null where no call has a price. */
  get usd(): number | null {
    return this.#isPriced ? dollars(this.total) : null
  }

  get #isPriced(): boolean {
    return this.unpriced < this.requests || this.total > 0
  }

  /** The same total, by what it was billed for. */
  get billed(): Billed {
    const { output } = this.billionths
    return {
      input: dollars(this.total - output - this.besideInput),
      output: dollars(output - this.besideOutput),
      beside: dollars(this.besideInput + this.besideOutput),
    }
  }

  /** @param of the billionths of all requests */
  result(of: number): SpendingSum {
    return {
      requests: this.requests,
      unpricedRequests: this.unpriced,
      usd: this.usd,
      percent: percent(this.total, of),
      tokens: this.tokens,
      cost: Object.fromEntries(
        tokenKinds.map((kind) => [kind, this.#isPriced ? dollars(this.billionths[kind]) : null]),
      ) as SpendingSum['cost'],
      missed: {
        requests: this.missedRequests,
        tokens: this.missedTokens,
        usd: this.#isPriced ? dollars(this.missedBillionths) : null,
      },
    }
  }
}

/** Of a dollar. */
export function billionthsOf(usd: number): number {
  return Math.round(billion * usd)
}

function noAmounts(): { -readonly [Kind in keyof ByKind]: number } {
  return { input: 0, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 0 }
}

/** Of amounts in billionths of a dollar. */
export function dollars(billionths: number): number {
  return rounded(billionths / billion)
}
