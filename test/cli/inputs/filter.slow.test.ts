/** Programs that tool results go through: what they change, how they fail, and who may name them. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { runCli } from '../run.ts'

const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-filter-'))
afterAll(() => rmSync(cwd, { recursive: true }))
const session = join(cwd, 'moorings.jsonl')
// Its beginning: a program is started for each text.
const whole = readFileSync('fixtures/claude-code/moorings.jsonl', 'utf8').split('\n')
writeFileSync(session, whole.slice(0, 60).join('\n'))
const ran = join(cwd, 'ran')
beforeEach(() => rmSync(ran, { force: true }))

const write = (name: string, text: string) => writeFileSync(join(cwd, name), text)
const ctxwin = (...argv: string[]) => runCli(argv, { cwd })
/** A script that leaves a mark for each text, and what it makes of it. */
const script = (body: string) =>
  `const text = require('node:fs').readFileSync(0, 'utf8')\nrequire('node:fs').appendFileSync(${JSON.stringify(ran)}, '.')\n${body}`

interface Figures {
  readonly policy: string
  readonly params: unknown
}

/** The runs under each policy, without their names. */
async function runsOf(...policies: string[]): Promise<Omit<Figures, 'policy' | 'params'>[]> {
  const flags = policies.flatMap((policy) => ['--policy', policy])
  const { code, stdout, stderr } = await ctxwin('simulate', session, '--budget', '100k,50k', '--json', ...flags)
  expect([code, stderr]).toEqual([0, ''])
  return JSON.parse(stdout).runs.map(({ policy: _, params: __, ...figures }: Figures) => figures)
}

describe('filter:command', () => {
  it('changes no byte with a program that changes none', async () => {
    const [one, other] = [await runsOf('filter:command=cat'), await runsOf('keep-all')]
    expect(one).toEqual(other)
  })

  it('is truncate-tool-results with a program that cuts as that does, and runs once for each text', async () => {
    const cut = `
      const tokens = Math.floor(Buffer.byteLength(text) / 4)
      const head = new TextDecoder().decode(Buffer.from(text).subarray(0, 400), { stream: true })
      process.stdout.write(tokens <= 100 ? text : head + '\\n\\n[truncated: kept first ~100 of ~' + tokens + ' tokens (head)]')`
    write('cut.cjs', script(cut))
    const [one, other] = [await runsOf('filter:command=node cut.cjs'), await runsOf('truncate-tool-results:max=100')]
    expect(one).toEqual(other)
    const texts = readFileSync(session, 'utf8')
      .split('\n')
      .filter(Boolean)
      .flatMap((line) => JSON.parse(line).message?.content ?? [])
      .filter(({ type }: { type?: string }) => type === 'tool_result')
    // Two budgets, and a text that is tried before.
    expect(readFileSync(ran, 'utf8').length).toBeLessThanOrEqual(texts.length + 1)
  }, 60_000)

  it('goes through a module in the place of a program', async () => {
    write('cut.mjs', 'export default (text) => text')
    expect(await runsOf('filter:module=./cut.mjs')).toEqual(await runsOf('keep-all'))
  })

  it('takes a program that reads only the beginning', async () => {
    const { code, stderr } = await ctxwin('simulate', session, '--policy', 'filter:command=head -c 1', '--json')
    expect([code, stderr]).toEqual([0, ''])
  })

  it.each<[command: string, words: string]>([
    ['nosuchprogram', 'nosuchprogram is no program that can be found'],
    ['false', 'false ended with exit code 1'],
    ['sleep 9,seconds=0.1', 'sleep was still running after 0.1 seconds: seconds=… allows more'],
    [`sh -c 'kill -TERM $$'`, 'sh was ended by SIGTERM'],
  ])('says in a line why %s cannot be used, before any file is read', async (command, words) => {
    const { code, stdout, stderr } = await ctxwin('simulate', session, '--policy', `filter:command=${command}`)
    const [label] = command.split(',')
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: filter:command=${label} cannot be used as a policy: ${words}\n`,
    })
  })

  it('says at which line of which file a program failed, and not a word of the text', async () => {
    write('fails.cjs', script(`process.exit(text.length > 100 ? 3 : 0)`))
    const { code, stdout, stderr } = await ctxwin('simulate', session, '--policy', 'filter:command=node fails.cjs')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toMatch(
      /^ctxwin: filter:command=node fails\.cjs cannot be used as a policy: .*moorings\.jsonl, line \d+: its occasion "message" node ended with exit code 3\n$/,
    )
  })

  it('starts no shell', async () => {
    const { code } = await ctxwin('simulate', session, '--policy', `filter:command=cat; touch ${ran}`)
    expect([code, existsSync(ran)]).toEqual([2, false])
  })
})

describe('a filter that the command line does not name', () => {
  const filter = `filter:command=touch ${ran}`
  const one = 'a filter runs a program, so it can only be named on the command line'

  it.each<[what: string, file: string, text: string, flags: string[]]>([
    ['a config file', 'ctxwin.config.json', JSON.stringify({ policy: filter }), []],
    ['a list in one', 'ctxwin.config.json', JSON.stringify({ policy: ['keep-all', filter] }), []],
    ['a baseline in one', 'ctxwin.config.json', JSON.stringify({ baseline: filter }), []],
    ['one that is named', 'theirs.json', JSON.stringify({ policy: filter }), ['--config', 'theirs.json']],
    ['package.json', 'package.json', JSON.stringify({ name: 'x', ctxwin: { policy: filter } }), []],
  ])('is refused in a line: %s', async (_, file, text, flags) => {
    write(file, text)
    const { code, stdout, stderr } = await ctxwin('simulate', session, ...flags)
    rmSync(join(cwd, file))
    expect([code, stdout, existsSync(ran)]).toEqual([2, '', false])
    expect(stderr).toMatch(new RegExp(`^ctxwin: (policy|baseline) in .*: ${one}\n$`))
  })

  it('is refused of a variable, in a composition, and where init would write it down', async () => {
    const ofVariable = await runCli(['simulate', session], { cwd, env: { CTXWIN_POLICY: filter } })
    expect(ofVariable).toMatchObject({ code: 2, stderr: `ctxwin: CTXWIN_POLICY: ${one}\n` })
    write('ctxwin.config.json', JSON.stringify({ policies: { mine: [{ filter: { command: `touch ${ran}` } }] } }))
    expect((await ctxwin('simulate', session, '--policy', 'mine')).code).toBe(2)
    rmSync(join(cwd, 'ctxwin.config.json'))
    const { code, stderr } = await ctxwin('check', '--init', session, '--policy', filter)
    expect([code, stderr]).toEqual([
      2,
      `ctxwin: ${filter} runs a program, which no config file may name: leave it out\n`,
    ])
    expect([existsSync(ran), existsSync(join(cwd, 'ctxwin.config.json'))]).toEqual([false, false])
  })

  it('is not run because a part names it', async () => {
    const { stdout } = await ctxwin('simulate', session, '--policy', 'filter:command=cat', '--output', 'partial')
    write('part.ndjson', stdout)
    const { code, stderr } = await ctxwin('merge', 'part.ndjson', '--policy', 'filter:command=cat')
    expect([code, stderr]).toEqual([
      2,
      'ctxwin: the parts were made with filter:command=cat, which runs a program: parts of it are not merged\n',
    ])
  })

  it('is not run by advise --hook', async () => {
    const { code, stderr } = await ctxwin('advise', '--hook', '--policy', filter)
    expect([code, existsSync(ran)]).toEqual([2, false])
    expect(stderr).toContain('runs no code of your own')
  })
})
