import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { describe, expect, test } from 'vitest'
import { states } from '../../src/estimators/automaton.ts'
import data from '../../src/estimators/coefficients.data.json' with { type: 'json' }
import { estimateTokens, newVisits, overheadOf, tokensOf, visit } from '../../src/estimators/families.ts'
import { families, familyOf } from '../../src/model/families.ts'
import { anyText } from '../any-text.ts'

describe('the coefficients', () => {
  test('are of the automaton in use: refit with tools/fit/fit.mjs when this fails', () => {
    expect(data.states).toEqual(states)
    expect(Object.keys(data.families).sort()).toEqual([...families].sort())
  })

  test.each(families)('of %s are finite, never negative, and say where they come from', (family) => {
    const { coefficients, fitted, source } = data.families[family]
    expect(coefficients).toHaveLength(states.length)
    expect(coefficients.every((value) => Number.isFinite(value) && value >= 0)).toBe(true)
    expect(fitted).toMatch(/^\d{4}-\d\d-\d\d$/)
    expect(source).not.toBe('')
  })
})

describe('estimateTokens', () => {
  test('of the visits is that of the text, for every family', () => {
    const visits = newVisits()
    fc.assert(
      fc.property(anyText(), fc.constantFrom(...families), (text, family) => {
        visits.fill(0)
        visit(text, visits)
        expect(estimateTokens(family, text)).toBeCloseTo(tokensOf(family, visits), 6)
      }),
    )
  })

  test.each(['package-lock.json', 'src/base/errors.ts', 'tools/fit/fit.mjs', 'LICENSE', 'tsconfig.json'])(
    'is within a fifth of the exact count of %s',
    (path) => {
      const text = readFileSync(path, 'utf8').slice(0, 20_000)
      const exact = countTokens(text)
      expect(Math.abs(estimateTokens('o200k', text) / exact - 1)).toBeLessThan(0.2)
    },
  )

  test('prices digits one by one where the tokenizer does', () => {
    const digits = '8675309 '.repeat(50)
    expect(estimateTokens('qwen', digits) / estimateTokens('o200k', digits)).toBeGreaterThan(1.5)
  })
})

describe('overheadOf', () => {
  test('is what recorded usage showed, and nothing where there was none', () => {
    expect(overheadOf('claude-4.6').result).toBeGreaterThan(10)
    expect(overheadOf('claude-4.6').result).toBeLessThan(60)
    expect(overheadOf('gemini').result).toBeLessThan(20)
    expect(overheadOf('mistral').call).toBe(3)
  })
})

describe('familyOf', () => {
  test.each([
    ['claude-opus-4-5-20251101', 'claude-4.6'],
    ['claude-sonnet-4-20250514', 'claude-4.6'],
    ['claude-3-7-sonnet-20250219', 'claude-4.6'],
    ['claude-3-opus-20240229', 'claude-4.6'],
    ['claude-opus-4-6[1m]', 'claude-4.6'],
    ['us.anthropic.claude-haiku-4-5-20251001-v1:0', 'claude-4.6'],
    ['claude-sonnet-4-5@20250929', 'claude-4.6'],
    ['anthropic/claude-opus-4.8', 'claude-4.7'],
    ['claude-opus-4-7', 'claude-4.7'],
    ['claude-fable-5', 'claude-4.7'],
    ['claude-opus-5-5', 'claude-4.7'],
    ['gpt-4o-mini', 'o200k'],
    ['gpt-4.1-2025-04-14', 'o200k'],
    ['openai/gpt-5.6-sol', 'o200k'],
    ['gpt-6-sol', 'o200k'],
    ['o3-mini', 'o200k'],
    ['gpt-oss:20b', 'o200k'],
    ['gpt-4', 'cl100k'],
    ['gpt-4-1106-preview', 'cl100k'],
    ['gpt-3.5-turbo', 'cl100k'],
    ['gemini-3-flash-preview', 'gemini'],
    ['models/gemini-2.5-pro', 'gemini'],
    ['llama-3.3-70b-versatile', 'llama'],
    ['meta-llama/Llama-3.1-8B-Instruct', 'llama'],
    ['qwen3-coder-480b', 'qwen'],
    ['Qwen/Qwen2.5-72B', 'qwen'],
    ['deepseek-v3.1', 'deepseek'],
    ['mistral-nemo', 'mistral'],
  ])('knows %s as %s', (model, family) => {
    expect(familyOf(model)).toEqual({ family, known: true })
  })

  test.each([
    ['', 'o200k'],
    ['<synthetic>', 'o200k'],
    ['kimi-k2.5', 'o200k'],
    ['__proto__', 'o200k'],
    ['gpt-9', 'o200k'],
    ['gpt-50', 'o200k'],
    ['claude-opus-6', 'claude-4.7'],
    ['claude-opus-41', 'claude-4.7'],
    ['claude-2.1', 'claude-4.6'],
    ['opus', 'claude-4.7'],
    ['gemini-4-pro', 'gemini'],
    ['llama-4-scout', 'llama'],
    ['qwen3.5-plus', 'qwen'],
    ['deepseek-r1-distill-llama-70b', 'llama'],
    ['deepseek-chat', 'deepseek'],
    ['mistral-large-latest', 'mistral'],
  ])('takes %s for a relative of %s and says that it is a guess', (model, family) => {
    expect(familyOf(model)).toEqual({ family, known: false })
  })
})
