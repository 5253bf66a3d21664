import { describe, expect, it } from 'vitest'
import { resolveParams } from '../../src/base/param.ts'
import { policies } from '../../src/policies/index.ts'

function turnOn(
  name: string,
  budget: number,
  given: Readonly<Record<string, unknown>> = {},
): string | null | undefined {
  const policy = policies.get(name)
  return policy.turnOn?.(resolveParams(name, policy.params, given), budget)
}

describe('how to turn a policy on', () => {
  it('has the budget and the params in it', () => {
    expect(turnOn('ikigai-shipped', 80_000)).toBe('ikigai: IKIGAI_SLIDING_CONTEXT_TOKENS=80000')
    expect(turnOn('cap-messages', 0, { max: 40 })).toBe('in an agent of your own: messages = messages.slice(-40)')
    expect(turnOn('forge-shipped', 80_000, { turnThreshold: 30 })).toBe(
      'forge, in .forge.toml: compact = { token_threshold = 80000, token_threshold_percentage = 0.7, message_threshold = 200, turn_threshold = 30 }',
    )
    expect(turnOn('duragent-shipped', 80_000, { keepLast: 9 })).toBe(
      'duragent, in agent.yaml: model: { max_input_tokens: 80000, max_output_tokens: 4096 }, session: { context: { ' +
        'max_history_tokens: 40000, max_tool_result_tokens: 8000, tool_result_truncation: head, tool_result_keep_first: 2, tool_result_keep_last: 9 } }',
    )
  })

  it('says in the terms of the program what the budget comes to', () => {
    expect(turnOn('claude-code-auto', 160_000)).toBe('Claude Code: CLAUDE_CODE_AUTO_COMPACT_WINDOW=160000')
    expect(turnOn('claude-code-auto', 160_000, { pct: 60 })).toContain(' CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=60')
    expect(turnOn('codex-compact', 160_000)).toContain('model_auto_compact_token_limit = 144000')
    expect(turnOn('gemini-compress', 131_072)).toContain('"compressionThreshold": 0.063')
    expect(turnOn('pi-compact', 100_000)).toContain("<the model's window> - 83616")
    expect(turnOn('opencode-compact', 100_000)).toContain('{ "context": 100000, "output": 20000 }')
    expect(turnOn('aider-summary', 100_000)).toBe('aider: --max-chat-history-tokens 6250')
  })

  it('is a field of a request for what an API does, and a line of code for what a library does', () => {
    expect(turnOn('anthropic-clear-tool-uses', 80_000, { exclude: 'read+grep', clearAtLeast: 5_000 })).toBe(
      'request field: "context_management": {"edits":[{"type":"clear_tool_uses_20250919","trigger":{"type":"input_tokens","value":80000},"keep":{"type":"tool_uses","value":3},"clear_at_least":{"type":"input_tokens","value":5000},"exclude_tools":["read","grep"]}]}',
    )
    expect(turnOn('langchain-trim', 80_000, { startOn: 'human+tool', includeSystem: 'true' })).toBe(
      "LangChain: messages = await trimMessages(messages, { maxTokens: 80000, tokenCounter: countTokensApproximately, strategy: 'last', startOn: ['human','tool'], includeSystem: true })",
    )
    expect(turnOn('vercel-prune', 0, { toolCalls: 'all', tools: 'read' })).toBe(
      "AI SDK: messages = pruneMessages({ messages, toolCalls: [{ type: 'all', tools: ['read'] }], reasoning: 'none', emptyMessages: 'remove' })",
    )
  })

  it('leaves out a budget that the program would not use', () => {
    expect(turnOn('duragent-shipped', 80_000, { ceiling: 'model' })).not.toContain('80000')
  })

  it('is nothing for params that the program cannot be given', () => {
    expect(turnOn('forge-shipped', 80_000, { retentionWindow: 6 })).toBeNull()
    expect(turnOn('cap-messages', 0, { target: 0.5 })).toBeNull()
    expect(turnOn('claude-code-auto', 99_999)).toBeNull()
    expect(turnOn('claude-code-auto', 160_000, { reserve: 32_000 })).toBeNull()
    expect(turnOn('goose-auto', 160_000, { threshold: 1 })).toBeNull()
    expect(turnOn('anthropic-compact', 40_000)).toBeNull()
    expect(turnOn('langchain-trim', 80_000, { strategy: 'first', startOn: 'human' })).toBeNull()
  })

  it('is absent where nobody can turn it on', () => {
    expect(policies.get('ikigai').turnOn).toBeUndefined()
    expect(policies.get('forge-literal').turnOn).toBeUndefined()
  })
})
