/** The lines that `emit` prints run as they are. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { emitters } from '../../../src/app/emit.ts'
import { emittedFor } from '../../../src/cli/inputs/commands.ts'
import * as forms from '../../../src/live/forms.ts'
import { live } from '../../../src/live/index.ts'
import { builtinModels } from '../../../src/models/lookup.ts'
import { cacheSharesOf } from '../../../src/models/pricing.ts'
import { policies } from '../../../src/policies/index.ts'
import { shippedModels } from '../../../src/policies/knobs/value/valuing.ts'
import { usualPrices } from '../../../src/policies/knobs/value/worth.ts'
import { runCli } from '../run.ts'

const long = 'word '.repeat(300)

/** A conversation in the form of each API. */
const histories = {
  anthropic: [
    { role: 'user', content: long },
    { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'Read', input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: long }] },
    { role: 'assistant', content: long },
    { role: 'user', content: 'And now?' },
  ],
  chat: [
    { role: 'user', content: long },
    { role: 'assistant', content: long },
    { role: 'user', content: 'And now?' },
  ],
  responses: [
    { role: 'user', content: long },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: long }] },
    { role: 'user', content: 'And now?' },
  ],
} as const

const Lines = Object.getPrototypeOf(async () => {}).constructor as new (
  ...words: string[]
) => (...given: unknown[]) => Promise<readonly unknown[]>

/** Runs what was printed, over a history, in an agent whose model writes short summaries. */
function run(code: string, history: readonly unknown[]): Promise<readonly unknown[]> {
  const [head, ...body] = code.split("import { live } from 'ctxwin/live'\n")
  expect(head).toBe('// npm install ctxwin\n')
  const lines = new Lines('live', 'forms', 'history', 'usage', 'summaryOf', `${body.join('')}\nreturn messages`)
  return lines(live, forms, history, undefined, () => 'So it was.')
}

const canRun = policies.all.filter(({ looksAhead, repeats }) => !looksAhead && !repeats)

describe('emit', () => {
  it.each(Object.entries(histories))('prints code for %s that runs, of every policy', async (api, history) => {
    for (const { name } of canRun) {
      const { stdout, stderr, code } = await runCli(['emit', '--policy', name, '-b', '500', '--for', api])
      expect({ name, stderr, code }).toEqual({ name, stderr: '', code: 0 })
      expect((await run(stdout, history)).length, name).toBeGreaterThan(0)
    }
  })

  it.each([
    ['ai-sdk', 'aiSdk', histories.chat],
    ['langchain', 'langchain', histories.chat],
    ['openai-agents', 'openaiAgents', histories.chat],
    ['strands', 'strands', [{ role: 'user', content: [{ type: 'textBlock', text: long }] }]],
    ['pi', 'pi', [{ role: 'user', content: long, timestamp: 1 }]],
    ['opencode', 'opencode', [{ info: { role: 'user' }, parts: [{ type: 'text', text: long }] }]],
  ])('prints code for %s that runs, with its form', async (target, name, history) => {
    const { stdout } = await runCli(['emit', '--policy', 'drop-oldest', '-b', '500', '--for', target])
    const from = `import { ${name} } from 'ctxwin/live/forms'\n`
    expect(stdout).toContain(from)
    expect((await run(stdout.replace(from, `const { ${name} } = forms\n`), history)).length).toBeGreaterThan(0)
  })

  it('prints the setting of the product whose policy it is', async () => {
    expect(await runCli(['emit', '--policy', 'claude-code-auto', '-b', '160k'])).toEqual({
      code: 0,
      stdout: '"autoCompactWindow": 160000\n',
      stderr: 'ctxwin: put this in ~/.claude/settings.json (compacts at 127k; /autocompact 160000 writes it)\n',
    })
  })

  it('has the words of the policy and the budget in it, and the model', async () => {
    const { stdout } = await runCli([
      'emit',
      '-p',
      'drop-oldest:keepLast=2',
      '-b',
      '50%',
      '--model',
      'gpt-4o',
      '--for',
      'chat',
    ])
    expect(stdout).toContain("live('drop-oldest:keepLast=2', { api: 'chat', budget: 64_000, model: 'gpt-4o' })")
  })

  const valued = 'knobs:trigger=pays/over,unit=step,order=value,target='
  const python = async (...words: string[]) =>
    (await runCli(['emit', '-b', '100k', '--for', 'python', ...words])).stdout
  /** What is behind the name in the printed file: numbers by name. */
  const dictionaryIn = (file: string, name: string) => {
    const [, body = ''] = new RegExp(`^${name} = (\\{\\}|\\{[^]*?^\\})`, 'm').exec(file) ?? []
    return JSON.parse(body.replaceAll(/,(?=\s*\})/g, ''))
  }

  it.each([
    [`${valued}value:20k`, { value: shippedModels.learned }],
    [`${valued}aged:20k+watermark`, { aged: shippedModels.age }],
    [`${valued}stay:80:20:2`, {}],
    ['knobs:order=value', { value: shippedModels.learned }],
  ])('prints for Python of %s only the coefficients that it needs', async (words, weights) => {
    expect(dictionaryIn(await python('-p', words), 'WEIGHTS')).toEqual(weights)
  })

  it('prints for Python nothing of what messages are worth where the policy does not ask', async () => {
    const plain = await python('-p', 'knobs:operation=strip')
    expect(plain).not.toMatch(/WEIGHTS|CACHE|what messages are worth ---/)
    expect(plain).toMatch(/POLICY = Policy\n$/)
  })

  it('prints for Python no words of people as code', async () => {
    const [said, begin] = (await python('-p', 'knobs:text=[gone\nimport os]')).split('\n')
    expect(said).toMatch(/^# Printed by .*\[gone\\x0aimport os\]/)
    expect(begin).toMatch(/^"""/)
  })

  it('prints for Python the prices of the cache of the model', async () => {
    const cacheOf = async (...words: string[]) =>
      dictionaryIn(await python('-p', `${valued}value:20k`, ...words), 'CACHE')
    expect(await cacheOf()).toEqual(usualPrices)
    for (const model of ['gpt-4.1', 'claude-opus-4-5'])
      expect(await cacheOf('--model', model)).toEqual(cacheSharesOf(model, builtinModels))
    expect(await cacheOf('--model', 'nobody-knows')).toEqual(usualPrices)
  })

  it('prints what a config file composes in one step, as `tune` writes it', async () => {
    const knobs = { trigger: 'pays/over', unit: 'step', target: 'value:20k+watermark', order: 'value' }
    const place = mkdtempSync(join(tmpdir(), 'ctxwin-emit-'))
    onTestFinished(() => rmSync(place, { recursive: true }))
    const config = join(place, 'ctxwin.config.jsonc')
    const composed = { tuned: [{ knobs }], two: [{ knobs }, 'keepPairs'], said: [{ knobs: { text: '[gone, all]' } }] }
    writeFileSync(config, JSON.stringify({ policy: 'tuned', budget: 90_000, policies: composed }))
    const words = 'knobs:trigger=pays/over,unit=step,order=value,target=value:20k+watermark'
    const emitted = await runCli(['emit', '--config', config])
    expect(emitted.stdout).toContain(`live('${words}', { api: 'anthropic', budget: 90_000 })`)
    const { stdout } = await runCli(['emit', '--config', config, '--for', 'python'])
    expect(stdout).toBe((await runCli(['emit', '-p', words, '-b', '90k', '--for', 'python'])).stdout)
    const saidOf = async (...more: string[]) => (await runCli(['emit', '--config', config, ...more])).stderr
    expect(await saidOf('-p', 'two')).toMatch(/^ctxwin: two is not a built-in policy/)
    expect(await saidOf('-p', 'said')).toMatch(/^ctxwin: knobs has a comma in its text/)
    expect(await saidOf('-p', 'said', '--for', 'python')).toBe('')
  })

  it.each([
    [['-p', 'mimir'], 'budget: 128_000'],
    [['-p', 'drop-oldest'], 'budget: 100_000'],
    [['-p', 'claude-code-auto', '-m', 'claude-sonnet-4-5'], '"autoCompactWindow": 200000'],
    [['-p', 'claude-code-auto'], '"autoCompactWindow": 100000'],
  ])('has with %j the budget of the policy’s own, else the usual', async (words, said) => {
    expect((await runCli(['emit', ...words])).stdout).toContain(said)
  })

  it.each([
    [[], 'name the policy with --policy (ctxwin recommend says which)'],
    [['-p', 'ikigai,forge'], 'emit prints one policy at one budget: name one of each'],
    [['-p', 'ikigai', '-b', '1k,2k'], 'emit prints one policy at one budget: name one of each'],
    [['-p', 'as-recorded'], 'as-recorded needs to know what happened, so it only runs over recorded transcripts'],
    [['-p', 'clairvoyant'], 'clairvoyant needs to know what happened, so it only runs over recorded transcripts'],
    [
      ['-p', 'filter:command=cat'],
      'filter:command=cat runs a program, so there is nothing to print: run it in your agent, on what its tools return',
    ],
    [['-p', 'ikigai', '-b', '50%'], '--budget: "50%" is not tokens above 0, or with --model a share of its window'],
    [
      ['-p', 'ikigai', '--for', 'perl'],
      '--for: "perl" is not one of anthropic, chat, responses, ai-sdk, langchain, openai-agents, strands, pi, opencode, python',
    ],
    [
      ['-p', 'ikigai', '--for', 'python'],
      'ikigai is no composition of knobs, which is all there is for Python: take another --for, or a composition near it (ctxwin help compose)',
    ],
    [
      ['-p', 'summarise-oldest', '--for', 'python'],
      'summarise-oldest needs a model for its summaries, and the file for Python asks none: take mask, offload or drop, or another --for',
    ],
  ])('says in a line what is wrong with %j', async (words, said) => {
    expect(await runCli(['emit', ...words])).toEqual({ code: 2, stdout: '', stderr: `ctxwin: ${said}\n` })
  })

  it('has lines for what its help says', () => {
    expect(Object.keys(emitters)).toEqual(emittedFor)
  })
})
