/**
 * Transcripts with planted canaries: a unique term appears in one exchange and is used again in a later one, so it is
 * known in advance what a window loses. Each exchange is a prompt and an answer of exactly `exchangeTokens` tokens
 * together, as the `bytes` estimator counts an OpenAI request.
 */
import type { Message } from '../../src/model/message.ts'

export const exchangeTokens = 100

export interface Canary {
  /** The exchange in which the user mentions it. */
  readonly planted: number
  /** An exchange in which the agent repeats it, or null. */
  readonly repeated: number | null
  /** The exchange in which the agent uses it, after both. */
  readonly used: number
}

export const nameOf = (canary: number): string => `src/canary${canary}/egg.ts`

/** @param exchanges how many; the last stays open, because its answer is the last message */
export function plant(exchanges: number, canaries: readonly Canary[]): Message[] {
  const messages: Message[] = []
  const named = (exchange: number, when: (canary: Canary) => number | null): string =>
    canaries.flatMap((canary, nth) => (when(canary) === exchange ? [nameOf(nth)] : [])).join(' ')
  for (let exchange = 0; exchange < exchanges; exchange++) {
    const prompt = named(exchange, ({ planted }) => planted)
    const answer = `${named(exchange, ({ repeated }) => repeated)} ${named(exchange, ({ used }) => used)}`
    messages.push({ role: 'user', line: messages.length + 1, blocks: [{ type: 'text', text: prompt }] })
    messages.push({
      role: 'assistant',
      line: messages.length + 1,
      blocks: [{ type: 'text', text: padded(prompt, answer) }],
    })
  }
  return messages
}

/** `{"role":"user","content":"…"},{"role":"assistant","content":"…"},` */
function padded(prompt: string, answer: string): string {
  const bytes = 32 + prompt.length + 37 + answer.length
  if (bytes > exchangeTokens * 4) throw new RangeError('too many canaries in one exchange')
  return answer + '.'.repeat(exchangeTokens * 4 - bytes)
}

/**
 * What `ikigai` with `keepLast` 1 loses at a budget. When the agent uses a canary, the window was last cut at the end of
 * the exchange before: it holds exchange i exactly if the exchanges from i on fit, or i is the newest of them.
 */
export function lostAt(budget: number, canaries: readonly Canary[]): { mentionLost: number; sourceLost: number } {
  const isLost = (from: number, used: number) => used - from > 1 && (used - from) * exchangeTokens > budget
  const uses = canaries.flatMap(({ planted, repeated, used }) => [
    ...(repeated === null ? [] : [{ said: planted, source: planted, used: repeated }]),
    { said: repeated ?? planted, source: planted, used },
  ])
  return {
    mentionLost: uses.filter(({ said, used }) => isLost(said, used)).length,
    sourceLost: uses.filter(({ source, used }) => isLost(source, used)).length,
  }
}
