import { describe, expect, it } from 'vitest'
import reader from '../../../src/readers/formats/tau-bench.ts'
import { bodiesOf, fixtureText, outlines, readFixture, readText } from '../reading.ts'

const read = (file: string) => readFixture('tau-bench', file)

describe('tau-bench', () => {
  it('reads each run of an array by itself, as it was sent', async () => {
    const { traces, findings } = await read('runs.json')
    const runs: { traj: unknown[] }[] = JSON.parse(fixtureText('tau-bench', 'runs.json'))
    expect(traces.map(({ head }) => head.conversation)).toEqual(['task:0/trial:0', 'task:0/trial:1'])
    expect(traces.map(bodiesOf)).toEqual(
      runs.map(({ traj }) => [{ messages: traj.slice(0, 2) }, { messages: traj.slice(0, 4) }]),
    )
    // Which tools it could call is not recorded.
    expect(traces[0]!.preamble.complete).toBe(false)
    expect(findings).toEqual([])
  })

  it('reads the side of the agent in a simulation, not what the model that plays the user called', async () => {
    const result = await read('simulations.json')
    expect(outlines(result)).toEqual([
      '1 assistant: Hi! How can I help you today?',
      '2 ?user: My lamp is off.',
      '3 assistant: Let me see. | lamp_state#call_1 | lamp_age#call_2',
      '4 tool#call_1: off',
      '4 tool#call_2: old',
      '5 assistant: Press the switch.',
      '8 ?user: It is on.',
    ])
    expect(result.findings).toEqual(['bad-record@2'])
    const [trace] = result.traces
    expect(trace!.head).toMatchObject({ conversation: 'sim-1', model: 'gpt-4.1-2025-04-14' })
    expect(trace!.preamble).toMatchObject({ complete: false, system: [{ blocks: [{ text: 'Be kind.' }] }] })
    expect([0, 1, 2].map((request) => trace!.usage(request))).toEqual([
      null,
      { input: 300, cacheRead: 128, cacheWrite: 0, cacheWrite1h: 0, output: 20 },
      { input: 340, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 5 },
    ])
  })

  it('says which message of a run is none, and reads the others', async () => {
    const [run] = JSON.parse(fixtureText('tau-bench', 'runs.json'))
    const [whole, damaged] = await Promise.all(
      [run.traj, [...run.traj, null, 'lamp']].map((traj) => readText(JSON.stringify([{ ...run, traj }]))),
    )
    expect([whole?.findings, damaged?.findings]).toEqual([[], ['bad-record@7', 'bad-record@8']])
    expect(damaged?.traces.map(bodiesOf)).toEqual(whole?.traces.map(bodiesOf))
  })

  it('keeps the runs in front of where the array was cut off', async () => {
    const text = fixtureText('tau-bench', 'runs.json')
    const result = await readText(text.slice(0, -200))
    expect(result.traces).toHaveLength(1)
    expect(result.findings.map((finding) => finding.split('@')[0])).toEqual(['torn-document'])
  })
})

describe('tau-bench: recognition', () => {
  it('knows its runs and simulations, and no other messages of a task', () => {
    const messages = [{ role: 'user', content: 'My lamp is off.' }]
    expect(reader.recognise({ task_id: 1, traj: messages })).toBe(1)
    expect(reader.recognise({ task_id: '1', messages, termination_reason: 'user_stop' })).toBe(1)
    expect(reader.recognise({ simulations: [{ task_id: '1', messages, reward_info: {} }] })).toBe(1)
    expect(reader.recognise({ traj: messages })).toBe(0)
    expect(reader.recognise({ task_id: '1', messages })).toBe(0)
    expect(reader.recognise({ simulations: [{ messages }] })).toBe(0)
    expect(reader.recognise(messages)).toBe(0)
  })
})
