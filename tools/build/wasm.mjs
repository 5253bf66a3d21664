// Compiles the AssemblyScript modules in wasm/ into dist/wasm/, where they are older than their source, and makes a twin in
// JavaScript of those that need one: `node tools/build/wasm.mjs`.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { changedAt, latestChange } from './age.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

// As a program, since the types of AssemblyScript as a library would take the place of JavaScript's own.
const compiler = createRequire(import.meta.url).resolve('assemblyscript/bin/asc.js')

// No runtime: the modules lay out their memory themselves, and nothing in them is ever freed. They share one, which their
// host makes (src/base/wasm.ts).
const options = ['-O3', '--noAssert', '--runtime', 'stub', '--use', 'abort=']
const memory = ['--importMemory', '--noExportMemory', '--zeroFilledMemory']

const newest = latestChange([join(root, 'wasm'), fileURLToPath(import.meta.url)])

/**
 * Each is a door in wasm/, and the name of what it becomes, with the address of its tables. Behind its own, `references`
 * writes texts.
 */
const places = { price: 0, references: 0x30000 }

/** Those with a twin in JavaScript, `dist/wasm/<name>.cjs`, for where WebAssembly is refused (src/base/wasm.ts). */
const twins = new Set(['references'])

const isOld = (file) => changedAt(join(root, file)) <= newest

function run(program, ...words) {
  const { status } = spawnSync(process.execPath, [program, ...words], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}

function compile(name, file, ...features) {
  const files = [`wasm/${name}.ts`, '--outFile', file]
  run(compiler, ...files, ...options, ...features, ...memory, '--memoryBase', String(places[name]))
}

/** What wasm2js writes is a module with a memory of its own: of that stays the function that takes the memory of its host. */
function asFunction(code) {
  const [, body] = /^import \* as host from 'host';\n(.*\n)var memasmFunc = new ArrayBuffer\(/s.exec(code) ?? []
  if (body === undefined) throw new Error('wasm2js writes another module than it did')
  return `${body}module.exports = asmFunc\n`
}

for (const name of Object.keys(places)) {
  const [built, twin] = [`dist/wasm/${name}.wasm`, `dist/wasm/${name}.cjs`]
  if (isOld(built)) compile(name, built, '--enable', 'simd')
  if (!twins.has(name) || !isOld(twin)) continue
  const plain = join(mkdtempSync(join(tmpdir(), 'ctxwin-wasm-')), name)
  compile(name, `${plain}.wasm`, '--disable', 'simd', '--disable', 'bulk-memory')
  run(createRequire(compiler).resolve('binaryen/bin/wasm2js'), '-O3', `${plain}.wasm`, '-o', `${plain}.js`)
  writeFileSync(join(root, twin), asFunction(readFileSync(`${plain}.js`, 'utf8')))
  rmSync(dirname(plain), { recursive: true })
}
