/** Code of a project that has the running ctxwin in its own node_modules, and of those that only look so. */
import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../..', import.meta.url))

let place = ''
beforeAll(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'ctxwin-installed-')))
})
afterAll(() => rmSync(place, { recursive: true }))
beforeEach(() => {
  for (const name of ['ran', 'home']) rmSync(join(place, name), { recursive: true, force: true })
})

/** Puts the program there, as a package manager does. */
function install(directory: string): string {
  for (const part of ['bin', 'package.json', 'dist/start.cjs', 'dist/main.cjs', 'dist/build.txt', 'dist/wasm']) {
    cpSync(join(root, part), join(directory, part), { recursive: true })
  }
  return directory
}

/** A project with code of its own. */
function project(name: string): string {
  const directory = join(place, name)
  mkdirSync(directory, { recursive: true })
  writeFileSync(
    join(directory, 'a.jsonl'),
    '{"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b"}]}',
  )
  const mark = `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(join(place, 'ran'))}, '')\n`
  writeFileSync(join(directory, 'p.mjs'), `${mark}export default { name: 'p', start: () => ({ message() {} }) }`)
  writeFileSync(join(directory, 'ctxwin.config.mjs'), `${mark}export default { budget: 7 }`)
  return directory
}

const run = (program: string, cwd: string, env: NodeJS.ProcessEnv = {}) => {
  const words = [join(program, 'bin/ctxwin.js'), 'simulate', 'a.jsonl', '-e', 'bytes', '--json', '--no-cache']
  // Each program is a copy of the same: it is compiled once.
  const all = { HOME: place, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME, ...env }
  const { stdout, stderr } = spawnSync(process.execPath, words, { cwd, env: all, encoding: 'utf8' })
  return { ran: existsSync(join(place, 'ran')), budget: JSON.parse(stdout).runs[0].budget, stderr }
}

const ran = { ran: true, budget: 7, stderr: '' }
const leftOut = {
  ran: false,
  budget: 100_000,
  stderr: expect.stringMatching(/^ctxwin: left out: ctxwin\.config\.mjs \(code\), .*\n$/),
}

it('runs where it has the program installed, in a store of packages, too', () => {
  const here = project('here')
  const program = install(join(here, 'node_modules/ctxwin'))
  expect(run(program, here)).toEqual(ran)
  const store = project('store')
  const real = install(join(store, 'node_modules/.pnpm/ctxwin@1/node_modules/ctxwin'))
  symlinkSync(real, join(store, 'node_modules/ctxwin'))
  expect(run(join(store, 'node_modules/ctxwin'), store)).toEqual(ran)
  // However the project is called.
  symlinkSync(here, join(place, 'alias'))
  expect(run(join(place, 'alias/node_modules/ctxwin'), join(place, 'alias'))).toEqual(ran)
})

it('runs there where a variable names it', () => {
  const here = project('variable')
  const program = install(join(here, 'node_modules/ctxwin'))
  rmSync(join(here, 'ctxwin.config.mjs'))
  expect(run(program, here, { CTXWIN_POLICY: './p.mjs' })).toEqual({ ...ran, budget: 100_000 })
})

it('does not run where a link of the project leads to a program elsewhere', () => {
  const program = install(join(place, 'global/lib/node_modules/ctxwin'))
  const linked = project('linked')
  mkdirSync(join(linked, 'node_modules'))
  symlinkSync(program, join(linked, 'node_modules/ctxwin'))
  for (const path of [program, join(linked, 'node_modules/ctxwin')]) expect(run(path, linked)).toEqual(leftOut)
  const whole = project('whole')
  symlinkSync(dirname(program), join(whole, 'node_modules'))
  for (const path of [program, join(whole, 'node_modules/ctxwin')]) expect(run(path, whole)).toEqual(leftOut)
})

it('does not run below or beside a project that has the program', () => {
  const above = project('above')
  const program = install(join(above, 'node_modules/ctxwin'))
  for (const name of ['above/below', 'above-beside', 'above/node_modules/other']) {
    expect(run(program, project(name))).toEqual(leftOut)
  }
})
