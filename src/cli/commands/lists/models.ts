/** `list models`: windows, prices and cache rules; all of them, or of the models that are named, in whole or in part. */

import { CtxwinError, lookupModel, type ModelInfo, type ModelTable } from '../../../app/index.ts'
import type { Call } from '../../inputs/call.ts'
import { closestModel, pricesOf, reportOf } from '../../inputs/options.ts'
import { openSession } from '../../inputs/session.ts'
import { modelSheet } from './model-sheet.ts'

export async function run(call: Call): Promise<number> {
  const { settings, output } = await openSession(call)
  const table = pricesOf(settings, call.world.cwd())
  const named = call.inputs.length > 0
  const models = named ? [...new Set(call.inputs.flatMap((name) => modelsOf(name, table)))] : table.models
  const report = reportOf(settings)
  const options = { width: output.width, color: output.color, cuts: 'none', by: 'transcript' } as const
  await output.write(report.sheet(modelSheet(table, models, named), options))
  return 0
}

/** The model of this name or, where that is none, those with it in their names: `haiku`. */
function modelsOf(name: string, table: ModelTable): readonly ModelInfo[] {
  const model = lookupModel(name, table)
  if (model) return [model]
  const word = name.trim().toLowerCase()
  const family = word === '' ? [] : table.models.filter(({ id }) => id.toLowerCase().includes(word))
  if (family.length === 0) throw new CtxwinError('unknown-name', 'model', name, closestModel(name, table))
  return family
}
