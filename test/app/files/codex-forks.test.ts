/** What forks of Codex are billed: their own responses alone, by what they say of their parent. */
import { describe, expect, it } from 'vitest'
import { readingHere } from '../../../src/app/analysis.ts'
import { spend } from '../../../src/app/bill/spend.ts'
import { choose, estimators, lookupModel, type Source } from '../../../src/app/index.ts'
import { ratesFor } from '../../../src/models/lookup.ts'

const plan = { policies: [], estimators: [choose(estimators.get('auto'))], budgets: [] }
const model = 'gpt-5.6-terra'
const day = '2026-11-20'
const [lead, child, grandchild] = ['a1', 'b2', 'c3'].map((end) => `019f0000-0000-7000-8000-0000000000${end}`)

type Line = Readonly<Record<string, unknown>>
/** Input, cached input, written input, output. */
type Counts = readonly [input: number, cached: number, written: number, output: number]

/** A rollout; its lines are numbered, and its clock goes on by a second a line. */
const rollout = (name: string, lines: readonly Line[], start = '10:00:00', first = 0): Source => ({
  name,
  chunks: [
    Buffer.from(
      lines
        .map((line, at) => {
          const timestamp = new Date(Date.parse(`${day}T${start}Z`) + 1000 * at).toISOString()
          return `${JSON.stringify({ timestamp, ordinal: first + at, ...line })}\n`
        })
        .join(''),
    ),
  ],
})

const head = (id: string | undefined, more: Line = {}): Line => ({
  type: 'session_meta',
  payload: {
    id,
    cwd: '/lamp',
    cli_version: '0.160.0',
    model_provider: 'openai',
    base_instructions: { text: 'Hi.' },
    ...more,
  },
})
const turn = (turn_id: string, more: Line = {}): Line => ({
  type: 'turn_context',
  payload: { turn_id, model, ...more },
})
const item = (payload: Line): Line => ({ type: 'response_item', payload })
const asked = (text: string) => item({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })
const said = (text: string) => item({ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] })
const event = (payload: Line): Line => ({ type: 'event_msg', payload })
const usageOf = ([input, cached, written, output]: Counts) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  cache_write_input_tokens: written,
  output_tokens: output,
})
const sumOf = (all: readonly Counts[]): Counts =>
  all.reduce<Counts>(([a, b, c, d], [e, f, g, h]) => [a + e, b + f, c + g, d + h], [0, 0, 0, 0])
const counted = (last: Counts, all: readonly Counts[] = [last]) =>
  event({ type: 'token_count', info: { last_token_usage: usageOf(last), total_token_usage: usageOf(sumOf(all)) } })
const recorded = (response_id: string, usage: Counts): Line => ({
  type: 'token_usage_record',
  payload: { thread_id: lead, response_id, usage: usageOf(usage), thread_token_usage: usageOf(usage) },
})

/** What these cost by hand, at list prices. */
const dollars = (all: readonly Counts[]): number =>
  all.reduce((sum, [of, cached, written, answer]) => {
    const rates = ratesFor(lookupModel(model)!, of)!
    return (
      sum +
      (rates.input * (of - cached - written) +
        rates.cacheRead * cached +
        rates.cacheWrite * written +
        rates.output * answer) /
        1e6
    )
  }, 0)

/** The same as `spend` says it. */
function worth(all: readonly Counts[]) {
  const [input, cacheRead, cacheWrite, output] = sumOf(all)
  const tokens = { input: input - cacheRead - cacheWrite, cacheRead, cacheWrite, cacheWrite1h: 0, output }
  return { tokens, usd: expect.closeTo(dollars(all), 5) }
}

async function billed(...sources: readonly Source[]) {
  const { total } = await spend(readingHere([...sources], {}), plan, 10)
  const { tokens, usd, requests, sideCalls, repeatedResponses } = total
  return { tokens, usd, requests, sideCalls, repeatedResponses }
}

const first: Counts = [10_000, 0, 9_000, 100]
const second: Counts = [10_200, 10_000, 0, 50]
const third: Counts = [10_300, 10_200, 0, 30]

it('knows a response whose sums begin anew, where nothing but sums is counted', async () => {
  const sums = (all: readonly Counts[]) =>
    event({ type: 'token_count', info: { total_token_usage: usageOf(sumOf(all)) } })
  const turns = [[first], [first, second], [third]].flatMap((all) => [asked('And?'), said('red'), sums(all)])
  expect(await billed(rollout('a', [head(lead), turn('t1'), ...turns]))).toMatchObject({
    ...worth([first, second, third]),
    requests: 3,
  })
})

describe('a fork of a Codex thread', () => {
  const onlyThird = { ...worth([third]), requests: 1, sideCalls: 0, repeatedResponses: 0 }
  const parent = [
    head(lead),
    turn('t1'),
    asked('List.'),
    said('red'),
    counted(first),
    said('green'),
    counted(second, [first, second]),
  ]
  const own = (id: string, last: Counts, before: readonly Counts[]) => [
    turn(id),
    asked('Dim one.'),
    said('Dimmed.'),
    counted(last, [...before, last]),
  ]
  const fork = [head(child, { forked_from_id: lead }), ...parent, ...own('t2', third, [first, second])]

  it.each([
    ['behind its parent', [rollout('a', parent), rollout('b', fork, '12:00:00')]],
    ['in front of its parent', [rollout('b', fork, '12:00:00'), rollout('a', parent)]],
    [
      'whose turn has the same name as one of its parent',
      [rollout('a', parent), rollout('b', [...fork.slice(0, -4), ...own('t1', third, [first, second])], '12:00:00')],
    ],
    [
      'beside another one',
      [rollout('a', parent), rollout('b', fork, '12:00:00'), rollout('c', fork.slice(0, -4), '13:00:00')],
    ],
  ])('is billed for its own responses alone, whatever its clock says: %s', async (_, files) => {
    expect(await billed(...files)).toMatchObject({ ...worth([first, second, third]), requests: 3 })
  })

  it('of a fork counts once, too, and so do the responses of two forks', async () => {
    const fourth: Counts = [10_400, 10_300, 0, 20]
    const again = [head(grandchild, { forked_from_id: child }), ...fork, ...own('t3', fourth, [first, second, third])]
    const files = [rollout('a', parent), rollout('b', fork, '12:00:00'), rollout('c', again, '13:00:00')]
    expect(await billed(...files)).toMatchObject({ ...worth([first, second, third, fourth]), requests: 4 })
  })

  it('is no fork where it is another thread of the same turns and counts', async () => {
    const other = [head(child), ...parent.slice(1)]
    expect(await billed(rollout('a', parent), rollout('b', other, '12:00:00'))).toMatchObject({
      ...worth([first, second, first, second]),
      repeatedResponses: 0,
    })
  })

  it.each([
    ['a number', 8],
    ['a text', '8'],
  ])(
    'says itself where its own lines begin, and needs no parent then: %s',
    async (_, subagent_history_start_ordinal) => {
      const lines = [
        head(child, { parent_thread_id: lead, subagent_history_start_ordinal }),
        ...parent,
        ...own('t2', third, []),
      ]
      expect(await billed(rollout('b', lines))).toEqual(onlyThird)
    },
  )

  it('does not pay for the summaries of its parent, and pays for what follows a rollback into it', async () => {
    const compacted = [
      recorded('resp_s', second),
      { type: 'compacted', payload: { message: 'So far.', compaction_response_id: 'resp_s' } },
    ]
    const lines = [
      head(child, { parent_thread_id: lead, subagent_history_start_ordinal: 10 }),
      ...parent,
      ...compacted,
      event({ type: 'thread_rolled_back', num_turns: 1 }),
      ...own('t2', third, []),
    ]
    expect(await billed(rollout('b', lines))).toEqual(onlyThird)
  })

  it('that leaves what it inherits in the file of its parent has a beginning that is not there', async () => {
    const base = { thread_id: lead, end_ordinal_exclusive: 7, end_byte_offset: 900 }
    const lines = [head(child, { forked_from_id: lead, history_base: base }), ...own('t2', third, [first, second])]
    expect(await billed(rollout('b', lines, '12:00:00', 7))).toMatchObject({ ...worth([third]), requests: 1 })
    expect(await billed(rollout('a', parent), rollout('b', lines, '12:00:00', 7))).toMatchObject({
      ...worth([first, second, third]),
      requests: 3,
    })
  })
})
