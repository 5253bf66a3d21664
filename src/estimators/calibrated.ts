/** `calibrated`: the estimate for the model's family, corrected by the transcript's own recorded usage. */
import { calibratedScale } from './calibration.ts'
import { byFamily } from './counting.ts'
import { defineEstimator, tokenScale } from './estimator.ts'

export default defineEstimator({
  name: 'calibrated',
  summary: 'the estimate, scaled for each transcript by the usage it recorded itself',
  version: 3,
  source: 'docs/estimators.md',
  exact: false,
  params: {},
  meter: (context) => byFamily(context).meter,
  scale(trace, index, _values, context) {
    const counting = byFamily(context)
    const { label, short } = counting
    const calibrated = calibratedScale(trace, index, counting, context)
    return calibrated ? { ...calibrated, label: `calibrated(${short})` } : { ...tokenScale, label }
  },
})
