import { describe, expect, it } from 'vitest'
import { runCli } from '../cli/run.ts'
import { publishedSchema } from '../schema.ts'

const files = [
  // Exact counts of the spare, summaries, what clearings left, recorded usage, images, a missing beginning.
  'openai-chat/long-agent-loop.jsonl',
  'claude-code/refactor.jsonl',
  'claude-code/compaction.jsonl',
  'claude-code/microcompact.jsonl',
  'anthropic-messages/media.jsonl',
  'anthropic-messages/tools.jsonl',
  'codex/compaction.jsonl',
  'gemini-cli/session.json',
  'openhands/sdk.jsonl',
  'pi/tree.jsonl',
].map((name) => `fixtures/${name}`)

const written = new Map<string, string>()

/** Written once for each file: a key is made slow to guess. */
async function redacted(file: string): Promise<string> {
  const convert = () => runCli(['export', file, '--to', 'ctxwin'], { env: { CTXWIN_REDACT_KEY: 'of the test' } })
  const text = written.get(file) ?? (await convert()).stdout
  written.set(file, text)
  return text
}

const simulated = async (stdin: string, ...flags: string[]) => runCli(['simulate', '-', ...flags], { stdin })

/** Every figure by its place, but lines, what is said of the file, and what was used later. */
function figuresIn(json: string): Map<string, unknown> {
  const figures = new Map<string, unknown>()
  const walk = (value: unknown, place: string): void => {
    if (typeof value !== 'object' || value === null) {
      if (typeof value !== 'string') figures.set(place, value)
      return
    }
    for (const [key, inner] of Object.entries(value)) {
      if (!['line', 'diagnostics', 'damagedLines', 'references'].includes(key)) walk(inner, `${place}.${key}`)
    }
  }
  walk(JSON.parse(json), '')
  return figures
}

const linesOf = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown)

describe('convert --to ctxwin --redact', () => {
  const { violations } = publishedSchema('transcript')

  it.each(files)('%s comes to the same figures, and keeps its sizes when it is converted once more', async (file) => {
    const shared = await redacted(file)
    expect(linesOf(shared).flatMap(violations)).toEqual([])
    const cut = ['--policy', 'ikigai,as-recorded', '--budget', '2k', '--json']
    for (const flags of [['--json'], cut]) {
      const before = await runCli(['simulate', file, ...flags])
      const after = await simulated(shared, ...flags)
      expect(figuresIn(after.stdout)).toEqual(figuresIn(before.stdout))
    }
    const once = await runCli(['export', '-', '--to', 'ctxwin'], { stdin: shared })
    expect(linesOf(once.stdout)).toEqual(linesOf(shared))
  })

  it('keeps what the reasoning in a message was, too', async () => {
    const [file, model] = ['fixtures/claude-code/refactor.jsonl', ['--model', 'claude-opus-5-5']] as const
    const { stdout } = await runCli(['export', file, '--to', 'ctxwin', ...model], {
      env: { CTXWIN_REDACT_KEY: 'of it' },
    })
    const masks = [
      '--policy',
      'mask-tool-results:keepFirst=0,keepLast=1,scope=all',
      '--budget',
      '1k',
      '--json',
      ...model,
    ]
    const before = await runCli(['simulate', file, ...masks])
    expect(figuresIn((await simulated(stdout, ...masks)).stdout)).toEqual(figuresIn(before.stdout))
    expect(figuresIn(before.stdout).get('.runs.0.thinkingLostTokens')).toBeGreaterThan(0)
  })

  it('says that sizes are taken on trust, or that they are of another estimator and words were counted', async () => {
    const shared = await redacted('fixtures/openai-chat/long-agent-loop.jsonl')
    const codesOf = async (...flags: string[]) => {
      const { stdout } = await simulated(shared, '--json', ...flags)
      return (JSON.parse(stdout) as { diagnostics: { code: string }[] }).diagnostics.map(({ code }) => code)
    }
    expect(await codesOf()).toEqual(['own-sizes'])
    expect(await codesOf('--estimator', 'estimate')).toEqual(['other-sizes'])
    const bare = await simulated(shared.replace(/,"sizes":\[[^\]]*\]/g, ''), '--estimator', 'estimate', '--json')
    const counted = await simulated(shared, '--estimator', 'estimate', '--json')
    expect(figuresIn(counted.stdout)).toEqual(figuresIn(bare.stdout))
  })

  it.each(['-1', '1e300', '"7"', 'null', '[]'])('takes a message whose size is %s for damaged', async (size) => {
    const lines = (await redacted('fixtures/openai-chat/long-agent-loop.jsonl')).split('\n')
    lines[2] = (lines[2] as string).replace(/"sizes":\[[^,\]]*/, `"sizes":[${size}`)
    const { stdout } = await simulated(lines.join('\n'), '--json')
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; line: number }[] }
    expect(diagnostics.map(({ code, line }) => `${code}@${line}`)).toContain('bad-record@3')
  })

  it.each([
    ['claude-code/compaction.jsonl', 'compaction'],
    ['claude-code/microcompact.jsonl', 'clearing'],
  ])('takes a record of %s with a negative size for damaged', async (file, kind) => {
    const lines = (await redacted(`fixtures/${file}`)).split('\n')
    const at = lines.findIndex((line) => line.startsWith(`{"${kind}"`))
    lines[at] = (lines[at] as string).replace(/("sizes":(?:\[\[\d+,)?\[)\d/, '$1-1')
    const { stdout } = await simulated(lines.join('\n'), '--json')
    const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; line: number }[] }
    expect(diagnostics.map(({ code, line }) => `${code}@${line}`)).toContain(`bad-record@${at + 1}`)
  })

  it('writes no sizes where words stay', async () => {
    const { stdout } = await runCli(['export', files[0] as string, '--to', 'ctxwin'])
    expect(stdout).not.toMatch(/"sizes"|"sizedBy"/)
  })
})
