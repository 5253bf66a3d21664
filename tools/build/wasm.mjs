// Compiles the AssemblyScript modules in wasm/ into dist/wasm/, where they are older than their source:
// `node tools/build/wasm.mjs`.
import { spawnSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))

// As a program, since the types of AssemblyScript as a library would take the place of JavaScript's own.
const compiler = createRequire(import.meta.url).resolve('assemblyscript/bin/asc.js')

// No runtime: the modules lay out their memory themselves, and nothing in them is ever freed.
const options = ['-O3', '--noAssert', '--runtime', 'stub', '--enable', 'simd', '--use', 'abort=']

const sources = readdirSync(join(root, 'wasm'), { recursive: true }).map((name) => join(root, 'wasm', name))
const newest = Math.max(...[...sources, fileURLToPath(import.meta.url)].map((file) => statSync(file).mtimeMs))

/** Each is a door in wasm/, and the name of what it becomes. */
for (const name of ['references', 'price', 'samples']) {
  const built = `dist/wasm/${name}.wasm`
  if ((statSync(join(root, built), { throwIfNoEntry: false })?.mtimeMs ?? 0) > newest) continue
  const files = [`wasm/${name}.ts`, '--outFile', built]
  const { status } = spawnSync(process.execPath, [compiler, ...files, ...options], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exit(1)
}
