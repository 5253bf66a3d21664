import { describe, expect, it } from 'vitest'
import { outlines, readFixture, readRecords } from '../reading.ts'

describe('har', () => {
  it('reads the requests of each API as a log of that API, and no others', async () => {
    const result = await readFixture('har', 'recording.har')
    expect([0, 1].map((index) => outlines(result, index))).toEqual([
      ['2 ?user: Is it on?', '2 assistant: It is on.', '5 ?user: Switch it off.', '5 assistant: Done.'],
      ['4 ?user: Is the lamp on?', '4 assistant: It is off.'],
    ])
    expect(result.traces.map(({ head }) => [head.provider, head.model])).toEqual([
      ['openai', 'gpt-4o-mini'],
      ['anthropic', 'claude-haiku-4-5'],
    ])
    expect(result.findings).toEqual(['bad-shape@6'])
  })

  it('names a call of an API that it cannot read, and no other request', async () => {
    const call = (url: string, postData?: unknown) => ({ request: { method: 'POST', url, postData }, response: {} })
    const chat = 'https://proxy.example/v1/chat/completions?api-version=1'
    const { report } = await readRecords(
      [
        {
          log: {
            creator: {},
            entries: [
              call('https://chat.example/channels/1/messages', { text: '{"content":"Hi."}' }),
              call(chat),
              call(chat, { params: [] }),
              call('https://api.anthropic.com/v1/messages', { text: '{"lamps":[]}' }),
              call('https://google.example/v1beta/models/gemini-3-pro:streamGenerateContent', { text: '{' }),
            ],
          },
        },
      ],
      'har',
    )
    expect(report.problems).toEqual([
      { code: 'bad-shape', line: 2, detail: 'request.postData' },
      { code: 'bad-shape', line: 3, detail: 'request.postData.text' },
      { code: 'no-message', line: 4 },
      { code: 'no-message', line: 5 },
    ])
  })

  it('takes the usage of plain and of streamed responses', async () => {
    const { traces } = await readFixture('har', 'recording.har')
    expect(traces[0]!.usage(1)).toMatchObject({ input: 40, cacheRead: 16, output: 3 })
    expect(traces[1]!.usage(0)).toMatchObject({ input: 20, output: 6 })
  })
})
