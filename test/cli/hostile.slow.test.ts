/** Hostile names of files, keys, ids, models, tools and flags must not control a terminal or a CI runner. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkReporters } from '../../src/check/reporters/index.ts'
import { commands } from '../../src/cli/inputs/commands.ts'
import { worldOf } from '../../src/cli/output/world.ts'
import { reports } from '../../src/reports/index.ts'
import { logCommands } from '../hostile-words.ts'
import { type Ran, runCli, wordsOf } from './run.ts'

/** Escape sequences, CI commands in both forms, bidirectional overrides, invisible characters, and a bell. */
const hostile =
  '\u001b[31m\u001b]0;x\u0007\n::error file=a::forged\r##[error]forged ##vso[task.complete]##teamcity[x]\u009b2J\u202egnp\u2028\u200b\ud800'
/** As much of it as fits into a file name. */
const inName = hostile.slice(0, -1)

/** A transcript in which every free text is hostile; ids still match. */
function hostileTranscript(path: string): string {
  const kept = ['type', 'role', 'timestamp', 'uuid', 'parentUuid', 'stop_reason', 'version']
  const lines = readFileSync(path, 'utf8').trimEnd().split('\n')
  const corrupt = (key: string, value: unknown) =>
    typeof value === 'string' && !kept.includes(key) ? `${value} ${hostile}` : value
  return lines.map((line) => JSON.stringify(JSON.parse(line, corrupt))).join('\n')
}

let cwd = ''
let transcripts = ''
let torn = ''

beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-hostile-'))
  transcripts = join(cwd, `dir${inName.replaceAll('/', '')}`)
  mkdirSync(transcripts)
  for (const fixture of ['claude-code/refactor.jsonl', 'claude-code/two-sessions.jsonl', 'openai-chat/tools.jsonl']) {
    const text = hostileTranscript(`fixtures/${fixture}`)
    writeFileSync(join(transcripts, `${fixture.replace('/', '-')}${inName}.jsonl`), `${text}\n{"torn`)
  }
  torn = join(transcripts, `::torn${inName}.jsonl.gz`)
  writeFileSync(torn, gzipSync('{"messages":[]}').subarray(0, 12))
  writeFileSync(join(cwd, `${inName}.json`), JSON.stringify({ [hostile]: hostile }))
  writeFileSync(join(cwd, 'values.json'), JSON.stringify({ policies: { [hostile]: [{ [hostile]: hostile }] } }))
})
afterAll(() => rmSync(cwd, { recursive: true }))

/** ctxwin's own colours and the annotations of the GitHub reporter are allowed. */
function expectHarmless({ stdout, stderr }: Ran, argv: readonly string[]): void {
  for (const stream of [stdout, stderr]) {
    const text = stream.replaceAll(/\u001b\[(?:1|2|4|22|24|31|32|33|39)m/g, '')
    expect(text.match(/(?!\n)\p{Cc}|(?![\u200c\u200d])\p{Cf}|[\p{Zl}\p{Zp}]|\p{Cs}/u), argv.join(' ')).toBeNull()
    if (!argv.includes('github')) expect(logCommands(text), argv.join(' ')).toEqual([])
  }
  for (const line of stderr.split('\n').slice(0, -1)) expect(line).toMatch(/^(ctxwin: | {4}\S)/)
}

async function expectHarmlessRun(argv: readonly string[], env: Record<string, string> = {}): Promise<Ran> {
  const ran = await runCli(argv, { cwd, env })
  expectHarmless(ran, argv)
  expect([0, 1, 2]).toContain(ran.code)
  return ran
}

describe('hostile names and texts are harmless', () => {
  it.each(['simulate', 'recommend', 'history --exchanges', 'calibrate', 'spend'])(
    'in %s, in every format',
    async (command) => {
      for (const output of reports.names) {
        const budget = ['history --exchanges', 'calibrate', 'spend'].includes(command) ? [] : ['--budget', '16k']
        const { code, stdout, stderr } = await expectHarmlessRun(
          [
            ...wordsOf(command),
            // Given by name: a damaged file in a directory would be skipped.
            torn,
            transcripts,
            ...budget,
            ...['--output', output],
          ],
          { FORCE_COLOR: '1' },
        )
        expect({ code, told: stderr.includes('torn'), printed: stdout !== '' }).toEqual({
          code: 2,
          told: true,
          printed: true,
        })
      }
    },
  )

  it('in what is listed below a table', async () => {
    for (const by of ['exchange', 'request'])
      await expectHarmlessRun(['simulate', transcripts, '--budget', '16k', '--by', by, '--cuts', 'all'])
  })

  it('in history and window', async () => {
    for (const name of readdirSync(transcripts).filter((name) => name.endsWith('.jsonl'))) {
      const file = join(transcripts, name)
      for (const options of [['--full'], ['--lost', '--budget', '16k'], ['--output', 'json']])
        await expectHarmlessRun(['history', file, ...options])
      for (const provider of ['anthropic', 'openai', 'google'])
        await expectHarmlessRun(['history', '--request', file, '--provider', provider])
    }
  })

  it('in check, with every reporter', async () => {
    for (const reporter of checkReporters.names) {
      const { stdout } = await expectHarmlessRun(
        ['check', transcripts, '--assert', 'maxPeakTokens=10', '--reporter', reporter],
        {},
      )
      if (reporter !== 'github') continue
      for (const line of stdout.split('\n').slice(0, -1)) expect(line).toMatch(/^::error (file=[^:]*,)?title=[^:]*::/)
    }
  })

  it('in a policy, a model, a price file, a limit, a config file, a variable', async () => {
    const wrong = [
      ...['policy', 'estimator', 'budget', 'provider', 'output', 'format', 'cuts', 'by', 'prices', 'preamble'],
      ...['measure', 'color', 'config', 'output-file'],
    ]
    for (const flag of wrong) {
      expect((await expectHarmlessRun(['simulate', transcripts, `--${flag}`, `x${hostile}/`])).code).toBe(2)
    }
    await expectHarmlessRun(['check', transcripts, '--assert', `${hostile}=${hostile}`])
    await expectHarmlessRun(['list', 'models', hostile])
    for (const config of [`${inName}.json`, 'values.json'])
      expect((await expectHarmlessRun(['simulate', transcripts, '--config', config])).code).toBe(2)
    expect((await expectHarmlessRun(['simulate', transcripts], { [`CTXWIN_${hostile}`]: 'x' })).code).toBe(2)
    await expectHarmlessRun(['--print-config', '--model', hostile], { CTXWIN_CACHE: hostile })
  })

  it.each(['', ...commands.map(({ name }) => name)])('in the words behind "%s"', async (command) => {
    const name = command === '' ? [] : [command]
    for (const word of [hostile, `--${hostile}`, `-${hostile}`, `--budget=${hostile}`, `--outptu${hostile}`]) {
      expect((await expectHarmlessRun([...name, word])).code).toBe(2)
    }
  })
})

describe('a world', () => {
  it('shows a bug by its frames, without the words of the error', async () => {
    const { code, stderr } = await runCli(['simulate', 'fixtures/openai-chat/tools.jsonl'], {
      // Only the environment can be made to throw here.
      env: new Proxy(
        {},
        {
          ownKeys() {
            throw new TypeError(`secret words\n    at secret (${hostile})`)
          },
        },
      ),
    })
    expect(code).toBe(70)
    expect(stderr).toMatch(/^ctxwin: this is a bug of ctxwin, please report it \(ctxwin \S+, node \S+\): TypeError\n/)
    expect(stderr).toMatch(/^ {4}at .*\bresolveSettings\b/m)
    expect(stderr).not.toContain('secret')
  })

  it('lets nothing through that a command forgot', () => {
    const written: string[] = []
    const screen = { isTTY: true, columns: 30, on() {}, off() {}, write: (text: string) => written.push(text) }
    const world = worldOf({ ...process, stdout: screen, stderr: screen, cwd: () => '/' } as never)
    world.stdout.write(`\u001b[31mred\u001b[39m "${hostile}"\n`)
    world.say(hostile)
    world.status?.(hostile)
    const [data, said, status] = written
    expect(data?.replace('\u001b[31mred\u001b[39m', '').replaceAll('\u001b[31m', '')).not.toMatch(
      /(?!\n)\p{Cc}|\p{Cf}/u,
    )
    // Folded to the terminal: what follows the first line is indented, so that no text can begin a line of its own.
    expect(said).toMatch(/^ctxwin:\P{Cc}*\n(?: {4}\P{Cc}*\n)*$/u)
    expect(status).toMatch(/^\r\u001b\[K\P{Cc}{29}$/u)
  })
})
