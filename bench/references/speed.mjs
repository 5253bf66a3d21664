// Measures MB of text per CPU second for terms, content and anchors, in WebAssembly and in its twin, interleaved.
// `npm run build && node --no-turbo-inline-js-wasm-calls bench/references/speed.mjs [megabytes]` (the flag on Node 20 only)
import { findInTwin, findInWasm } from '../../dist/references/terms/kernel.js'
import { TermTable } from '../../dist/references/terms/term-table.js'

const megabytes = Number(process.argv[2] ?? 32)

let state = 42 // the same text on every machine
function random(below) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0
  return Math.floor((state / 2 ** 32) * below)
}
const pick = (list) => list[random(list.length)]
const nouns =
  'user session token window budget policy message request parser reader cache index buffer stream config'.split(' ')
const verbs = 'get set load save parse render update create delete fetch merge split count'.split(' ')
const hex = (length) => Array.from({ length }, () => '0123456789abcdef'[random(16)]).join('')
const capital = (word) => word[0].toUpperCase() + word.slice(1)
const file = () => `src/${pick(nouns)}/${pick(verbs)}-${pick(nouns)}${random(40)}.${pick(['ts', 'py', 'go', 'md'])}`
const camel = () => `${pick(verbs)}${capital(pick(nouns))}${capital(pick(nouns))}`

const kinds = {
  prose: () =>
    `The ${pick(nouns)} has to ${pick(verbs)} the ${pick(nouns)} before the next ${pick(nouns)}, so \`${camel()}\` in ${file()} must change; see #${random(900) + 10}.\n`,
  code: () =>
    `  const ${pick(nouns)}_${pick(nouns)} = await ${camel()}(${pick(nouns)}.${camel()}, { ${pick(nouns)}: ${random(99999)} }) // ${pick(nouns)}\n`,
  'read result': () =>
    `  ${random(900)}\texport function ${camel()}(${pick(nouns)}: string): ${capital(pick(nouns))} {\n`,
  diff: () =>
    `--- a/${file()}\n+++ b/${file()}\n@@ -${random(99)},7 +${random(99)},9 @@\n-  return ${camel()}()\n+  return ${camel()}(${pick(nouns)})\n`,
  'stack trace': () =>
    `TypeError: ${pick(nouns)} is undefined\n    at ${camel()} (/home/u/project/${file()}:${random(300)}:${random(80)})\n`,
  'file list': () => `./${file()}\n`,
  log: () =>
    `2026-01-02 10:${random(60)} INFO ${pick(nouns)} ${hex(8)} GET https://api.example.com/v1/${pick(nouns)}/${random(99999)} 200\n`,
  'CJK prose': () => `请修改在${file()}里的${camel()}函数，然后重新运行测试并检查窗口预算是否正确。\n`,
}

function generated(kind, bytes) {
  const parts = []
  for (let size = 0; size < bytes; ) {
    const part = kinds[kind]()
    parts.push(part)
    size += part.length
  }
  return parts.join('')
}

// In pieces of some kilobytes, the size of a message.
function measure(label, text) {
  const rates = [findInWasm, findInTwin].map((find) => {
    const table = new TermTable()
    let terms = 0
    let pieces = 0
    const takeTerm = (termClass, high, low, key) => {
      terms++
      table.add(termClass, high, low, key)
    }
    const run = () => {
      for (let at = 0; at < text.length; at += 8192) {
        find(
          text.slice(at, at + 8192),
          '/home/u/project',
          takeTerm,
          () => pieces++,
          () => {},
        )
      }
    }
    run()
    terms = 0
    const before = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(before)
    return { speed: Buffer.byteLength(text) / (user + system), terms }
  })
  const [wasm, twin] = rates.map(({ speed }) => speed.toFixed(0).padStart(5))
  const size = (Buffer.byteLength(text) / 1e6).toFixed(1)
  console.log(`${label.padEnd(14)} WebAssembly ${wasm} MB/s  twin ${twin} MB/s  ${rates[0].terms} terms in ${size} MB`)
}

const each = (megabytes / Object.keys(kinds).length) * 1e6
const all = []
for (const kind of Object.keys(kinds)) {
  const text = generated(kind, each)
  measure(kind, text)
  all.push(text)
}
measure('all', all.join(''))
