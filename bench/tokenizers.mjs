/**
 * Compares exact token counters on generated text (the same for the same seed) and on input that is hard for them:
 *
 *     npm run build && node bench/tokenizers.mjs [--encoding cl100k_base] [--rounds 5] [--bytes 1000000]
 *
 * All run in this process, interleaved: each round gives each class of text to each contestant in turn, one call per
 * 4,000 characters. "cold" is the first round, "warm" the median of the others; MB/s are bytes of UTF-8 per CPU time. The
 * last column is ctxwin's speed over the best other one. A contestant whose count differs from tiktoken's is marked with it.
 */
import { parseArgs } from 'node:util'
import { Tokenizer } from 'ai-tokenizer'
import { get_encoding } from 'tiktoken'
import { loadEncoding } from '../dist/estimators/bpe/counter.js'

const { values } = parseArgs({
  options: {
    encoding: { type: 'string', default: 'o200k_base' },
    rounds: { type: 'string', default: '5' },
    bytes: { type: 'string', default: '1000000' },
  },
})
const { encoding } = values
const size = Number(values.bytes)

const started = performance.now()
const ours = loadEncoding(encoding)
console.log(`${encoding}: our tables loaded in ${(performance.now() - started).toFixed(0)} ms`)
const gpt = await import(`gpt-tokenizer/encoding/${encoding}`)
const ai = new Tokenizer(await import(`ai-tokenizer/encoding/${encoding}`))
const tiktoken = get_encoding(encoding)
const contestants = {
  ctxwin: (text) => ours.count(text),
  'gpt-tokenizer': (text) => gpt.countTokens(text, { disallowedSpecial: new Set() }),
  'ai-tokenizer': (text) => ai.encode(text, 'all').length,
  tiktoken: (text) => tiktoken.encode_ordinary(text).length,
}
const names = Object.keys(contestants)

let state = 1
const below = (n) => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * n)
}
const pick = (list) => list[below(list.length)]
/** A random element; the i-th is drawn about 1/i as often as the first (Zipf's law). */
const zipf = (list) => list[Math.floor(list.length ** (below(1e6) / 1e6)) - 1]
const times = (n, next) => Array.from({ length: n }, next).join('')
const ALPHANUMERIC = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789']

/** Words from the vocabulary in its order, which is nearly by frequency. */
function vocabulary(pattern) {
  const words = []
  const utf8 = new TextDecoder('utf-8')
  for (let rank = 256; rank < (encoding === 'o200k_base' ? 199998 : 100256); rank++) {
    const word = utf8.decode(tiktoken.decode_single_token_bytes(rank))
    if (pattern.test(word)) words.push(word)
  }
  return words
}
const english = vocabulary(/^ [a-z]{2,}$/)
const capitals = vocabulary(/^[A-Z][a-z]{2,}$/)
const han = vocabulary(/^[\p{Script=Han}]+$/u)
const foreign = vocabulary(/^ [\p{Script=Cyrillic}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Greek}]+\p{M}*$/u)
const name = () => zipf(english).trim() + (below(2) ? zipf(capitals) : '')

const classes = {
  prose: () => zipf(english) + (below(12) ? '' : pick(['.', ',', '.\n', ';', ' –'])),
  'rare words': () => pick(english),
  code: () =>
    `${' '.repeat(2 * below(5))}${pick(['const ', 'return ', 'if (', 'await ', ''])}${name()}.${name()}(${name()}, ${below(100)})\n`,
  json: () =>
    `    { "${name()}": ${below(1e5)}, "${name()}": "${zipf(english).trim()}${zipf(english)}", "ok": true },\n`,
  logs: () =>
    `2026-05-${10 + below(20)}T0${below(9)}:${10 + below(50)}:00.${below(1000)}Z INFO [${name()}] /usr/lib/${name()}/${name()}.so: ${zipf(english)} ${below(1e6)}\n`,
  hex: () => `${times(64, () => pick([...'0123456789abcdef']))}  ${name()}\n`,
  base64: () => pick(ALPHANUMERIC),
  chinese: () => zipf(han) + (below(6) ? '' : pick(['，', '。', '、'])),
  'other scripts': () => zipf(foreign),
  emoji: () => pick([...'😀😃🎉🚀✨🔥👍🏽🙏💡✅❌🐛']) + (below(4) ? '' : zipf(english)),
}

function textsOf(next) {
  const texts = []
  for (let bytes = 0; bytes < size; ) {
    let text = ''
    while (text.length < 4000) text += next()
    texts.push(text)
    bytes += Buffer.byteLength(text)
  }
  return texts
}

function timed(count, texts) {
  const before = process.cpuUsage()
  let tokens = 0
  for (const text of texts) tokens += count(text)
  const { user, system } = process.cpuUsage(before)
  return { tokens, microseconds: user + system }
}

const row = (cells) => console.log(cells.map((cell, i) => String(cell).padEnd(i === 0 ? 18 : 21)).join(''))
const median = (numbers) => numbers.toSorted((a, b) => a - b)[numbers.length >> 1]

const texts = Object.entries(classes).map(([label, next]) => [label, textsOf(next)])
const seen = new Map()
for (let round = 0; round < Number(values.rounds); round++) {
  for (const [label, list] of texts) {
    for (const name of names) {
      const key = `${label}/${name}`
      seen.set(key, [...(seen.get(key) ?? []), timed(contestants[name], list)])
    }
  }
}

row(['MB/s cold/warm', ...names, 'ours / best other'])
for (const [label, list] of texts) {
  const bytes = list.reduce((sum, text) => sum + Buffer.byteLength(text), 0)
  const results = names.map((name) => seen.get(`${label}/${name}`))
  const exact = results.at(-1)[0].tokens
  const speeds = results.map(([cold, ...warm]) => [
    bytes / cold.microseconds,
    bytes / median((warm.length > 0 ? warm : [cold]).map((run) => run.microseconds)),
  ])
  const ratio = (i) => (speeds[0][i] / Math.max(...speeds.slice(1).map((speed) => speed[i]))).toFixed(1)
  const cells = speeds.map(([cold, warm], i) => {
    const { tokens } = results[i][0]
    return `${cold.toFixed(1)} / ${warm.toFixed(1)}${tokens === exact ? '' : ` (${tokens}!)`}`
  })
  row([label, ...cells, `x${ratio(0)} / x${ratio(1)}`])
}

const runs = {
  'one letter': (n) => 'a'.repeat(n),
  spaces: (n) => ' '.repeat(n),
  tabs: (n) => '\t'.repeat(n),
  'equals signs': (n) => '='.repeat(n),
  'line ends': (n) => '\n'.repeat(n),
  'random letters': (n) => times(n, () => String.fromCharCode(97 + below(26))),
  ideographs: (n) => times(n / 3, () => String.fromCharCode(0x4e00 + below(3000))),
  emoji: (n) => '😀'.repeat(n / 4),
}
const milliseconds = (count, text) => (timed(count, [text]).microseconds / 1000).toFixed(1)
// Short runs first: the long ones leave garbage whose collection would count against the next call.
const short = Object.values(runs).map((run) => names.map((name) => milliseconds(contestants[name], run(1 << 13))))
console.log()
row(['CPU ms, one run', ...names.map((name) => `${name} 8 KB`), 'ctxwin 1 MB', 'ctxwin 4 MB'])
for (const [i, [label, run]] of Object.entries(runs).entries()) {
  row([label, ...short[i], ...[1 << 20, 1 << 22].map((n) => milliseconds(contestants.ctxwin, run(n)))])
}
