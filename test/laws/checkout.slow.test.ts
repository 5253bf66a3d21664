/**
 * The law of checkouts: nothing that one controls decides what is spent, sent, removed, written, run or believed. Each consumer of the
 * table (src/cli/inputs/consumers.ts) does its work in a checkout that has planted something: a setting in a config file that nobody
 * names, a file or a link that is looked for, a name of a transcript, a variable with a relative path.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { PassThrough } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type ConsumerName, consumers } from '../../src/cli/inputs/consumers.ts'
import { type SettingKey, variableOf } from '../../src/cli/inputs/settings.ts'
import { main } from '../../src/cli/start/main.ts'
import { builtinModels } from '../../src/models/lookup.ts'
import { claudeSession } from '../app/bill/claude-session.ts'
import { keptIn } from '../cache/kept.ts'
import { Collected, runCli } from '../cli/run.ts'
import { Terminal } from '../cli/terminal.ts'
import { serveModel, usageOf } from '../clients/model-server.ts'
import { sampled } from '../whole.ts'

let place = ''
let cwd = ''
let home = ''
/** Of the user, outside of the checkout. */
let elsewhere = ''
/** What the checkout's code, or a program of its own, leaves behind when it runs. */
let mark = ''
let server: Awaited<ReturnType<typeof serveModel>>
beforeAll(async () => {
  server = await serveModel('anthropic', () => ({ text: 'Yes.' }), { count: () => 7 })
  begin()
  expect(await isAsked(probe('--max-usd', '9'), 'yes\n')).toBe(true)
  ;[plan = ''] = readdirSync(join(home, '.config/ctxwin/consent'))
  end()
})
afterAll(() => server.close())

beforeEach(begin)
afterEach(end)

function begin(): void {
  place = realpathSync(mkdtempSync(join(tmpdir(), 'ctxwin-law-')))
  for (const name of ['checkout', 'home', 'elsewhere', 'bin']) mkdirSync(join(place, name))
  cwd = join(place, 'checkout')
  home = join(place, 'home')
  elsewhere = join(place, 'elsewhere')
  mark = join(place, 'ran')
  write('s.jsonl', session)
  writeFileSync(join(elsewhere, 'their.jsonl'), said('PRIVATE'))
  writeFileSync(join(elsewhere, 'file'), 'theirs')
  // Programs of the system, which say where they were started.
  for (const name of ['npm', 'xdg-open', 'open'])
    program(join(place, 'bin', name), `echo "$PWD $*" >> ${place}/started; echo '"1.0.0"'`)
  server.asked.length = 0
  write('cheap.json', cheap)
  env = { HOME: home, PATH: join(place, 'bin'), ANTHROPIC_BASE_URL: server.url, ANTHROPIC_API_KEY: 'sk-1234-abcd' }
}

function end(): void {
  rmSync(place, { recursive: true, force: true, maxRetries: 10 })
}

const session = claudeSession(0, 8)
const said = (word: string) =>
  `${JSON.stringify({
    messages: [
      { role: 'user', content: word },
      { role: 'assistant', content: word },
    ],
  })}\n`
function write(name: string, text: string): void {
  mkdirSync(dirname(join(cwd, name)), { recursive: true })
  writeFileSync(join(cwd, name), text)
}
function program(path: string, script: string): void {
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o755)
}
const markCode = () => `process.getBuiltinModule('node:fs').writeFileSync(${JSON.stringify(mark)}, 'ran')\n`
const sha = (text: string) => createHash('sha256').update(text).digest('hex')

/** A value of each setting that would decide something, if it could. */
const values: Readonly<Record<SettingKey, readonly unknown[]>> = {
  budget: [1],
  policy: ['./p.mjs', 'filter:command=touch ../ran', 'filter:module=./p.mjs', 'keep-all'],
  estimator: ['bytes'],
  count: ['remote'],
  countCache: ['../elsewhere', 'counts'],
  model: ['gpt-5'],
  preamble: [1],
  provider: ['openai'],
  measure: ['native'],
  prices: ['cheap.json', '../elsewhere/file'],
  cache: ['ideal'],
  inputs: ['../elsewhere', 'link', '.'],
  format: ['./p.mjs'],
  maxUnpacked: ['1KB'],
  column: ['messages'],
  branches: [true],
  traceCache: [true, false],
  cacheSize: ['1KB'],
  since: ['2000-01-01', '..2999-01-01'],
  last: [1],
  project: ['/'],
  onlyModel: ['claude'],
  minRequests: [0],
  shard: ['1/1'],
  jobs: [2],
  output: ['json'],
  redact: [false],
  redactKey: ['known to all'],
  outputFile: ['../elsewhere/file'],
  cuts: ['all'],
  by: ['request'],
  assert: [['maxCuts=0']],
  baseline: ['./p.mjs', '../elsewhere/file.json'],
  baselineFile: ['../elsewhere/file', 'link/file'],
  tolerance: ['100%'],
  reporter: ['json'],
  maxWarnings: [9],
  strict: [false],
  plan: [true],
}

type Env = Readonly<Record<string, string>>
/** What a checkout plants; what `plant` gives is what it has set in the environment. */
interface Lever {
  readonly name: string
  /** The setting that it says. */
  readonly key?: SettingKey
  readonly by: 'config' | 'variable' | 'files'
  readonly plant: () => unknown
}

const none = () => undefined
const inConfig = (said: object) => write('ctxwin.config.json', JSON.stringify(said))
const inVariables = (said: object): Env =>
  Object.fromEntries(Object.entries(said).map(([key, value]) => [variableOf(key), String(value)]))

/** Settings that reach no consumer, or that alone would end a run before it gets to one. */
const isFigure = (key: SettingKey): boolean =>
  key !== 'maxUnpacked' && !Object.values(consumers).some(({ settings }) => settings?.includes(key))
const keys = Object.keys(values) as SettingKey[]
const figures = Object.fromEntries(keys.filter(isFigure).map((key) => [key, values[key][0]]))

const bySetting = [
  { name: 'all figures in a config file', by: 'config', plant: () => inConfig(figures) } as const,
  { name: 'all figures in variables', by: 'variable', plant: () => inVariables(figures) } as const,
  ...keys
    .filter((key) => !isFigure(key))
    .flatMap((key) =>
      values[key].flatMap((value): Lever[] => {
        const [said, word] = [{ [key]: value }, JSON.stringify(value)]
        return [
          { name: `${key} in a config file: ${word}`, key, by: 'config', plant: () => inConfig(said) },
          { name: `${key} in a variable: ${word}`, key, by: 'variable', plant: () => inVariables(said) },
        ]
      }),
    ),
] satisfies readonly Lever[]

/** The plan of `probe`, as a yes to it is named. */
let plan = ''

/** Writes down that code of the checkout is trusted, and a probe allowed. */
function allow(directory: string): void {
  const config = join(cwd, 'ctxwin.config.mjs')
  write('ctxwin.config.mjs', `${markCode()}export default {}`)
  const files = { [config]: sha(readFileSync(config, 'utf8')) }
  for (const [name, text] of [
    [`trust/${sha(config)}.json`, JSON.stringify({ place: config, files })],
    [`consent/${plan}`, 'yes\n'],
  ] as const) {
    mkdirSync(dirname(join(directory, 'ctxwin', name)), { recursive: true })
    writeFileSync(join(directory, 'ctxwin', name), text, { mode: 0o600 })
  }
}

const files: readonly Lever[] = (
  [
    ['nothing', none],
    ['code as a config file', () => void write('ctxwin.config.mjs', markCode())],
    ['an empty journal', () => void write('ctxwin-probe.ndjson', '')],
    ['a journal without an end', () => void symlinkSync('/dev/zero', join(cwd, 'ctxwin-probe.ndjson'))],
    ['a lock without an end', () => void symlinkSync('/dev/zero', join(cwd, 'ctxwin-probe.ndjson.lock'))],
    [
      'links where files are written',
      () => {
        for (const name of ['report.html', 'ctxwin-baseline.json', 'ctxwin.config.jsonc', 'ctxwin-probe.ndjson'])
          symlinkSync(join(elsewhere, 'file'), join(cwd, name))
        for (const ending of ['csv', 'ndjson', 'jsonl', 'json']) {
          for (const name of ['transcripts', 'runs', 'messages', 's']) {
            mkdirSync(join(cwd, 'out'), { recursive: true })
            symlinkSync(join(elsewhere, 'file'), join(cwd, `out/${name}.${ending}`))
          }
        }
      },
    ],
    [
      'transcripts with names of flags',
      () => {
        for (const name of ['--policy=filter:command=touch ..', '--yes', '-o out', '--to=csv:out'])
          write(`${name.replace('..', join('..', 'ran'))}.jsonl`.replaceAll('/', '∕'), said('x'))
      },
    ],
    [
      'settings of other programs',
      () => {
        for (const name of ['.env', '.envrc', '.npmrc'])
          write(name, `ANTHROPIC_BASE_URL=${server.url}\nregistry=http://127.0.0.1:9\nHOME=.\n`)
      },
    ],
    [
      'packages',
      () => {
        for (const name of [
          '@anthropic-ai/sdk',
          'openai',
          '@google/genai',
          'pg',
          'node-sqlite3-wasm',
          'hyparquet',
          'jiti',
          'ctxwin',
        ]) {
          write(`node_modules/${name}/index.js`, markCode())
          write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }))
        }
      },
    ],
    ...['', '.', './', 'sub', '..', '~'].map((path): [string, Lever['plant']] => [
      `directories of the user at "${path}"`,
      () => {
        if (path !== '' && path !== '~')
          for (const name of ['.config', '.', 'Library/Application Support']) allow(join(cwd, path, name))
        const names = [
          'HOME',
          'USERPROFILE',
          'LOCALAPPDATA',
          'APPDATA',
          'XDG_CONFIG_HOME',
          'XDG_CACHE_HOME',
          'CTXWIN_CACHE_DIR',
        ]
        return Object.fromEntries([...names, 'SystemRoot'].map((name) => [name, path]))
      },
    ]),
    [
      'programs, where the path has a relative directory',
      () => {
        for (const name of ['npm', 'npm.cmd', 'xdg-open', 'open', 'git', 'node'])
          program(join(cwd, name), `touch ${mark}`)
        return { PATH: `.${delimiter}${join(place, 'bin')}` }
      },
    ],
    ['a summary of CI', () => ({ GITHUB_ACTIONS: 'true', GITHUB_STEP_SUMMARY: '../elsewhere/file' })],
  ] as const
).map(([name, plant]) => ({ name, by: 'files', plant }))

let env: Env = {}
const run = (argv: readonly string[], more: Env = {}) => runCli(argv, { cwd, env: { ...env, ...more } })
const probe = (...more: readonly string[]) => [
  ...['probe', 's.jsonl', '-p', 'drop-steps', '-b', '20k', '-e', 'bytes', '--probes', '1', '--endpoint', server.url],
  ...['--api', 'anthropic', '--ask', 'claude-sonnet-4-5', ...more],
]

/** On a terminal, where somebody types that. @returns whether somebody was asked */
async function isAsked(argv: readonly string[], typed: string): Promise<boolean> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const stderr = new Terminal()
  const ended = main(argv, { stdin: stdin as never, stdout: new Collected(), stderr, env, cwd: () => cwd })
  stdin.end(typed)
  await ended
  return stderr.all.includes('Type yes:')
}

/** At list prices, in US dollars. */
const billed = (): number => server.asked.reduce((sum, { body }) => sum + usageOf(body).input * 3.75e-6 + 20 * 15e-6, 0)

/** What is written to now is too young to be kept. */
const later = (): number => Date.now() + 60_000

interface Trial {
  readonly isSlow?: true
  /** It starts a process of its own. */
  readonly isProcess?: true
  /** Does a consumer's work, and looks whether it did it by the word of the user alone. */
  holds(): Promise<void>
  /** The user says it: whether it is done then. */
  said(): Promise<boolean>
}

const isDone = async (...argv: readonly string[]) => (await run(argv)).code === 0

const trials: Readonly<Record<ConsumerName, Trial>> = {
  purse: {
    isSlow: true,
    async holds() {
      await run(probe('--probes', '4', '--max-usd', '0.55', '--yes'))
      expect(billed()).toBeLessThanOrEqual(0.55)
    },
    async said() {
      await run(probe('--probes', '4', '--max-usd', '0.55', '--yes', '--prices', 'cheap.json'))
      return billed() > 0.55
    },
  },
  probe: {
    isSlow: true,
    async holds() {
      await run([
        'probe',
        's.jsonl',
        '-p',
        'drop-steps',
        '-b',
        '20k',
        '--ask',
        'claude-sonnet-4-5',
        '--max-usd',
        '9',
        '--yes',
      ])
      await run(probe('--max-usd', '9'))
      expect(server.asked).toEqual([])
    },
    async said() {
      await run(probe('--max-usd', '9', '--yes'))
      return server.asked.length > 0
    },
  },
  consent: {
    isSlow: true,
    async holds() {
      await isAsked(probe('--max-usd', '9'), 'no\n')
      expect(server.asked).toEqual([])
    },
    async said() {
      allow(join(home, '.config'))
      return !(await isAsked(probe('--max-usd', '9'), 'no\n')) && server.asked.length > 0
    },
  },
  count: {
    async holds() {
      await run(['history', '--request', 's.jsonl'])
      expect(server.asked).toEqual([])
    },
    said: async () => (await isDone('history', '--request', 's.jsonl', '--count', 'remote')) && server.asked.length > 0,
  },
  counts: {
    async holds() {
      const before = readdirSync(cwd)
      await run(['history', '--request', 's.jsonl', '--count', 'remote'], { XDG_CACHE_HOME: join(home, 'caches') })
      expect(readdirSync(cwd)).toEqual(before)
    },
    async said() {
      await run(['history', '--request', 's.jsonl', '--count', 'remote', '--count-cache', 'counts'])
      return existsSync(join(cwd, 'counts'))
    },
  },
  registry: {
    async holds() {
      await run(['list', 'policies', 'copilot-compact'])
      expect(existsSync(join(place, 'started'))).toBe(false)
      await run(['list', 'policies', 'copilot-compact', '--stale'])
      for (const line of started()) expect(line.startsWith(cwd)).toBe(false)
    },
    said: async () => (await isDone('list', 'policies', 'copilot-compact', '--stale')) && started().length > 0,
  },
  browser: {
    async holds() {
      await run(['report', 's.jsonl', '-o', 'page.html', '-b', '20k', '-p', 'drop-oldest'])
      expect(existsSync(join(place, 'started'))).toBe(false)
      await run(['report', 's.jsonl', '-o', 'page.html', '-b', '20k', '-p', 'drop-oldest', '--open'])
      for (const line of started())
        expect([line.startsWith(`${cwd} `), line.includes(` ${cwd}/page.html`)]).toEqual([false, true])
    },
    async said() {
      await run(['report', 's.jsonl', '-o', 'page.html', '-b', '20k', '-p', 'drop-oldest', '--open'])
      return started().length > 0
    },
  },
  export: {
    async holds() {
      await run(['export', 's.jsonl'])
      for (const store of ['csv', 'ndjson']) await run(['export', 's.jsonl', '--to', `${store}:out`])
      expect(server.asked).toEqual([])
    },
    said: async () => (await isDone('export', 's.jsonl', '--to', 'csv:out')) && existsSync(join(cwd, 'out/runs.csv')),
  },
  output: {
    async holds() {
      for (const argv of [
        ['check', '--init', 's.jsonl'],
        ['check', '--init', 's.jsonl', '--force'],
        ['check', 's.jsonl', '--update-baseline'],
        ['check', 's.jsonl', '--assert', 'maxCuts=0'],
        ['report', 's.jsonl', '-b', '20k', '-p', 'drop-oldest'],
        ['export', 's.jsonl', '--to', 'ctxwin', '--output-dir', 'out'],
        ['simulate', 's.jsonl', '-b', '20k'],
      ])
        await run(argv)
    },
    async said() {
      await run(['simulate', 's.jsonl', '-o', join(elsewhere, 'file')])
      return readFileSync(join(elsewhere, 'file'), 'utf8') !== 'theirs'
    },
  },
  cache: {
    async holds() {
      const caches = join(home, 'caches')
      await run(['simulate', 's.jsonl', '-e', 'bytes', '-b', '20k'], { CTXWIN_CACHE_DIR: caches })
      const kept = existsSync(join(caches, 'traces')) ? keptIn(join(caches, 'traces')) : []
      mkdirSync(join(caches, 'tables'), { recursive: true })
      for (const name of ['traces/thesis.draft', 'tables/thesis.txt']) {
        if (!existsSync(dirname(join(caches, name)))) continue
        writeFileSync(join(caches, name), 'theirs')
        utimesSync(join(caches, name), 1, 1)
      }
      const before = keptIn(join(caches, 'tables'))
      write('more.jsonl', session)
      await run(['simulate', 'more.jsonl', '-e', 'openai', '-b', '20k'], { CTXWIN_CACHE_DIR: caches })
      expect(keptIn(join(caches, 'tables'))).toEqual(before)
      if (existsSync(join(caches, 'traces')))
        expect(keptIn(join(caches, 'traces'))).toEqual(expect.arrayContaining([...kept, 'thesis.draft']))
    },
    async said() {
      const words = ['simulate', 's.jsonl', '-e', 'bytes', '-b', '20k']
      const caches = { CTXWIN_CACHE_DIR: join(home, 'caches') }
      const kept = async (...more: readonly string[]) => {
        await runCli([...words, ...more], { cwd, env: { ...env, ...caches }, now: later() })
        return keptIn(join(home, 'caches/traces')).length
      }
      const before = await kept()
      write('s.jsonl', session.slice(0, session.lastIndexOf('\n', session.length - 2) + 1))
      return before > 0 && (await kept('--cache-size', '1KB')) < before
    },
  },
  pseudonyms: {
    async holds() {
      const { stdout } = await run(['sessions', 's.jsonl', '--redact', '--output', 'json'])
      const known = await run(['sessions', 's.jsonl', '--output', 'json'], { CTXWIN_REDACT_KEY: 'known to all' })
      if (known.code === 0) expect(stdout).not.toBe(known.stdout)
    },
    async said() {
      const words = ['sessions', 's.jsonl', '--output', 'json']
      const env = { CTXWIN_REDACT_KEY: 'known to all' }
      const [one, other] = [await run(words, env), await run(words, env)]
      return one.code === 0 && one.stdout === other.stdout
    },
  },
  files: {
    async holds() {
      symlinkSync(elsewhere, join(cwd, 'link'))
      for (const command of ['sessions', 'history']) {
        const { stdout, stderr } = await run([command])
        expect(stdout + stderr).not.toContain('PRIVATE')
      }
    },
    said: async () => (await run([elsewhere])).stdout.includes('PRIVATE'),
  },
  modules: {
    async holds() {
      write('p.mjs', markCode())
      for (const command of ['simulate', 'check', 'recommend', 'advise']) await run([command, 's.jsonl'])
      await run(['list', 'models'])
      await runCli(['advise', '--hook'], { cwd, env, stdin: JSON.stringify({ transcript_path: join(cwd, 's.jsonl') }) })
    },
    async said() {
      write('p.mjs', markCode())
      await run(['simulate', 's.jsonl', '--policy', './p.mjs'])
      return existsSync(mark)
    },
  },
  filter: {
    async holds() {
      write('p.mjs', markCode())
      for (const argv of [
        ['simulate', 's.jsonl'],
        ['simulate', '.'],
        ['check', '.'],
        ['check', '--init', '.', '--force'],
      ])
        await run(argv)
    },
    async said() {
      await run(['simulate', 's.jsonl', '--policy', 'filter:command=touch ../ran'])
      return existsSync(mark)
    },
  },
  packages: {
    isSlow: true,
    async holds() {
      await run(probe('--max-requests', '1', '--max-usd', '9', '--yes'))
      for (const store of ['sqlite:a.db', 'postgres://127.0.0.1:9/x', 'parquet:out'])
        await run(['export', 's.jsonl', '--to', store])
    },
    said: () => isDone('export', 's.jsonl', '--to', 'sqlite:a.db'),
  },
  trusted: {
    async holds() {
      await run(['simulate', 's.jsonl'])
    },
    async said() {
      allow(join(home, '.config'))
      await run(['simulate', 's.jsonl'])
      return existsSync(mark)
    },
  },
  compiled: {
    isSlow: true,
    isProcess: true,
    async holds() {
      const bin = fileURLToPath(new URL('../../bin/ctxwin.js', import.meta.url))
      const before = readdirSync(cwd, { recursive: true, encoding: 'utf8' })
      spawnSync(process.execPath, [bin, 'list', 'models', 'gpt-5'], { cwd, env: { ...env } })
      expect(readdirSync(cwd, { recursive: true, encoding: 'utf8' })).toEqual(before)
    },
    async said() {
      const bin = fileURLToPath(new URL('../../bin/ctxwin.js', import.meta.url))
      spawnSync(process.execPath, [bin, 'list', 'models', 'gpt-5'], {
        cwd,
        env: { ...env, CTXWIN_CACHE_DIR: join(cwd, 'caches') },
      })
      return existsSync(join(cwd, 'caches/code'))
    },
  },
}

const started = (): string[] =>
  existsSync(join(place, 'started')) ? readFileSync(join(place, 'started'), 'utf8').trim().split('\n') : []

const contentOf = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .sort()
    .map((name) => [name, statSync(join(directory, name)).isFile() && readFileSync(join(directory, name), 'utf8')])

async function tryIn(lever: Lever, consumer: ConsumerName): Promise<void> {
  write('cheap.json', cheap)
  const own = {
    HOME: home,
    PATH: join(place, 'bin'),
    ANTHROPIC_BASE_URL: server.url,
    ANTHROPIC_API_KEY: 'sk-1234-abcd',
  }
  env = { ...own, ...(lever.plant() as Env | undefined) }
  const before = contentOf(elsewhere)
  await trials[consumer].holds()
  expect([existsSync(mark), contentOf(elsewhere)]).toEqual([false, before])
}

/** Prices at which nothing costs anything to speak of. */
const cheap = JSON.stringify({
  models: builtinModels.models.flatMap(({ id, price }) => (price ? { id, price: { input: 1e-6, output: 1e-6 } } : [])),
})

/** What the user may decide by a variable, a checkout may not decide by a config file; which is another lever. */
const isUsers = (name: ConsumerName, { by, key }: Lever) =>
  by === 'variable' && consumers[name].by.includes('variable') && consumers[name].settings?.some((one) => one === key)

/** All settings that reach it, and of the other levers some, by turns: each is tried with several consumers. */
function leversFor(name: ConsumerName, turn: number): readonly Lever[] {
  const { isSlow, isProcess } = trials[name]
  const own = bySetting.filter((lever) => !isUsers(name, lever))
  const isNear = ({ key }: Lever) => !key || consumers[name].settings?.some((one) => one === key)
  return [
    ...sampled(files, isProcess ? 4 : 2, turn),
    ...own.filter(isNear),
    ...(isSlow ? [] : sampled(own, 6, turn).filter((lever) => !isNear(lever))),
  ]
}

describe.each((Object.keys(trials) as ConsumerName[]).map((name, turn) => [name, turn] as const))(
  '%s',
  (name, turn) => {
    it('is decided by the user', async () => {
      expect(await trials[name].said()).toBe(true)
    })

    it.each(leversFor(name, turn).map((lever) => [lever.name, lever] as const))(
      'is not decided by %s',
      async (_, lever) => {
        await tryIn(lever, name)
      },
    )
  },
)
