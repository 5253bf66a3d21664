import { describe, expect, it } from 'vitest'
import { openFile } from '../../../src/readers/lines/source.ts'
import {
  exchangesOf,
  fixture,
  fixtureText,
  linesOf,
  messagesOf,
  outlines,
  readFixture,
  readSource,
  readText,
} from '../reading.ts'

interface Conversation {
  current_node?: string
  readonly mapping: Record<string, { readonly message: object | null }>
}

const read = (file: string) => readFixture('chatgpt-export', file)

describe('chatgpt-export', () => {
  it('reads the path to the node that was shown last, and none of the branches that were left', async () => {
    const result = await read('conversation.json')
    expect(outlines(result)).toEqual(
      [
        '3 ?user: Is there an oil lamp for sale in',
        '5 assistant: browser#c1',
        '6 tool#c1: # Lamps of Leipzig | Lamps',
        '8 assistant: Yes, for 40 euros.',
        '9 ?user: <image 2048> | Like this one?',
        '10 assistant: (Comparing',
      ].map((line) => expect.stringContaining(line)),
    )
    expect(exchangesOf(result)).toEqual(['3 complete', '9 complete'])
    expect(result.findings).toEqual([])
    const [trace] = result.traces
    expect(trace!.head).toMatchObject({ conversation: '6913a0b2-0000-8000-8000-000000000001', provider: 'openai' })
    expect(trace!.requests).toBe(3)
  })

  it('takes custom instructions for the preamble', async () => {
    const [trace] = (await read('conversation.json')).traces
    expect(trace!.preamble.complete).toBe(false)
    expect(trace!.preamble.system.flatMap(({ blocks }) => blocks)).toEqual([
      { type: 'text', text: 'Ada keeps lamps.' },
      { type: 'text', text: 'Be brief.' },
    ])
  })

  it('joins what is said in a row to one response, without what is for the screen', async () => {
    const response = messagesOf(await read('conversation.json')).at(-1)
    expect(response?.blocks).toEqual([
      { type: 'thinking', text: 'Comparing\nThe handle differs.' },
      { type: 'text', text: 'Not quite: the handle differs.' },
    ])
    expect(response).toMatchObject({ model: 'o3', time: 1772442061000 })
  })

  it('reads each conversation of an export, and follows the newest children where no node is named', async () => {
    const result = await read('conversations.json')
    expect(outlines(result)).toEqual([
      '1 ?user: Run it.',
      '1 assistant: python#c',
      '1 tool#c: 1',
      '1 assistant: It prints 1.',
    ])
    expect(messagesOf(result)[1]?.blocks).toEqual([{ type: 'call', id: 'c', name: 'python', input: 'print(1)' }])
    expect(messagesOf(result)[2]).toMatchObject({ toolName: 'python' })
    expect(result.report).toMatchObject({ records: 3, used: 2, leftOut: 1, transcripts: 1 })
    // The second one has neither an author nor the node that its message answers.
    expect(result.findings).toEqual(['bad-shape@2', 'bad-shape@2', 'bad-record@3'])
  })

  it('names where the path to the shown node is cut off', async () => {
    const read = async (change: (conversation: Conversation) => unknown) => {
      const conversation = JSON.parse(fixtureText('chatgpt-export', 'conversation.json')) as Conversation
      change(conversation)
      const { report } = await readText(JSON.stringify(conversation))
      return report.problems.map(({ code, line, detail }) => `${code}@${line} ${detail}`)
    }
    const torn = ['bad-shape@1 mapping[].parent']
    expect(await read(({ mapping }) => Object.assign(mapping.u1!, { parent: null }))).toEqual(torn)
    expect(await read(({ mapping }) => delete mapping.u1)).toEqual(torn)
    const unshown = ['bad-shape@1 current_node']
    expect(await read((conversation) => Object.assign(conversation, { current_node: 'u9' }))).toEqual(unshown)
    expect(await read((conversation) => delete conversation.current_node)).toEqual(unshown)
    const nobody = { author: { role: 'lamp' } }
    expect(await read(({ mapping }) => Object.assign(mapping.u1!.message!, nobody))).toEqual(['bad-record@3 undefined'])
  })

  it('survives nodes that go round', async () => {
    const [conversation] = linesOf(`${JSON.stringify(JSON.parse(fixtureText('chatgpt-export', 'conversation.json')))}`)
    conversation.mapping.root.parent = 'a2'
    const { traces } = await readText(JSON.stringify(conversation))
    expect(traces).toHaveLength(1)
  })

  it('reads the branches that were left as forks, where they are asked for', async () => {
    const source = openFile(fixture('chatgpt-export', 'conversation.json'))
    const result = await readSource(source, 'auto', true)
    expect(result.traces.map(({ head, length }) => [head.conversation, head.parent, head.forkMessage, length])).toEqual(
      [
        ['6913a0b2-0000-8000-8000-000000000001', null, null, 6],
        ['6913a0b2-0000-8000-8000-000000000001/u2b', '6913a0b2-0000-8000-8000-000000000001', 4, 5],
      ],
    )
    expect(outlines(result, 1).at(-1)).toBe('9 ?user: An abandoned question.')
  })
})
