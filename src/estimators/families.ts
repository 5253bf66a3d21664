/**
 * Families of models that share a tokenizer, and the cost of each of the automaton's states for them. The costs are fitted
 * to exact counts by tools/fit/fit.mjs; coefficients.data.json has their sources and errors.
 */
import { newVisits, states, visit } from './automaton.ts'
import data from './coefficients.data.json' with { type: 'json' }
import overheads from './overheads.data.json' with { type: 'json' }
import { price } from './pricer.ts'

export const families = [
  'o200k',
  'cl100k',
  'claude-4.6',
  'claude-4.7',
  'gemini',
  'llama',
  'qwen',
  'deepseek',
  'mistral',
] as const
export type Family = (typeof families)[number]

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

export { newVisits, visit }

/**
 * A model's family. `known` is false if the model is not known to have the family's tokenizer: a later version, a name
 * without a version, another maker. The family is then the closest by name, or `o200k`.
 */
export function familyOf(model: string): { readonly family: Family; readonly known: boolean } {
  // Gateways decorate names: `us.anthropic.claude-…-v1:0`, `openrouter/openai/gpt-…`, `claude-…[1m]`, `…@20250929`.
  const name = model
    .toLowerCase()
    .replace(/^.*\//, '')
    .replace(/[[@:].*$/, '')
  for (const [pattern, judge] of makers) {
    const match = pattern.exec(name)
    if (match) return judge(match.slice(1).find((group) => group !== undefined) ?? '')
  }
  return { family: 'o200k', known: false }
}

const sure = (family: Family) => ({ family, known: true }) as const
const guess = (family: Family) => ({ family, known: false }) as const

/** Name patterns by maker; the first group is the version. Versions are compared as a whole, never by prefix. */
const makers: readonly (readonly [RegExp, (version: string) => { family: Family; known: boolean }])[] = [
  [
    /\bclaude-(?:(\d+(?:[.-]\d)?)-)?(?:opus|sonnet|haiku|fable|mythos)(?:-(\d+(?:[.-]\d{1,2})?))?(?![\d.])/,
    (version) => {
      const [major = 0, minor = 0] = version.split(/[.-]/).map(Number)
      if (major === 0) return guess('claude-4.7')
      if (major < 3) return guess('claude-4.6')
      return major < 4 || (major === 4 && minor < 7)
        ? sure('claude-4.6')
        : major <= 5
          ? sure('claude-4.7')
          : guess('claude-4.7')
    },
  ],
  [/\bclaude-(?:instant|[12])(?!\d)/, () => guess('claude-4.6')],
  [/\b(?:claude|opus|sonnet|haiku)\b/, () => guess('claude-4.7')],
  [/^(?:chatgpt|gpt)-(4o|4[.-][15]|5(?:\.\d+)?|6(?:\.\d+)?)(?![\d.])/, () => sure('o200k')],
  [/^(?:gpt-oss|codex-mini|o[134])(?![a-z\d.])/, () => sure('o200k')],
  [/^gpt-(?:4|3\.?5)(?:-turbo)?(?![a-z\d.])/, () => sure('cl100k')],
  [/\bgemini-(\d+)(?:[.-]\d)?(?![\d.])/, (version) => (Number(version) <= 3 ? sure('gemini') : guess('gemini'))],
  [/\bgemma-?(3)(?!\d)/, () => sure('gemini')],
  [/\b(?:gemini|gemma)/, () => guess('gemini')],
  [/llama-?(\d)(?![\d])/, (version) => (version === '3' ? sure('llama') : guess('llama'))],
  [/llama/, () => guess('llama')],
  [/\bqwen-?(2(?:\.5)?|3)(?![\d.])/, () => sure('qwen')],
  [/\bqw(?:en|q)/, () => guess('qwen')],
  [/\bdeepseek-(?:v3(?:\.\d)?|r1)(?![\d.])/, () => sure('deepseek')],
  [/\bdeepseek/, () => guess('deepseek')],
  [/\bmistral-nemo|\bministral/, () => sure('mistral')],
  [/(?:mistral|mixtral|pixtral|codestral|devstral|magistral)/, () => guess('mistral')],
]
