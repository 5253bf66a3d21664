/**
 * The cost of each of the automaton's states for each family of models. The costs are fitted to exact counts by
 * tools/fit/fit.mjs; coefficients.data.json has their sources and errors.
 */
import { type Family, families, familyOf } from '../model/families.ts'
import { newVisits, states, visit } from './automaton.ts'
import data from './coefficients.data.json' with { type: 'json' }
import overheads from './overheads.data.json' with { type: 'json' }
import { price } from './pricer.ts'

const column = new Map(data.states.map((name, at) => [name, at]))

const costs = Object.fromEntries(
  families.map((family) => {
    const { coefficients } = data.families[family]
    return [family, Float64Array.from(states, (name) => coefficients[column.get(name) ?? -1] ?? 1)]
  }),
) as Record<Family, Float64Array>

/** Estimated tokens of a text, not rounded, so that sums over many short texts stay accurate. */
export function estimateTokens(family: Family, text: string): number {
  return price(text, costs[family])
}

/** Estimated tokens of a text from its visits: one pass (`visit`) serves every family. */
export function tokensOf(family: Family, visits: Uint32Array): number {
  const cost = costs[family]
  let tokens = 0
  for (let id = 0; id < visits.length; id++) tokens += visits[id]! * cost[id]!
  return tokens
}

/** Tokens that providers count around the text of a conversation. */
export interface Overhead {
  readonly call: number
  readonly parameter: number
  readonly result: number
  /** Per assistant response together with the user or tool messages after it. */
  readonly step: number
  /** Real tokens per estimated token of recorded reasoning, which may be a summary. */
  readonly thinking: number
  /** Tokens per byte of encrypted reasoning. */
  readonly opaque: number
}

/** For a family without recorded usage: the overhead of chat in OpenAI's documentation. */
const usual: Overhead = { call: 3, parameter: 0, result: 0, step: 8, thinking: 0, opaque: 0 }

/** The overhead of a family, measured on recorded usage by tools/fit/usage.mjs. */
export function overheadOf(family: Family): Overhead {
  return Object.hasOwn(overheads, family) ? overheads[family as keyof typeof overheads] : usual
}

/**
 * Tokens of a message for one estimated, where recorded usage shows more or less than texts and overheads explain: over 1,233
 * transcripts of 29 owners (2026-11). A model whose tokenizer is guessed to be OpenAI's has more.
 */
export function factorOf(family: Family, model: string | null): number {
  if (family === 'claude-4.6') return 1.023
  if (family === 'claude-4.7') return 1.024
  if (family !== 'o200k' || model === null) return 1
  if (!familyOf(model).known) return 1.035
  return /gpt-5[.-]3(?!\d)/i.test(model) ? 0.99 : 1
}

export { newVisits, visit }
