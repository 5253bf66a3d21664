/** The meters of `auto`, `calibrated` and `recorded`, before usage corrects them. */
import bytes from './bytes.ts'
import type { Meter, MeterContext } from './estimator.ts'
import { familyOf } from './families.ts'
import { familyFor, familyMeter, nameOf } from './family-meter.ts'
import { encodingOf, openaiMeter } from './openai-meter.ts'

export interface Counting {
  /** Units are tokens. */
  readonly meter: Meter
  /** Its name in a run if no usage corrects it. */
  readonly label: string
  /** A short name, for `calibrated(…)`. */
  readonly short: string
}

/** The estimate for the model's family. */
export function byFamily(context: MeterContext): Counting {
  const choice = familyFor(context)
  const short = nameOf(choice)
  return { meter: familyMeter(choice.family, context.model), label: `estimate(${short})`, short }
}

/** The best meter: exact tokens for OpenAI's models, the family's estimate for others, bytes if the model is not known. */
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
