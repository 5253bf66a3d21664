import fc from 'fast-check'
import { get_encoding } from 'tiktoken'
import { describe, expect, it } from 'vitest'
import openai from '../../src/estimators/openai.ts'
import type { Block, Message, Preamble } from '../../src/model/message.ts'
import { messages } from '../simulator/arbitrary.ts'
import recorded from './openai-counts.data.json' with { type: 'json' }

const auto = { encoding: 'auto' } as const
const gpt35 = { provider: 'openai', model: 'gpt-3.5-turbo' } as const

interface ChatMessage {
  readonly role: string
  readonly name?: string
  readonly content?: string
  readonly function_call?: { readonly name: string; readonly arguments: string }
}

function canonical(message: ChatMessage, index: number): Message {
  const { name, arguments: input } = message.function_call ?? {}
  const blocks: Block[] = [{ type: 'text', text: message.content ?? '' }]
  if (name !== undefined) blocks.push({ type: 'call', id: '', name, input })
  const role = message.role === 'function' ? 'tool' : (message.role as Message['role'])
  return { role, line: index + 1, blocks, wire: { provider: 'openai', value: message } }
}

describe('what the API itself counted', () => {
  const meter = openai.meter(gpt35, auto)
  for (const [number, { messages: list, tokens, ...rest }] of recorded.cases.entries()) {
    it(`case ${number}: ${tokens} tokens`, () => {
      const all = (list as ChatMessage[]).map(canonical)
      const preamble: Preamble = {
        system: all.filter(({ role }) => role === 'system'),
        ...('functions' in rest && rest.functions ? { tools: rest.functions } : {}),
        complete: true,
      }
      const conversation = all.filter(({ role }) => role !== 'system')
      const units = conversation.reduce((sum, message) => sum + meter.message(message), meter.preamble(preamble))
      expect(units).toBe(tokens)
    })
  }
})

it('takes the encoding from the model, o200k_base where it knows none, and says so', () => {
  const label = (model: string | null) => openai.scale(null as never, 0, auto, { provider: 'openai', model }).label
  expect(['gpt-4o', 'gpt-5.2-codex', 'o3-mini', 'gpt-4.1', 'chatgpt-4o-latest'].map(label)).toEqual(
    Array(5).fill(undefined),
  )
  expect(['gpt-4', 'gpt-4-0613', 'gpt-3.5-turbo'].map(label)).toEqual(Array(3).fill(undefined))
  expect([null, 'claude-opus-4-6', 'some-model'].map(label)).toEqual(Array(3).fill('openai(o200k_base, model unknown)'))
})

it('counts a message as the reference tokenizer counts its parts, and four tokens around them', () => {
  const reference = get_encoding('o200k_base')
  const count = (text: string) => reference.encode_ordinary(text).length
  const meter = openai.meter({ provider: 'openai', model: 'gpt-5' }, auto)
  fc.assert(
    fc.property(messages, (list) => {
      for (const message of list) {
        let tokens = 4
        for (const block of message.blocks) {
          if (block.type === 'text') tokens += count(block.text)
          if (block.type === 'call') tokens += 3 + count(block.name) + count(JSON.stringify(block.input))
        }
        expect(meter.message(message)).toBe(tokens)
      }
    }),
    { numRuns: 50 },
  )
  reference.free()
})

it('prices a picture by its size and detail, not by its text', () => {
  const png = Buffer.alloc(33)
  png.writeUInt32BE(0x89504e47, 0)
  png.writeUInt32BE(2048, 16)
  png.writeUInt32BE(4096, 20)
  const data = png.toString('base64')
  const image: Block = { type: 'image', mediaType: 'image/png', bytes: 33, data }
  const url = { url: `data:image/png;base64,${data}` }
  const tokens = (detail: object) =>
    openai.meter({ provider: 'openai', model: 'gpt-4o' }, auto).message({
      role: 'user',
      line: 1,
      blocks: [image],
      wire: {
        provider: 'openai',
        value: { role: 'user', content: [{ type: 'image_url', image_url: { ...url, ...detail } }] },
      },
    })
  expect(tokens({})).toBe(4 + 1105)
  expect(tokens({ detail: 'low' })).toBe(4 + 85)
})
