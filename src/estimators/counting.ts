/** The meters of `auto`, `calibrated` and `recorded`, before usage corrects them. */

import { familyOf } from '../model/families.ts'
import bytes from './bytes.ts'
import type { Meter, MeterContext, Uncorrected } from './estimator.ts'
import { familyFor, familyMeter, nameOf } from './family-meter.ts'
import openai from './openai.ts'
import { encodingOf } from './openai-meter.ts'

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

/** What usage corrects: the family's estimate, or bytes if the model is not known. */
export function best(context: MeterContext): Counting {
  if (context.model !== null) return byFamily(context)
  return { meter: quarters(bytes.meter(context, { bytesPerToken })), label: 'bytes', short: 'bytes' }
}

/**
 * What counts without usage where that is another: exact tokens for OpenAI's models. With usage they gain nothing that is
 * worth eight times the time: the corrected estimate is off by 0.1 percent points more (docs/estimators.md).
 */
export function uncorrected({ model }: MeterContext): Uncorrected | null {
  if (model === null || !encodingOf(model).known) return null
  return ['o200k', 'cl100k'].includes(familyOf(model).family) ? { plugin: openai, values: { encoding: 'auto' } } : null
}

const bytesPerToken = bytes.params.bytesPerToken.default

function quarters(meter: Meter): Meter {
  return {
    message: (message) => meter.message(message) / bytesPerToken,
    preamble: (preamble) => meter.preamble(preamble) / bytesPerToken,
    joins(preamble) {
      const joins = meter.joins(preamble)
      return (end, shape) => joins(end, shape) / bytesPerToken
    },
  }
}
