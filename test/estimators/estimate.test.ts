import fc from 'fast-check'
import { expect, it } from 'vitest'
import estimate from '../../src/estimators/estimate.ts'
import { estimateTokens, factorOf, overheadOf } from '../../src/estimators/families.ts'
import { mediaRule, mediaTokens } from '../../src/estimators/media.ts'
import type { Block } from '../../src/model/message.ts'
import { messages } from '../simulator/arbitrary.ts'

const auto = { family: 'auto' } as const

it('is the text of each block, and what the family puts around steps and calls', () => {
  const meter = estimate.meter({ provider: 'anthropic', model: 'claude-opus-4-6' }, auto)
  const { call, parameter, result, step } = overheadOf('claude-4.6')
  const factor = factorOf('claude-4.6', 'claude-opus-4-6')
  expect(call).toBeGreaterThan(0)
  fc.assert(
    fc.property(messages, (list) => {
      for (const message of list) {
        let tokens = step / 2 + (message.role === 'tool' ? result : 0)
        for (const block of message.blocks) {
          if (block.type === 'text') tokens += estimateTokens('claude-4.6', block.text)
          if (block.type !== 'call') continue
          const input = block.input as { readonly path: string }
          tokens += call + parameter
          for (const text of [block.name, 'path', input.path]) tokens += estimateTokens('claude-4.6', text)
        }
        expect(meter.message(message)).toBeCloseTo(factor * tokens, 9)
      }
    }),
  )
})

it('counts arguments that were recorded as JSON text as Claude is shown them, and as they stand for others', () => {
  const of = (model: string, input: unknown) =>
    estimate
      .meter({ provider: 'openai', model }, auto)
      .message({ role: 'assistant', line: 1, blocks: [{ type: 'call', id: '1', name: 'edit', input }] })
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (input) => {
      const text = JSON.stringify(input)
      for (const model of ['claude-sonnet-4-5', 'claude-opus-4-8']) expect(of(model, text)).toBe(of(model, input))
      expect(of('gpt-4o', text)).toBe(of('gpt-4o', input))
    }),
  )
  expect(of('claude-opus-4-8', '')).toBe(of('claude-opus-4-8', {}))
  expect(of('claude-opus-4-8', 'patch')).toBe(
    of('claude-opus-4-8', {}) + factorOf('claude-4.7', null) * estimateTokens('claude-4.7', 'patch'),
  )
})

it('corrects the words of messages by what usage showed, and neither pictures nor the preamble', () => {
  const meter = (model: string) => estimate.meter({ provider: 'openai', model }, auto)
  const words = [{ type: 'text', text: 'No lamp is lit. '.repeat(50) }] as const
  const picture = [{ type: 'image', mediaType: 'image/png', bytes: 0 }] as const
  const of = (model: string, blocks: readonly Block[]) => meter(model).message({ role: 'user', line: 1, blocks })
  const preamble = { system: [{ role: 'system', line: 1, blocks: words }], complete: true } as const
  const [usual, empty] = [of('gpt-5.5', words), of('gpt-5.5', [])]
  for (const [model, factor] of [
    ['gpt-5.3-codex', 0.99],
    ['mimo-v2.5', 1.035],
    ['z-ai/glm-5.2', 1.035],
    ['gpt-4o', 1],
  ] as const) {
    expect(of(model, words)).toBeCloseTo(factor * usual, 9)
    expect(of(model, picture) - of(model, [])).toBeCloseTo(mediaTokens(mediaRule('o200k', model), picture[0]), 9)
    expect(of(model, [])).toBeCloseTo(factor * empty, 9)
    expect(meter(model).preamble(preamble)).toBe(meter('gpt-5.5').preamble(preamble))
  }
  for (const [model, factor] of [
    ['claude-sonnet-4-5', 1.023],
    ['claude-opus-4-8', 1.024],
  ] as const) {
    const alone = meter(model).preamble(preamble)
    expect(of(model, words)).toBeCloseTo(factor * alone, 9)
  }
})

it('takes the family from the model, else from the provider, and says which', () => {
  const label = (provider: 'anthropic' | 'openai' | 'google', model: string | null) =>
    estimate.scale(null as never, 0, auto, { provider, model }).label
  expect(label('anthropic', 'claude-opus-4-6')).toBe('estimate(claude-4.6)')
  expect(label('anthropic', 'deepseek-v3')).toBe('estimate(deepseek)')
  expect(label('google', null)).toBe('estimate(gemini, model unknown)')
  expect(label('openai', 'nobody-knows')).toBe('estimate(o200k, model unknown)')
  expect(estimate.scale(null as never, 0, { family: 'qwen' }, { provider: 'openai', model: null }).label).toBe(
    'estimate(qwen)',
  )
})

it('adds the prompt that makes tools work where there are tools', () => {
  const meter = estimate.meter({ provider: 'anthropic', model: 'claude-opus-4-6' }, auto)
  const tool = { name: 'read', input_schema: { type: 'object' } }
  const without = meter.preamble({ system: [], complete: true })
  const text = estimateTokens('claude-4.6', JSON.stringify(tool))
  expect(meter.preamble({ system: [], tools: [tool], complete: true }) - without).toBeCloseTo(346 + text, 9)
  expect(meter.preamble({ system: [], tools: [], complete: true })).toBe(without)
})
