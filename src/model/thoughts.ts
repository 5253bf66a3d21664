/**
 * How the reasoning of earlier responses is sent again, by program and model: measured on recorded usage
 * (tools/fit/thoughts.mjs). Reasoning that nobody recorded is told by the output tokens beyond what is visible.
 */
import type { Block, Message } from './message.ts'
import type { Sizer } from './trace.ts'

export interface Thoughts {
  /**
   * `keeps`: in every later request; `drops`: gone at the first user message that follows an answer (one that interrupts
   * follows a call, and drops nothing); `never`: in no request.
   */
  readonly after: 'keeps' | 'drops' | 'never'
  /** Tokens of a request for one of hidden reasoning, while that is sent; and the standard deviation of that share. */
  readonly tau: number
  readonly sd: number
}

interface Row extends Thoughts {
  /** The format of the program's transcripts; of any where there is none. */
  readonly program?: string
  /** Of the lower-cased name; of any where there is none. */
  readonly model?: RegExp
}

const keeps = { after: 'keeps', tau: 1, sd: 0.2 } as const
const drops = { after: 'drops', tau: 1, sd: 0.2 } as const
const never = { after: 'never', tau: 0, sd: 0.2 } as const

/** Before Opus 4.5 and Sonnet 4.6. */
const oldClaude = /claude-(?:3|opus-4(?:-20|[.-][01](?!\d)|$)|sonnet-4(?:-20|[.-][05](?!\d)|$)|haiku-4)/

/**
 * The first that holds. Behind each: pairs of requests with reasoning in between that it was measured on, and those who published
 * them. What Claude keeps is documented, too (Anthropic, "Extended thinking").
 */
const rows: readonly Row[] = [
  { program: 'gemini-cli', ...never }, // 12 of 1
  { program: 'opencode', model: /\bgpt-5[.-]4(?!\d)/, ...never }, // 11 of 2
  // Of what Gemini thought, pi sends the words besides the signature.
  { program: 'pi', model: /\bgemini-3/, ...keeps, tau: 1.3 }, // 67 of 1
  { model: oldClaude, ...drops }, // 8 of 3
  { model: /claude|\b(?:opus|sonnet|haiku)\b/, ...keeps }, // 1137 of 11
  { program: 'managed-agents', ...keeps }, // 50 of 1
  { model: /\bgpt-(?:5[.-](?:[6-9]|\d\d)(?!\d)|[6-9]|1\d)/, ...keeps }, // 760 of 3
  { model: /\bgpt-5|codex-auto-review/, ...drops }, // 578 of 7
  { model: /\bglm|deepseek-v4|\bmimo|\bling|\bmuse/, ...keeps }, // 271 of 2
]

/** Of what nobody measured. */
const unclear: Thoughts = { after: 'keeps', tau: 0.5, sd: 0.5 }

/**
 * @param program the format of the transcript (`TranscriptHead.format`); null where it is not known
 * @param model null where it is not known
 */
export function thoughtsOf({ program, model }: { program?: string | null; model: string | null }): Thoughts {
  const name = model?.toLowerCase() ?? ''
  return rows.find((row) => (row.program ?? program) === program && (row.model?.test(name) ?? true)) ?? unclear
}

/**
 * Whether the provider checks that nothing has changed before the reasoning that a request sends back: then what is behind a
 * change is refused, or dropped. Anthropic, "Prefix checks on thinking blocks" (2026-11): Fable 5.1, Opus, Sonnet and Haiku
 * 5.5, and later models; no earlier one, and not Mythos 5.1. OpenAI reports such removals, and does not say for which models.
 * @returns null where it is not known
 */
export function bindsThoughts(model: string | null): boolean | null {
  const name = model?.toLowerCase() ?? ''
  if (!/claude|\b(?:opus|sonnet|haiku|fable|mythos)\b/.test(name)) return null
  const [, family = '', major = '0', minor = '0'] =
    /\b(opus|sonnet|haiku|fable|mythos)-(\d)(?:[.-](\d)(?!\d))?/.exec(name) ?? []
  const version = Number(`${major}.${minor}`)
  if (family === 'mythos') return version <= 5.1 ? false : null
  return version >= (family === 'fable' ? 5.1 : 5.5)
}

export const isThought = ({ type }: Block): boolean => type === 'thinking' || type === 'opaque'

/** A message without its reasoning; the same one where it has none. */
export function withoutThoughts(message: Message): Message {
  const { wire: _, ...rest } = message
  return message.blocks.some(isThought) ? { ...rest, blocks: message.blocks.filter((one) => !isThought(one)) } : message
}

/** Units of the reasoning in a message: what it adds to other content, by a meter of messages. */
export function thoughtUnits(sizer: Sizer, message: Message): number {
  const known = sizer.thoughts?.(message)
  if (known !== undefined) return known
  const { sizes: _, ...rest } = message
  const of = (thoughts: readonly Block[]): number => sizer({ ...rest, blocks: [...thoughts, other] })
  return Math.max(0, of(message.blocks.filter(isThought)) - of([]))
}

const other: Block = { type: 'text', text: 'x' }
