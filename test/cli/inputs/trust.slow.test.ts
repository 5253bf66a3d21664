/** `ctxwin trust`: what it writes down, what runs then, and what ends it. Code that may not run leaves a mark if it does. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../run.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

let place = ''
let cwd = ''
beforeEach(() => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'ctxwin-trust-')))
  cwd = join(place, 'project')
  write('a.jsonl', '{"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}\n')
})
afterEach(() => rmSync(place, { recursive: true }))

function write(name: string, text: string): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true })
  writeFileSync(join(cwd, name), text)
}
const mark = () => `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(join(place, 'ran'))}, '')\n`
const hasRun = () => existsSync(join(place, 'ran'))
const policy = "export default { name: 'mine', start: () => ({ message() {} }) }\n"
const env = () => ({ HOME: place, PATH: process.env.PATH })

/** In this process: for what runs no code in it. */
const ctxwin = (argv: readonly string[], more: object = {}) => runCli(argv, { cwd, env: { ...env(), ...more } })
const simulate = (more: object = {}) => ctxwin(['simulate', 'a.jsonl', '-e', 'bytes'], more)

/** In one of its own, as what is trusted changes how Node loads modules there. */
function spawned(argv: readonly string[], more: object = {}) {
  const words = [join(root, 'bin/ctxwin.js'), ...argv]
  const { status, stdout, stderr } = spawnSync(process.execPath, words, {
    cwd,
    env: { ...env(), XDG_CACHE_HOME: process.env.XDG_CACHE_HOME, ...more },
    encoding: 'utf8',
  })
  return { code: status, stdout, stderr }
}
function simulated(more: object = {}) {
  const { code, stdout, stderr } = spawned(['simulate', 'a.jsonl', '-e', 'bytes', '--json'], more)
  const runs =
    stdout === '' ? [] : JSON.parse(stdout).runs.map(({ policy, budget }: Record<string, unknown>) => [policy, budget])
  return { code, runs, stderr }
}

async function trust(...argv: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await ctxwin(['trust', ...argv])
  expect([code, stderr]).toEqual([0, ''])
  rmSync(join(place, 'ran'), { force: true })
  return stdout
    .split('\n')
    .slice(1, -1)
    .map((line) => line.trim().replace(`${cwd}/`, ''))
}

/** Every way to read a file. */
function writeEveryWay(): string[] {
  write(
    'ctxwin.config.mjs',
    `import a from './a.mjs'
    import json from './j.json' with { type: 'json' }
    import { createReadStream, existsSync, openSync, readFile as later, readFileSync } from 'node:fs'
    import { open, readFile } from 'node:fs/promises'
    import { createRequire } from 'node:module'
    import { isMainThread } from 'node:worker_threads'
    import { sized } from 'sized'
    import './c.cjs'
    const require = createRequire(import.meta.url)
    require('./required.mjs')
    await import('./d.mjs?query=1')
    const at = (name) => new URL(name, import.meta.url)
    readFileSync(at('1.txt'))
    await readFile(at('2.txt'), 'utf8')
    await new Promise((done) => later(at('3.txt'), done))
    openSync(at('4.txt'))
    await (await open(at('5.txt'))).close()
    for await (const _ of createReadStream(at('6.txt')));
    openSync(at('log'), 'w')
    const more = new URL('../more', import.meta.url)
    if (existsSync(more)) await eval(readFileSync(more, 'utf8'))
    export default { budget: sized, policy: './p.mjs', format: './r.cjs' }`,
  )
  write('a.mjs', "export { default } from './deep/b.mjs'")
  write('deep/b.mjs', 'export default 1')
  write('j.json', '{}')
  write('c.cjs', "require('./c2'); require('./k.json')")
  write('c2.js', 'module.exports = 2')
  write('k.json', '{}')
  write('required.mjs', "import './nested.mjs'")
  write('nested.mjs', 'export default 3')
  write('d.mjs', 'export default 4')
  for (const number of [1, 2, 3, 4, 5, 6]) write(`${number}.txt`, `${number}`)
  write('node_modules/sized/package.json', '{ "name": "sized", "type": "module", "exports": "./main.js" }')
  write('node_modules/sized/main.js', 'export const sized = 7000')
  // What is ctxwin's own is not written down.
  symlinkSync(root, join(cwd, 'node_modules/ctxwin'))
  write('p.mjs', `import { definePolicy } from 'ctxwin'\nimport './shared.mjs'\n${policy}`)
  write('shared.mjs', 'export default 5')
  write(
    'r.cjs',
    "require('./c2')\nmodule.exports = { name: 'r', recognise: () => 0, read: () => ({ record: () => 'used', end() {} }) }",
  )
  const names = [
    'a.mjs',
    'c.cjs',
    'c2.js',
    'ctxwin.config.mjs',
    'd.mjs',
    'deep/b.mjs',
    'j.json',
    'k.json',
    'nested.mjs',
  ]
  const texts = [1, 2, 3, 4, 5, 6].map((number) => `${number}.txt`)
  return [...names, ...texts, 'node_modules/sized/main.js', 'p.mjs', 'r.cjs', 'required.mjs', 'shared.mjs'].sort()
}

describe('ctxwin trust', () => {
  it('writes down every file that is read, for this user alone, and then all of it runs', async () => {
    const names = writeEveryWay()
    expect(await trust()).toEqual(names)
    const directory = join(place, '.config/ctxwin/trust')
    const [file = '', ...others] = readdirSync(directory)
    expect(others).toEqual([])
    expect([statSync(join(directory, file)).mode & 0o777, statSync(directory).mode & 0o777]).toEqual([0o600, 0o700])
    expect(JSON.parse(readFileSync(join(directory, file), 'utf8'))).toEqual({
      place: join(cwd, 'ctxwin.config.mjs'),
      files: Object.fromEntries(names.map((name) => [join(cwd, name), hashOf(join(cwd, name))])),
    })
    expect(simulated()).toEqual({ code: 0, runs: [['mine', 7000]], stderr: '' })
    expect(spawned(['check', 'a.jsonl', '--assert', 'maxCuts=9'])).toMatchObject({ code: 0, stderr: '' })
  })

  it('ends with each of these files that changes, or is gone, and begins again when it is back', async () => {
    const names = writeEveryWay()
    await trust()
    for (const name of names.filter((one) => one !== 'ctxwin.config.mjs')) {
      const path = join(cwd, name)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, `${text} `)
      const what = `ctxwin: left out: ctxwin.config.mjs (code; ${name}`
      expect((await simulate()).stderr).toContain(`${what} has changed since you trusted it)`)
      if (name === 'a.mjs') {
        renameSync(path, `${path}.old`)
        expect((await simulate()).stderr).toContain(`${what} is gone since you trusted it)`)
      }
      writeFileSync(path, text)
    }
    expect(simulated()).toMatchObject({ runs: [['mine', 7000]], stderr: '' })
  })

  it('ends where more would be read, before that is run', async () => {
    const ways = [
      "import('./more.mjs')",
      "import('./more.mjs').catch(() => {})",
      "import('./more2.mjs')",
      "import('./more3.mjs')",
      "require('./more.cjs')",
      "(() => { try { require('./more.cjs') } catch {} })()",
      "require('./more.mjs')",
      "require('./more2.mjs')",
      "require('./more')",
      "createRequire(at('deep/x.js'))('../more.cjs')",
      "readFileSync(at('more.txt'))",
      "readFile(at('more.txt'))",
      "(async () => { for await (const _ of createReadStream(at('more.txt'))); })()",
      "open(at('more.txt'))",
      "process.dlopen({ exports: {} }, at('more.node').pathname)",
      // What is no file has nothing that could be compared before it is run.
      "(pipe(at('pipe.mjs')), import('./pipe.mjs'))",
      "(pipe(at('pipe.cjs')), require('./pipe.cjs'))",
      "(pipe(at('1.txt')), readFileSync(at('1.txt')))",
      // Files that are known change between the look at them and their loading.
      "(require('fs').writeFileSync(at('d.mjs'), changed), import('./d.mjs?again'))",
      "(delete require.cache[require.resolve('./c2.js')], require('fs').writeFileSync(at('c2.js'), changed), require('./c2.js'))",
    ]
    writeEveryWay()
    // Each trial would load the whole library.
    write('p.mjs', `import './shared.mjs'\n${policy}`)
    // What is asked for is no part of the project, and is there while it is trusted.
    const asked = join(place, 'more')
    writeFileSync(asked, 'null')
    await trust()
    for (const name of ['more.mjs', 'more.cjs', 'more.txt', 'more.node', 'more']) write(name, mark())
    write('more2.mjs', "import './more.mjs'")
    symlinkSync('more.mjs', join(cwd, 'more3.mjs'))
    const entry = JSON.parse(readFileSync(trustFile(), 'utf8'))
    const known = ['d.mjs', 'c2.js', '1.txt'].map((name) => [name, readFileSync(join(cwd, name), 'utf8')] as const)
    for (const way of ways) {
      const pipe = `(file) => {
        fs.rmSync(file, { force: true })
        require('child_process').execFileSync('mkfifo', [file.pathname])
      }`
      const given = `const fs = require('fs'); const changed = ${JSON.stringify(mark())}; const pipe = ${pipe};`
      writeFileSync(asked, `(() => { ${given} return ${way} })()`)
      writeFileSync(trustFile(), JSON.stringify({ ...entry, files: { ...entry.files, [asked]: hashOf(asked) } }))
      const { code, stderr } = await simulate()
      expect({ way, code, ran: hasRun(), stderr }).toEqual({
        way,
        code: 0,
        ran: false,
        stderr: expect.stringMatching(
          /^ctxwin: left out: ctxwin\.config\.mjs \(code; it would read \S+, which is not what you trusted\), .*\n$/,
        ),
      })
      for (const [name, text] of known) {
        rmSync(join(cwd, name))
        write(name, text)
      }
    }
    expect(await ctxwin(['check', 'a.jsonl', '--assert', 'maxCuts=9'])).toMatchObject({ code: 2, stdout: '' })
  })

  it('ends where more is read by the run than was when it was tried', () => {
    write('lib.mjs', mark())
    write(
      'ctxwin.config.mjs',
      `import { isMainThread } from 'node:worker_threads'
      if (isMainThread) await import('./lib.mjs').catch(() => {})
      export default { budget: 7 }`,
    )
    expect(spawned(['trust'])).toMatchObject({ code: 0, stderr: '' })
    expect(simulated()).toEqual({
      code: 0,
      runs: [['ikigai', 100_000]],
      stderr: expect.stringContaining(`it would read ${join(cwd, 'lib.mjs')}, which is not what you trusted`),
    })
    expect(hasRun()).toBe(false)
  })

  it.each([
    ["require('./lib.cjs')", 'lib.cjs'],
    ["import('./lib.mjs').catch(() => {})", 'lib.mjs'],
  ])('lets a policy load nothing else at work: %s', async (code, name) => {
    write(name, mark())
    write(
      'p.mjs',
      `import { createRequire } from 'node:module'
      const require = createRequire(import.meta.url)
      export default { name: 'mine', start: () => ({ message() { ${code} } }) }`,
    )
    write('ctxwin.config.json', '{ "policy": "./p.mjs" }')
    expect(await trust()).toEqual(['ctxwin.config.json', 'p.mjs'])
    simulated()
    expect(hasRun()).toBe(false)
    // The same where a flag names it, and nobody asks.
    spawned(['simulate', 'a.jsonl', '--policy', './p.mjs'])
    expect(hasRun()).toBe(true)
  })

  it('is about one place: no copy, no link to it, and not where its own link leads by then', async () => {
    write('ctxwin.config.mjs', `${mark()}export default { budget: 7 }`)
    await trust()
    const config = join(cwd, 'ctxwin.config.mjs')
    const other = join(place, 'other')
    cpSync(cwd, other, { recursive: true })
    const linked = join(place, 'linked')
    cpSync(cwd, linked, { recursive: true })
    rmSync(join(linked, 'ctxwin.config.mjs'))
    symlinkSync(config, join(linked, 'ctxwin.config.mjs'))
    const said = 'ctxwin: left out: ctxwin.config.mjs (code), '
    for (const directory of [other, linked]) {
      const { stderr } = await runCli(['simulate', 'a.jsonl'], { cwd: directory, env: env() })
      expect([hasRun(), stderr.slice(0, said.length)]).toEqual([false, said])
    }
    renameSync(config, join(place, 'same.mjs'))
    symlinkSync(join(place, 'same.mjs'), config)
    expect((await simulate()).stderr).toContain('(code; ctxwin.config.mjs leads elsewhere since you trusted it)')
    expect(hasRun()).toBe(false)
    rmSync(config)
    renameSync(join(place, 'same.mjs'), config)
    // The directory may be called otherwise.
    symlinkSync(cwd, join(place, 'alias'))
    cwd = join(place, 'alias')
    expect(simulated()).toMatchObject({ runs: [['ikigai', 7]], stderr: '' })
  })

  it('of a config file of data is about the code that it names, and what that imports', async () => {
    write('ctxwin.config.json', '{ "policy": ["keep-all", "./p.mjs"], "format": "./r.cjs", "budget": "7k" }')
    write('p.mjs', `import './lib.mjs'\n${policy}`)
    write('lib.mjs', '')
    write(
      'r.cjs',
      "module.exports = { name: 'r', recognise: () => 0, read: () => ({ record: () => 'used', end() {} }) }",
    )
    expect(await trust()).toEqual(['ctxwin.config.json', 'lib.mjs', 'p.mjs', 'r.cjs'])
    expect(simulated()).toEqual({
      code: 0,
      runs: [
        ['keep-all', 7000],
        ['mine', 7000],
      ],
      stderr: '',
    })
    write('lib.mjs', mark())
    const said = await simulate()
    expect(said.stderr).toContain(
      'policy in ctxwin.config.json (code: ./p.mjs; lib.mjs has changed since you trusted it)',
    )
    expect(said.stderr.match(/\n/g)).toHaveLength(1)
    write('lib.mjs', '')
    write('q.mjs', mark())
    write('ctxwin.config.json', '{ "policy": "./q.mjs" }')
    expect((await simulate()).stderr).toContain('(code: ./q.mjs; ctxwin.config.json has changed since you trusted it)')
    expect(hasRun()).toBe(false)
    expect(await ctxwin(['check', 'a.jsonl', '--assert', 'maxCuts=9'])).toMatchObject({ code: 2 })
    write('ctxwin.config.json', '{ "budget": "7k" }')
    expect((await ctxwin(['trust'])).stdout).toBe('ctxwin.config.json is data, which needs no trust\n')
  })

  it('of a module is about a variable that names it', async () => {
    write('p.mjs', policy)
    expect(await trust('p.mjs')).toEqual(['p.mjs'])
    expect(simulated({ CTXWIN_POLICY: './p.mjs' })).toEqual({ code: 0, runs: [['mine', 100_000]], stderr: '' })
    const other = join(place, 'other')
    cpSync(cwd, other, { recursive: true })
    const { stderr } = await runCli(['simulate', 'a.jsonl'], {
      cwd: other,
      env: { ...env(), CTXWIN_POLICY: './p.mjs' },
    })
    expect(stderr).toMatch(/^ctxwin: left out: CTXWIN_POLICY \(code: \.\/p\.mjs\), .* then ctxwin trust \.\/p\.mjs\n$/)
  })

  it('of TypeScript has what it imports, and nothing of what runs it', async () => {
    write(
      'ctxwin.config.ts',
      "import { size } from './size.ts'\nexport default { budget: size as number, policy: './p.ts' }\n",
    )
    write('size.ts', 'export const size: number = 7000\n')
    write(
      'p.ts',
      "import type { Policy } from 'ctxwin'\nexport default { name: 'mine', start: () => ({ message() {} }) } as unknown as Policy\n",
    )
    expect(await trust()).toEqual(['ctxwin.config.ts', 'p.ts', 'size.ts'])
    expect(simulated()).toEqual({ code: 0, runs: [['mine', 7000]], stderr: '' })
    write('size.ts', `${mark()}export const size: number = 7\n`)
    expect((await simulate()).stderr).toContain('size.ts has changed')
    expect(hasRun()).toBe(false)
  })

  it('goes with threads, and with what a flag names besides', async () => {
    write('ctxwin.config.mjs', 'export default { budget: 7 }')
    write('lib.mjs', '')
    write('p.mjs', `import './lib.mjs'\n${policy}`)
    write('b.jsonl', readFileSync(join(cwd, 'a.jsonl'), 'utf8').replace('Hello', 'Good day'))
    await trust()
    const argv = ['simulate', 'a.jsonl', 'b.jsonl', '-e', 'bytes', '--policy', './p.mjs', '--jobs']
    const [one, two] = ['1', '2'].map((jobs) => spawned([...argv, jobs]))
    expect(two).toEqual(one)
    expect(one).toMatchObject({ code: 0, stderr: '' })
  })

  it('is written by several at once', async () => {
    const names = ['one', 'two', 'three']
    for (const name of names) write(`${name}.mjs`, policy)
    const all = await Promise.all([...names, ...names].map((name) => ctxwin(['trust', `${name}.mjs`])))
    expect(all.map(({ code }) => code)).toEqual(all.map(() => 0))
    expect(readdirSync(dirname(trustFile()))).toHaveLength(3)
    expect((await ctxwin(['trust', '--list'])).stdout.match(/as it was/g)).toHaveLength(3)
  })
})

describe('ctxwin trust --list and --revoke', () => {
  it('say what is trusted and whether it holds, and take it back', async () => {
    expect((await ctxwin(['trust', '--list'])).stdout).toBe('nothing is trusted\n')
    write('ctxwin.config.mjs', "import './lib.mjs'\nexport default {}\n")
    write('lib.mjs', '')
    write('p.mjs', policy)
    await trust()
    await trust('p.mjs')
    write('lib.mjs', '// changed')
    rmSync(join(cwd, 'p.mjs'))
    const { stdout } = await ctxwin(['trust', '--list'], { COLUMNS: '300' })
    const rows = stdout
      .split('\n')
      .slice(2, -1)
      .map((row) => row.split(/ {2,}/))
    expect(rows).toEqual([
      [join(cwd, 'ctxwin.config.mjs'), '2', 'lib.mjs has changed'],
      [join(cwd, 'p.mjs'), '1', 'p.mjs is gone'],
    ])
    expect((await ctxwin(['trust', '--revoke'])).stdout).toBe(`revoked ${join(cwd, 'ctxwin.config.mjs')}\n`)
    expect((await simulate()).stderr).toContain('left out: ctxwin.config.mjs (code), as')
    expect((await ctxwin(['trust', '--revoke', 'p.mjs'])).code).toBe(0)
    expect(readdirSync(join(place, '.config/ctxwin/trust'))).toEqual([])
  })

  it.each([
    [['--revoke'], 'no config file of this directory is trusted'],
    [['--revoke', 'p.mjs'], 'p.mjs is not trusted'],
    [['--list', '--revoke'], '--list lists everything that is trusted: use it without --revoke and without a file'],
    [['--list', 'p.mjs'], '--list lists everything that is trusted: use it without --revoke and without a file'],
    [[], 'no config file in this directory: name one'],
    [['none.mjs'], 'cannot read none.mjs: there is no such file'],
    [['mine.json'], 'mine.json: this is not the name of a config file that ctxwin looks for: use --config'],
    [['--config', 'p.mjs'], 'name the file itself: ctxwin trust p.mjs'],
    [['throws.mjs'], 'throws.mjs: cannot be loaded: line 2: no'],
    [['waits.mjs'], 'waits.mjs: cannot be loaded: it waits for what never comes'],
    [['broken.mjs'], expect.stringMatching(/^broken\.mjs: cannot be loaded: line 1: /)],
    [['unknown/ctxwin.config.json'], 'unknown setting in unknown/ctxwin.config.json "polcy". Did you mean "policy"?'],
  ])('%j is told in one line', async (argv, told) => {
    write('p.mjs', policy)
    write('mine.json', '{}')
    write('throws.mjs', "\nthrow new Error('no')\n")
    write('waits.mjs', 'await new Promise(() => {})')
    write('broken.mjs', 'export default {')
    write('unknown/ctxwin.config.json', '{ "polcy": "x" }')
    const { code, stderr } = await ctxwin(['trust', ...argv])
    expect([code, stderr.replace(/^ctxwin: /, '').trimEnd()]).toEqual([2, told])
    expect(existsSync(join(place, '.config'))).toBe(false)
  })

  it('tell where nothing can be written down', async () => {
    write('p.mjs', policy)
    expect(await runCli(['trust', 'p.mjs'], { cwd, env: {} })).toMatchObject({
      code: 2,
      stderr: 'ctxwin: no home directory is known to write down what is trusted: set HOME\n',
    })
    writeFileSync(join(place, '.config'), '')
    expect(await ctxwin(['trust', 'p.mjs'])).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^ctxwin: cannot write .*\n$/),
    })
  })
})

it('a file may be called anything, and is still one line', async () => {
  write('a\u001b[31m\n  b.mjs', '')
  write('ctxwin.config.mjs', "import './a%1b[31m%0a  b.mjs'\n")
  const { code, stdout } = await ctxwin(['trust'])
  expect([code, stdout.includes('\u001b'), stdout.match(/\n/g)]).toEqual([2, false, null])
  write('ctxwin.config.mjs', "import './a%1b[31m%0a  b.mjs'\nexport default {}\n")
  const said = (await ctxwin(['trust'])).stdout
  expect([said.includes('\u001b'), said.match(/\n/g)]).toEqual([false, ['\n', '\n', '\n']])
})

describe('what is written down', () => {
  it('is no trust where others may have written it, or it is of another place, or damaged', async () => {
    write('ctxwin.config.mjs', `${mark()}export default {}`)
    await trust()
    const file = trustFile()
    const text = readFileSync(file, 'utf8')
    const damages = [
      () => chmodSync(file, 0o666),
      () => writeFileSync(file, text.slice(0, 40)),
      () => writeFileSync(file, 'null'),
      () => writeFileSync(file, text.replace('project', 'another')),
      () => writeFileSync(file, text.replace(/"[0-9a-f]{64}"/, 'true')),
    ]
    for (const damage of damages) {
      damage()
      expect((await simulate()).stderr).toContain('left out: ctxwin.config.mjs')
      rmSync(file)
      writeFileSync(file, text, { mode: 0o600 })
    }
    expect(hasRun()).toBe(false)
  })
})

const sha = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex')
const hashOf = (path: string) => sha(readFileSync(path))
const trustFile = () => {
  const directory = join(place, '.config/ctxwin/trust')
  return join(directory, readdirSync(directory)[0] as string)
}
