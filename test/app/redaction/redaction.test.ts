import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pseudonyms } from '../../../src/app/redaction/pseudonyms.ts'
import { redactionBy } from '../../../src/app/redaction/redaction.ts'
import { builtinModels } from '../../../src/models/lookup.ts'
import { anyText } from '../../any-text.ts'

const redaction = redactionBy('a key', builtinModels)
const { text } = redaction
const shapeOf = (plain: string) =>
  plain
    .replace(/\p{Lu}/gu, 'A')
    .replace(/\p{Ll}/gu, 'a')
    .replace(/\p{Lt}|\p{Lm}|\p{Lo}/gu, 'o')
    .replace(/\p{N}/gu, '0')
    .replace(/\p{M}/gu, 'm')

describe('a pseudonym', () => {
  it('has the bytes, the characters and the shape of its text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), anyText()), (plain) => {
        const shown = text(plain)
        expect(Buffer.byteLength(shown)).toBe(Buffer.byteLength(plain))
        expect(JSON.stringify(shown).length).toBe(JSON.stringify(plain).length)
        expect(shapeOf(shown)).toBe(shapeOf(plain))
      }),
    )
  })

  it('is that of no other word', () => {
    const pseudonym = pseudonyms('key')
    for (const words of [
      Array.from({ length: 26 }, (_, at) => String.fromCharCode(97 + at)),
      Array.from({ length: 1000 }, (_, at) => String(at).padStart(3, '0')),
      Array.from({ length: 2000 }, (_, at) => `id${at.toString(36)}`),
      Array.from({ length: 500 }, (_, at) => `语${String.fromCodePoint(0x4e00 + at)}`),
    ]) {
      expect(new Set(words.map(pseudonym)).size).toBe(words.length)
    }
  })

  it('is the same in capitals, in a path and in each run with the key', () => {
    const [path, name] = [text('src/station.ts'), text('Station')]
    expect(path.split(/[/.]/)[1]).toBe(name.toLowerCase())
    expect(redactionBy('a key', builtinModels).text('src/station.ts')).toBe(path)
    expect(redactionBy('another', builtinModels).text('src/station.ts')).not.toBe(path)
    expect(redactionBy(null, builtinModels).text('src/station.ts')).not.toBe(
      redactionBy(null, builtinModels).text('src/station.ts'),
    )
  })

  it('is none for what is no secret', () => {
    expect(['Bash', 'str_replace_based_edit_tool', 'apply_patch'].map(redaction.tool)).toEqual([
      'Bash',
      'str_replace_based_edit_tool',
      'apply_patch',
    ])
    expect(redaction.tool('mcp__files__read')).toMatch(/^mcp__(?!files)\w{5}__(?!read)\w{4}$/)
    expect(redaction.model('us.anthropic.claude-sonnet-4-5-20250929')).toBe('us.anthropic.claude-sonnet-4-5-20250929')
    expect(redaction.model('claude-sonnet-4-5-ours')).toMatch(/^claude-sonnet-4-5-(?!ours)[a-z]{4}$/)
    expect(redaction.file('logs/a.jsonl.gz')).toMatch(/^(?!logs)[a-z]{4}\/[a-z]\.jsonl\.gz$/)
  })
})

describe('JSON', () => {
  it('keeps the form of a message, and nothing of what a tool is called with', () => {
    const message = {
      role: 'assistant',
      content: [{ type: 'tool_use', id: 'call_1', name: 'Bash', input: { command: 'ls', mine: [true, 120, 'bash'] } }],
      usage: { input: 17 },
    }
    const shown = redaction.json(message)
    expect(shown).toEqual({
      role: 'assistant',
      content: [
        {
          type: 'tool_use',
          id: text('call_1'),
          name: 'Bash',
          input: { command: text('ls'), [text('mine')]: [true, expect.any(Number), text('bash')] },
        },
      ],
      usage: { input: 17 },
    })
    expect(JSON.stringify(shown).length).toBe(JSON.stringify(message).length)
  })

  it('within a text stays JSON of that length', () => {
    fc.assert(
      fc.property(fc.json(), fc.nat({ max: 4 }), (plain, spaces) => {
        const document = JSON.stringify(JSON.parse(plain), null, spaces)
        const { arguments: shown } = redaction.json({ arguments: document })
        expect(() => JSON.parse(shown)).not.toThrow()
        expect(shown.length).toBe(document.length)
      }),
    )
  })
})
