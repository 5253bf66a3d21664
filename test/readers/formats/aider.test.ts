import { describe, expect, it } from 'vitest'
import { exchangesOf, fixtureText, messagesOf, outlines, readFixture, readSource, readText } from '../reading.ts'

const file = ['aider', '.aider.chat.history.md'] as const

describe('aider', () => {
  it('reads each chat by itself, without its commands', async () => {
    const result = await readFixture(...file)
    expect(outlines(result)).toEqual([
      '12 ?user: Mend the lamp.',
      '15 assistant: I mend the wire.',
      '25 ?user: Is it on?',
      '27 assistant: It is.',
    ])
    expect(outlines(result, 1)).toEqual(['37 ?user: Dim it.', '39 assistant: Dimmed.'])
    expect(result.findings).toEqual([])
    expect(exchangesOf(result)).toEqual(['12 complete', '25 complete'])
    const [prompt, response] = messagesOf(result)
    expect(prompt).toMatchObject({
      blocks: [{ text: 'Mend the lamp.\nIt flickers.' }],
      time: Date.UTC(2026, 9, 13, 7, 5),
    })
    expect(response!.blocks).toMatchObject([{ text: expect.stringContaining('# lamp.py\non = True') }])
    expect(result.traces.map(({ head }) => [head.conversation, head.model])).toEqual([
      ['2026-10-13 07:05:00', 'claude-sonnet-4-5'],
      ['2026-10-13 09:00:00', 'gpt-5-mini'],
    ])
  })

  it('is the same character by character, and with the line ends of Windows', async () => {
    const text = fixtureText(...file)
    const whole = outlines(await readText(text))
    expect(outlines(await readText(text.replaceAll('\n', '\r\n')))).toEqual(whole)
    const chunks = [...text].map((character) => Buffer.from(character))
    expect(outlines(await readSource({ name: 'text', chunks }))).toEqual(whole)
  })

  it('takes no other Markdown for it', async () => {
    expect((await readText('# A lamp\n\n> It flickers.\n')).traces).toEqual([])
  })
})
