/** Output tokens of each response: docs/cost.md. */
import { familyOf } from '../model/families.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

export interface Output {
  readonly tokens: number
  /**
   * Nothing is recorded; or a partial figure, of which no cost is told, is so much less than the visible text that it
   * must be the first of a stream. The latter is said only of models whose tokenizer is known: a guess may be wrong by
   * a factor of three. The figure of a response that ended is what was billed.
   */
  readonly estimated: boolean
}

/**
 * A recorded figure below this share of the visible text is not for the whole response. Above it, the estimate may be
 * off.
 */
const whole = 0.8

/** Output of the response to `request`: as recorded, or estimated from its visible text. */
export function outputOf(trace: Trace, sizes: Sizes, request: number): Output {
  const { output: recorded = 0, cost } = trace.usage(request) ?? {}
  const end = request + 1 < trace.requests ? trace.requestAt(request + 1) : trace.length
  // Recorded usage corrects sizes for what is not recorded as well, which is no part of an answer.
  const sizeOf = (at: number): number => sizes.uncorrected?.(at) ?? sizes.tokens(sizes.of(at))
  let visible = 0
  for (let at = trace.requestAt(request); at < end; at++) if (trace.role(at) === 'assistant') visible += sizeOf(at)
  const isFinal = !trace.isPartial(request) || cost !== undefined
  return recorded > 0 && (isFinal || recorded >= whole * visible || !isTokenizerKnown(trace, request))
    ? { tokens: recorded, estimated: false }
    : { tokens: Math.max(recorded, visible), estimated: true }
}

function isTokenizerKnown(trace: Trace, request: number): boolean {
  const model = trace.requestModel(request) ?? trace.head.model
  return model !== null && familyOf(model).known
}
