import fc from 'fast-check'
import { countTokens as gptCl100k } from 'gpt-tokenizer/encoding/cl100k_base'
import { countTokens as gptO200k } from 'gpt-tokenizer/encoding/o200k_base'
import { get_encoding } from 'tiktoken'
import { describe, expect, it } from 'vitest'
import { countTokens, loadEncoding } from '../../../src/estimators/bpe/counter.ts'
import { readClassRuns } from '../../../src/estimators/bpe/tables.ts'
import { anyText } from '../../any-text.ts'
import { ENCODINGS } from './reference.ts'

const CLASSES: Record<string, string> = {
  empty: '',
  prose: "The quick brown fox doesn't jump over the lazy dog; it's asleep, they'll say. WE'VE SEEN IT, I'D BET.\n\n",
  code: 'export const f = async (xs: readonly number[]) => {\n\tfor (const x of xs) await g(x >> 2, `$x`) // …\n}\r\n',
  json: '{"id":"01HZX3","n":[1,2.5e-10,-3],"s":"a\\n\\u00e9","nested":{"__proto__":null,"t":true}}\n',
  paths: 'src/a//b/../c.test.ts:12:5\n/usr/lib/x86_64-linux-gnu///\n//\n/\r\n/ https://example.org/a?b=c&d=%20#e\n',
  camel: 'getHTTPResponseCode parseXMLHttpRequest XMLHTTPRequest iPhone McDonald ABCdef ΑΒΓδε ÀÉÎ àéî ǅungla ǅABC',
  cjk: '今天天气很好,我们去公园散步吧。東京都は日本の首都です。カタカナ ひらがな 한국어 텍스트입니다 ＡＢＣａｂｃ１２３',
  emoji: '😀😃 👩‍👩‍👧‍👦 🏳️‍🌈 ❤️ 👍🏽 1️⃣ 🇫🇷🇯🇵 text😀text',
  marks:
    "e\u0301cole E\u0301COLE \u0301 \u0301ABC \u0301\u0302abc (\u0301x) \u0301\u0301 1\u0301 \u0301's A\u0301'S Z̷̡̛a̶l̴g̵o̶",
  arabic: 'اللغة العربية جميلة، ١٢٣٤ مَرْحَبًا بِكُمْ',
  hindi: 'हिन्दी में लिखा हुआ पाठ १२३४५ क्षत्रिय',
  thai: 'ภาษาไทยไม่มีการเว้นวรรคระหว่างคำ ๑๒๓๔',
  spaces:
    ' \t  \n \r\n\r \v\f \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000x \u180e\u200b\u2060\ufeff y   \u3000\u3000z\n\n\n  w  ',
  byteOrderMark: '\ufeffword \ufeff word\ufeff\n\ufeff\ufeff 1\ufeff',
  controls: `${Array.from({ length: 33 }, (_, i) => String.fromCharCode(i)).join('')}\x7f\x80\x9f\0\0a\0 b`,
  digits: '0 12 123 1234 12345678 ٣٤٥٦ ４５６７８ ²³¼½ ⅷⅸ 〇一 ௧௨௩௪ 1a2b3c 𝟏𝟐𝟑𝟒 1,234.56',
  contractions:
    "I'm I'M you're YOU'RE we'Ve he'll HE'LL she'd it's IT'S don't 'sound 'tis ''s 'ſ it'ſ IT'ſX 'K 'rE'vE'lL x'y",
  specials: '<|endoftext|> a <|im_start|>user<|endofprompt|><|fim_prefix|>',
  surrogates: 'a\ud800b \udc00 \ud83d \ude00\ud83d x\udfff',
  hex: 'deadbeef00ff1234abcdCAFEBABE0123456789abcdef'.repeat(4),
  base64: 'aGVsbG8gd29ybGQhIFRoaXMgaXMgYmFzZTY0+/8=QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo='.repeat(3),
  rules: `${'-'.repeat(100)}\n${'='.repeat(77)}|${'_'.repeat(41)}\n${'*-'.repeat(60)}${'#'.repeat(300)}`,
  longWord: 'pneumonoultramicroscopicsilicovolcanoconiosis'.repeat(8),
}

/** A small seeded random generator, so that long texts need no file. */
function sequence(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}

/** The code points at which the table of Unicode classes has another class than before, unless they begin a row. */
function runStarts(): number[] {
  const runs = readClassRuns()
  const starts: number[] = []
  let start = 0
  for (let at = 0; at < runs.length; at += 4) {
    if (start % 0x100 !== 0) starts.push(start)
    start += runs[at + 1]! | (runs[at + 2]! << 8) | (runs[at + 3]! << 16)
  }
  if (start !== 0x110000) throw new Error(`the runs end at ${start}`)
  return starts
}

const repeat = (n: number, next: () => string) => Array.from({ length: n }, next).join('')

describe.each(ENCODINGS)('%s', (encoding) => {
  const reference = get_encoding(encoding)
  const same = (text: string): void => {
    if (countTokens(encoding, text) === reference.encode_ordinary(text).length) return
    expect.fail(
      `${JSON.stringify(text)}: ${countTokens(encoding, text)}, not ${reference.encode_ordinary(text).length}`,
    )
  }

  it.each(Object.keys(CLASSES))('counts as tiktoken does: %s', (name) => {
    const text = CLASSES[name]!
    same(text)
    for (let i = 0; i < text.length; i++) same(text.slice(i, i + 7))
    same(text + text)
  })

  // gpt-tokenizer splits with JavaScript's \s, which matches U+FEFF.
  it.each(Object.keys(CLASSES).filter((name) => !CLASSES[name]!.includes('\ufeff')))(
    'counts as gpt-tokenizer does: %s',
    (name) => {
      const count = encoding === 'o200k_base' ? gptO200k : gptCl100k
      expect(countTokens(encoding, CLASSES[name]!)).toBe(count(CLASSES[name]!, { disallowedSpecial: new Set() }))
    },
  )

  it('puts each code point in the class tiktoken puts it in', { timeout: 300_000 }, () => {
    // The boundaries of pieces around a code point show its class: after a letter, before a capital, after a space.
    // Every code point up to the last plane of ideographs, and from there on, where all is unassigned, private or a
    // variation selector, every sixteenth row. Of a row that is one run of the table, and of which Node knows that all of it
    // are ideographs, syllables, private or unassigned, every sixteenth code point, at another place in each row: five of six
    // rows are such.
    const starts = new Set(runStarts())
    const turns = new Set([...starts].map((start) => start >> 8))
    for (let block = 0; block < 0x110000; block += block < 0x33000 ? 0x100 : 0x1000) {
      const row = Array.from({ length: 0x100 }, (_, i) => String.fromCodePoint(block + i))
      const alike = !turns.has(block >> 8) && /^(\p{Lo}{256}|\p{Co}{256}|\p{Cn}{256})$/u.test(row.join(''))
      // The classes of both encodings are of one table. For the second, what stands where that begins another run is enough.
      const isAsked = (i: number) =>
        alike || encoding !== 'o200k_base'
          ? (i + (block >> 8)) % 16 === 0 || starts.has(block + i) || starts.has(block + i + 1)
          : true
      const asked = row.filter((_, i) => isAsked(i))
      const around = asked.map((character) => `a${character}Z ${character}'s`)
      const text = around.join('\n')
      if (countTokens(encoding, text) !== reference.encode_ordinary(text).length) around.forEach(same)
    }
  })

  it('counts as tiktoken does: any Unicode', () => {
    fc.assert(fc.property(anyText({ maxLength: 60 }), same), { numRuns: 2000 })
  })

  it('counts as tiktoken does: any code units, lone surrogates too', () => {
    const units = fc.array(fc.nat(0xffff), { maxLength: 40 }).map((codes) => String.fromCharCode(...codes))
    fc.assert(fc.property(units, same), { numRuns: 1000 })
  })

  it('counts as tiktoken does: characters on which the pre-tokenizers turn', () => {
    const turning = [..." \t\n\r\v\u0085\u00a0\u2028\u3000\ufeff'aAsSſtTrReEvVlLKǅʰא\u0301\u0300\u200d9٣²/.-😀中é"]
    fc.assert(fc.property(fc.string({ unit: fc.constantFrom(...turning), maxLength: 24 }), same), { numRuns: 4000 })
  })

  it('counts as tiktoken does: a text longer than the buffer that is kept', () => {
    const pick = sequence(1)
    const names = Object.keys(CLASSES)
    const text = repeat(1200, () => CLASSES[names[pick(names.length)]!]!)
    expect(text.length).toBeGreaterThan(2 ** 18 / 3)
    same(text)
  })

  it.each([
    ['letters', () => 'abcdefghijklmnopqrstuvwxyz'],
    ['capitals', () => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'],
    ['signs', () => '=-_*#~!@$%^&()<>?.,;:'],
    ['ideographs', () => '的一是了我不人在他有这上们来到时大地为子中你说生国年着就那和要'],
    ['blank characters', () => ' \t\u00a0\u3000'],
    ['line ends', () => '\r\n'],
  ])('counts as tiktoken does: one long piece of %s', (_, alphabet) => {
    const characters = [...alphabet()]
    const pick = sequence(2)
    for (const n of [39, 40, 41, 42, 100, 1500]) same(repeat(n, () => characters[pick(characters.length)]!))
    for (const character of characters.slice(0, 6)) same(character.repeat(1000))
  })

  it('gives the same count to the same text again', () => {
    const count = (text: string) => loadEncoding(encoding).count(text)
    const texts = Object.values(CLASSES)
    const first = texts.map(count)
    expect(texts.map(count)).toEqual(first)
    expect(texts.toReversed().map(count).toReversed()).toEqual(first)
  })

  // Quadratic work on an eighth of a million characters takes four seconds of processor time and more, and has one and a half.
  // The counts follow from those of a short run: a run of one character is cut into the same few tokens over and over, so
  // that the count grows in proportion.
  it.each(['a', 'A', ' ', '\t', '=', '-', '\n', '中', '😀'])('counts an eighth of a million of %j', (character) => {
    const of = (n: number) => reference.encode_ordinary(character.repeat(n)).length
    expect(of(512)).toBe(2 * of(256))
    const text = character.repeat(2 ** 17)
    const before = process.cpuUsage()
    expect(countTokens(encoding, text)).toBe(512 * of(256))
    const { user, system } = process.cpuUsage(before)
    expect((user + system) / 1e6).toBeLessThan(1.5)
  })

  it('counts a quarter of a million random letters, a second copy as many as the first', () => {
    const pick = sequence(3)
    const half = repeat(2 ** 17, () => String.fromCharCode(97 + pick(26)))
    const tokens = countTokens(encoding, half)
    const twice = countTokens(encoding, half + half)
    // The copies can differ only where they meet.
    expect(Math.abs(twice - 2 * tokens)).toBeLessThan(50)
  })
})
