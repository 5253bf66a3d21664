/**
 * `auto`: the best that a transcript allows. Where it recorded usage, that usage corrects the count; else OpenAI's models
 * are counted exactly, other models as their family is estimated to count, and a transcript without a model by its bytes.
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
