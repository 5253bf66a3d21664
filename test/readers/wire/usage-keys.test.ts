/** Law: what each writer records of a request is read as its parts are, whichever optional keys it leaves out, and priced as they are. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { spentOf } from '../../../src/measures/spent.ts'
import type { Usage } from '../../../src/model/message.ts'
import { usageIn } from '../../../src/readers/wire/gen-ai.ts'
import { googleUsage } from '../../../src/readers/wire/google.ts'
import { usageBy, usageOf } from '../../../src/readers/wire/usage.ts'
import { usageKeys } from '../../../src/readers/wire/usage-keys.ts'
import { size, sizesOf } from '../../measures/sessions.ts'
import { traceOf } from '../../simulator/arbitrary.ts'
import { readRecords } from '../reading.ts'

/** Tokens of a request, each of them once. */
interface Parts {
  readonly fresh: number
  readonly read: number
  readonly write: number
  /** Written for an hour. */
  readonly hour: number
  readonly answer: number
  readonly reasoning: number
}

const count = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 50_000 }))
const someParts: fc.Arbitrary<Parts> = fc.record({
  fresh: fc.integer({ min: 1, max: 50_000 }),
  ...{ read: count, write: count, hour: count, reasoning: count },
  answer: fc.integer({ min: 1, max: 5000 }),
})

/** Whether a key that may be missing is there. */
type There = (key: string, value: unknown) => Record<string, unknown>

const ways = ['there', 'null', 'absent'] as const
const someTheres = fc.infiniteStream(fc.constantFrom(...ways)).map((stream): There => {
  const drawn = new Map<string, (typeof ways)[number]>()
  return (key, value) => {
    const way = drawn.get(key) ?? (stream.next().value as (typeof ways)[number])
    drawn.set(key, way)
    return way === 'absent' ? {} : { [key]: way === 'null' ? null : value }
  }
})

interface Counted {
  readonly usage: Usage | undefined
  readonly right: Usage
}

const told = (counts: Record<string, unknown>, key: string, value: number): number =>
  counts[key] === value ? value : 0

/** Tokens of the cache are in the input, so they are input where nobody says more. */
function inside(p: Parts, counts: Record<string, unknown>, read: string, write: string, hour = 0): Usage {
  return {
    input: p.fresh + p.read + p.write + p.hour,
    cacheRead: told(counts, read, p.read),
    cacheWrite: told(counts, write, p.write + p.hour),
    cacheWrite1h: told(counts, write, p.write + p.hour) > 0 ? hour : 0,
    output: p.answer + p.reasoning,
  }
}

/** Tokens of the cache stand beside the input: where nobody counts them there are none. */
function beside(p: Parts, counts: Record<string, unknown>, read: string, write: string): Usage {
  const [cacheRead, cacheWrite] = [told(counts, read, p.read), told(counts, write, p.write + p.hour)]
  return {
    input: p.fresh + cacheRead + cacheWrite,
    cacheRead,
    cacheWrite,
    cacheWrite1h: 0,
    output: p.answer + p.reasoning,
  }
}

const attributes = (counts: object) => usageIn(new Map(Object.entries(counts)))
const cost = { cost: 0.25 }

const writers: Readonly<Record<string, (p: Parts, there: There) => Counted>> = {
  'Anthropic Messages': (p, there) => {
    const counts = {
      ...there('cache_read_input_tokens', p.read),
      cache_creation_input_tokens: p.write + p.hour,
      ...there('cache_creation', { ephemeral_5m_input_tokens: p.write, ephemeral_1h_input_tokens: p.hour }),
    }
    const output = { output_tokens: p.answer + p.reasoning, output_tokens_details: { thinking_tokens: p.reasoning } }
    const right = beside(p, counts, 'cache_read_input_tokens', 'cache_creation_input_tokens')
    const cacheWrite1h = 'cache_creation' in counts && counts.cache_creation ? p.hour : 0
    return { usage: usageOf({ input_tokens: p.fresh, ...output, ...counts }), right: { ...right, cacheWrite1h } }
  },
  'OpenAI Responses': (p, there) => {
    const details = {
      ...there('cached_tokens', p.read),
      ...there('cache_write_tokens', p.write + p.hour),
      ...there('cache_write_tokens_details', { ttl_30m_tokens: p.write, ttl_12h_tokens: p.hour }),
    }
    const input = p.fresh + p.read + p.write + p.hour
    const output = p.answer + p.reasoning
    const counts = { input_tokens: input, input_tokens_details: details, output_tokens: output }
    const more = { output_tokens_details: { reasoning_tokens: p.reasoning }, total_tokens: input + output }
    return { usage: usageOf({ ...counts, ...more }), right: inside(p, details, 'cached_tokens', 'cache_write_tokens') }
  },
  'OpenAI Chat, by OpenRouter': (p, there) => {
    const details = { ...there('cached_tokens', p.read), ...there('cache_write_tokens', p.write + p.hour) }
    const input = p.fresh + p.read + p.write + p.hour
    const counts = { prompt_tokens: input, completion_tokens: p.answer + p.reasoning, prompt_tokens_details: details }
    const more = {
      ...there('total_tokens', input + p.answer + p.reasoning),
      completion_tokens_details: { reasoning_tokens: p.reasoning },
      cost: 0.05,
      is_byok: true,
      cost_details: { upstream_inference_cost: 0.2, upstream_inference_prompt_cost: 0.1 },
    }
    const right = inside(p, details, 'cached_tokens', 'cache_write_tokens')
    return { usage: usageOf({ ...counts, ...more }), right: { ...right, ...cost } }
  },
  'OpenAI Chat, by LiteLLM': (p, there) => {
    const cached = {
      ...there('cache_read_input_tokens', p.read),
      ...there('cache_creation_input_tokens', p.write + p.hour),
    }
    const counts = { prompt_tokens: p.fresh + p.read + p.write + p.hour, completion_tokens: p.answer + p.reasoning }
    const right = inside(p, cached, 'cache_read_input_tokens', 'cache_creation_input_tokens')
    return { usage: usageOf({ ...counts, ...cached }), right }
  },
  Gemini: (p, there) => {
    // What was written to the cache here is what a tool of Google's read.
    const counts = { ...there('cachedContentTokenCount', p.read), ...there('toolUsePromptTokenCount', p.write) }
    const thoughts = there('thoughtsTokenCount', p.reasoning)
    const prompt = { promptTokenCount: p.fresh + p.read, candidatesTokenCount: p.answer }
    const [tool, thought] = [
      told(counts, 'toolUsePromptTokenCount', p.write),
      told(thoughts, 'thoughtsTokenCount', p.reasoning),
    ]
    const total = there('totalTokenCount', p.fresh + p.read + p.answer + tool + thought)
    const right = {
      input: p.fresh + p.read + tool,
      cacheRead: told(counts, 'cachedContentTokenCount', p.read),
      cacheWrite: 0,
      cacheWrite1h: 0,
      output: p.answer + thought,
    }
    return { usage: googleUsage({ ...prompt, ...counts, ...thoughts, ...total }), right }
  },
  'Bedrock Converse': (p, there) => {
    const counts = {
      ...there('cacheReadInputTokens', p.read),
      cacheWriteInputTokens: p.write + p.hour,
      ...there('cacheDetails', [
        { ttl: '5m', inputTokens: p.write },
        { ttl: '1h', inputTokens: p.hour },
      ]),
    }
    const right = beside(p, counts, 'cacheReadInputTokens', 'cacheWriteInputTokens')
    const totalTokens = right.input + right.output
    const cacheWrite1h = 'cacheDetails' in counts && counts.cacheDetails ? p.hour : 0
    const plain = { inputTokens: p.fresh, outputTokens: p.answer + p.reasoning, ...there('totalTokens', totalTokens) }
    return { usage: usageOf({ ...plain, ...counts }), right: { ...right, cacheWrite1h } }
  },
  'AI SDK 6 and 7': (p, there) => {
    const details = { ...there('cacheReadTokens', p.read), ...there('cacheWriteTokens', p.write + p.hour) }
    const counts: Record<string, unknown> & { inputTokenDetails: object } = {
      ...there('inputTokens', p.fresh + p.read + p.write + p.hour),
      outputTokens: p.answer + p.reasoning,
      inputTokenDetails: { noCacheTokens: p.fresh, cacheReadTokens: p.read, cacheWriteTokens: p.write + p.hour },
      outputTokenDetails: { textTokens: p.answer, reasoningTokens: p.reasoning },
    }
    const isWhole = counts.inputTokens !== undefined && counts.inputTokens !== null
    const inputTokenDetails = { ...(isWhole ? details : counts.inputTokenDetails) }
    const right = inside(p, inputTokenDetails, 'cacheReadTokens', 'cacheWriteTokens')
    return { usage: usageOf({ ...counts, inputTokenDetails }), right }
  },
  'a model of the AI SDK': (p, there) => {
    const [total, text] = [there('total', p.fresh + p.read + p.write + p.hour), there('total', p.answer + p.reasoning)]
    const inputTokens = { ...total, noCache: p.fresh, cacheRead: p.read, cacheWrite: p.write + p.hour }
    const outputTokens = { ...text, text: p.answer, reasoning: p.reasoning }
    return { usage: usageOf({ inputTokens, outputTokens }), right: inside(p, inputTokens, 'cacheRead', 'cacheWrite') }
  },
  'AI SDK 5': (p, there) => {
    const counts = there('cachedInputTokens', p.read)
    const inputTokens = p.fresh + p.read + p.write + p.hour
    const more = { outputTokens: p.answer + p.reasoning, ...there('reasoningTokens', p.reasoning) }
    return { usage: usageOf({ inputTokens, ...more, ...counts }), right: inside(p, counts, 'cachedInputTokens', '') }
  },
  LangChain: (p, there) => {
    const details = {
      ...there('cache_read', p.read),
      cache_creation: 0,
      ephemeral_5m_input_tokens: p.write,
      ephemeral_1h_input_tokens: p.hour,
    }
    const counts = { input_tokens: p.fresh + p.read + p.write + p.hour, output_tokens: p.answer + p.reasoning }
    const more = { input_token_details: details, output_token_details: { reasoning: p.reasoning } }
    const right = { ...inside(p, details, 'cache_read', ''), cacheWrite: p.write + p.hour, cacheWrite1h: p.hour }
    return { usage: usageOf({ ...counts, ...more }), right }
  },
  Langfuse: (p, there) => {
    const counts = {
      ...there('input_cached_tokens', p.read),
      input_cache_creation_5m: p.write,
      input_cache_creation_1h: p.hour,
      ...there('output_reasoning_tokens', p.reasoning),
    }
    const usage = usageBy(usageKeys.langfuse, { input: p.fresh, output: p.answer, ...counts })
    const cacheRead = told(counts, 'input_cached_tokens', p.read)
    const right = {
      input: p.fresh + cacheRead + p.write + p.hour,
      cacheRead,
      cacheWrite: p.write + p.hour,
      cacheWrite1h: p.hour,
      output: p.answer + told(counts, 'output_reasoning_tokens', p.reasoning),
    }
    return { usage, right }
  },
  Copilot: (p, there) => {
    const counts = { ...there('cacheReadTokens', p.read), ...there('cacheWriteTokens', p.write + p.hour) }
    const all = { inputTokens: p.fresh + p.read + p.write + p.hour, outputTokens: p.answer + p.reasoning, ...counts }
    const right = inside(p, counts, 'cacheReadTokens', 'cacheWriteTokens')
    return { usage: usageBy(usageKeys.copilot, { ...all, ...there('reasoningTokens', p.reasoning) }), right }
  },
  ...Object.fromEntries(
    [
      ['cache_read.input_tokens', 'cache_creation.input_tokens'],
      ['cache_read.input_tokens', 'cache_write.input_tokens'],
      ['cache_read_input_tokens', 'cache_creation_input_tokens'],
      ['input_tokens.cached', 'input_tokens.cache_write'],
      ['details.cache_read_tokens', 'details.cache_write_tokens'],
      ['input_cached_tokens', 'input_cache_creation'],
    ].map(([read, write]) => [
      `a span with ${read} and ${write}`,
      (p: Parts, there: There) => {
        const [ofRead, ofWrite] = [`gen_ai.usage.${read}`, `gen_ai.usage.${write}`]
        const counts = { ...there(ofRead, p.read), ...there(ofWrite, p.write + p.hour) }
        const all = {
          'gen_ai.usage.input_tokens': p.fresh + p.read + p.write + p.hour,
          'gen_ai.usage.output_tokens': p.answer + p.reasoning,
          ...there('gen_ai.usage.reasoning.output_tokens', p.reasoning),
        }
        return { usage: attributes({ ...all, ...counts }), right: inside(p, counts, ofRead, ofWrite) }
      },
    ]),
  ),
  'a span of the AI SDK': (p, there) => {
    const [read, write] = ['ai.usage.inputTokenDetails.cacheReadTokens', 'ai.usage.inputTokenDetails.cacheWriteTokens']
    const counts = { ...there(read, p.read), ...there(write, p.write + p.hour) }
    const input = p.fresh + p.read + p.write + p.hour
    const all = {
      ...{ 'ai.usage.inputTokens': input, 'ai.usage.outputTokens': p.answer + p.reasoning },
      ...there('gen_ai.usage.input_tokens', input),
      ...there('gen_ai.usage.output_tokens', p.answer + p.reasoning),
      'ai.usage.totalTokens': input + p.answer + p.reasoning,
    }
    return { usage: attributes({ ...all, ...counts }), right: inside(p, counts, read, write) }
  },
}

/** US dollars per million tokens. */
const rates = { input: 1, read: 0.1, write: 1.25, hour: 2, output: 5 }
const table = {
  asOf: '2026-01-01',
  sources: [],
  cacheRules: [
    { id: 'a', minPrefix: 0, granularity: 'block', ttl: 300, read: 0.1, write: 1.25, write1h: 2, source: 'test' },
  ],
  models: [{ id: 'lamp-1', provider: 'anthropic', cache: 'a', price: { input: rates.input, output: rates.output } }],
} as const

function billOf(usage: Usage): number | undefined {
  const asked = { role: 'user', line: 1, blocks: [{ type: 'text', text: 'go' }] } as const
  const answered = { role: 'assistant', line: 2, model: 'lamp-1', blocks: [], usage } as const
  const trace = traceOf([asked, answered], [size], 'anthropic', {})
  return spentOf(trace, sizesOf(trace), null, table)?.usd
}

describe.each(Object.entries(writers))('%s', (_, write) => {
  it('is read by its parts, and costs what they do', () => {
    fc.assert(
      fc.property(someParts, someTheres, (parts, there) => {
        const { usage, right } = write(parts, there)
        expect(usage).toEqual(right)
        const { input, cacheRead, cacheWrite, cacheWrite1h, output } = right
        const fresh = input - cacheRead - cacheWrite
        const inputs = fresh * rates.input + cacheRead * rates.read + (cacheWrite - cacheWrite1h) * rates.write
        const usd = (inputs + cacheWrite1h * rates.hour + output * rates.output) / 1e6
        expect(billOf(right)).toBeCloseTo(usd, 5)
      }),
    )
  })
})

it('a cost in units of Copilot is in dollars', () => {
  const counts = { 'gen_ai.usage.input_tokens': 100, 'gen_ai.usage.output_tokens': 7 }
  expect(attributes({ ...counts, 'github.copilot.nano_aiu': 750_000_000 })?.cost).toBeCloseTo(0.0075, 9)
  expect(attributes({ ...counts, 'opencode.llm.cost.total': 0.5 })?.cost).toBe(0.5)
})

it('where cached tokens are more than the input, they stand beside it', () => {
  const counts = { 'gen_ai.usage.input_tokens': 3, 'gen_ai.usage.output_tokens': 7 }
  const usage = { input: 903, cacheRead: 900, cacheWrite: 0, cacheWrite1h: 0, output: 7 }
  expect(attributes({ ...counts, 'gen_ai.usage.cache_read.input_tokens': 900 })).toEqual(usage)
})

describe('a count that nobody reads', () => {
  const problems = async (...usages: readonly object[]) => {
    const records = usages.map((usage, at) => ({
      messages: [{ role: 'user', content: `Hello ${at}` }],
      response: { choices: [{ message: { role: 'assistant', content: 'Hello' } }], usage },
    }))
    const { traces, report } = await readRecords(records, 'openai-chat')
    expect(traces[0]?.usage(0)).toEqual({ input: 9, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 7 })
    expect(report.damagedLines).toBe(0)
    return report.problems
  }
  const counts = { prompt_tokens: 9, completion_tokens: 7 }

  it('is named once, with how many lines have it', async () => {
    const odd = { ...counts, prompt_tokens_details: { lamp_cache_tokens: 3, audio_tokens: 1 } }
    expect(await problems(odd, counts, odd)).toEqual([
      { code: 'unread-usage', line: 1, detail: 'prompt_tokens_details.lamp_cache_tokens', count: 2 },
    ])
  })

  it('is none where it says 0, nothing, or how long something took', async () => {
    expect(await problems({ ...counts, lamp_tokens: 0, total_tokens: null, service: 'x', queue_time: 0.2 })).toEqual([])
  })

  it('is counted without its key where that may be text', async () => {
    for (const key of ['my secret lamp', 'x'.repeat(41), 'Lampe; drop', '<b>'])
      expect(await problems({ ...counts, [key]: 3 })).toEqual([{ code: 'unread-usage', line: 1 }])
    const deep = { ...counts, a: { ['b'.repeat(40)]: { ['c'.repeat(40)]: 3 } } }
    expect(await problems(deep)).toEqual([{ code: 'unread-usage', line: 1 }])
  })
})
