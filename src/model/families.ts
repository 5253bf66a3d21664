/** Families of models that share a tokenizer, and which of them a model is of. */

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
