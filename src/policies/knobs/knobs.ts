/**
 * `knobs`: a policy put together from nine knobs. When `trigger` says so, by what `measure` counts, the units (`unit`)
 * that nothing protects (`protect`) are taken in an `order` until the `target` is met; the `operation` happens to them,
 * and `repair` puts right what that broke. docs/compose.md has all words, and the policies that are nothing but such a
 * composition.
 *
 * `state=sticky`: what was done stays, and triggers and targets look at the window that is left. `state=view`: each
 * request is judged by the whole history. As a history only grows, what was taken oldest first stays taken there too,
 * and nothing is undone; with any other order, everything comes back first, which costs O(history) at each request.
 *
 * Law: nothing is invented but summaries and notices. Whole pairs only with the repair for it. Not monotone: that
 * depends on the knobs. A step costs O(what is taken) with `order=oldest`, and where something leaves, what `repair`
 * costs.
 */
import { CtxwinError } from '../../base/errors.ts'
import { choice, type Param, resolveParams, text, type Values } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { PolicyContext, PolicyRun } from '../policy.ts'
import { measures } from './measure.ts'
import { type Operation, operation } from './operation.ts'
import { orders } from './order.ts'
import { protect } from './protect.ts'
import { repair } from './repair.ts'
import { KnobsRun } from './run.ts'
import { target } from './target.ts'
import { trigger } from './trigger.ts'
import { unitWords } from './unit.ts'
import { byWeights, shippedModels, type ValueModels } from './value/valuing.ts'
import { type Frees, Worth } from './value/worth.ts'

/** A knob that takes one word from a table. */
function oneOf<Word extends string>(
  words: Readonly<Record<Word, { readonly help: string }>>,
  options: { readonly default: NoInfer<Word>; readonly help: string },
): Param<Word> & { readonly words: typeof words } {
  return { ...choice<Word>({ ...options, of: Object.keys(words) as Word[] }), words }
}

const stateWords = {
  sticky: { help: 'what was done stays, and the window that is left is judged' },
  view: { help: 'each request is judged by the whole history, as by a program that keeps it' },
} as const

/** In the order in which a request meets them. */
export const nineKnobs = {
  measure: oneOf(measures, { default: 'request', help: 'what the amounts of tokens are compared with' }),
  trigger,
  unit: oneOf(unitWords, { default: 'message', help: 'what stays or leaves as a whole' }),
  protect,
  order: oneOf(orders, { default: 'oldest', help: 'which units go first' }),
  operation,
  target,
  state: oneOf(stateWords, {
    default: 'sticky',
    help: 'whether edits stay (sticky), or each request starts from the whole history again (view)',
  }),
  repair,
} as const

const params = {
  ...nineKnobs,
  text: text({
    default: '',
    help: 'what a masked result says; with `drop`, a notice in the place of what left',
  }),
  role: choice({ default: 'user', of: ['user', 'assistant', 'system'], help: 'the role of a summary or a notice' }),
} as const

/**
 * @param models by which what is worth something is told: those that are shipped, or what was learned from other
 * sessions
 */
export function startKnobs(
  values: Values<typeof params>,
  { cache }: Pick<PolicyContext, 'cache'>,
  models: ValueModels,
): PolicyRun {
  const refuse = (key: keyof typeof params, expected: string): never => {
    throw new CtxwinError('bad-value', `knobs:${key}`, values[key], expected)
  }
  const fires = trigger.read(values.trigger)
  const does = operation.read(values.operation)
  const goal = target.read(values.target)
  const measure = measures[values.measure]
  const frees = freesOf(does)
  if (fires.pays !== (goal.value !== undefined)) {
    refuse(
      'target',
      goal.value ? 'a target that goes with this trigger' : 'value, aged or stay, which trigger=pays asks for',
    )
  }
  if ((goal.value || values.order === 'value') && !frees)
    refuse('operation', 'made of drop, mask, strip and drop-thinking, of which it is known what they free')
  if (values.order === 'best-fit' && !goal.goal) refuse('order', 'an order that goes without target=watermark')
  if (values.state === 'view' && (!fires.lasts || values.measure === 'usage' || values.measure === 'latest')) {
    refuse('state', 'the state for a trigger or measure that a growing history can undo')
  }
  if (values.role === 'system' && does.kind === 'summarise') refuse('role', 'the role of a summary: user or assistant')
  const valuing = (goal.value ?? ((models: ValueModels) => byWeights(models.learned, 1, 1)))(models)
  return new KnobsRun(
    {
      worth: frees && (goal.value || values.order === 'value') ? new Worth(valuing, frees, cache) : null,
      measure,
      trigger: fires,
      unit: values.unit,
      protect: protect.read(values.protect),
      order: values.order,
      operation: does,
      target: goal,
      isView: values.state === 'view',
      repairs: repair.read(values.repair),
      text: values.text,
      role: values.role,
    },
    values,
  )
}

/** A policy that is nothing but a composition, at work. What is not given has the knob's default. */
export function composed(given: Partial<Values<typeof params>>): PolicyRun {
  return startKnobs(resolveParams('knobs', params, given), {}, shippedModels)
}

/** The words, by knob, of a policy that is nothing but a composition; null for another. */
export function wordsOf(run: PolicyRun): KnobsRun['words'] | null {
  return run instanceof KnobsRun ? run.words : null
}

/** Which part of a message an operation takes; null where that cannot be foretold. */
function freesOf(does: Operation): Frees | null {
  if (does.kind === 'drop') return (_entry, tokens) => tokens
  if (does.kind !== 'change') return null
  const all = does.changes.map(({ frees }) => frees)
  if (!all.every((frees) => frees !== undefined)) return null
  return (entry, tokens, shares) =>
    Math.min(
      tokens,
      all.reduce((sum, frees) => sum + frees(entry, tokens, shares), 0),
    )
}

export default definePolicy({
  name: 'knobs',
  summary: 'a policy put together from nine knobs: when it acts, on what, and how',
  source: 'what all policies here have in common; docs/compose.md',
  params,
  // Nobody uses its defaults, so a comparison includes it only by name.
  part: true,
  kind: 'view',
  inserts: true,
  text: true,
  start: (values, context) => startKnobs(values, context, shippedModels),
})
