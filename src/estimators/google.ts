/** `google`: an estimate of Gemini's count, whichever model the transcript is from. */

import { familyOf } from '../model/families.ts'
import { defineEstimator, type MeterContext, tokenScale } from './estimator.ts'
import { type FamilyChoice, familyMeter, nameOf } from './family-meter.ts'

export default defineEstimator({
  name: 'google',
  summary: 'tokens as the Gemini model would count them, estimated',
  version: 1,
  source: 'ikigai sliding context window, Provider-Specific Research; docs/estimators.md',
  exact: false,
  params: {},
  meter: (context) => familyMeter('gemini', gemini(context).known ? context.model : null),
  scale: (_trace, _meter, _values, context) => ({ ...tokenScale, label: `google(${nameOf(gemini(context))})` }),
})

function gemini({ model }: MeterContext): FamilyChoice {
  const choice = familyOf(model ?? '')
  return choice.family === 'gemini' ? choice : { family: 'gemini', known: false }
}
