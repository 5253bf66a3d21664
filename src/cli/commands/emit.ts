/** `emit`: prints the lines by which a policy runs in an agent: a setting where a product has one, else code. */
import { readFileSync } from 'node:fs'
import { type EmitTarget, emitters, linesFor } from '../../app/emit.ts'
import { type Budget, CtxwinError, lookupModel, type ModelTable, type Policy } from '../../app/index.ts'
import { wordAmong } from '../../base/errors.ts'
import { shareOf, usualBudget } from '../../model/budget.ts'
import { builtinModels } from '../../models/lookup.ts'
import { ownTokens } from '../../models/own-budget.ts'
import { whereWords } from '../../reports/decision.ts'
import type { Call } from '../inputs/call.ts'
import { misuse } from '../inputs/misuse.ts'
import { filterNamed, isDefault, planOf } from '../inputs/options.ts'
import { openSession } from '../inputs/session.ts'

export async function run(call: Call): Promise<number> {
  const session = await openSession(call)
  const { settings, output } = session
  if (isDefault(settings, 'policy')) throw misuse('name the policy with --policy (ctxwin recommend says which)')
  const filter = filterNamed(settings)
  if (filter !== undefined)
    throw misuse(
      `${filter} runs a program, so there is nothing to print: run it in your agent, on what its tools return`,
    )
  const { policies, budgets, model, prices } = await planOf(session, call.world)
  const [policy, ...others] = policies
  const [budget = 0, ...more] = budgets
  if (!policy || others.length + more.length > 0) throw misuse('emit prints one policy at one budget: name one of each')
  const table = prices ?? builtinModels
  const tokens = tokensOf(budget, policy.plugin, model ?? null, table)
  const { for: target } = call.flags
  const emitted = { policy, budget: tokens, model: model ?? null, prices: table, python }
  const { text, turnOn } = linesFor(emitted, target === undefined ? null : wordAmong(targets, '--for', target))
  if (turnOn) call.world.note(`put this ${whereWords(turnOn).slice(0, -1)}`)
  await output.write([text])
  return 0
}

/** @throws CtxwinError for no pruning, or a share of a window that is not known */
function tokensOf(budget: Budget, { ownBudget }: Policy, model: string | null, prices: ModelTable): number {
  const window = model === null ? null : (lookupModel(model, prices)?.contextWindow ?? null)
  if (budget === 'own') return ownTokens(ownBudget, model, window) ?? usualBudget
  const share = shareOf(budget)
  const tokens = share === null ? Number(budget) : Math.floor(share * (window ?? Number.NaN))
  if (tokens > 0) return tokens
  throw new CtxwinError('bad-value', '--budget', budget, 'tokens above 0, or with --model a share of its window')
}

const targets = Object.keys(emitters) as EmitTarget[]

const python = (): string => readFileSync(new URL('../../../src/live/python/window.py', import.meta.url), 'utf8')
