/**
 * How the reasoning of earlier responses is sent again, by program and model: measured on recorded usage
 * (tools/fit/thoughts.mjs). Reasoning that nobody recorded is told by the output tokens beyond what is visible.
 */
import { familyOf } from './families.ts'

export interface Thoughts {
  /**
   * `keeps`: within the exchange and behind the next user message; `drops`: within the exchange, gone at the next user
   * message; `never`: no request contains it.
   */
  readonly after: 'keeps' | 'drops' | 'never'
  /** Tokens of a request for one of hidden reasoning, while that is sent; and the standard deviation of that share. */
  readonly tau: number
  readonly sd: number
}

const keeps: Thoughts = { after: 'keeps', tau: 1, sd: 0.2 }
const drops: Thoughts = { after: 'drops', tau: 1, sd: 0.2 }
const never: Thoughts = { after: 'never', tau: 0, sd: 0.2 }
/** Of a model that nobody measured. */
const unclear: Thoughts = { after: 'keeps', tau: 0.5, sd: 0.5 }

interface Row {
  /** The format of the program's transcripts; of any where there is none. */
  readonly program?: string
  readonly model?: RegExp
  readonly thoughts: Thoughts
}

/** The first that holds. Claude is told by its version: what it keeps is documented (Anthropic, "Extended thinking"). */
const rows: readonly Row[] = [
  { program: 'gemini-cli', thoughts: never },
  { program: 'opencode', model: /\bgpt-5[.-]4(?!\d)/, thoughts: never },
  { model: /claude-(?:3|opus-4(?:-20|[.-][01](?!\d)|$)|sonnet-4(?:-20|[.-][05](?!\d)|$)|haiku-4)/, thoughts: drops },
  { model: /\bgpt-(?:5[.-](?:[6-9]|\d\d)(?!\d)|[6-9]|1\d)/, thoughts: keeps },
  { model: /\bgpt-5|codex-auto-review/, thoughts: drops },
  { model: /\bglm|deepseek-v4|\bmimo|\bling|\bmuse/, thoughts: keeps },
]

/**
 * @param program the format of the transcript (`TranscriptHead.format`); null where it is not known
 * @param model null where it is not known
 */
export function thoughtsOf({ program, model }: { program?: string | null; model: string | null }): Thoughts {
  const name = model?.toLowerCase() ?? ''
  const row = rows.find((one) => (one.program ?? program) === program && (one.model?.test(name) ?? true))
  if (row) return row.thoughts
  return familyOf(name).family.startsWith('claude') ? keeps : unclear
}
