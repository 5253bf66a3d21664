/**
 * A checkout that wants its code run, under every command: each file of code in it leaves a mark when it runs, and there must
 * be none. The same command lines with `--config` show that they would get as far.
 */
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type CommandLine, commands } from '../../../src/cli/inputs/commands.ts'
import { runCli, wordsOf } from '../run.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

let place = ''
let cwd = ''
let mark = ''
/** Of the transcripts, for `merge`. */
let part = ''
beforeEach(async () => {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'ctxwin-checkout-')))
  cwd = join(place, 'checkout')
  mark = join(place, 'ran')
  mkdirSync(cwd)
  for (const name of ['a', 'b']) {
    const messages = [
      { role: 'user', content: name },
      { role: 'assistant', content: 'Hi' },
    ]
    write(`${name}.jsonl`, `${JSON.stringify({ messages })}\n`)
  }
  part ||= (await run(['simulate', 'a.jsonl', '--output', 'partial'])).stdout
  write('part.ndjson', part)
})
afterEach(() => rmSync(place, { recursive: true }))

/** Leaves a mark, as a script and as a module. */
const markCode = () => `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(mark)}, 'ran')\n`

function write(name: string, text: string): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true })
  writeFileSync(join(cwd, name), text)
}
const config = (values: unknown, name = 'ctxwin.config.json') => write(name, JSON.stringify(values))
const inPackage = (values: unknown) => write('package.json', JSON.stringify({ name: 'theirs', ctxwin: values }))

const named = ['policy', 'baseline', 'format', 'estimator', 'output', 'reporter', 'prices', 'model', 'column'] as const
type Env = Record<string, string>

/** What a checkout may try. */
const attempts: Readonly<Record<string, () => void>> = {
  ...Object.fromEntries(
    ['js', 'mjs', 'cjs', 'ts'].map((ending) => [
      `a module ctxwin.config.${ending}`,
      () => write(`ctxwin.config.${ending}`, markCode()),
    ]),
  ),
  'a module that never ends': () => write('ctxwin.config.mjs', `${markCode()}while (true) {}`),
  'a module in a package of modules': () => {
    write('package.json', '{ "type": "module" }')
    write('ctxwin.config.js', markCode())
  },
  'a link to a module elsewhere': () => {
    writeFileSync(join(place, 'elsewhere.mjs'), markCode())
    symlinkSync(join(place, 'elsewhere.mjs'), join(cwd, 'ctxwin.config.mjs'))
  },
  'a link to data elsewhere, which names code': () => {
    writeFileSync(join(place, 'elsewhere.json'), '{ "policy": "./p.mjs" }')
    symlinkSync(join(place, 'elsewhere.json'), join(cwd, 'ctxwin.config.json'))
  },
  'a module beside a link node_modules/ctxwin to the program that runs': () => {
    mkdirSync(join(cwd, 'node_modules'))
    symlinkSync(root, join(cwd, 'node_modules/ctxwin'))
    write('ctxwin.config.mjs', markCode())
  },
  'a module where node_modules is a link to where the program lies': () => {
    symlinkSync(dirname(root.replace(/\/$/, '')), join(cwd, 'node_modules'))
    write('ctxwin.config.mjs', markCode())
  },
  ...Object.fromEntries(
    ['policy', 'baseline', 'format', 'estimator'].map((key) => [
      `${key} in package.json`,
      () => inPackage({ [key]: './p.mjs' }),
    ]),
  ),
  ...Object.fromEntries(named.map((key) => [`${key} in ctxwin.config.json`, () => config({ [key]: './p.mjs' })])),
  ...Object.fromEntries(
    ['policy', 'baseline', 'format'].map((key) => [
      `${key} in JSON with comments`,
      () => {
        write('ctxwin.config.jsonc', `// "budget": 1,\n{ ${JSON.stringify(key)}: /* ! */ "./p.mjs", }`)
      },
    ]),
  ),
  'several policies, of which one is code': () => config({ policy: ['ikigai', 'keep-all, ./p.mjs:keep=1'] }),
  'a path above, and back': () => config({ policy: '../checkout/p.mjs' }),
  'an absolute path': () => config({ policy: join(cwd, 'p.mjs'), format: join(cwd, 'p.mjs') }),
  'a file: URL': () =>
    config({ policy: pathToFileURL(join(cwd, 'p.mjs')).href, format: pathToFileURL(join(cwd, 'p.mjs')).href }),
  'a data: URL': () => config({ policy: `data:text/javascript,${encodeURIComponent(markCode())}` }),
  'the name of a package': () => {
    write('node_modules/theirs/index.mjs', markCode())
    write('node_modules/theirs/package.json', '{ "name": "theirs", "exports": "./index.mjs" }')
    config({ policy: 'theirs', format: 'theirs' })
  },
  'a policy composed of a path': () => config({ policies: { mine: [{ './p.mjs': {} }] }, policy: 'mine' }),
  'a policy composed of a path, as a word': () => config({ policies: { mine: ['./p.mjs'] }, policy: 'mine' }),
  'a policy whose name is a path': () => config({ policies: { './p.mjs': [{ dropOldest: {} }] }, policy: './p.mjs' }),
  'a limit for some files': () => config({ overrides: [{ files: './p.mjs', assert: { './p.mjs': './p.mjs' } }] }),
  'a key that no object has': () => write('ctxwin.config.json', '{ "__proto__": { "policy": "./p.mjs" } }'),
}

/** What may be set in the environment of whoever opens it. */
const variables: Readonly<Record<string, () => Env>> = {
  'a relative path in a variable': () => ({ CTXWIN_POLICY: './p.mjs' }),
  'a relative path in a variable for readers': () => ({ CTXWIN_FORMAT: './p.mjs' }),
  'a relative path in a variable for baselines': () => ({ CTXWIN_BASELINE: './p.mjs' }),
  'an absolute path in a variable': () => ({ CTXWIN_POLICY: join(cwd, 'p.mjs') }),
}

/** What a command needs to get to work. */
function wordsFor({ name, inputs }: CommandLine): string[] {
  const own: Readonly<Record<string, string[]>> = {
    check: ['a.jsonl', '--assert', 'maxCuts=99'],
    export: ['a.jsonl', '--to', 'ndjson:out'],
    merge: ['part.ndjson'],
  }
  const usual = {
    many: ['a.jsonl'],
    session: ['a.jsonl'],
    one: ['a.jsonl'],
    list: ['policies', 'ikigai'],
    parts: [],
    config: ['--list'],
    none: [],
    shell: ['bash'],
    topics: ['simulate'],
  }
  return own[name] ?? usual[inputs]
}

/** Every command, and ways to call one that do something else. */
const calls: readonly (readonly string[])[] = [
  ...commands.map((line) => [...wordsOf(line.name), ...wordsFor(line)]),
  ['history', 'a.jsonl', '--request'],
  ['history', 'a.jsonl', '--exchanges'],
  ['check', '--init', 'a.jsonl', '--force'],
  ['export', 'a.jsonl', '--to', 'ctxwin'],
  ...(['estimators', 'formats', 'models'] as const).map((what) => ['list', what]),
  ['advise', '--hook'],
  ['check', 'a.jsonl', '--update-baseline'],
  ['simulate', 'a.jsonl', '--shard', '1/2', '--output', 'partial'],
  ['simulate', 'a.jsonl', '--output', 'html', '-o', 'page.html'],
  ['simulate', '--print-config'],
  ['history', 'a.jsonl', '--output', 'svg'],
]

function run(argv: readonly string[], env: Env = {}) {
  const stdin = JSON.stringify({ transcript_path: join(cwd, 'a.jsonl'), hook_event_name: 'Status' })
  return runCli(argv, { cwd, env: { HOME: place, ...env }, stdin })
}

describe('under no command runs', () => {
  const all = [...Object.keys(attempts), ...Object.keys(variables)]
  it.each(all)('%s', async (name) => {
    write('p.mjs', markCode())
    attempts[name]?.()
    const env = variables[name]?.()
    // Threads take longer to start than all the others together.
    const threaded = name === 'a module ctxwin.config.mjs' ? [['simulate', 'a.jsonl', 'b.jsonl', '--jobs', '2']] : []
    // These under every command; each other one under every fourth, and under simulate.
    const isWhole = /^(?:a module|policy in) ctxwin\.config\.(?:mjs|json)$/.test(name)
    const some = calls.filter(([word], nth) => isWhole || word === 'simulate' || (nth + all.indexOf(name)) % 4 === 0)
    for (const argv of [...some, ...threaded]) {
      const { code, stderr } = await run(argv, env)
      expect({ argv, ran: existsSync(mark), code }).toEqual({ argv, ran: false, code: expect.toBeOneOf([0, 1, 2]) })
      // One line each, and nothing of the code.
      expect(stderr).not.toContain('getBuiltinModule')
    }
  })
})

const noCode = ['advise --hook', 'list', 'cache', 'completion', 'help']

describe('the same call with --config', () => {
  it.each(calls.map((argv) => [argv.join(' '), argv] as const))('%s', async (_, argv) => {
    write('theirs.mjs', markCode())
    const { code, stderr } = await run([...argv, '--config', 'theirs.mjs'])
    const name = noCode.find((one) => argv.join(' ').startsWith(one))
    expect(existsSync(mark)).toBe(name === undefined && argv[0] !== 'trust')
    if (name === undefined) return
    expect([code, stderr]).toEqual([
      2,
      `ctxwin: ${name} runs no code of your own, whoever names it: leave out theirs.mjs\n`,
    ])
  })
})
