/** What `auto`, `calibrated` and `recorded` count with before any usage is known. */
import bytes from './bytes.ts'
import type { Meter, MeterContext } from './estimator.ts'
import { familyOf } from './families.ts'
import { familyFor, familyMeter, nameOf } from './family-meter.ts'
import { encodingOf, openaiMeter } from './openai-meter.ts'

export interface Counting {
  /** Units are tokens. */
  readonly meter: Meter
  /** As a run names it when no usage corrects it. */
  readonly label: string
  /** The same in short, for `calibrated(…)`. */
  readonly short: string
}

/** The family's estimate. */
export function byFamily(context: MeterContext): Counting {
  const choice = familyFor(context)
  const short = nameOf(choice)
  return { meter: familyMeter(choice.family, context.model), label: `estimate(${short})`, short }
}

/** The best there is: exact tokens for OpenAI's models, the family's estimate by the model, and bytes without one. */
export function best(context: MeterContext): Counting {
  const { model } = context
  if (model === null)
    return { meter: quarters(bytes.meter(context, { bytesPerToken })), label: 'bytes', short: 'bytes' }
  const { encoding, known } = encodingOf(model)
  const isOpenai = known && ['o200k', 'cl100k'].includes(familyOf(model).family)
  return isOpenai ? { meter: openaiMeter(model, encoding), label: 'openai', short: 'openai' } : byFamily(context)
}

const bytesPerToken = bytes.params.bytesPerToken.default

function quarters(meter: Meter): Meter {
  return {
    message: (message) => meter.message(message) / bytesPerToken,
    preamble: (preamble) => meter.preamble(preamble) / bytesPerToken,
    joins(preamble) {
      const { first, next, continued } = meter.joins(preamble)
      return { first: first / bytesPerToken, next: next / bytesPerToken, continued: continued / bytesPerToken }
    },
  }
}
