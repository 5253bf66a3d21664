import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { safe, safeJson } from '../../src/base/quoting.ts'
import { clip, clipMiddle, clipPath, widthOf, wrap } from '../../src/reports/text.ts'
import { anyText } from '../any-text.ts'

const texts = fc.oneof(fc.string(), fc.string({ unit: 'grapheme' }), anyText()).map(safe)

describe('safe', () => {
  it.each([
    ['plain text', 'plain text'],
    ['a\nb\r\tc', 'a\\nb\\r\\tc'],
    ['\u001b[31mred', '\\x1b[31mred'],
    ['\u009b2J', '\\u009b2J'],
    ['a\u202egnp.exe', 'a\\u202egnp.exe'],
    ['a\u2066b\u2069', 'a\\u2066b\\u2069'],
    ['zero\u200bwidth\ufeff', 'zero\\u200bwidth\\ufeff'],
    ['line\u2028paragraph\u2029', 'line\\u2028paragraph\\u2029'],
    ['\ud800 alone', '\\ud800 alone'],
    ['tag\u{e0041}', 'tag\\U000e0041'],
    ['👩‍👩‍👧‍👦 नमस्ते 日本語 é', '👩‍👩‍👧‍👦 नमस्ते 日本語 é'],
    [`z${'\u0301'.repeat(10)}`, `z${'\u0301'.repeat(8)}\\u0301\\u0301`],
  ])('makes %j harmless', (text, harmless) => {
    expect(safe(text)).toBe(harmless)
  })
  it('has nothing left to do the second time', () => {
    fc.assert(fc.property(anyText(), (text) => safe(safe(text)) === safe(text)))
  })
  it('of JSON is the same data', () => {
    fc.assert(
      fc.property(fc.jsonValue(), anyText(), (value, text) => {
        const json = JSON.stringify([value, text, '\u202e\u2028\u009b\u{e0041}'])
        expect(JSON.parse(safeJson(json))).toEqual(JSON.parse(json))
        expect(safeJson(json)).not.toMatch(/[\u007f-\u009f\u2028\u202e]/)
      }),
    )
  })
})

describe('widthOf', () => {
  it.each([
    ['', 0],
    ['plain', 5],
    ['é', 1],
    ['e\u0301', 1],
    ['日本語', 6],
    ['한국어', 6],
    ['ｆｕｌｌ', 8],
    ['ﾊﾝｶｸ', 4],
    ['𠀀', 2],
    ['👍', 2],
    ['👍🏽', 2],
    ['👩‍👩‍👧‍👦', 2],
    ['🇩🇪', 2],
    ['❤️', 2],
    ['❤', 1],
    ['नी', 1],
    ['─│…', 3],
    ['\u200d', 0],
  ])('%s is %d wide', (text, width) => {
    expect(widthOf(text)).toBe(width)
  })

  it('takes Latin letters, dashes, arrows and frames for a cell each, beside wide characters too', () => {
    const ranges = [
      [0x20, 0x7e],
      [0xa0, 0xac],
      [0xae, 0x2ff],
      [0x2010, 0x2027],
      [0x2190, 0x21ff],
      [0x2500, 0x257f],
    ]
    const characters = ranges.flatMap(([from = 0, to = 0]) =>
      Array.from({ length: to - from + 1 }, (_, offset) => String.fromCharCode(from + offset)),
    )
    expect(characters.filter((one) => widthOf(one + one) !== 2 || widthOf(`${one}${one}中`) !== 4)).toEqual([])
  })

  it('is the same however long the text, and wherever a grapheme stands in it', () => {
    for (let before = 240; before < 260; before++) {
      expect(widthOf(`${'é'.repeat(before)}👩‍👩‍👧‍👦🇩🇪🇫🇷e\u0301`)).toBe(before + 7)
    }
    expect(widthOf(`é${'👩\u200d'.repeat(1000)}👩`)).toBe(3)
  })
})

describe('clip', () => {
  it('keeps what fits, and cuts whole graphemes', () => {
    expect(clip('日本語', 6)).toBe('日本語')
    expect(clip('日本語', 5)).toBe('日本…')
    expect(clip('日本語', 4)).toBe('日…')
    expect(clip('ab👩‍👩‍👧‍👦cd', 4)).toBe('ab…')
    expect(clip('abc', 0)).toBe('')
    expect(clipMiddle('some/long/path/to/file.jsonl', 16)).toBe('some/lo…le.jsonl')
  })

  it('keeps the name of a file before its directory', () => {
    expect(clipPath('some/long/path/to/file.jsonl', 20)).toBe('some/lon…/file.jsonl')
    expect(clipPath('some/long/path/to/file.jsonl', 13)).toBe('…/file.jsonl')
    expect(clipPath('C:\\some\\long\\file.jsonl', 18)).toBe('C:\\som…\\file.jsonl')
    expect(clipPath('dir/53ea19c1-0b1a-4c3e-9d2f.jsonl', 16)).toBe('…/53ea19…f.jsonl')
    expect(clipPath('53ea19c1-0b1a-4c3e-9d2f.jsonl', 16)).toBe('53ea19c…2f.jsonl')
    const files = fc
      .array(fc.stringMatching(/^[a-z.-]{1,9}$/), { minLength: 1, maxLength: 5 })
      .map((parts) => parts.join('/'))
    fc.assert(
      fc.property(files, fc.integer({ min: 16, max: 40 }), (path, width) => {
        const name = path.split('/').at(-1) as string
        expect(clipPath(path, width).endsWith(name)).toBe(true)
      }),
    )
  })
  it('never gives more than the width', () => {
    fc.assert(
      fc.property(texts, fc.nat(30), (text, width) => {
        expect(widthOf(clip(text, width))).toBeLessThanOrEqual(width)
        expect(widthOf(clipMiddle(text, width))).toBeLessThanOrEqual(width)
        for (const path of [text, `a/${text}`, `${text}/a`]) {
          expect(widthOf(clipPath(path, width))).toBeLessThanOrEqual(width)
          if (widthOf(path) <= width) expect(clipPath(path, width)).toBe(path)
        }
        if (widthOf(text) <= width) expect([clip(text, width), clipMiddle(text, width)]).toEqual([text, text])
      }),
    )
  })
})

describe('wrap', () => {
  it('breaks a path in front of a name', () => {
    expect(wrap('~/.codex/sessions/rollout.jsonl', 20, 0, 0)).toEqual(['~/.codex/sessions/', 'rollout.jsonl'])
  })

  it('keeps a figure with its unit and a command with its flags, where a line has room for both', () => {
    const together = [
      '2.9 %',
      '183 requests',
      '$1.20 for',
      '12k tokens',
      'ctxwin help tables',
      'ctxwin spend --by part',
    ]
    const sentence = fc.array(
      fc.oneof(fc.constantFrom(...together), fc.constantFrom('of', 'the', 'window', 'later', 'uses')),
    )
    fc.assert(
      fc.property(sentence, fc.integer({ min: 24, max: 80 }), (parts, width) => {
        const lines = wrap(parts.join(' '), width, 0, 2)
        expect(lines.map((line) => line.trim()).join(' ')).toBe(parts.join(' '))
        for (const one of together) {
          const count = (text: string): number => text.split(one).length
          expect(lines.reduce((sum, line) => sum + count(line) - 1, 1)).toBe(count(parts.join(' ')))
        }
      }),
    )
  })

  it.each(['1 in 4', '9 of 10', '$20 to $64', '-2.0 to 3.1', '96 of 105', '(40k to 582k'])(
    'keeps %s on one line, wherever it stands',
    (figures) => {
      for (let lead = 1; lead < 30; lead++) {
        const text = `${'word '.repeat(lead)}${figures} uses would be lost`
        const lines = wrap(text, 40, 0, 2)
        expect(lines.join(' ').replaceAll(/\s+/g, ' ')).toBe(text)
        expect(lines.some((line) => line.includes(figures))).toBe(true)
      }
    },
  )

  it('binds no words that stand between figures by chance', () => {
    expect(wrap('it has 40 in all of 2026', 16, 0, 0)).toEqual(['it has 40 in all', 'of 2026'])
  })

  it('breaks a name that is too long behind a hyphen, and not inside its words', () => {
    expect(wrap('claude-code-microcompact*', 14, 0, 0)).toEqual(['claude-code-', 'microcompact*'])
    expect(wrap('summarise-oldest', 14, 0, 0)).toEqual(['summarise-', 'oldest'])
    expect(wrap('drop-oldest:target=0.5', 14, 0, 0)).toEqual(['drop-oldest:', 'target=0.5'])
    // A date and a negative figure are no names.
    expect(wrap('x=2026-03-14', 8, 0, 0)).toEqual(['x=2026-0', '3-14'])
  })

  it('begins no line as a command to a CI runner begins', () => {
    expect(wrap('a-long-word::error::x', 11, 0, 2)).toEqual(['a-long-word', '  \\x3a:', '  error::x'])
  })

  it('breaks a word that no line can hold, and gives up only on what is wider than the line', () => {
    expect(wrap('to ~/.config/sessions/x.jsonl now', 12, 2, 4)).toEqual([
      '  to',
      '    ~/.confi',
      '    g/sessio',
      '    ns/',
      '    x.jsonl',
      '    now',
    ])
    expect(wrap('日本', 1, 0, 0)).toEqual(['…'])
  })
  it('loses no word, and no line is too wide', () => {
    const words = fc.array(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 10 }).map((word) => safe(word).replaceAll(' ', '_')),
    )
    fc.assert(
      fc.property(words, fc.nat(4), fc.nat(6), (list, first, rest) => {
        const lines = wrap(list.join(' '), 80, first, rest)
        expect(lines.filter((line) => widthOf(line) > 80)).toEqual([])
        expect(lines.map((line) => line.replace(/^ +/, '')).join(' ')).toBe(list.join(' '))
      }),
    )
  })
})
