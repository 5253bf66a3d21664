import { describe, expect, it } from 'vitest'
import { requests, Talk } from '../requests.ts'

const tools = (messages: readonly string[] | undefined) => messages?.filter((message) => message.startsWith('tool:'))

describe('swe-agent-last-n', () => {
  const talk = (results: number) => {
    const talk = new Talk().user('the task')
    for (let index = 1; index <= results; index++) talk.calls({ name: 'bash', result: `${index}\nlines` })
    return talk.assistant('done').messages
  }
  const masked = (results: number, given: Record<string, number>) =>
    tools(requests('swe-agent-last-n', talk(results), { budget: 0, given }).at(-1))?.filter((message) =>
      message.includes('omitted'),
    ).length

  it('keeps the newest, and counts the task as the first observation', () => {
    expect(tools(requests('swe-agent-last-n', talk(3), { budget: 0, given: { n: 1 } }).at(-1))).toEqual([
      'tool: Old environment output: (2 lines omitted)',
      'tool: Old environment output: (2 lines omitted)',
      'tool: 3\nlines',
    ])
    expect(masked(7, { n: 5 })).toBe(2)
    expect(masked(5, { n: 5 })).toBe(0)
  })

  it('moves the boundary only every so many observations', () => {
    expect([7, 8, 9, 10, 11].map((results) => masked(results, { n: 5, polling: 4 }))).toEqual([2, 2, 2, 2, 6])
  })
})

describe('mini-swe-ingest', () => {
  const shown = (length: number) => {
    const text = 'a'.repeat(Math.floor(length / 2)) + 'b'.repeat(Math.ceil(length / 2))
    return tools(
      requests(
        'mini-swe-ingest',
        new Talk().user('go').calls({ name: 'bash', result: text }).assistant('done').messages,
        { budget: 0 },
      ).at(-1),
    )?.[0]
  }

  it('keeps 9,999 characters whole, and of more the two ends', () => {
    expect(shown(9_999)).toHaveLength('tool: '.length + 9_999)
    expect(shown(10_000)).toContain('\n0 characters elided\n')
    expect(shown(30_000)).toBe(
      `tool: <output_head>\n${'a'.repeat(5000)}\n</output_head>\n<elided_chars>\n20000 characters elided\n</elided_chars>\n<output_tail>\n${'b'.repeat(5000)}\n</output_tail>`,
    )
  })
})
