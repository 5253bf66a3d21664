import { describe, expect, it } from 'vitest'
import { resolveParams } from '../../src/base/param.ts'
import { newerVersion, type TurnOn, type TurnOnFor, turnOnFor } from '../../src/model/turn-on.ts'
import { policies, turnOnOf } from '../../src/policies/index.ts'

function turnOn(
  name: string,
  budget: number,
  given: Readonly<Record<string, unknown>> = {},
  of?: TurnOnFor,
): TurnOn | null {
  const policy = policies.get(name)
  return turnOnOf(policy, resolveParams(name, policy.params, given), budget, of)
}

const text = (...asked: Parameters<typeof turnOn>): string | undefined => turnOn(...asked)?.text

describe('how to turn a policy on', () => {
  it('has the budget and the params in it', () => {
    expect(text('ikigai-shipped', 80_000)).toBe('export IKIGAI_SLIDING_CONTEXT_TOKENS=80000')
    expect(text('cap-messages', 0, { max: 40 })).toBe('messages = messages.slice(-40)')
    expect(text('forge-shipped', 80_000, { turnThreshold: 30 })).toBe(
      'compact = { token_threshold = 80000, token_threshold_percentage = 0.7, message_threshold = 200, turn_threshold = 30 }',
    )
    expect(text('duragent-shipped', 80_000, { keepLast: 9 })).toBe(
      '{ model: { max_input_tokens: 80000, max_output_tokens: 4096 }, session: { context: { ' +
        'max_history_tokens: 40000, max_tool_result_tokens: 8000, tool_result_truncation: head, tool_result_keep_first: 2, tool_result_keep_last: 9 } } }',
    )
  })

  it('says where it is set, since when, and what the budget comes to', () => {
    expect(turnOn('claude-code-auto', 160_000)).toEqual({
      file: '~/.claude/settings.json',
      text: '"autoCompactWindow": 160000',
      since: '2.1.89',
      note: 'compacts at 127k; /autocompact 160000 writes it',
    })
    expect(turnOn('claude-code-auto', 160_000, { pct: 60 })).toEqual({
      file: 'the environment',
      text: 'export CLAUDE_CODE_AUTO_COMPACT_WINDOW=160000 CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=60',
      since: '2.1.75',
      note: 'compacts at 84k',
    })
    expect(turnOn('keep-all', 0)).toMatchObject({ text: 'export DISABLE_AUTO_COMPACT=1', since: '2.1.0' })
    expect(turnOn('codex-compact', 160_000)).toMatchObject({
      file: '~/.codex/config.toml',
      text: 'model_auto_compact_token_limit = 144000',
      since: '0.36.0',
      note: 'compacts at 144k; stands above the first [table]',
    })
    expect(text('codex-compact', 160_000, { scope: 'body_after_prefix', limit: 50_000 })).toBe(
      'codex -c model_auto_compact_token_limit=50000 -c model_auto_compact_token_limit_scope=body_after_prefix',
    )
    expect(turnOn('codex-compact', 160_000, { userTokens: 20_000 })).toBeNull()
    expect(turnOn('gemini-compress', 131_072)).toMatchObject({
      text: '"model": { "compressionThreshold": 0.063 }',
      note: 'compresses at 66.1k; takes a restart',
    })
    expect(turnOn('gemini-mask', 0)?.text).toContain('"outputMasking": { "protectionThresholdTokens": 50000')
    expect(text('opencode-compact', 100_000)).toContain('{ "context": 100000, "input": 100000, "output": 20000 }')
    expect(text('opencode-compact', 100_000, { reserve: 30_000, tail: 9_000 })).toContain(
      '"compaction": { "reserved": 30000, "preserve_recent_tokens": 9000 }',
    )
    expect(text('gemini-context-management', 150_000)).toBe('"experimental": { "contextManagement": true }')
    expect(turnOn('gemini-context-management', 100_000)).toBeNull()
    expect(text('goose-tool-pairs', 100_000)).toBe(
      'export GOOSE_TOOL_PAIR_SUMMARIZATION=true GOOSE_TOOL_CALL_CUTOFF=12',
    )
    expect(turnOn('kilo-compact', 100_000, { percent: 50 })).toMatchObject({
      file: 'kilo.json',
      text: '"provider": { "<provider>": { "models": { "<model>": { "limit": { "context": 100000, "input": 100000, "output": 20000 } } } } }, "compaction": { "threshold_percent": 50 }',
      note: 'compacts at 80k, and before a prompt at 50k',
    })
    expect(turnOn('kilo-compact', 100_000, { percent: 90 })?.note).toBe('compacts at 80k')
    expect(text('goose-auto', 160_000)).toBe('export GOOSE_CONTEXT_LIMIT=160000')
    expect(text('goose-auto', 160_000, { threshold: 0.5 })).toBe(
      'export GOOSE_CONTEXT_LIMIT=160000 GOOSE_AUTO_COMPACT_THRESHOLD=0.5',
    )
    expect(turnOn('copilot-compact', 100_000)).toMatchObject({
      text: "export COPILOT_BACKGROUND_COMPACTION_THRESHOLD=<80000 / the model's limit> COPILOT_BUFFER_EXHAUSTION_THRESHOLD=<95000 / the model's limit>",
      since: '0.0.394',
    })
    expect(turnOn('copilot-compact', 100_000, {}, { model: 'claude-sonnet-4-5', version: null })).toMatchObject({
      text: 'export COPILOT_BACKGROUND_COMPACTION_THRESHOLD=0.4 COPILOT_BUFFER_EXHAUSTION_THRESHOLD=0.475',
      note: 'begins at 80k of a window of 200k',
    })
    expect(text('hermes-compact', 100_000)).toBe('compression: { threshold_tokens: 75000 }')
    expect(text('hermes-compact', 100_000, { threshold: 0.8 })).toBe(
      'compression: { threshold: 0.8, threshold_tokens: 80000 }',
    )
    expect(text('aider-summary', 100_000)).toBe('aider --max-chat-history-tokens 6250')
  })

  it('is a field of a request for what an API does, and a line of code for what a library does', () => {
    expect(turnOn('anthropic-clear-tool-uses', 80_000, { exclude: 'read+grep', clearAtLeast: 5_000 })).toMatchObject({
      file: 'the request',
      text: '"context_management": {"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":80000},"keep":{"type":"tool_uses","value":3},"clear_at_least":{"type":"input_tokens","value":5000},"exclude_tools":["read","grep"]}]}',
    })
    expect(turnOn('langchain-trim', 80_000, { startOn: 'human+tool', includeSystem: 'true' })).toMatchObject({
      file: 'your code, with LangChain',
      text: "messages = await trimMessages(messages, { maxTokens: 80000, tokenCounter: countTokensApproximately, strategy: 'last', startOn: ['human','tool'], includeSystem: true })",
    })
    expect(text('mastra-observational', 30_000)).toBe(
      'new Memory({ options: { observationalMemory: { observation: { messageTokens: 30000 } } } })',
    )
    expect(text('mastra-observational', 30_000, { keep: 0.3, notes: 20_000 })).toContain(
      '{ messageTokens: 30000, bufferActivation: 0.7 }, reflection: { observationTokens: 20000 }',
    )
    const shares = "trigger: { type: 'tokens', value: 68000 }, keep: { type: 'tokens', value: 8000 }"
    expect(turnOn('deepagents-summarize', 80_000, { arguments: 500 })).toMatchObject({
      text: `createDeepAgent({ model, backend, middleware: [createSummarizationMiddleware({ backend, ${shares}, truncateArgsSettings: { ${shares}, maxLength: 500 } })] })`,
      since: '1.11.0',
    })
    expect(text('vercel-prune', 0, { toolCalls: 'all', tools: 'read' })).toBe(
      "messages = pruneMessages({ messages, toolCalls: [{ type: 'all', tools: ['read'] }], reasoning: 'none', emptyMessages: 'remove' })",
    )
  })

  it('is nothing for params that the program cannot be given', () => {
    expect(turnOn('forge-shipped', 80_000, { retentionWindow: 6 })).toBeNull()
    expect(turnOn('cap-messages', 0, { target: 0.5 })).toBeNull()
    expect(turnOn('claude-code-auto', 99_999)).toBeNull()
    expect(turnOn('claude-code-auto', 160_000, { reserve: 32_000 })).toBeNull()
    expect(turnOn('goose-auto', 160_000, { threshold: 1 })).toBeNull()
    expect(turnOn('anthropic-compact', 40_000)).toBeNull()
    expect(turnOn('deepagents-summarize', 80_000, { tools: 'Write' })).toBeNull()
    expect(turnOn('langchain-trim', 80_000, { strategy: 'first', startOn: 'human' })).toBeNull()
  })

  it('is absent where nobody can turn it on', () => {
    expect(policies.get('ikigai').turnOn).toBeUndefined()
    expect(policies.get('forge-literal').turnOn).toBeUndefined()
  })

  it('is one line that can be pasted: JSON inside the braces of its file, else without anything left out', () => {
    for (const { name, turnOn: can } of policies.all) {
      const how = can && turnOn(name, 100_000)
      if (!how) continue
      expect(how.text, name).not.toMatch(/[\n…]/)
      if (how.file.endsWith('.json')) {
        const filled = how.text.replace(/: (<[^>]*>)/g, ': 1')
        expect(() => JSON.parse(`{ ${filled} }`), how.text).not.toThrow()
      }
    }
  })

  it('has the model and its window in it where the transcripts have one', () => {
    const of = { model: 'claude-sonnet-4-5', version: null }
    expect(turnOn('pi-compact', 100_000)?.text).toContain("<the model's window - 83616>")
    expect(turnOn('pi-compact', 100_000, {}, of)).toMatchObject({
      text: '"compaction": { "reserveTokens": 116384 }',
      note: 'compacts at 83.6k of a window of 200k',
    })
    expect(text('opencode-compact', 100_000, {}, of)).toContain('"claude-sonnet-4-5": { "limit"')
    expect(text('opencode-compact', 100_000, {}, { ...of, model: 'my "own"' })).toContain('"<model>": { "limit"')
  })
})

describe('a version that is older than a setting', () => {
  const how = { file: 'settings.json', text: '"a": 1', since: '2.1.89', note: 'compacts at 127k' }
  const of = (version: string | null): TurnOnFor => ({ model: null, version })

  it('is named beside the one that it takes', () => {
    expect(turnOnFor(how, of('2.1.38'))?.note).toBe('compacts at 127k; needs 2.1.89; your sessions are by 2.1.38')
    expect(turnOnFor({ ...how, note: null }, of('2.0.140'))?.note).toBe('needs 2.1.89; your sessions are by 2.0.140')
  })

  it('is no older by having more digits or fewer numbers, and nothing is said of what is no version', () => {
    for (const version of ['2.1.89', '2.1.232', '2.2', '3', '10.0.0', 'v2.1.89-beta.1', 'nightly', null])
      expect(turnOnFor(how, of(version)), String(version)).toBe(how)
    expect(turnOnFor(how, of('2.1'))).not.toBe(how)
    expect(turnOnFor({ ...how, since: null }, of('1.0'))?.note).toBe('compacts at 127k')
  })

  it('is that of the newest of the sessions', () => {
    const newest = ['2.1.9', 'nightly', 'v2.1.10-mine', undefined, '2.0.99'].reduce<string | null>(newerVersion, null)
    expect(newest).toBe('2.1.10')
  })
})
