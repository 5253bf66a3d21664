import { describe, expect, it } from 'vitest'
import { fixtureText, outlines, readFixture, readSource, readText } from '../reading.ts'

const read = (file: string) => readFixture('ikigai-log', file)

describe('ikigai-log', () => {
  it('reads the requests of the debug log, which is text, by the lines that they stand on', async () => {
    const result = await read('debug.log')
    expect(result.traces.map(({ head }) => [head.format, head.provider, head.model])).toEqual([
      ['ikigai-log', 'anthropic', 'claude-sonnet-4-5'],
      ['ikigai-log', 'anthropic', 'claude-sonnet-4-5'],
    ])
    expect(outlines(result)).toEqual([
      '4 ?user: Is the lamp on?',
      '10 assistant: file_read#toolu_1',
      '10 tool#toolu_1: on',
      '13 assistant: It is on.',
      '13 ?user: Dim it.',
    ])
    expect(outlines(result, 1)).toEqual(['15 ?user: Count the lamps.'])
    expect(result.findings).toEqual([])
    expect(result.traces[0]!.preamble).toMatchObject({ complete: true, tools: [{ name: 'file_read' }] })
  })

  it('takes the counts of a response where one request was under way, and no others', async () => {
    const { traces } = await read('debug.log')
    expect([0, 1].map((request) => traces[0]!.usage(request))).toMatchObject([
      { input: 120, output: 30 },
      { input: 160, output: 6 },
    ])
    const marked = fixtureText('ikigai-log', 'debug.log').replaceAll(
      '"system":"You',
      '"cache_control":{"type":"ephemeral"},"system":"You',
    )
    expect((await readText(marked)).traces[0]!.usage(0)).toBeNull()
  })

  it('reads the JSON lines of older versions', async () => {
    const result = await read('current.log')
    expect(outlines(result)).toEqual(['2 ?user: Is it dark?', '5 assistant: Yes.', '5 ?user: Then light them.'])
    expect(result.traces[0]!.usage(0)).toMatchObject({ input: 25, output: 2 })
    expect(result.traces[0]!.head).toMatchObject({ format: 'ikigai-log', provider: 'openai' })
    expect(result.report).toMatchObject({ used: 4, noContext: 2, leftOut: 0 })
  })

  it('reads a log in chunks of any size, and reports a request that is cut off as damage', async () => {
    const bytes = Buffer.from(fixtureText('ikigai-log', 'debug.log'))
    const whole = outlines(await readText(bytes.toString()))
    for (const size of [1, 7, 1000]) {
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      )
      expect(outlines(await readSource({ name: 'text', chunks }))).toEqual(whole)
    }
    const cut = await readText(bytes.toString().slice(0, bytes.indexOf('"max_tokens"', bytes.indexOf('toolu_1')) + 5))
    expect(cut.findings).toEqual(['torn-line@13'])
  })
})
