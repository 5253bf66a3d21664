/** Ikigai, "Sliding Context Window", sentence by sentence: the numbers are those of statements.data.json. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { lookupModel } from '../../src/models/lookup.ts'
import { runCli } from '../cli/run.ts'
import { outlines, readRecords } from '../readers/reading.ts'
import { assistant, bodyAt, chat, simulated, step, system, told, user, type Wire } from './run.ts'

const byBytes = ['--estimator', 'bytes', '--policy', 'ikigai']
const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value))
const weather = {
  type: 'function',
  function: {
    name: 'weather',
    description: 'The weather of a place',
    parameters: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  },
}

describe('pruning', () => {
  const said = (size: number) => fc.string({ minLength: 1, maxLength: size })
  const turn = fc.record({ asks: said(300), steps: fc.array(said(500), { maxLength: 3 }), answer: said(300) })

  it('removes the oldest turn, and the next, until the serialized request is within the budget', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(turn, { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 20, max: 600 }),
        async (all, budget) => {
          const turns = all.map(({ asks, steps, answer }): Wire[] => [
            user(asks),
            ...steps.flatMap((result) => step('look', { at: asks }, result)),
            assistant(answer),
          ])
          const { rows, cuts } = await simulated([...byBytes, '--budget', String(budget)], turns.flat())
          // As the document's eight steps have it: a list of turns, from which the first is removed.
          const tokens = (window: readonly Wire[][], more: readonly Wire[] = []) =>
            Math.ceil(bytesOf({ messages: [...window.flat(), ...more] }) / 4)
          const window: Wire[][] = []
          const sent: number[] = []
          const removedBy: number[] = []
          for (const turn of turns) {
            // Each response of the turn has its request, in which all of the turn before it stands.
            for (const [index, { role }] of turn.entries())
              if (role === 'assistant') sent.push(tokens(window, turn.slice(0, index)))
            window.push(turn)
            let removed = 0
            while (tokens(window) > budget && window.length > 1) {
              window.shift()
              removed++
            }
            if (removed > 0) removedBy.push(removed)
          }
          expect(rows.map(({ sentTokens }) => sentTokens)).toEqual(sent)
          // A cut behind the last response is in no request.
          expect(cuts.map(({ evictedExchanges }) => evictedExchanges.length)).toEqual(removedBy.slice(0, cuts.length))
          expect(removedBy.length - cuts.length).toBeLessThanOrEqual(1)
        },
      ),
      { numRuns: 25 },
    )
  })

  it('acts when a turn ends, and never within it', async () => {
    const steps = Array.from({ length: 5 }, (_, index) => step('look', { index }, 'r'.repeat(800))).flat()
    const rows = [...chat(1), user('go on'), ...steps, assistant('done'), user('and?'), assistant('that is all')]
    const { cuts } = await simulated([...byBytes, '--budget', '300'], rows)
    // Counted from 0, requests 1 to 6 are of the second turn, which is over the budget from its second step on.
    expect(cuts.map(({ request }) => request)).toEqual([7, 8])
  })

  it('keeps the most recent turn, even if it alone is over the budget', async () => {
    const { rows, cuts } = await simulated([...byBytes, '--budget', '10'], chat(3))
    expect(cuts.map(({ evictedExchanges }) => evictedExchanges)).toEqual([[0], [1]])
    expect(Math.min(...rows.map(({ sentTokens }) => sentTokens))).toBeGreaterThan(100)
  })

  it('may leave the window well under the budget', async () => {
    const { cuts } = await simulated([...byBytes, '--budget', '500'], chat(8))
    expect(cuts.length).toBeGreaterThan(0)
    for (const { tokensAfter } of cuts) expect(tokensAfter).toBeLessThan(500 - 50)
  })

  it('has a budget of 100K tokens where none is given, and with 0 prunes nothing', async () => {
    const rows = chat(4, 150_000)
    const byDefault = await simulated(byBytes, rows)
    expect(byDefault.budget).toBe(100_000)
    expect(byDefault.cuts).not.toEqual([])
    expect((await simulated([...byBytes, '--budget', '0'], rows)).cuts).toEqual([])
  })

  it('is told of its budget by a variable of the environment', async () => {
    const { stdout } = await runCli(['emit', '--policy', 'ikigai-shipped', '--budget', '200k', '--no-config'])
    expect(stdout.trim()).toBe('export IKIGAI_SLIDING_CONTEXT_TOKENS=200000')
  })

  it('finds turns in what was said, where nothing marks them', async () => {
    const rows = [user('one'), ...step('look', {}, 'x'), assistant('1'), user('two'), assistant('2')]
    const exchanges = (await told(['history', '--exchanges'], rows)) as {
      firstLine: number
      lastLine: number
      requests: number
    }[]
    expect(exchanges.map(({ firstLine, lastLine, requests }) => [firstLine, lastLine, requests])).toEqual([
      [1, 4, 2],
      [5, 6, 1],
    ])
  })

  it('cuts the same whatever the prompt cache does', async () => {
    const rows = chat(8).map((row) => (row.role === 'assistant' ? { ...row, model: 'claude-sonnet-4-5' } : row))
    const [ideal, expected] = await Promise.all(
      ['ideal', 'expected'].map((cache) => simulated([...byBytes, '--budget', '500', '--cache', cache], rows)),
    )
    expect(ideal!.cuts).not.toEqual([])
    expect(ideal!.cuts).toEqual(expected!.cuts)
    expect(ideal!.rows.map(({ sentTokens }) => sentTokens)).toEqual(expected!.rows.map(({ sentTokens }) => sentTokens))
  })
})

describe('counting', () => {
  const rows = [
    {
      messages: [
        system('Be brief.'),
        user('Weather?'),
        ...step('weather', { place: 'Ulm' }, '21 °C'),
        assistant('Warm.'),
      ],
      tools: [weather],
    },
  ]
  /** The tokens of the last request of `rows`. */
  const tokens = async (estimator: string, rows: readonly object[], more: readonly string[] = []) =>
    (await simulated(['--policy', 'keep-all', '--budget', '0', '--estimator', estimator, ...more], rows)).rows.at(-1)!
      .sentTokens

  it('is of the serialized request, with system prompt, tools, all messages and their roles, at four bytes a token', async () => {
    const { text, body } = await bodyAt(2, ['--estimator', 'bytes'], rows)
    for (const part of [
      'Be brief.',
      'weather',
      'The weather of a place',
      'Weather?',
      'Ulm',
      '21 °C',
      '"role"',
      '"system"',
    ])
      expect(text).toContain(part)
    expect(await tokens('bytes', rows)).toBe(Math.ceil(bytesOf(body) / 4))
    // Raw strings would be less.
    expect(await tokens('bytes', rows)).toBeGreaterThan(2 * Math.ceil('Be brief.Weather?weatherUlm21 °C'.length / 4))
  })

  it('has one ratio for every provider and model', async () => {
    const counts = [
      await tokens('bytes', rows, ['--model', 'gpt-5-mini']),
      await tokens('bytes', rows, ['--model', 'gpt-4-mini']),
    ]
    expect(new Set(counts).size).toBe(1)
    for (const provider of ['anthropic', 'openai', 'google']) {
      const { body } = await bodyAt(2, ['--provider', provider, '--estimator', 'bytes'], rows)
      expect(await tokens('bytes', rows, ['--provider', provider])).toBe(Math.ceil(bytesOf(body) / 4))
    }
  })

  it('goes by provider and model, and falls through to bytes', async () => {
    const { runs } = (await told(['simulate', '--estimator', 'auto'], [user('one'), assistant('1')])) as {
      runs: { estimator: string }[]
    }
    expect(runs[0]!.estimator).toMatch(/bytes/)
    const labels = await Promise.all(
      ['claude-sonnet-4-6', 'gpt-5-mini', 'gemini-2.5-pro'].map(async (model) => {
        const { runs } = (await told(
          ['simulate', '--model', model, '--estimator', 'auto'],
          [user('one'), assistant('1')],
        )) as {
          runs: { estimator: string }[]
        }
        return runs[0]!.estimator
      }),
    )
    expect(new Set(labels).size).toBe(3)
  })

  it('has a hidden prompt of 313 to 346 tokens for Claude where there are tools', async () => {
    const bare = [{ messages: [user('Weather?'), assistant('Warm.')] }]
    const empty = [{ ...bare[0], tools: [] }]
    const counted = (rows: readonly object[], model: string) => tokens('estimate', rows, ['--model', model])
    for (const [model, least, most] of [
      ['claude-sonnet-4-6', 313, 346],
      ['gpt-5-mini', 9, 9],
      ['gemini-2.5-pro', 0, 0],
    ] as const) {
      const without = await counted(bare, model)
      expect(await counted(empty, model)).toBe(without)
      const [one, two] = [
        await counted([{ ...bare[0], tools: [weather] }], model),
        await counted([{ ...bare[0], tools: [weather, weather] }], model),
      ]
      // What is left when the tools' own text, which grows with each of them, is taken away.
      const hidden = 2 * one - two - without
      expect(hidden, model).toBeGreaterThanOrEqual(least - 14)
      expect(hidden, model).toBeLessThanOrEqual(most + 14)
    }
  })
})

it('knows the discount of a provider’s cache: nine tenths of Anthropic’s price, half of GPT-4o’s, three quarters of Gemini 2.0’s', () => {
  const discount = (model: string) => {
    const { cacheRead, input } = lookupModel(model)!.price!
    return 1 - cacheRead! / input
  }
  expect(discount('claude-sonnet-4-5')).toBeCloseTo(0.9)
  expect(discount('gpt-4o')).toBeCloseTo(0.5)
  expect(discount('gemini-2.0-flash')).toBeCloseTo(0.75)
})

describe('rows of the table `messages`', () => {
  const row = (id: number, kind: string, content: string | null, data: object | null = null) => ({
    id,
    kind,
    content,
    data,
    created_at: `2026-03-01T09:00:${String(id).padStart(2, '0')}Z`,
  })
  const answer = { provider: 'anthropic', model: 'claude-sonnet-4-6', finish_reason: 'stop' }

  it('are sent where their kind is of the conversation', async () => {
    const { traces } = await readRecords(
      [
        row(1, 'system', 'Be brief.', {}),
        row(2, 'user', 'Look.', {}),
        row(3, 'tool_call', 'look', { tool_call_id: 't', tool_name: 'look', tool_args: '{}' }),
        row(4, 'tool_result', '…', { tool_call_id: 't', name: 'look', output: 'seen', success: true }),
        row(5, 'tool', 'another result'),
        row(6, 'assistant', 'Seen.', answer),
      ],
      'ikigai',
    )
    expect(traces[0]!.preamble.system).toMatchObject([{ role: 'system', blocks: [{ text: 'Be brief.' }] }])
    expect(traces[0]!.messages!.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant'])
  })

  it.each(['mark', 'rewind', 'agent_killed', 'command', 'fork'])(
    'are not sent where their kind is `%s`',
    async (kind) => {
      const data = kind === 'rewind' ? { target_message_id: 2 } : {}
      const result = await readRecords(
        [
          row(1, 'user', 'One.', {}),
          row(2, 'mark', null, {}),
          row(3, kind, 'aside', data),
          row(4, 'assistant', '1', answer),
        ],
        'ikigai',
      )
      expect(outlines(result)).toEqual(['1 ?user: One.', '4 assistant: 1'])
    },
  )

  it('before a `clear` are sent no more', async () => {
    const { traces } = await readRecords(
      [
        row(1, 'user', 'One.', {}),
        row(2, 'assistant', '1', answer),
        row(3, 'clear', null),
        row(4, 'user', 'Two.', {}),
        row(5, 'assistant', '2', answer),
      ],
      'ikigai',
    )
    expect(traces[0]!.isReset(2)).toBe(true)
  })
})
