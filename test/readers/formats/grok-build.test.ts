import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { openFile } from '../../../src/readers/lines/source.ts'
import { fixtureText, outlines, readFixture, readRecords, readSource } from '../reading.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-grok-'))
afterAll(() => rmSync(directory, { recursive: true }))

const read = () => readFixture('grok-build', 'updates.jsonl')

describe('grok-build', () => {
  it('puts chunks together, calls with input that came late, and takes back what was rewound', async () => {
    const result = await read()
    expect(outlines(result)).toEqual([
      '2 ?user: Name  | a fig.',
      '4 assistant: (Brown.) | Brown Turkey.',
      '9 ?user: Which are planted?',
      '13 assistant: read_file#c1 | grep#c2',
      '13 tool#c1: Ronde de Bordeaux',
      '14 !tool#c2: {"error":"no grep"}',
      '15 assistant: Ronde de Bordeaux.',
      '22 ?user: Water them.',
    ])
    expect(result.findings).toEqual([])
  })

  it('takes the last count of a turn for its response, and the cost from its ticks', async () => {
    const { traces } = await read()
    const counts = { input: 2000, cacheRead: 1500, cacheWrite: 0, cacheWrite1h: 0, output: 20 }
    expect(traces[0]!.usage(0)).toEqual({ ...counts, cost: 0.00157 })
    expect([1, 2].map((request) => traces[0]!.usage(request))).toEqual([null, null])
  })

  it('bills a turn of several requests as one amount a model, and what was rewound', async () => {
    const [trace] = (await read()).traces
    const billed = trace!.sideCalls.map(({ kind, model, calls, usage }) => [
      kind,
      model,
      calls,
      usage.input,
      usage.output,
    ])
    expect(billed).toEqual([
      ['summed', 'grok-4.5', 2, 5000, 50],
      ['summed', 'grok-3-mini', 1, 200, 5],
      ['taken-back', 'grok-4.5', undefined, 400, 3],
    ])
    expect(trace!.sideCalls[0]!.span).toEqual({ from: 3, to: 7 })
    expect(trace!.sideCalls[1]!.span).toBeUndefined()
    const recorded = [trace!.usage(0)!, ...trace!.sideCalls.map(({ usage }) => usage)]
    // Every turn that was completed, in its last count.
    expect(recorded.reduce((sum, { input }) => sum + input, 0)).toBe(2000 + 5200 + 400)
    expect(recorded.reduce((sum, { output }) => sum + output, 0)).toBe(20 + 55 + 3)
  })

  it('gives a response nothing that another model was billed beside it', async () => {
    const update = (sessionUpdate: string, more: object, modelId = 'grok-4.5') => ({
      timestamp: 1785000000,
      method: 'session/update',
      params: { sessionId: 'g1', update: { sessionUpdate, ...more }, _meta: { modelId } },
    })
    const counts = (inputTokens: number) => ({ inputTokens, outputTokens: 1, modelCalls: 1 })
    const modelUsage = { 'grok-4.5': counts(100), 'grok-3-mini': counts(7) }
    const { traces } = await readRecords(
      [
        update('user_message_chunk', { content: { type: 'text', text: 'Name a fig.' } }),
        update('agent_message_chunk', { content: { type: 'text', text: 'Brown Turkey.' } }),
        update('turn_completed', { prompt_id: 'p1', usage: { ...counts(107), modelUsage } }),
      ],
      'auto',
    )
    expect(traces[0]!.usage(0)).toMatchObject({ input: 100 })
    expect(traces[0]!.sideCalls).toMatchObject([{ model: 'grok-3-mini', usage: { input: 7 } }])
  })

  it('remembers a compaction by what is known of its summary', async () => {
    const { traces } = await read()
    expect(traces[0]!.compactions).toMatchObject([{ at: 7, keptFrom: 7, line: 17 }])
  })

  it('has the rest from the summary beside it', async () => {
    const file = join(directory, 'updates.jsonl')
    writeFileSync(file, fixtureText('grok-build', 'updates.jsonl').replaceAll('"modelId":"grok-4.5"', '"x":1'))
    const info = { id: 'g1', cwd: '/home/ada/figs' }
    writeFileSync(
      join(directory, 'summary.json'),
      JSON.stringify({ info, current_model_id: 'grok-build', parent_session_id: 'g0' }),
    )
    const { traces } = await readSource(openFile(file))
    expect(traces[0]!.head).toMatchObject({
      conversation: 'g1',
      cwd: '/home/ada/figs',
      parent: 'g0',
      model: 'grok-build',
    })
  })
})
