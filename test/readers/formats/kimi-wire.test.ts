import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { textOf } from '../../../src/model/message.ts'
import { openFile } from '../../../src/readers/lines/source.ts'
import { fixtureText, outlines, readFixture, readSource } from '../reading.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-kimi-'))
afterAll(() => rmSync(top, { recursive: true }))

function put(path: string, text: string): string {
  const file = join(top, path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
  return file
}

describe('kimi-wire: Kimi Code', () => {
  const read = () => readFixture('kimi-wire', 'code.jsonl')

  it('reads prompts once, what is put in, responses by step, and results', async () => {
    const result = await read()
    expect(outlines(result)).toEqual([
      '6 ?user: Is the lamp on?',
      '7 injected: <system-reminder>It is late.</sy',
      '10 assistant: (I look.) | Shell#Shell_1',
      '14 tool#Shell_1: <system>Exit code 0.</system> | on',
      '16 assistant: It is on.',
      '29 ?user: Leave it.',
    ])
    expect(result.findings).toEqual([])
  })

  it('counts each request once, however often its usage is said', async () => {
    const { traces } = await read()
    const [trace] = traces
    expect(trace!.requests).toBe(2)
    const counts = { cacheWrite1h: 0 }
    expect(trace!.usage(0)).toEqual({ ...counts, input: 5400, cacheRead: 5000, cacheWrite: 100, output: 25 })
    expect(trace!.usage(1)).toEqual({ ...counts, input: 5420, cacheRead: 5400, cacheWrite: 0, output: 6 })
    expect(trace!.sideCalls.map(({ kind, usage }) => [kind, usage.input, usage.output])).toEqual([
      ['summary', 5490, 40],
      ['taken-back', 5070, 3],
    ])
  })

  it('has the prompt and the tools as they were sent, and the model of the request', async () => {
    const { traces } = await read()
    const { preamble, head } = traces[0]!
    expect(preamble.complete).toBe(true)
    expect(preamble.system.map(textOf)).toEqual(['You tend lamps.'])
    expect(preamble.tools).toMatchObject([{ type: 'function', function: { name: 'Shell' } }])
    expect(head).toMatchObject({ model: 'kimi-k3', cwd: '/home/ada/lamps' })
  })

  it('remembers a compaction with what users had said in front of its summary', async () => {
    const { traces } = await read()
    const [compaction] = traces[0]!.compactions
    expect(compaction).toMatchObject({ at: 5, keptFrom: 5, line: 22 })
    expect(compaction!.summary.map(textOf)).toEqual(['Is the lamp on?', 'Before: the lamp is on.'])
  })

  it('keeps the newest messages where an older version did', async () => {
    const lines = fixtureText('kimi-wire', 'code.jsonl').split('\n')
    const older = lines.map((line) =>
      line.replace('"keptUserMessageCount":1', '"legacy":1').replace('"compactedCount":5', '"compactedCount":4'),
    )
    const { traces } = await readSource({ name: 'older', chunks: [Buffer.from(older.join('\n'))] })
    expect(traces[0]!.compactions).toMatchObject([{ at: 5, keptFrom: 4 }])
  })

  it('says whose agent it is by where the file lies', async () => {
    const text = fixtureText('kimi-wire', 'code.jsonl')
    const session = 'sessions/wd_lamps_0123456789ab/session_1'
    const agents = { main: { parentAgentId: null }, 'agent-0': { parentAgentId: 'main' } }
    put(`${session}/state.json`, JSON.stringify({ workDir: '/home/ada/lamps', agents }))
    const headOf = async (agent: string) => {
      const { traces } = await readSource(openFile(put(`${session}/agents/${agent}/wire.jsonl`, text)))
      return traces[0]!.head
    }
    expect(await headOf('main')).toMatchObject({ conversation: 'session_1', parent: null })
    expect(await headOf('agent-0')).toMatchObject({ conversation: 'session_1/agent-0', parent: 'session_1' })
  })
})

describe('kimi-wire: Kimi CLI', () => {
  it('reads turns, steps and results, and sub-agents by themselves', async () => {
    const result = await readFixture('kimi-wire', 'cli.jsonl')
    expect(outlines(result)).toEqual([
      '2 ?user: Which hedge is oldest?',
      '4 assistant: (I ask.) | Task#Task:0',
      '10 tool#Task:0: <system>Done.</system> | The hornbeam.',
      '12 assistant: The hornbeam hedge.',
    ])
    expect(outlines(result, 1)).toEqual(['7 ?user: Look.', '8 assistant: The hornbeam.'])
    const usages = result.traces.map((trace) =>
      [0, 1].map((request) => request < trace.requests && trace.usage(request)),
    )
    expect(usages).toMatchObject([
      [{ input: 5400, cacheRead: 5000, cacheWrite: 100, output: 25 }, null],
      [{ input: 40, output: 4 }, false],
    ])
    expect(result.traces[0]!.compactions).toMatchObject([{ at: 4, keptFrom: 4 }])
    expect(result.findings).toEqual([])
  })

  it('is the session, with the system prompt of the context beside it, which counts no more', async () => {
    const log = put('old/a/wire.jsonl', fixtureText('kimi-wire', 'cli.jsonl'))
    const records = [
      { role: '_system_prompt', content: 'You know hedges.' },
      { role: 'user', content: 'Which hedge?' },
    ]
    const context = put('old/a/context.jsonl', records.map((record) => JSON.stringify(record)).join('\n'))
    expect((await readSource(openFile(context))).traces).toEqual([])
    const { traces } = await readSource(openFile(log))
    expect(traces[0]!.preamble.system.map(textOf)).toEqual(['You know hedges.'])
    expect(traces[0]!.head.conversation).toBe('a')
    rmSync(log)
    expect((await readSource(openFile(context))).traces).toHaveLength(1)
  })
})
