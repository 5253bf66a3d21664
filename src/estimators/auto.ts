/**
 * `auto`: the best estimate that a transcript allows. Recorded usage corrects the estimate for the model's family. With too
 * little usage OpenAI's models are counted exactly. A transcript without a model is counted by its bytes.
 */
import { calibratedScale } from './calibration.ts'
import { best, uncorrected } from './counting.ts'
import { defineEstimator, tokenScale } from './estimator.ts'

export default defineEstimator({
  name: 'auto',
  summary: 'calibrated where the transcript recorded usage, else openai, estimate or bytes, by the model',
  version: 4,
  source: 'docs/estimators.md',
  exact: false,
  params: {},
  meter: (context) => best(context).meter,
  uncorrected,
  scale(trace, index, _values, context) {
    const counting = best(context)
    const { label, short } = counting
    const calibrated = calibratedScale(trace, index, counting, context)
    return calibrated ? { ...calibrated, label: `calibrated(${short})` } : { ...tokenScale, label }
  },
})
