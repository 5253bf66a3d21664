/** `history --step`, by the keys that a user presses and what stands on the terminal then. */
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { main } from '../../../../src/cli/start/main.ts'
import { Collected, runCli } from '../../run.ts'
import { Terminal } from '../../terminal.ts'

const argv = ['history', 'fixtures/claude-code/refactor.jsonl', '--budget', '16k', '--estimator', 'bytes']

const keys = {
  left: '\u001b[D',
  right: '\u001b[C',
  home: '\u001b[H',
  end: '\u001b[F',
  pageup: '\u001b[5~',
  pagedown: '\u001b[6~',
  ctrlC: '\u0003',
}

function open(more: readonly string[] = []) {
  const modes: boolean[] = []
  const stdin = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode: (raw: boolean) => modes.push(raw),
  })
  const stdout = new Terminal()
  const stderr = new Collected()
  const done = main([...argv, '--step', ...more], {
    stdin,
    stdout,
    stderr,
    env: {},
    cwd: () => process.cwd(),
  })
  const status = () => stdout.lines.at(-1) ?? ''
  const press = async (key: string, expected: RegExp) => {
    stdin.write(key)
    await stdout.until(() => expected.test(status()))
  }
  return { stdin, stdout, stderr, done, modes, status, press }
}

describe('history --step', () => {
  it('moves the cutoff from request to request and from cut to cut, and shows what --at shows', async () => {
    const { stdin, stdout, done, press, status } = open()
    await stdout.until(() => /^after the last of 35 · /.test(status()))
    await press(keys.left, /^request 35 of 35/)
    await press(keys.left, /^request 34 of 35/)
    await press(keys.right, /^request 35 of 35/)
    await press(keys.home, /^request 1 of 35 · \$0\.\d+ as recorded · /)
    expect(stdout.lines[0]).toMatch(/^ikigai at 16k, before request 1, /)
    await press(keys.left, /^request 1 of 35/)
    const { stdout: listed } = await runCli(['simulate', ...argv.slice(1), '--cuts', 'all'])
    const cuts = [...listed.matchAll(/before request (\d+):/g)].map(([, request]) => request)
    expect(cuts.length).toBeGreaterThan(2)
    for (const request of new Set(cuts)) await press(keys.pagedown, new RegExp(`^request ${request} of 35`))
    const { stdout: picture } = await runCli([...argv, '--at', cuts.at(-1) as string])
    for (const line of stdout.lines.slice(0, -1)) expect(picture.split('\n')).toContain(line)
    expect(stdout.lines.some((line) => / the window begins here ─/.test(line))).toBe(true)
    await press(keys.pageup, new RegExp(`^request ${[...new Set(cuts)].at(-2)} of 35`))
    await press(keys.end, /^after the last of 35/)
    stdin.write('q')
    expect(await done).toBe(0)
  })

  it.each(['q', keys.ctrlC, ''])('gives the terminal back as it was: %j', async (key) => {
    const listening = () => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((event) => process.listenerCount(event))
    const before = listening()
    const { stdin, stdout, stderr, done, modes } = open()
    await stdout.until(() => stdout.lines.length > 1)
    expect(modes).toEqual([true])
    expect(listening()).toEqual(before.map((count) => count + 1))
    expect(stdout.lines).toHaveLength(24)
    if (key === '') stdin.end()
    else stdin.write(key)
    expect(await done).toBe(0)
    expect(modes).toEqual([true, false])
    expect(stdout.all.indexOf('\u001b[?1049h\u001b[?25l')).toBe(0)
    expect(stdout.all.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true)
    expect(stderr.text).toBe('')
    expect(listening()).toEqual(before)
  })

  it('draws anew when the terminal has another size', async () => {
    const { stdin, stdout, done } = open(['--at', '20'])
    await stdout.until(() => stdout.lines.length > 1)
    stdout.rows = 9
    stdout.emit('resize')
    await stdout.until(() => stdout.lines.length === 9)
    expect(stdout.lines[0]).toMatch(/^ikigai at 16k, before request 20, /)
    stdin.write('q')
    await done
  })

  it('draws the plain picture where output is no terminal', async () => {
    expect(await runCli([...argv, '--step'])).toEqual(await runCli(argv))
  })
})
