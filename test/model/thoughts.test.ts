import { describe, expect, it } from 'vitest'
import { bindsThoughts, thoughtsOf } from '../../src/model/thoughts.ts'

describe('how earlier reasoning is sent again', () => {
  it.each([
    ['codex', 'gpt-5', 'drops'],
    ['codex', 'gpt-5-2025-08-07', 'drops'],
    ['codex', 'gpt-5.3-codex-spark', 'drops'],
    ['codex', 'gpt-5.5', 'drops'],
    ['codex', 'codex-auto-review', 'drops'],
    ['codex', 'gpt-5.6-luna', 'keeps'],
    ['codex', 'openai/gpt-5.6', 'keeps'],
    ['codex', 'gpt-5-6-sol', 'keeps'],
    ['codex', 'gpt-6', 'keeps'],
    ['opencode', 'openai/gpt-5.4', 'never'],
    ['opencode', 'gpt-5.5', 'drops'],
    ['gemini-cli', 'gemini-3-flash-preview', 'never'],
    ['gemini-cli', null, 'never'],
    ['claude-code', 'claude-opus-4-5-20251101', 'keeps'],
    ['claude-code', 'claude-fable-5', 'keeps'],
    ['claude-code', 'claude-opus-4-20250514', 'drops'],
    ['claude-code', 'claude-opus-4-1', 'drops'],
    ['claude-code', 'claude-sonnet-4-5', 'drops'],
    ['claude-code', 'claude-haiku-4-5-20251001', 'drops'],
    ['claude-code', 'us.anthropic.claude-3-7-sonnet-20250219-v1:0', 'drops'],
    ['managed-agents', 'claude-sonnet-4-5', 'drops'],
    ['managed-agents', null, 'keeps'],
    ['pi', 'zai/glm-5.2', 'keeps'],
    ['pi', 'deepseek-v4-flash-free', 'keeps'],
    ['pi', 'mimo-v2.5-free', 'keeps'],
  ] as const)('%s with %s: %s', (program, model, after) => {
    expect(thoughtsOf({ program, model })).toMatchObject({ after, tau: after === 'never' ? 0 : 1, sd: 0.2 })
  })

  it.each([
    ['pi', 'hy3-free'],
    ['pi', 'gpt-35-turbo'],
    ['codex', null],
    [null, null],
  ])('is wide open for what nobody measured: %s with %s', (program, model) => {
    expect(thoughtsOf({ program, model })).toEqual({ after: 'keeps', tau: 0.5, sd: 0.5 })
  })

  it('may be more than was thought: pi sends what Gemini thought as words, too', () => {
    expect(thoughtsOf({ program: 'pi', model: 'gemini-3-flash' })).toMatchObject({ after: 'keeps', tau: 1.3 })
    expect(thoughtsOf({ program: 'opencode', model: 'gemini-3-flash' })).toMatchObject({ tau: 0.5, sd: 0.5 })
  })

  it('goes by the model where the program is not known', () => {
    expect(thoughtsOf({ model: 'gpt-5.4' })).toEqual(thoughtsOf({ program: 'codex', model: 'gpt-5.4' }))
  })
})

describe('whether reasoning is bound to what stands before it', () => {
  it.each([
    ['claude-fable-5-1', true],
    ['us.anthropic.claude-fable-5-2-v1:0', true],
    ['claude-opus-5-5', true],
    ['anthropic/claude-opus-5.5', true],
    ['claude-sonnet-5-5-20260928', true],
    ['claude-haiku-5-5', true],
    ['claude-opus-6', true],
    ['claude-fable-5', false],
    ['claude-opus-5', false],
    ['claude-opus-5-20260901', false],
    ['claude-sonnet-4-5-20250929', false],
    ['claude-3-5-sonnet-20241022', false],
    ['claude-mythos-5-1', false],
    ['claude-mythos-5-2', null],
    ['gpt-5.6', null],
    ['gpt-6.2', null],
    ['glm-5.2', null],
    [null, null],
  ] as const)('%s: %s', (model, is) => {
    expect(bindsThoughts(model)).toBe(is)
  })
})
