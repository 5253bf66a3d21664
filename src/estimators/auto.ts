/**
 * `auto`: the best estimate that a transcript allows. Recorded usage corrects the count. Without usage, OpenAI's models are
 * counted exactly, other models by the estimate for their family, and a transcript without a model by its bytes.
 */
import { calibratedScale } from './calibration.ts'
import { best } from './counting.ts'
import { defineEstimator, tokenScale } from './estimator.ts'

export default defineEstimator({
  name: 'auto',
  summary: 'calibrated where the transcript recorded usage, else openai, estimate or bytes, by the model',
  version: 2,
  source: 'docs/estimators.md',
  exact: false,
  params: {},
  meter: (context) => best(context).meter,
  scale(trace, index, _values, context) {
    const { meter, label, short } = best(context)
    const calibrated = calibratedScale(trace, index, meter, context.model)
    return calibrated ? { ...calibrated, label: `calibrated(${short})` } : { ...tokenScale, label }
  },
})
