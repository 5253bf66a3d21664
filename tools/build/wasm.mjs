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

// No runtime: the modules lay out their memory themselves, and nothing in them is ever freed.
const options = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort=']

const newest = latestChange([join(root, 'wasm'), fileURLToPath(import.meta.url)])

/** Each is a door in wasm/, and the name of what it becomes. */
for (const name of ['references', 'price', 'samples']) {
  const built = `dist/wasm/${name}.wasm`
  if (changedAt(join(root, built)) > newest) continue
  const files = [`wasm/${name}.ts`, '--outFile', built]
  const { status } = spawnSync(process.execPath, [compiler, ...files, ...options], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
