/** `anthropic`: Claude's count, whichever model the transcript is from. Estimated, as Claude has no public tokenizer. */

import { familyOf } from '../model/families.ts'
import { defineEstimator, type MeterContext, tokenScale } from './estimator.ts'
import { type FamilyChoice, familyMeter, nameOf } from './family-meter.ts'

export default defineEstimator({
  name: 'anthropic',
  summary: 'tokens as the Claude model would count them, estimated, with its hidden tool prompt',
  version: 2,
  source: 'ikigai sliding context window, Provider-Specific Research; docs/estimators.md',
  exact: false,
  params: {},
  meter: (context) => familyMeter(claude(context).family, context.model),
  scale: (_trace, _meter, _values, context) => ({ ...tokenScale, label: `anthropic(${nameOf(claude(context))})` }),
})

/** The model's family; for a model other than Claude, that of today's Claude models. */
function claude({ model }: MeterContext): FamilyChoice {
  const choice = familyOf(model ?? '')
  return choice.family.startsWith('claude') ? choice : { family: 'claude-4.7', known: false }
}
