import { describe, expect, it } from 'vitest'
import { openFile } from '../../../src/readers/lines/source.ts'
import {
  exchangesOf,
  fixture,
  fixtureText,
  messagesOf,
  outlines,
  readFixture,
  readSource,
  readText,
} from '../reading.ts'

const read = (file: string) => readFixture('claude-ai-export', file)

describe('claude-ai-export', () => {
  it('reads prompts with their attachments, and splits what the assistant did into responses and results', async () => {
    const result = await read('conversations.json')
    expect(outlines(result)).toEqual([
      '1 ?user: A lamp with a round wick. | <image 0> | Which wick fits?',
      '1 assistant: (A round one.) | web_search#toolu_1',
      '1 tool#toolu_1: Wicks.',
      '1 assistant: Number 8 fits.',
      '1 ?user: And for the old one?',
      '1 assistant: artifacts#unnamed:1',
      '1 !tool#unnamed:1: OK',
      '1 assistant: None.',
    ])
    expect(exchangesOf(result)).toEqual(['1 complete', '1 complete'])
    expect(messagesOf(result)[2]).toMatchObject({ toolName: 'web_search', time: Date.UTC(2026, 2, 2, 9, 0, 20) })
    expect(result.traces.map(({ head }) => [head.conversation, head.provider])).toEqual([
      ['c0ffee00-0000-4000-8000-000000000001', 'anthropic'],
      ['c0ffee00-0000-4000-8000-000000000003', 'anthropic'],
    ])
  })

  it('leaves out who is nobody, and says so', async () => {
    const result = await read('conversations.json')
    expect(outlines(result, 1)).toEqual(['3 ?user: Hello.'])
    expect(result.findings).toEqual(['bad-record@3'])
  })

  it('follows the path to the newest message where it is recorded', async () => {
    const result = await read('tree.json')
    expect(outlines(result)).toEqual(['1 ?user: Which lamp?', '3 assistant: The blue one.', '4 ?user: Thank you.'])
    expect(result.traces[0]!.head.model).toBe('claude-sonnet-4-5')
  })

  it('reads the branches that were left as forks, where they are asked for', async () => {
    const result = await readSource(openFile(fixture('claude-ai-export', 'tree.json')), 'auto', true)
    const id = 'c0ffee00-0000-4000-8000-000000000004'
    expect(result.traces.map(({ head, length }) => [head.conversation, head.parent, head.forkMessage, length])).toEqual(
      [
        [id, null, null, 3],
        [`${id}/t2`, id, 1, 2],
      ],
    )
  })

  it('names a tree whose path does not begin at its root', async () => {
    const text = fixtureText('claude-ai-export', 'tree.json')
    const without = async (from: string, to: string) => {
      const { report } = await readText(text.replace(from, to))
      return report.problems.map(({ code, line, detail }) => `${code}@${line} ${detail}`)
    }
    expect(await without('"current_leaf_message_uuid": "t4"', '"current_leaf_message_uuid": "t9"')).toEqual([
      'bad-shape@1 current_leaf_message_uuid',
    ])
    expect(await without('"parent_message_uuid": "t3"', '"parent_message_uuid": "t9"')).toEqual([
      'bad-shape@4 parent_message_uuid',
    ])
    expect(await without('"parent_message_uuid": "t3"', '"parent_message_uuid": null')).toEqual([
      'bad-shape@4 parent_message_uuid',
    ])
  })

  it('reads the text of messages that have no content, as in exports of before late 2024', async () => {
    const old = (text: string) => ({ chat_messages: [{ sender: 'human', text, attachments: [] }] })
    const result = await readText(JSON.stringify(old('Which wick?')))
    expect([outlines(result), result.findings]).toEqual([['1 ?user: Which wick?'], []])
    const later = await readText(JSON.stringify(old('This block is not supported on your current device yet.')))
    expect(later.findings).toEqual(['bad-shape@1'])
  })
})
