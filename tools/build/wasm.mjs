// Compiles the AssemblyScript modules in wasm/ into dist/wasm/, where they are older than their source:
// `node tools/build/wasm.mjs`.
import { spawnSync } from 'node:child_process'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { changedAt, latestChange } from './age.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))

// As a program, since the types of AssemblyScript as a library would take the place of JavaScript's own.
const compiler = createRequire(import.meta.url).resolve('assemblyscript/bin/asc.js')

// No runtime: the modules lay out their memory themselves, and nothing in them is ever freed. They share one, which their
// host makes (src/base/wasm.ts).
const options = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort=']
const memory = ['--importMemory', '--noExportMemory', '--zeroFilledMemory']

const newest = latestChange([join(root, 'wasm'), fileURLToPath(import.meta.url)])

/**
 * Each is a door in wasm/, and the name of what it becomes, with the address of its tables. Behind its own, `references`
 * writes texts.
 */
const places = { price: 0, references: 0x30000 }

for (const [name, place] of Object.entries(places)) {
  const built = `dist/wasm/${name}.wasm`
  if (changedAt(join(root, built)) > newest) continue
  const files = [`wasm/${name}.ts`, '--outFile', built]
  const all = [compiler, ...files, ...options, ...memory, '--memoryBase', String(place)]
  const { status } = spawnSync(process.execPath, all, { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
