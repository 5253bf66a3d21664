/** Output tokens of each response: docs/cost.md. */
import { familyOf } from '../model/families.ts'
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

export interface Output {
  readonly tokens: number
  /**
   * Nothing is recorded, or so much less than the visible text that it must be the first figure of a stream. The latter is
   * said only of models whose tokenizer is known: a guess may be wrong by a factor of three.
   */
  readonly estimated: boolean
}

/** A recorded figure below this share of the visible text is not for the whole response. Above it, the estimate may be off. */
const whole = 0.8

/** Output of the response to `request`: as recorded, or estimated from its visible text. */
export function outputOf(trace: Trace, sizes: Sizes, request: number): Output {
  const recorded = trace.usage(request)?.output ?? 0
  const end = request + 1 < trace.requests ? trace.requestAt(request + 1) : trace.length
  let units = 0
  for (let at = trace.requestAt(request); at < end; at++) if (trace.role(at) === 'assistant') units += sizes.of(at)
  const visible = sizes.tokens(units)
  return recorded > 0 && (recorded >= whole * visible || !isTokenizerKnown(trace, request))
    ? { tokens: recorded, estimated: false }
    : { tokens: Math.max(recorded, visible), estimated: true }
}

function isTokenizerKnown(trace: Trace, request: number): boolean {
  const model = trace.requestModel(request) ?? trace.head.model
  return model !== null && familyOf(model).known
}
