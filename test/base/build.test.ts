import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { contentOf } from '../../src/base/build.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-build-'))
afterAll(() => rmSync(directory, { recursive: true }))

const write = (name: string, text: string) => writeFileSync(join(directory, name), text)

it('a build is told from another by one letter of its code, and where it is bundled by the sum of the bundle', () => {
  const builds = [contentOf(directory)]
  for (const [name, text] of [
    ['a.ts', 'const a = 1'],
    ['a.ts', 'const a = 2'],
    ['wasm/terms.wasm', 'one'],
    ['wasm/terms.wasm', 'two'],
    ['build.txt', '1'],
    ['build.txt', '2'],
  ] as const) {
    if (name.startsWith('wasm/')) mkdirSync(join(directory, 'wasm'), { recursive: true })
    write(name, text)
    builds.push(contentOf(directory))
  }
  expect(new Set(builds).size).toBe(builds.length)
  // What lies beside the bundle, for programs that import it, is no part of the command line.
  write('a.ts', 'const a = 3')
  expect(contentOf(directory)).toBe(builds.at(-1))
})
