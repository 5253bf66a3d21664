/**
 * Writes the data files of src/estimators/bpe from the MIT-licensed `tiktoken` package (a devDependency):
 *
 *   node bench/build-bpe-data.mjs            writes src/estimators/bpe/{o200k_base,cl100k_base,unicode}.bin
 *
 * `<encoding>.bin`: 256 bytes, the byte each of the ranks 0..255 stands for; then for each rank from 256 up the two
 * smaller ranks whose merge makes it (24-bit little-endian left, then right), stored as six planes of one byte per
 * rank because planes gzip better in the npm tarball. Token bytes are not stored: they follow from the splits.
 *
 * `unicode.bin`: the whole code space as (class: 1 byte, run length: 3 bytes little-endian), in code point order, with
 * the numbers of pretokenize.ts. The classes are asked from tiktoken's own regular expression engine, so the Unicode
 * version is the reference's own and not that of the Node that happens to run.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Tiktoken } from 'tiktoken'

const require = createRequire(import.meta.url)
const target = (name) => new URL(`../src/estimators/bpe/${name}.bin`, import.meta.url)

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
  const rankOf = new Map(tokens.map((token, rank) => [token, rank]))
  if (rankOf.size !== tokens.length) throw new Error('ranks have gaps or repeat a token')
  const merges = tokens.length - 256
  const out = Buffer.alloc(256 + 6 * merges)
  for (let rank = 0; rank < 256; rank++) {
    if (tokens[rank].length !== 1) throw new Error('the first 256 ranks are not the single bytes')
    out[rank] = tokens[rank].charCodeAt(0)
  }
  for (let rank = 256; rank < tokens.length; rank++) {
    const [left, right] = splitOf(tokens[rank], rank, rankOf)
    if (left >= rank || right >= rank) throw new Error(`rank ${rank} is made of later ranks`)
    const planes = [left, left >> 8, left >> 16, right, right >> 8, right >> 16]
    for (const [i, value] of planes.entries()) out[256 + i * merges + rank - 256] = value & 0xff
  }
  writeFileSync(target(encoding), out)
}

/** The code points that `pattern` matches in tiktoken's engine. Text outside every match yields no token at all. */
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
    while (end < classOf.length && classOf[end] === classOf[start]) end++
    const length = end - start
    runs.push(classOf[start], length & 0xff, (length >> 8) & 0xff, length >> 16)
  }
  writeFileSync(target('unicode'), Buffer.from(runs))
}

writeEncoding('o200k_base')
writeEncoding('cl100k_base')
writeUnicode()
