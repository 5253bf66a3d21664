/**
 * `list models`: windows, prices and cache rules; all of them, or of the models that are named, in whole or in part.
 */

import { CtxwinError, lookupModel, type ModelInfo, type ModelTable } from '../../../app/index.ts'
import { framed } from '../../inputs/frame.ts'
import { closestModel, pricesOf, reportOf } from '../../inputs/options.ts'
import { modelSheet } from './model-sheet.ts'

export const run = framed(reportOf, async ({ call, settings, report }) => {
  const table = pricesOf(settings, call.world.cwd())
  const named = call.inputs.length > 0
  const models = named ? [...new Set(call.inputs.flatMap((name) => modelsOf(name, table)))] : table.models
  return { result: (looks) => report.sheet(modelSheet(table, models, named), looks) }
})

/** The model of this name or, where that is none, those with it in their names: `haiku`. */
function modelsOf(name: string, table: ModelTable): readonly ModelInfo[] {
  const model = lookupModel(name, table)
  if (model) return [model]
  const word = name.trim().toLowerCase()
  const family = word === '' ? [] : table.models.filter(({ id }) => id.toLowerCase().includes(word))
  if (family.length === 0) throw new CtxwinError('unknown-name', 'model', name, closestModel(name, table))
  return family
}
