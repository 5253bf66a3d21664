import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { claudeSession } from '../../app/bill/claude-session.ts'
import { runCli } from '../run.ts'

const home = mkdtempSync(join(tmpdir(), 'ctxwin-sessions-'))
afterAll(() => rmSync(home, { recursive: true }))

const ids = ['53ea19c1-7d2b-4c3e-9f00-1234567890ab', '53ea19c1-8888-4c3e-9f00-1234567890ab']
const files = [
  ['claude-code/refactor.jsonl', `.claude/projects/-app/${ids[0]}.jsonl`],
  ['claude-code/split-response.jsonl', `.claude/projects/-app/${ids[1]}.jsonl`],
] as const
for (const [fixture, file] of files) {
  mkdirSync(dirname(join(home, file)), { recursive: true })
  copyFileSync(`fixtures/${fixture}`, join(home, file))
}
const world = { cwd: home, env: { HOME: home } }

describe('ctxwin alone', () => {
  it('says what was spent, on a terminal or behind a pipe, and how to see more', async () => {
    const { code, stdout, stderr } = await runCli([], world)
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toMatch(/^\$\d+\.\d\d at API list prices in 2 sessions since \d+ \w{3} \d{4}\n/)
    expect(stdout).toContain('All options, and how sure this is:  ctxwin recommend\n')
    expect((await runCli([], { ...world, terminal: true })).stdout).toBe(stdout)
  })

  it('names a session by as much of its id as tells it from the others, and history takes it', async () => {
    const { stdout } = await runCli([], world)
    const [, id] = / {4}ctxwin history (\S+)$/m.exec(stdout)!
    expect(id).toBe('53ea19c1-7')
    expect(await runCli(['history', id!], world)).toMatchObject({ code: 0, stderr: '' })
  })

  it('takes the flags of overview', async () => {
    const { stdout } = await runCli(['--last', '1', '--output', 'json'], world)
    expect(JSON.parse(stdout).sessions).toHaveLength(1)
  })

  it('says what to set and how to turn it on, the same at any width', async () => {
    const files = [36, 34, 32, 38, 30, 35, 33, 31, 37, 36].map((files, session) => {
      const file = join(home, `large-${session}.jsonl`)
      writeFileSync(file, claudeSession(session, files))
      return file
    })
    const { code, stdout } = await runCli([...files], world)
    expect(code).toBe(0)
    const words = stdout.split(/\s+/)
    const [, said = ''] = /claude-code (Keep what you have.*? \(.*?\.\)) /.exec(words.join(' ')) ?? []
    expect(said).toMatch(/\(claude-code-auto at \d+k would have saved .*\.\)$/)
    const recommended = (argv: string[]) =>
      runCli(['recommend', ...files, ...argv], world).then((ran) => ran.stdout.split(/\s+/).join(' '))
    expect(await recommended([])).toContain(`claude-code: ${said}`)
    // A line that can be copied, where more may be lost.
    expect(await recommended(['--tolerance', '+60%'])).toMatch(
      /^claude-code: Set claude-code-auto at \d+k: it saves .* Turn it on in ~\/.claude\/settings.json \(.*needs 2.1.89; your sessions are by 2.1.38\): "autoCompactWindow": \d{6}/,
    )
    expect(words.join(' ')).toContain('All options, and how sure this is: ctxwin recommend ')
    const wide = await runCli([...files], { ...world, env: { ...world.env, COLUMNS: '200' } })
    expect(wide.stdout.split(/\s+/)).toEqual(words)
  })

  it.each([
    ['a directory', ['.claude']],
    ['a file', [files[0][1]]],
    ['several', [files[0][1], files[1][1]]],
    ['one in front of flags', ['.claude', '--last', '1', '--output', 'json']],
    ['one that a flag has, too', ['.claude', '--project', 'report']],
  ])('does the same for a path in the place of a command: %s', async (_, argv) => {
    const asked = await runCli(argv, world)
    expect(asked).toEqual(await runCli([...argv], world))
    expect(asked.stderr).not.toContain('unknown command')
  })

  it('takes a path that is called like a command for the command, and ./ in front of it for the path', async () => {
    const cwd = mkdtempSync(join(home, 'named-'))
    copyFileSync('fixtures/claude-code/refactor.jsonl', join(cwd, 'formats'))
    expect((await runCli(['list', 'formats'], { ...world, cwd })).stdout).toContain('openai-chat')
    const { code, stdout } = await runCli(['./formats'], { ...world, cwd })
    expect(code).toBe(0)
    expect(stdout).toMatch(/^\$.* in 1 session /)
  })

  it('suggests a command for a word that is neither', async () => {
    const { code, stderr } = await runCli(['sesions'], world)
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "ctxwin: unknown command 'sesions' (Did you mean sessions?)\n",
    })
  })

  it('has a row for each session in the formats for data', async () => {
    const { stdout } = await runCli(['--output', 'csv'], world)
    expect(stdout.trimEnd().split('\n')).toHaveLength(3)
  })

  it('fits its lines to the width, but for a command line, which is there to be copied', async () => {
    const { stdout } = await runCli([join(home, files[0][1])], world)
    for (const line of stdout.split('\n').filter((line) => !line.includes('ctxwin '))) {
      expect(line.length).toBeLessThanOrEqual(80)
    }
    expect(stdout).toContain(`\n    ctxwin history ${join(home, files[0][1])}\n`)
  })

  it.each(['recommend', 'sessions', 'spend'])(
    '%s has no dollars for who has a plan, for programs both',
    async (command) => {
      const inputs = files.map(([, file]) => join(home, file))
      const { code, stdout } = await runCli([command, ...inputs, '--plan'], world)
      expect(code).toBe(0)
      expect(stdout).not.toMatch(/\$|USD/)
      expect(stdout).toMatch(/as API list prices weigh it/)
      const [plain, plan] = [
        await runCli([command, ...inputs, '--json'], world),
        await runCli([command, ...inputs, '--json', '--plan'], world),
      ]
      expect(plan.stdout).toBe(plain.stdout)
    },
  )
})
