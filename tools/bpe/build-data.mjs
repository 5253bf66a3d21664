/**
 * Writes the data files of src/estimators/bpe from the MIT-licensed `tiktoken` package (a devDependency):
 *
 *   node tools/bpe/build-data.mjs
 *
 * `<encoding>.bin`: what `makeTables` in src/estimators/bpe/tables.ts reads, deflated. Which two smaller tokens
 * each token is made of is found by encoding the token with the ranks below its own.
 *
 * `unicode.bin`, deflated: the whole code space as (class: 1 byte, run length: 3 bytes little-endian), in code point order, with
 * the numbers of pretokenize.ts; a run also ends where UTF-8 needs another byte. The classes come from tiktoken's own
 * regular expression engine, so the Unicode version is that of the reference, not of the running Node.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { deflateRawSync } from 'node:zlib'
import { Tiktoken } from 'tiktoken'

const require = createRequire(import.meta.url)

function write(name, bytes) {
  const target = new URL(`../../src/estimators/bpe/${name}.bin`, import.meta.url)
  writeFileSync(target, deflateRawSync(bytes, { level: 9 }))
}

/** Ranks of an encoding as latin-1 strings, index = rank. */
function readTokens(encoding) {
  const { bpe_ranks } = JSON.parse(readFileSync(require.resolve(`tiktoken/encoders/${encoding}.json`), 'utf8'))
  const tokens = []
  for (const line of bpe_ranks.split('\n')) {
    const [, first, ...encoded] = line.split(' ')
    encoded.forEach((token, i) => {
      tokens[Number(first) + i] = Buffer.from(token, 'base64').toString('latin1')
    })
  }
  return tokens
}

/** Byte-pair encoding of `token` with only the ranks below its own: the last merge's two sides. */
function splitOf(token, rank, rankOf) {
  const parts = [...token]
  while (parts.length > 2) {
    let best = rank
    let at = -1
    for (let i = 0; i + 1 < parts.length; i++) {
      const candidate = rankOf.get(parts[i] + parts[i + 1]) ?? rank
      if (candidate < best) {
        best = candidate
        at = i
      }
    }
    if (at < 0) break
    parts.splice(at, 2, parts[at] + parts[at + 1])
  }
  if (parts.length !== 2) throw new Error(`rank ${rank} cannot be reached by merging`)
  return parts.map((part) => rankOf.get(part))
}

function writeEncoding(encoding) {
  const tokens = readTokens(encoding)
  const size = tokens.length
  const rankOf = new Map(tokens.map((token, rank) => [token, rank]))
  if (rankOf.size !== size) throw new Error('ranks have gaps or repeat a token')
  const data = Buffer.alloc(3 + 6 * size)
  data.writeUIntLE(tokens.join('').length, 0, 3)
  for (const [rank, token] of tokens.entries()) {
    if (token.length > 255) throw new Error('a token is longer than one byte can say')
    const [left, right] = token.length === 1 ? [token.charCodeAt(0), rank] : splitOf(token, rank, rankOf)
    if (token.length > 1 && (left >= rank || right >= rank)) throw new Error(`rank ${rank} is made of later ranks`)
    for (const [plane, byte] of [left, left >> 8, left >> 16, right, right >> 8, right >> 16].entries()) {
      data[3 + plane * size + rank] = byte
    }
  }
  write(encoding, data)
}

/** The code points that `pattern` matches in tiktoken's engine: text outside the matches gives no token. */
function codePointsMatching(pattern) {
  const bytes = Array.from({ length: 256 }, (_, byte) => Buffer.from([byte]).toString('base64'))
  const engine = new Tiktoken(`! 0 ${bytes.join(' ')}`, {}, pattern)
  const matched = []
  for (let start = 0; start < 0x110000; start += 0x1000) {
    let text = ''
    for (let codePoint = start; codePoint < start + 0x1000; codePoint++) {
      if (codePoint < 0xd800 || codePoint > 0xdfff) text += String.fromCodePoint(codePoint)
    }
    const found = Buffer.from(engine.encode_ordinary(text)).toString('utf8')
    for (const character of found) matched.push(character.codePointAt(0))
  }
  engine.free()
  return matched
}

/** The first code points of two, three and four bytes of UTF-8. */
const WIDER = new Set([0x80, 0x800, 0x10000])

function writeUnicode() {
  // Same order and numbers as the classes in pretokenize.ts; 0 is everything else.
  const classes = [
    '[\\p{Lu}\\p{Lt}]',
    '\\p{Ll}',
    '[\\p{Lm}\\p{Lo}]',
    '\\p{M}',
    '\\p{N}',
    '[\\s&&[^\\r\\n]]',
    '[\\r\\n]',
  ]
  const classOf = new Uint8Array(0x110000)
  for (const [i, pattern] of classes.entries()) {
    for (const codePoint of codePointsMatching(pattern)) {
      if (classOf[codePoint] !== 0) throw new Error(`U+${codePoint.toString(16)} has two classes`)
      classOf[codePoint] = i + 1
    }
  }
  const runs = []
  for (let start = 0, end = 1; start < classOf.length; start = end++) {
    while (end < classOf.length && classOf[end] === classOf[start] && !WIDER.has(end)) end++
    const length = end - start
    runs.push(classOf[start], length & 0xff, (length >> 8) & 0xff, length >> 16)
  }
  write('unicode', Buffer.from(runs))
}

writeEncoding('o200k_base')
writeEncoding('cl100k_base')
writeUnicode()
