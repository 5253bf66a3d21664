/** The lines that run a policy in an agent, word by word; test/cli/commands/emit.test.ts runs them. */
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { type EmitTarget, emitTurnOn, linesFor } from '../../src/app/emit.ts'
import { choose } from '../../src/base/chosen.ts'
import { givenIn } from '../../src/base/param.ts'
import { builtinModels } from '../../src/models/lookup.ts'
import { cacheSharesOf } from '../../src/models/pricing.ts'
import { definePolicy } from '../../src/policies/catalogue/define-policy.ts'
import { policies } from '../../src/policies/index.ts'
import { shippedModels } from '../../src/policies/knobs/value/valuing.ts'
import { usualPrices } from '../../src/policies/knobs/value/worth.ts'

const source = readFileSync('src/live/python/window.py', 'utf8')
const chosen = (words: string) => {
  const [name = '', ...given] = words.split(':')
  return choose(policies.get(name), given.length > 0 ? givenIn(name, given.join(':')) : {})
}
const lines = (words: string, target: EmitTarget | null, { budget = 1_234_567, model = null as string | null } = {}) =>
  linesFor({ policy: chosen(words), budget, model, prices: builtinModels, python: () => source }, target)
const text = (...given: Parameters<typeof lines>) => lines(...given).text
const behind =
  '// Before each request: history is all messages as they came, usage that of the latest response (or undefined).'

describe('lines for', () => {
  it('an API name it, the budget, and the model where somebody says', () => {
    const of = (window: string) =>
      [
        '// npm install ctxwin',
        "import { live } from 'ctxwin/live'",
        '',
        window,
        '',
        behind,
        'const { messages } = window.next(history, { usage })',
        '',
      ].join('\n')
    for (const api of ['anthropic', 'chat', 'responses'] as const)
      expect(text('drop-oldest', api)).toBe(
        of(`const window = live('drop-oldest', { api: '${api}', budget: 1_234_567 })`),
      )
    expect(text('drop-oldest:keepLast=2', null, { budget: 900, model: 'gpt-5' })).toBe(
      of("const window = live('drop-oldest:keepLast=2', { api: 'anthropic', budget: 900, model: 'gpt-5' })"),
    )
    const budgetless = policies.all.find(
      ({ budgetless, looksAhead, repeats, inserts }) => budgetless && !looksAhead && !repeats && !inserts,
    )
    expect(text(budgetless?.name ?? '', 'chat')).toContain(`live('${budgetless?.name}', { api: 'chat' })`)
  })

  it.each([
    ['ai-sdk', 'aiSdk'],
    ['langchain', 'langchain'],
    ['openai-agents', 'openaiAgents'],
    ['strands', 'strands'],
    ['pi', 'pi'],
    ['opencode', 'opencode'],
  ] as const)('%s import its form', (target, form) => {
    expect(text('drop-oldest', target)).toBe(
      [
        ...[
          '// npm install ctxwin',
          "import { live } from 'ctxwin/live'",
          `import { ${form} } from 'ctxwin/live/forms'`,
          '',
        ],
        ...[
          `const window = live('drop-oldest', { api: ${form}, budget: 1_234_567 })`,
          '',
          '// Where these lines go: ctxwin help turn-on',
        ],
        ...[behind, 'const { messages } = window.next(history, { usage })', ''],
      ].join('\n'),
    )
  })

  it('a policy whose summaries a model writes have that asked', () => {
    const summaryOf = '// summaryOf is yours: it has your model say what these messages do, in about so many tokens.'
    const window =
      "const window = live('summarise-oldest', {\n  api: 'chat',\n  budget: 1_234_567,\n  summarise: ({ messages, tokens }) => summaryOf(messages, tokens),\n})"
    expect(text('summarise-oldest', 'chat')).toContain(`\n\n${summaryOf}\n${window}\n\n`)
    expect(text('summarise-oldest', 'chat')).toContain('const { messages } = await window.next(')
    expect(text('knobs:operation=summarise:500', 'chat')).toContain('summaryOf(messages, tokens)')
    expect(text('knobs:operation=drop', 'chat')).not.toContain('summaryOf')
  })

  it('a product are its own setting, where nothing else is asked for', () => {
    const { text: setting, turnOn } = lines('claude-code-auto', null, { budget: 160_000 })
    expect([setting, turnOn?.file]).toEqual(['"autoCompactWindow": 160000\n', '~/.claude/settings.json'])
    expect(lines('claude-code-auto', 'chat')).toMatchObject({
      turnOn: null,
      text: expect.stringContaining("live('claude-code-auto'"),
    })
    expect(lines('drop-oldest', null).turnOn).toBeNull()
  })

  it.each([
    ['clairvoyant', 'chat', 'clairvoyant needs to know what happened, so it only runs over recorded transcripts'],
    ['as-recorded', 'chat', 'as-recorded needs to know what happened, so it only runs over recorded transcripts'],
    [
      'ikigai',
      'python',
      'ikigai is no composition of knobs, which is all there is for Python: take another --for, or a composition near it (ctxwin help compose)',
    ],
    [
      'summarise-oldest',
      'python',
      'summarise-oldest needs a model for its summaries, and the file for Python asks none: take mask, offload or drop, or another --for',
    ],
  ] as const)('%s are refused for %s', (name, target, words) => {
    expect(() => lines(name, target)).toThrow(words)
  })

  it('what is not built in are refused, and so is a comma in a text', () => {
    const mine = definePolicy({
      name: 'mine',
      summary: 's',
      source: 's',
      params: {},
      kind: 'sticky',
      monotone: false,
      wholePairs: false,
      text: false,
      start: () => ({ request: () => {} }),
    })
    const given = { budget: 1, model: null, prices: builtinModels, python: () => source }
    expect(() => linesFor({ ...given, policy: { plugin: mine, values: {} } }, 'chat')).toThrow(
      'mine is not a built-in policy: give the policy object itself to live() (ctxwin help live)',
    )
    const { plugin, values } = chosen('knobs')
    expect(() => linesFor({ ...given, policy: { plugin, values: { ...values, text: '[a, b]' } } }, 'chat')).toThrow(
      'knobs has a comma in its text',
    )
    expect(emitTurnOn({ plugin: mine, values: {} }, 5)).toBeNull()
  })
})

describe('lines for Python', () => {
  const [before = '', , after = ''] = source.split('# --- the policy ---\n')
  const [plain = ''] = after.split('\n# --- what messages are worth ---\n')
  /** What stands behind a name: a dictionary, or a word. */
  const under = (file: string, name: string) => {
    const [, body = 'null'] = new RegExp(`^${name} = (\\{\\}|\\{[^]*?^\\}|.*)`, 'm').exec(file) ?? []
    return JSON.parse(body.replaceAll(/,(?=\s*\})/g, '').replace(/^None$/, 'null'))
  }

  it('have the knobs between what comes before and behind the policy, and nothing that it does not need', () => {
    const file = text('knobs:operation=strip', 'python', { model: 'gpt-5' })
    const [printed, ...rest] = file.split('\n')
    expect(printed).toMatch(
      /^# Printed by ctxwin \S+: ctxwin emit .*knobs:operation=strip.* 1234567 --model gpt-5 --for python$/,
    )
    expect(rest.join('\n').startsWith(before)).toBe(true)
    expect(file.endsWith(`\n${plain}`)).toBe(true)
    const middle = rest.join('\n').slice(before.length, -plain.length)
    expect(middle).toMatch(/^KNOBS = \{\n( {4}".*": ".*",\n)+\}\nBUDGET = 1_234_567\nMODEL = "gpt-5"\n$/)
    expect(under(file, 'KNOBS')).toMatchObject({ operation: 'strip' })
    expect(text('knobs:operation=strip', 'python')).toContain('\nMODEL = None\n')
  })

  it.each([
    ['target=value:20k', { value: shippedModels.learned }],
    ['target=aged:20k+watermark', { aged: shippedModels.age }],
    ['target=stay:80:20:2', {}],
  ])('have of %s the coefficients, and what the cache of the model costs', (target, weights) => {
    const words = `knobs:trigger=pays/over,unit=step,order=value,${target}`
    const file = text(words, 'python')
    expect(under(file, 'WEIGHTS')).toEqual(weights)
    expect(under(file, 'CACHE')).toEqual(usualPrices)
    expect(file).toContain('# The prompt cache (Anthropic, which most recorded sessions paid): what')
    expect(file.includes('# How likely a message is used later')).toBe(Object.keys(weights).length > 0)
    expect(file.endsWith(after)).toBe(true)
    const own = text(words, 'python', { model: 'gpt-4.1' })
    expect(under(own, 'CACHE')).toEqual(cacheSharesOf('gpt-4.1', builtinModels))
    expect(own).toContain('# The prompt cache (gpt-4.1): what')
  })
})

it('who has no setting for a policy has the command that prints the lines', () => {
  const words = (name: string, budget: number | null) => emitTurnOn(chosen(name), budget)?.text
  expect(words('drop-oldest', 100_000)).toMatch(/ctxwin emit .*drop-oldest.* 100000/)
  expect(words('drop-oldest', null)).not.toMatch(/\d{3}|null/)
  expect([words('clairvoyant', 5), words('as-recorded', 5)]).toEqual([undefined, undefined])
})
