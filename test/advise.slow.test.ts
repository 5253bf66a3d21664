/** The programs on docs/advise.md, each run in the interface that its host documents, and the hook against a growing file. */
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answeredAt, runningSession } from './app/running.ts'
import { runCli } from './cli/run.ts'
import { type Block, blocksOf } from './docs.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const page = readFileSync(join(root, 'docs/advise.md'), 'utf8')
const directory = mkdtempSync(join(tmpdir(), 'ctxwin-advise-'))
afterAll(() => rmSync(directory, { recursive: true, maxRetries: 10, retryDelay: 500 }))

mkdirSync(join(directory, 'node_modules'))
symlinkSync(root, join(directory, 'node_modules/ctxwin'))
const names = ['pi', 'opencode', 'langchain'] as const
for (const name of names) {
  const [, program = ''] = new RegExp(`\`\`\`js ${name}\\n([\\s\\S]*?)\`\`\``).exec(page) ?? []
  writeFileSync(join(directory, `${name}.mjs`), program)
}

// Answered long ago, so the cache is cold; with more than half of the usual budget.
const session = join(directory, 'session.jsonl')
const lines = runningSession(Array.from({ length: 40 }, () => ({ result: 12_000 })))

/** For each program a host: what it prints, as JSON. */
const hosts: Readonly<Record<(typeof names)[number], string>> = {
  pi: `
      import extension from './pi.mjs'
      const handlers = {}
      extension({ on: (event, handler) => { handlers[event] = handler } })
      const shown = []
      const ui = { setStatus: (key, text) => shown.push([key, text]) }
      await handlers.agent_end({}, { ui, sessionManager: { getSessionFile: () => ${JSON.stringify(session)} } })
      await handlers.agent_end({}, { ui, sessionManager: { getSessionFile: () => undefined } })
      console.log(JSON.stringify(shown))`,
  opencode: `
      import { readFileSync } from 'node:fs'
      import { Ctxwin } from './opencode.mjs'
      const toasts = []
      const client = { tui: { showToast: async ({ body }) => toasts.push(body) } }
      const commands = []
      const $ = (words, ...values) => {
        commands.push(String.raw(words, ...values))
        return { quiet: () => ({ text: async () => readFileSync(${JSON.stringify(session)}, 'utf8') }) }
      }
      const { event } = await Ctxwin({ $, client })
      await event({ event: { type: 'session.created', properties: {} } })
      await event({ event: { type: 'session.idle', properties: { sessionID: 'ses_test' } } })
      console.log(JSON.stringify([commands, toasts]))`,
  langchain: `
      import { ctxwinCallback } from './langchain.mjs'
      const said = (type, content, more = {}) => ({ getType: () => type, content, ...more })
      const told = []
      const settings = { model: 'gpt-5', provider: 'openai', onAdvice: ({ requests, verdict }) => told.push([requests, verdict]) }
      const callback = ctxwinCallback('chain.jsonl', settings)
      const messages = [said('system', 'Be brief.'), said('human', 'What is in a.txt?')]
      for (let round = 0; round < 3; round++) {
        await callback.handleChatModelStart({}, [messages])
        const call = { id: 'call_' + round, name: 'read', args: { path: 'a.txt' } }
        const usage_metadata = { input_tokens: 100 + 50 * round, output_tokens: 10, input_token_details: { cache_read: 0 } }
        const message = said('ai', '', { tool_calls: [call], usage_metadata })
        await callback.handleLLMEnd({ generations: [[{ message }]] })
        messages.push(message, said('tool', 'A line of text.', { tool_call_id: call.id }))
      }
      console.log(JSON.stringify(told))`,
}

describe('docs/advise.md', () => {
  const printed: Record<string, unknown> = {}
  beforeAll(() => {
    writeFileSync(session, lines.join(''))
    for (const name of names) writeFileSync(join(directory, `${name}-host.mjs`), hosts[name])
    // One process for all: to load the library takes longer than they do.
    const all = names.map((name) => `await import('./${name}-host.mjs')\n`).join('')
    writeFileSync(join(directory, 'hosts.mjs'), all)
    const words = [join(directory, 'hosts.mjs')]
    const stdout = execFileSync(process.execPath, words, { cwd: directory, encoding: 'utf8' })
    for (const [at, line] of stdout.trimEnd().split('\n').entries()) printed[names[at] as string] = JSON.parse(line)
  })

  it('has an extension for pi that shows advice in the status bar when the agent is idle', () => {
    expect(printed.pi).toEqual([['ctxwin', expect.stringMatching(/^\d+ tokens, cut: \/compact frees \d+ tokens$/)]])
  })

  it('has a plugin for opencode that exports the session when it is idle', () => {
    const message = expect.stringMatching(/^\/compact now: \d+ tokens$/)
    expect(printed.opencode).toEqual([['opencode export ses_test'], [{ message, variant: 'info' }]])
  })

  it('has a callback for LangChain that records what the model is asked, and advises before each request', () => {
    expect(printed.langchain).toEqual([0, 1, 2].map((requests) => [requests, 'wait']))
    const [head] = readFileSync(join(directory, 'chain.jsonl'), 'utf8').split('\n')
    expect(JSON.parse(head as string).transcript).toMatchObject({ ctxwin: 1, provider: 'openai', model: 'gpt-5' })
  })

  it('has a status line and a hook for Claude Code, which runs their commands by a shell', () => {
    const programs = join(directory, 'programs')
    mkdirSync(programs)
    symlinkSync(join(root, 'bin/ctxwin.js'), join(programs, 'ctxwin'))
    const env = { PATH: `${programs}:${process.env.PATH}`, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME }
    const told = (command: string, event: object): string => {
      const input = JSON.stringify({ transcript_path: session, model: { id: 'claude-sonnet-4-5-20250929' }, ...event })
      return execFileSync('sh', ['-c', command], { input, env, encoding: 'utf8' })
    }
    const settings = Object.assign({}, ...blocksOf({ name: 'docs/advise.md', text: page }).flatMap(settingsIn))
    expect(settings).toEqual({
      statusLine: { type: 'command', command: expect.any(String) },
      hooks: { Stop: [{ hooks: [{ type: 'command', command: expect.any(String), timeout: expect.any(Number) }] }] },
    })
    expect(told(settings.statusLine.command, { hook_event_name: 'Status' })).toMatch(
      /^\d+k \d+% · cache cold .*: .*\n$/,
    )
    const said = told(settings.hooks.Stop[0].hooks[0].command, { hook_event_name: 'Stop' })
    expect(JSON.parse(said)).toEqual({ systemMessage: expect.stringMatching(/^ctxwin: \d+k .* cut now /) })
  })
})

function settingsIn({ language, code }: Block): object[] {
  return language === 'json' ? [JSON.parse(code)] : []
}

describe('ctxwin advise --hook, process after process', () => {
  it('says of a growing file what a reading from the beginning says', async () => {
    const path = join(directory, 'growing.jsonl')
    writeFileSync(path, lines.slice(0, 30).join(''))
    const input = JSON.stringify({ transcript_path: path, model: { id: 'claude-sonnet-4-5-20250929[1m]' } })
    const env = { PATH: process.env.PATH, CTXWIN_CACHE_DIR: join(directory, 'cache') }
    const words = ['advise', '--hook', '--now', String(answeredAt(40))]
    const asked = (): string =>
      execFileSync(process.execPath, [join(root, 'bin/ctxwin.js'), ...words], { input, env, encoding: 'utf8' })
    const fromTheBeginning = async (): Promise<string> =>
      (await runCli([...words, '--no-cache'], { stdin: input, env })).stdout
    const told = [asked()]
    for (const line of lines.slice(30, 33)) {
      // In two parts: the agent is writing while it is asked.
      appendFileSync(path, line.slice(0, 100))
      expect(asked()).toBe(told.at(-1))
      appendFileSync(path, line.slice(100))
      told.push(asked())
      expect(told.at(-1)).toBe(await fromTheBeginning())
    }
    expect(new Set(told).size).toBeGreaterThan(1)
    expect(told.at(-1)).toMatch(/^\d+k \d+% · cache \w+ .*: .*\n$/)
  })
})

describe('the bundle for hooks', () => {
  it('goes on from a stop without the rest of the program, which says the same, and leaves all else to it', () => {
    const home = join(directory, 'home')
    const whole = join(home, 'dist/main.cjs')
    for (const part of ['bin', 'package.json', 'dist/wasm', 'dist/build.txt', 'dist/start.cjs', 'dist/hook.cjs'])
      cpSync(join(root, part), join(home, part), { recursive: true })
    cpSync(join(root, 'dist/main.cjs'), whole)
    const path = join(directory, 'hooked.jsonl')
    writeFileSync(path, lines.slice(0, 30).join(''))
    // That of the test before, in which the program is compiled already: this one's bundles are copies of it.
    const env = { PATH: process.env.PATH, CTXWIN_CACHE_DIR: join(directory, 'cache') }
    const asked = (event: object, flags: string[] = [], more: object = {}) => {
      const argv = [join(home, 'bin/ctxwin.js'), 'advise', '--hook', ...flags]
      const input = JSON.stringify({ transcript_path: path, ...event })
      const { status, stdout, stderr } = spawnSync(process.execPath, argv, {
        ...{ input, cwd: directory, encoding: 'utf8' },
        env: { ...env, ...more },
      })
      return { status, stdout, stderr }
    }
    const calls = [
      [{ hook_event_name: 'Status', model: { id: 'claude-sonnet-4-5-20250929[1m]' } }, []],
      [{ hook_event_name: 'Stop' }, ['--budget', '30k']],
    ] as const
    for (const [event, flags] of calls) asked(event, [...flags])
    appendFileSync(path, lines.slice(30).join(''))
    const told = calls.map(([event, flags]) => asked(event, [...flags, '--no-cache']))
    expect(told.map(({ stdout }) => stdout)).toEqual([
      expect.stringMatching(/^\d+k \d+% · cache cold .*\n$/),
      expect.stringMatching(/^\{"systemMessage":"ctxwin: /),
    ])
    rmSync(whole)
    expect(calls.map(([event, flags]) => asked(event, [...flags]))).toEqual(told)
    const left = [
      asked({}, ['--policy', 'keep-all']),
      asked({}, [], { CTXWIN_BUDGET: '30k' }),
      asked({}, ['--budget', 'x']),
    ]
    for (const { stderr } of left) expect(stderr).toContain('main.cjs')
    writeFileSync(join(directory, 'ctxwin.config.json'), '{}')
    expect(asked({}).stderr).toContain('main.cjs')
    for (const flags of [['--no-config'], ['--budget', '100k', '--no-config']]) {
      expect(asked(calls[0][0], flags)).toEqual(told[0])
    }
    expect(asked(calls[0][0], [], { CTXWIN_NO_CONFIG: '1' })).toEqual(told[0])
    rmSync(join(directory, 'ctxwin.config.json'))
  })
})

describe('--follow', () => {
  it.each(['history', 'simulate'])(
    'of %s prints a line for each new request, begins anew with another file, and ends well',
    async (command) => {
      const path = join(directory, `${command}.jsonl`)
      writeFileSync(path, lines.slice(0, 30).join(''))
      const env = { PATH: process.env.PATH, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME }
      const argv = [
        join(root, 'bin/ctxwin.js'),
        command,
        path,
        '--follow',
        '--budget',
        '30k',
        '--policy',
        'drop-oldest',
      ]
      const followed = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] })
      // Two pipes: which of them is read first is not for the program to say.
      let [told, noted] = ['', '']
      followed.stdout.setEncoding('utf8').on('data', (text) => (told += text))
      followed.stderr.setEncoding('utf8').on('data', (text) => (noted += text))
      const until = async (words: string): Promise<void> => {
        while (!told.includes(words)) await new Promise((done) => setTimeout(done, 20))
      }
      const closed = once(followed, 'close')
      await until('request 60 (')
      appendFileSync(path, lines[30] as string)
      await until('request 62 (')
      writeFileSync(path, lines.slice(0, 2).join(''))
      await until('request 4 (')
      followed.kill('SIGINT')
      expect(await closed).toEqual([0, null])
      const said = told.trimEnd().split('\n')
      expect(said.map((line) => line.split(/ \(|: /)[0])).toEqual([
        'request 60',
        'request 61',
        'request 62',
        'request 4',
      ])
      expect(noted.trimEnd().split('\n')).toEqual([
        'ctxwin: the requests of drop-oldest at 30k',
        expect.stringMatching(/^ctxwin: /),
      ])
      expect(said[0]).toMatch(/^request 60 \(line \d+\): [\d,]+ of [\d,]+ tokens$/)
    },
  )
})
