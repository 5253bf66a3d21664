/** The program as it is started: from the bundle, with the code that V8 compiled in an earlier run. */
import { isAscii } from 'node:buffer'
import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { crc32 } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { loadScript } from '../../../src/cache/code.ts'
import { main as source } from '../../../src/cli/start/main.ts'
import { runCli } from '../run.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const bin = join(root, 'bin/ctxwin.js')

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-start-'))
  mkdirSync(join(cwd, 'node_modules'))
  symlinkSync(root, join(cwd, 'node_modules/ctxwin'))
  copyFileSync(join(root, 'fixtures/openai-chat/tools.jsonl'), join(cwd, 't.jsonl'))
})
afterEach(() => rmSync(cwd, { recursive: true }))

/** @param env by default that of all tests, whose compiled code they share */
function node(words: readonly string[], env: NodeJS.ProcessEnv = { XDG_CACHE_HOME: process.env.XDG_CACHE_HOME }) {
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: cwd, ...env },
  })
  return { status, stdout, stderr }
}

const ctxwin = (words: string, env?: NodeJS.ProcessEnv) => node([bin, ...words.split(' ')], env)

const simulate = 'simulate t.jsonl --budget 100 --estimator bytes --json'
/** Not in node_modules: a link there leads to all of this repository. */
const cached = () =>
  readdirSync(cwd, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .flatMap(({ name }) =>
      readdirSync(join(cwd, name), { recursive: true, encoding: 'utf8' }).map((path) => join(name, path)),
    )
    .filter((path) => /(^|\/)ctxwin\/code\//.test(path))

it('says what to do in a checkout that is not built', () => {
  cpSync(join(root, 'bin'), join(cwd, 'bin'), { recursive: true })
  expect(node(['bin/ctxwin.js', '--version'])).toEqual({
    status: 2,
    stdout: '',
    stderr: 'ctxwin: this checkout is not built: run npm ci, or npm run build, in it\n',
  })
})

it('is bundled in ASCII, which is read without a decoder', () => {
  for (const name of ['start', 'worker', 'main']) {
    const bytes = readFileSync(join(root, `dist/${name}.cjs`))
    expect(isAscii(bytes), name).toBe(true)
  }
})

describe('compiled code', () => {
  it('is kept in the user’s cache directory, says the same in the next run, and is replaced when it is none', () => {
    const env = { XDG_CACHE_HOME: join(cwd, 'caches') }
    const first = ctxwin(simulate, env)
    expect([first.status, first.stderr]).toEqual([0, ''])
    const [path = '', ...others] = cached().filter((name) => !name.endsWith('/CACHEDIR.TAG'))
    expect([/^caches\/ctxwin\/code\/[\da-f]+$/.test(path), others]).toEqual([true, []])
    const { size, ino } = statSync(join(cwd, path))
    expect(ctxwin(simulate, env)).toEqual(first)
    expect(statSync(join(cwd, path))).toMatchObject({ size, ino })
    // Although its checksum is right.
    const other = Buffer.from('____not what V8 writes, but with its checksum')
    other.writeUInt32LE(crc32(other.subarray(4)))
    writeFileSync(join(cwd, path), other)
    expect(ctxwin(simulate, env)).toEqual(first)
    expect(statSync(join(cwd, path)).size).toBeGreaterThan(size / 2)
  })

  it.each([
    ['in CI', simulate, { CI: 'true' }],
    ['of a word that is no command', 'simulat t.jsonl', {}],
  ])('is not kept %s', (_, words, env) => {
    ctxwin(words, env)
    expect(cached()).toEqual([])
  })
})

describe('the bundle', () => {
  // In this process: to start one for each took longer than all that they print.
  const { main } = loadScript<{ readonly main: typeof source }>(join(root, 'dist/main.cjs'), null, 'tests').exports

  it.each(['--help', 'list policies --json', 'list models --output csv', 'completion bash'])(
    'prints what its source prints: %s',
    async (words) => {
      const argv = words.split(' ')
      expect(await runCli(argv, {}, main)).toEqual(await runCli(argv, {}, source))
    },
  )

  it('loads no part of Node that only some runs need', () => {
    const list = join(cwd, 'list.cjs')
    const print = "process.on('exit', () => require('node:fs').writeFileSync('list', process.moduleLoadList.join()))"
    writeFileSync(list, print)
    expect(node(['--require', list, bin, ...simulate.split(' ')]).status).toBe(0)
    const loaded = readFileSync(join(cwd, 'list'), 'utf8').split(',')
    expect(loaded).toContain('NativeModule vm')
    for (const name of ['child_process', 'crypto', 'worker_threads', 'inspector']) {
      expect(loaded).not.toContain(`NativeModule ${name}`)
    }
  })
})

describe('a module of the user’s own that imports ctxwin', () => {
  const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)

  it('may build a policy and a reader of those that ctxwin has, and be a config file', async () => {
    write(
      'mine.mjs',
      `import { definePolicy, policies } from 'ctxwin'
      const ikigai = policies.get('ikigai')
      export default definePolicy({ ...ikigai, name: 'mine' })`,
    )
    write(
      'chat.mjs',
      `import { defineReader, readers } from 'ctxwin'
      export default defineReader({ ...readers.get('openai-chat'), name: 'chat' })`,
    )
    const theirs = await runCli([...simulate.split(' '), '--policy', 'ikigai'], { cwd })
    write('ctxwin.config.mjs', "import 'ctxwin'\nexport default { format: './chat.mjs' }\n")
    const { status, stdout, stderr } = ctxwin(`${simulate} --policy ./mine.mjs --config ./ctxwin.config.mjs`)
    expect([status, stderr]).toEqual([0, ''])
    expect(JSON.parse(stdout).runs).toContainEqual(expect.objectContaining({ format: 'chat', policy: 'mine' }))
    expect(JSON.parse(stdout).runs[0].cuts).not.toEqual([])
    expect(stdout.replaceAll('"mine"', '"ikigai"').replaceAll('"chat"', '"openai-chat"')).toBe(theirs.stdout)
  })

  it('is told its mistakes as those of ctxwin’s own plugins', () => {
    write('mine.mjs', "import { policies } from 'ctxwin'\nexport default policies.get('ikiga')")
    const { status, stderr } = ctxwin(`${simulate} --policy ./mine.mjs`)
    expect([status, stderr]).toEqual([
      2,
      'ctxwin: ./mine.mjs: cannot be loaded: line 2: unknown policy "ikiga". Did you mean "ikigai"?\n',
    ])
  })
})

it('the stack of a bug names functions, and lines of the bundle', () => {
  const broken = `require(${JSON.stringify(join(root, 'dist/main.cjs'))}).main(['list', 'policies'], {
    ...process,
    stdout: process.stdout,
    stderr: process.stderr,
    cwd() { throw new Error('secret') },
  }).then((code) => { process.exitCode = code })`
  const { status, stderr } = node(['-e', broken])
  const [sentence, ...frames] = stderr.trimEnd().split('\n')
  expect([status, sentence]).toEqual([70, expect.stringMatching(/^ctxwin: this is a bug of ctxwin, .*: Error$/)])
  expect(frames).toContainEqual(expect.stringMatching(/^ {4}at openSession \(.*dist\/main\.cjs:\d+:\d+\)$/))
  expect(stderr).not.toContain('secret')
})
