/** `estimate`: an estimate of the count by the model's family, in one fast pass over the text. */
import { choice } from '../base/param.ts'
import { type Family, families } from '../model/families.ts'
import { defineEstimator, type MeterContext, tokenScale } from './estimator.ts'
import { type FamilyChoice, familyFor, familyMeter, nameOf } from './family-meter.ts'

export default defineEstimator({
  name: 'estimate',
  summary: "tokens as the model's family would count them, estimated in one pass",
  version: 2,
  source: 'docs/estimators.md',
  exact: false,
  params: {
    family: choice({ default: 'auto', of: ['auto', ...families], help: 'auto = the family of the transcript’s model' }),
  },
  meter: (context, { family }) => familyMeter(chosen(context, family).family, context.model),
  scale: (_trace, _meter, { family }, context) => ({
    ...tokenScale,
    label: `estimate(${nameOf(chosen(context, family))})`,
  }),
})

function chosen(context: MeterContext, family: Family | 'auto'): FamilyChoice {
  return family === 'auto' ? familyFor(context) : { family, known: true }
}
