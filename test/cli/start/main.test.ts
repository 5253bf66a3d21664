import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { main } from '../../../src/cli/start/main.ts'
import { Collected, runCli } from '../run.ts'

const tools = 'fixtures/openai-chat/tools.jsonl'

describe('main', () => {
  it('prints data on stdout, and nothing else', async () => {
    const { code, stdout, stderr } = await runCli(['simulate', tools, '--output', 'json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(JSON.parse(stdout).runs[0]).toMatchObject({ transcript: tools, policy: 'ikigai', budget: 100_000 })
  })

  it('exits 2 with one line for a mistake of the user', async () => {
    const { code, stdout, stderr } = await runCli(['simulate', tools, '--policy', 'ikgai'])
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: 'ctxwin: unknown policy "ikgai". Did you mean "ikigai"?\n',
    })
  })

  it.each([{ argv: [] }, { argv: ['--since', '7d'] }])('takes $argv without a command', async ({ argv }) => {
    const { code, stdout, stderr } = await runCli(argv)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(
      /^ctxwin: no transcripts in .*\.duragent\/sessions, .*\.crush\. Name a file or a directory, .*\n$/,
    )
  })

  it('draws no table of params for a policy without any', async () => {
    const { stdout } = await runCli(['list', 'policies', 'keep-all'])
    expect(stdout).toMatch(/^keep-all: [^\n]*table\n\nAbout it\n/)
    expect(stdout).not.toContain('what it sets')
  })

  it('suggests a command for a word that is none', async () => {
    const { code, stderr } = await runCli(['simluate', tools])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "ctxwin: unknown command 'simluate' (Did you mean simulate?)\n",
    })
  })

  it('puts a suggestion on the line of the mistake', async () => {
    const { code, stderr } = await runCli(['simulate', tools, '--budgte', '1k'])
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: "ctxwin: unknown option '--budgte' (Did you mean --budget?)\n",
    })
  })

  it.each([
    [['zork'], "unknown command 'zork'. See ctxwin --help"],
    [['logs/a.jsonl'], "unknown command 'logs/a.jsonl'. There is no such file either"],
    [['logs/*.jsonl'], "unknown command 'logs/*.jsonl'. For what a pattern matches: ctxwin 'logs/*.jsonl'"],
    [['simulate', '--xyzzy'], "unknown option '--xyzzy'. See ctxwin simulate --help"],
    [['completion'], "missing required argument 'shell'. See ctxwin completion --help"],
    [['advise', 'a', 'b'], "too many arguments for 'advise'. Expected 1 argument but got 2. See ctxwin advise --help"],
    [['history', 'a', 'b'], 'history shows one session, and b is another: name one, or add --exchanges'],
  ])('says for %j where help is', async (argv, sentence) => {
    expect(await runCli(argv)).toEqual({ code: 2, stdout: '', stderr: `ctxwin: ${sentence}\n` })
  })

  it.each([
    ['--sort', 'size', 'one of cost, tokens, lost, saved, name'],
    ['--top', '0', 'a number of transcripts'],
    ['--top', 'all', 'a number of transcripts'],
  ])('says what %s takes where it is given %j', async (flag, word, expected) => {
    expect(await runCli(['simulate', tools, flag, word])).toEqual({
      code: 2,
      stdout: '',
      stderr: `ctxwin: ${flag}: "${word}" is not ${expected}\n`,
    })
  })

  it('goes on with a model that it does not know, and says so', async () => {
    const told =
      'ctxwin: --model: unknown model "claude-sonnet-4-55", so its window and prices are unknown. Did you mean "claude-sonnet-4-5"?\n'
    const argv = ['simulate', tools, '--model', 'claude-sonnet-4-55', '--json']
    const { code, stdout, stderr } = await runCli(argv)
    expect({ code, stderr }).toEqual({ code: 0, stderr: told })
    expect(JSON.parse(stdout).runs[0].model).toBe('claude-sonnet-4-55')
    expect((await runCli([...argv, '--quiet'])).stderr).toBe('')
    expect((await runCli(['simulate', tools, '--model', 'claude-sonnet-4-5', '--json'])).stderr).toBe('')
  })

  it('reads standard input', async () => {
    const { code, stdout } = await runCli(['simulate', '-', '--output', 'json'], {
      stdin: '{"messages":[{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"}]}\n',
    })
    expect(code).toBe(0)
    expect(JSON.parse(stdout).runs[0]).toMatchObject({ transcript: '-', messages: 2, requests: 1 })
  })
})

describe('the width', () => {
  const argv = ['simulate', 'fixtures/openai-chat/tools.jsonl', '--budget', '100']
  const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length))

  it('is that of COLUMNS where the output is no terminal', async () => {
    const [narrow, usual] = await Promise.all([runCli(argv, { env: { COLUMNS: '50' } }), runCli(argv)])
    expect(widest(narrow.stdout)).toBeLessThanOrEqual(50)
    expect(widest(usual.stdout)).toBeGreaterThan(50)
  })

  it.each(['0', '-5', '1e9x', ''])('is 80 where COLUMNS is %o', async (columns) => {
    expect(await runCli(argv, { env: { COLUMNS: columns } })).toEqual(await runCli(argv))
  })

  it('of a terminal is never less than a sentence needs, nor nothing where the terminal does not know it', async () => {
    const onTerminal = async (columns: number) => {
      const stdout = Object.assign(new Collected(), { isTTY: true, columns })
      const none = { stdin: Readable.from([]), stderr: new Collected(), env: { NO_COLOR: '1' }, cwd: process.cwd }
      expect(await main(argv, { ...none, stdout })).toBe(0)
      return stdout.text
    }
    expect(await onTerminal(0)).toBe(await onTerminal(80))
    expect(await onTerminal(1)).toBe(await onTerminal(20))
    expect(await onTerminal(20)).toContain('than today')
  })
})
