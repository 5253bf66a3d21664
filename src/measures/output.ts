/** What the model answered, in tokens: docs/cost.md. */
import type { Sizes } from '../model/sizes.ts'
import type { Trace } from '../model/trace.ts'

export interface Output {
  readonly tokens: number
  /** Nothing is recorded, or so much less than can be seen that it is the first figure of a stream. */
  readonly estimated: boolean
}

/** A figure below this part of the visible text is none of the whole response; above it the estimate may be what is off. */
const whole = 0.8

/** The answer to request `request`: as recorded, or as estimated by what of it is visible. */
export function outputOf(trace: Trace, sizes: Sizes, request: number): Output {
  const recorded = trace.usage(request)?.output ?? 0
  const end = request + 1 < trace.requests ? trace.requestAt(request + 1) : trace.length
  let units = 0
  for (let at = trace.requestAt(request); at < end; at++) if (trace.role(at) === 'assistant') units += sizes.of(at)
  const visible = sizes.tokens(units)
  return recorded > 0 && recorded >= whole * visible
    ? { tokens: recorded, estimated: false }
    : { tokens: Math.max(recorded, visible), estimated: true }
}
