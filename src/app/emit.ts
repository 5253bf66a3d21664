/** The lines by which a policy runs in an agent: what is simulated, ready to be pasted. */
import { version } from '../base/build.ts'
import { type Chosen, choose } from '../base/chosen.ts'
import { CtxwinError } from '../base/errors.ts'
import { givenIn } from '../base/param.ts'
import { javascriptString, pythonComment, pythonString } from '../base/quoting.ts'
import { pluginWords } from '../check/labels.ts'
import { emitCommand, type TurnOn, turnOnByEmit } from '../model/turn-on.ts'
import { cacheSharesOf } from '../models/pricing.ts'
import type { ModelTable } from '../models/table.ts'
import { type Card, turnOnOf } from '../policies/catalogue/card.ts'
import { stepsOf } from '../policies/compose.ts'
import { policies } from '../policies/index.ts'
import { wordsOf } from '../policies/knobs/knobs.ts'
import { shippedModels } from '../policies/knobs/value/valuing.ts'
import { usualPrices } from '../policies/knobs/value/worth.ts'
import type { Policy } from '../policies/policy.ts'
import { compositionOf } from './answer/candidates.ts'

export interface Emitted {
  readonly policy: Chosen<Policy & Partial<Card>>
  /** Tokens. */
  readonly budget: number
  /** What the agent's model is called; null where nobody says. */
  readonly model: string | null
  /** Where it is looked up what its prompt cache costs. */
  readonly prices: ModelTable
  /** Reads src/live/python/window.py. */
  readonly python: () => string
}

/** What can be pasted. */
export interface Lines {
  readonly text: string
  /** Where it goes, if it is a setting; null for code. */
  readonly turnOn: TurnOn | null
}

/** For what there are lines. An adapter is an entry here: it gives the text of a file, or of a part of one. */
export const emitters = {
  anthropic: (emitted) => liveLines(emitted, 'anthropic'),
  chat: (emitted) => liveLines(emitted, 'chat'),
  responses: (emitted) => liveLines(emitted, 'responses'),
  'ai-sdk': (emitted) => liveLines(emitted, 'aiSdk', true),
  langchain: (emitted) => liveLines(emitted, 'langchain', true),
  'openai-agents': (emitted) => liveLines(emitted, 'openaiAgents', true),
  strands: (emitted) => liveLines(emitted, 'strands', true),
  pi: (emitted) => liveLines(emitted, 'pi', true),
  opencode: (emitted) => liveLines(emitted, 'opencode', true),
  python: pythonLines,
} as const satisfies Readonly<Record<string, (emitted: Emitted) => string>>

export type EmitTarget = keyof typeof emitters

/**
 * @param target what the lines are for; null: the product's own setting where there is one, else the Messages API
 * @throws CtxwinError for a policy that cannot run there
 */
export function linesFor(given: Emitted, target: EmitTarget | null): Lines {
  // A policy of a config file that has one step is nothing else.
  const [step, ...more] = stepsOf(given.policy.plugin)
  const emitted = step && more.length === 0 ? { ...given, policy: step } : given
  const { policy, budget, model } = emitted
  const { name, looksAhead, repeats } = policy.plugin
  if (looksAhead || repeats)
    throw cannot(name, 'needs to know what happened, so it only runs over recorded transcripts')
  if (policies.all.every((one) => one !== policy.plugin))
    throw cannot(name, 'is not a built-in policy: give the policy object itself to live() (ctxwin help live)')
  const turnOn = target === null ? turnOnOf(policy.plugin, policy.values, budget, { model, version: null }) : null
  return { text: turnOn ? `${turnOn.text}\n` : emitters[target ?? 'anthropic'](emitted), turnOn }
}

/** How a person has a policy that no program has a setting for; null where no agent can run it. @param budget tokens; null: it goes by none */
export function emitTurnOn({ plugin, values }: Chosen<Policy>, budget: number | null): TurnOn | null {
  const isKnown = policies.all.some((one) => one === plugin)
  if (!isKnown || plugin.looksAhead || plugin.repeats) return null
  return turnOnByEmit(pluginWords(plugin, values), budget === null ? null : String(budget))
}

const cannot = (name: string, why: string): CtxwinError => new CtxwinError('usage', `${name} ${why}`)

/** @param isForm whether the messages are those of a library or an agent, whose form is imported by that name */
function liveLines({ policy, budget, model }: Emitted, api: string, isForm = false): string {
  const { plugin, values } = policy
  const changed = Object.entries(values).filter(([key, value]) => value !== plugin.params[key]?.default)
  if (changed.some(([, value]) => String(value).includes(',')))
    throw cannot(
      plugin.name,
      'has a comma in its text, which the word of a policy may not: give the policy object itself to live() (ctxwin help live)',
    )
  const asks = asksForSummaries(policy)
  const options = [
    `api: ${isForm ? api : javascriptString(api)}`,
    ...(plugin.budgetless ? [] : [`budget: ${digits(budget)}`]),
    ...(model === null ? [] : [`model: ${javascriptString(model)}`]),
  ]
  const given = asks
    ? `{\n  ${[...options, `summarise: ({ messages, tokens }) => summaryOf(messages, tokens)`].join(',\n  ')},\n}`
    : `{ ${options.join(', ')} }`
  return [
    '// npm install ctxwin',
    "import { live } from 'ctxwin/live'",
    ...(isForm ? [`import { ${api} } from 'ctxwin/live/forms'`] : []),
    '',
    ...(asks ? ['// summaryOf is yours: it has your model say what these messages do, in about so many tokens.'] : []),
    `const window = live(${javascriptString(pluginWords(plugin, values))}, ${given})`,
    '',
    ...(isForm ? ['// Where these lines go: ctxwin help turn-on'] : []),
    '// Before each request: history is all messages as they came, usage that of the latest response (or undefined).',
    `const { messages } = ${asks ? 'await ' : ''}window.next(history, { usage })`,
    '',
  ].join('\n')
}

/** Whether it may: a notice of a policy's own is an insertion too, but no model writes it. */
function asksForSummaries({ plugin, values }: Chosen<Policy>): boolean {
  const words = wordsOf(started({ plugin, values }))
  return words ? isSummary(words) : plugin.inserts === true
}

const isSummary = ({ operation = '' }: Readonly<Record<string, string>>): boolean => operation.startsWith('summarise')

function started({ plugin, values }: Chosen<Policy>) {
  const nothing = { compactions: [], clearings: [], recounts: [] }
  return plugin.start(values, { model: null, cwd: null, systemMessages: 0, ...nothing })
}

/** What stands around the policy in the file for Python, and in front of what only some policies need. */
const mark = '# --- the policy ---\n'
const worthMark = '\n# --- what messages are worth ---\n'

function pythonLines({ policy, budget, model, prices, python }: Emitted): string {
  const words = wordsInPython(policy)
  const [before, , after = ''] = python().split(mark)
  const { plugin, values } = policy
  const worth = worthIn(words, model, prices)
  const code = worth === null ? (after.split(worthMark)[0] as string) : after
  const rest = [...(model === null ? [] : ['--model', model]), '--for', 'python']
  const command = emitCommand(pluginWords(plugin, values), String(budget), rest)
  const lines = [
    `KNOBS = ${dictionary(words)}`,
    `BUDGET = ${digits(budget)}`,
    `MODEL = ${model === null ? 'None' : pythonString(model)}`,
    ...(worth ?? []),
  ]
  return `${pythonComment(`Printed by ctxwin ${version}: ${command}`)}\n${before}${lines.join('\n')}\n${code}`
}

/** What a policy goes by that asks what messages are worth, as it stands in the file; null for another. */
function worthIn(
  { target = '', order }: Readonly<Record<string, string>>,
  model: string | null,
  prices: ModelTable,
): string[] | null {
  const [name] = /\b(value|aged|stay)(?=:)/.exec(target) ?? (order === 'value' ? ['value'] : [])
  if (name === undefined) return null
  const { learned, age } = shippedModels
  const weights = name === 'stay' ? {} : name === 'aged' ? { aged: age } : { value: learned }
  const cache = model === null ? null : cacheSharesOf(model, prices)
  const whose = cache === null ? 'Anthropic, which most recorded sessions paid' : `${model}`
  return [
    ...(name === 'stay' ? [] : ['# How likely a message is used later: coefficients learned from recorded sessions.']),
    `WEIGHTS = ${dictionary(weights)}`,
    pythonComment(
      `The prompt cache (${whose}): what a token costs that is read from it or written to it, as shares of the`,
    ),
    '# price of input, and for how many seconds an entry lives.',
    `CACHE = ${dictionary(cache ?? usualPrices)}`,
  ]
}

/** As Python writes what is made of texts and numbers. */
function dictionary(given: object, indent = ''): string {
  const inner = `${indent}    `
  const entries = Object.entries(given).map(([key, value]) => {
    const text =
      typeof value === 'object' ? dictionary(value, inner) : typeof value === 'string' ? pythonString(value) : value
    return `${inner}${pythonString(key)}: ${text},\n`
  })
  return entries.length === 0 ? '{}' : `{\n${entries.join('')}${indent}}`
}

/** @throws CtxwinError for what is no composition, or needs a model */
function wordsInPython(policy: Emitted['policy']): Readonly<Record<string, string>> {
  const { name } = policy.plugin
  const composition = compositionOf(policy)
  const words = wordsOf(started(composition === null ? policy : knobsOf(composition)))
  if (words === null)
    throw cannot(
      name,
      'is no composition of knobs, which is all there is for Python: take another --for, or a composition near it (ctxwin help compose)',
    )
  if (isSummary(words))
    throw cannot(
      name,
      'needs a model for its summaries, and the file for Python asks none: take mask, offload or drop, or another --for',
    )
  return words
}

function knobsOf(composition: string): Chosen<Policy> {
  const [name = '', ...given] = composition.split(':')
  return choose(policies.get(name), givenIn(name, given.join(':')))
}

/** 100_000 */
const digits = (tokens: number): string => String(tokens).replaceAll(/\B(?=(\d{3})+$)/g, '_')
