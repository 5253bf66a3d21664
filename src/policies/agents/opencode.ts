/** What opencode and Kilo, its fork, leave of a history when it is summarised: the newest messages, as they are. */
import { integer } from '../../base/param.ts'
import { jsonString } from '../../base/quoting.ts'
import { lookupModel } from '../../models/lookup.ts'
import type { Entry, Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

/** Tokens of the window that the program keeps for the answer by itself, at most. */
export const usualReserve = 20_000

/** Params of both programs. */
export const compactionParams = {
  reserve: integer({ default: usualReserve, min: 0, help: 'tokens of the window that are kept for the answer' }),
  tail: integer({
    default: 0,
    min: 0,
    help: 'newest tokens that stay; 0 = a quarter of what is usable, from 2,000 to 15,000',
  }),
  summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary' }),
} as const

/** The tail has a quarter of what is usable, between these. */
const [least, most] = [2_000, 15_000]

/** The summary is the answer to it. */
const question = 'What did we do so far?'

export interface Tail {
  /** Tokens that it has at most; 0 = a quarter of what is usable, between 2,000 and 15,000. */
  readonly tokens: number
  /** How many of the newest prompts it has at most. */
  readonly turns: number
}

/**
 * Replaces all up to an entry but a tail by a summary: the model's answer to a question. The tail begins with a message
 * of the user or the model, never in front of what was summarised before; where it would have everything behind that,
 * there is none.
 * @param usable tokens of the window that a request may have
 */
export function summariseBeforeTail(
  window: Window,
  end: Entry | null,
  usable: number,
  { tokens, turns, summaryTokens }: Tail & { readonly summaryTokens: number },
): void {
  const limit = tokens || Math.min(most, Math.max(least, Math.floor(usable / 4)))
  let tail = null
  let sum = 0
  let prompts = 0
  for (let entry = end; entry && entry.index >= 0 && prompts < turns; entry = entry.previous) {
    sum += window.tokensOf(entry, entry)
    if (sum > limit) break
    if (entry.role === 'user' || entry.isResponse) tail = entry
    if (entry.isPrompt) prompts++
  }
  const before = tail?.previous
  const to = before && before.index >= 0 ? before : end
  const range = window.first && to ? wholeRange(window.first, to) : null
  if (!range || range.from !== window.first) return
  const summary = summariseRange(window, range.from, range.to, { role: 'assistant', tokens: summaryTokens })
  window.insert(summary, { role: 'user', blocks: [{ type: 'text', text: question }] })
}

/**
 * The entry of opencode's config that gives a model another window.
 * @param compaction what stands there besides, each `"name": value`
 */
export function limitIn(budget: number, reserve: number, model: string | null, compaction: readonly string[]): string {
  // A name that is in no table was chosen by somebody, and is nobody else's business.
  const name = model && lookupModel(model) ? model : '<model>'
  // For a model that the program knows with an `input` of its own, it goes by that and not by `context`.
  const limit = `{ "context": ${budget}, "input": ${budget}, "output": ${reserve} }`
  const all = [...(reserve > usualReserve ? [`"reserved": ${reserve}`] : []), ...compaction]
  const more = all.length > 0 ? `, "compaction": { ${all.join(', ')} }` : ''
  return `"provider": { "<provider>": { "models": { ${jsonString(name)}: { "limit": ${limit} } } } }${more}`
}
