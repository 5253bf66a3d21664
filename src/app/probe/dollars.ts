/** What asking costs: estimated before, worst for each request as it goes out, and as it was used. In US dollars. */
import type { AnswerUsage, ProbeApi } from '../../model/probe.ts'
import type { ProbeDollars, SessionPlan } from '../../model/probed.ts'
import { cacheRuleOf, lookupModel } from '../../models/lookup.ts'
import { type Rates, ratesAt } from '../../models/pricing.ts'
import type { ModelTable } from '../../models/table.ts'
import { mostOutput } from './windows.ts'

/** Tokens of a usual next action, where none is recorded. */
const usualOutput = 400

export class ProbePrices {
  readonly #rates: (tokens: number) => Rates
  /** A write to the prompt cache is asked for. */
  readonly #marks: boolean

  private constructor(rates: (tokens: number) => Rates, marks: boolean) {
    this.#rates = rates
    this.#marks = marks
  }

  /**
   * @param table whose word holds a limit
   * @param other what can make it dearer, and never cheaper
   * @returns null for a model without a known price, and for one that is given away
   */
  static of(model: string, api: ProbeApi, table: ModelTable, other = table): ProbePrices | null {
    const own = listed(model, table)
    if (!own || own.rates(0).input === 0) return null
    const { rates, isCached } = listed(model, other) ?? own
    const marks = api === 'anthropic' && (own.isCached || isCached)
    return new ProbePrices((tokens) => dearer(own.rates(tokens), rates(tokens)), marks)
  }

  /** The most that one try can cost: all of so many tokens is written to the cache, and the answer is as long as it may be. */
  worst(tokens: number): number {
    const { input, read, write, output } = this.#rates(tokens)
    return tokens * Math.max(input, read, this.#marks ? write : 0) + mostOutput * output
  }

  /** What a usage comes to. */
  used({ input, cacheRead, cacheWrite, output }: AnswerUsage): number {
    const rates = this.#rates(input)
    const plain = Math.max(0, input - cacheRead - cacheWrite)
    return plain * rates.input + cacheRead * rates.read + cacheWrite * rates.write + output * rates.output
  }

  estimated(sessions: readonly SessionPlan[]): { readonly cold: number; readonly cached: number } {
    let [cold, cached] = [0, 0]
    for (const { probes, summaries } of sessions) {
      for (const { fullTokens, fullShared, policyTokens, policyShared, outputTokens } of probes) {
        for (const [tokens, shared] of [
          [fullTokens, fullShared],
          [policyTokens, policyShared],
        ] as const) {
          const { input, read, write, output } = this.#rates(tokens)
          const answers = 2 * Math.min(mostOutput, outputTokens ?? usualOutput) * output
          cold += 2 * tokens * input + answers
          cached += (tokens - shared) * (this.#marks ? write : input) + (shared + tokens) * read + answers
        }
      }
      for (const { readTokens, writtenTokens } of summaries) {
        const { input, output } = this.#rates(readTokens)
        const once = readTokens * input + writtenTokens * output
        cold += once
        cached += once
      }
    }
    return { cold, cached }
  }
}

export function dollarsOf(sessions: readonly SessionPlan[], prices: ProbePrices | null): ProbeDollars {
  return prices?.estimated(sessions) ?? { cold: null, cached: null }
}

/** Null for a model without a known price. */
function listed(model: string, table: ModelTable) {
  const info = lookupModel(model, table)
  if (!info || !ratesAt(info, 0, table, Number.NaN)) return null
  return {
    rates: (tokens: number) => ratesAt(info, tokens, table, Number.NaN) as Rates,
    isCached: cacheRuleOf(info, table) !== undefined,
  }
}

function dearer(one: Rates, other: Rates): Rates {
  const of = (kind: keyof Rates): number => Math.max(one[kind], other[kind])
  return { input: of('input'), output: of('output'), read: of('read'), write: of('write'), write1h: of('write1h') }
}
