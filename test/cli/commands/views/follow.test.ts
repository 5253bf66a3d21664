/** `--follow` as a user sees it: a picture on a terminal, which keys leave, and lines elsewhere. */
import { appendFileSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterAll, describe, expect, it } from 'vitest'
import { main } from '../../../../src/cli/start/main.ts'
import { runningSession } from '../../../app/running.ts'
import { Collected } from '../../run.ts'
import { Terminal } from '../../terminal.ts'

const directory = mkdtempSync(join(tmpdir(), 'ctxwin-follow-'))
afterAll(() => rmSync(directory, { recursive: true, maxRetries: 10, retryDelay: 500 }))

const lines = runningSession(Array.from({ length: 8 }, () => ({ result: 12_000 })))
const how = ['--follow', '--budget', '10k', '--policy', 'drop-oldest', '--estimator', 'bytes']

/** Follows a file of its first rounds. @param env with the terminal's streams, or those of a pipe */
function followed(name: string, more: readonly string[] = [], env: Readonly<Record<string, string>> = {}) {
  const path = join(directory, `${name}.jsonl`)
  writeFileSync(path, lines.slice(0, 5).join(''))
  const [command = ''] = name.split('-')
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => {} })
  const stdout = new Terminal()
  const stderr = new Collected()
  const argv = [command, path, ...how, ...more]
  const done = main(argv, { stdin, stdout, stderr, env, cwd: () => directory })
  return { path, stdin, stdout, stderr, done }
}

const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((event) => process.listenerCount(event))

describe('--follow on a terminal', () => {
  it('draws the last requests anew when the file has grown, and gives the terminal back', async () => {
    const before = listeners()
    const { path, stdin, stdout, stderr, done } = followed('simulate')
    await stdout.until(() => stdout.lines.some((line) => line.startsWith('request 10 (')))
    expect(stdout.lines).toHaveLength(10)
    appendFileSync(path, lines.slice(5).join(''))
    await stdout.until(() => stdout.lines.some((line) => line.startsWith('request 16 (')))
    stdout.rows = 4
    stdout.emit('resize')
    await stdout.until(() => stdout.lines.length === 4)
    expect(stdout.lines.map((line) => line.split(' (')[0])).toEqual([13, 14, 15, 16].map((one) => `request ${one}`))
    stdin.write('q')
    expect(await done).toBe(0)
    expect(stdout.all.endsWith('\u001b[?25h\u001b[?1049l')).toBe(true)
    expect({ stderr: stderr.text, listeners: listeners() }).toEqual({ stderr: '', listeners: before })
  })

  it('draws the picture of history anew', async () => {
    const { path, stdin, stdout, done } = followed('history')
    await stdout.until(() => stdout.lines.some((line) => line.includes('Round 4')))
    appendFileSync(path, lines[5] as string)
    await stdout.until(() => stdout.lines.some((line) => line.includes('Round 5')))
    stdin.write('q')
    expect(await done).toBe(0)
  })

  it.each(['--redact', 'CTXWIN_REDACT_KEY'])('has no word of the transcript with %s, and keeps nothing', async (by) => {
    const cache = join(directory, 'cache')
    const env = { CTXWIN_CACHE_DIR: cache, ...(by.startsWith('--') ? {} : { [by]: 'four words' }) }
    const { path, stdin, stdout, stderr, done } = followed(`history-${by}`, by.startsWith('--') ? [by] : [], env)
    await stdout.until(() => stdout.lines.length > 1)
    const { length } = stdout.all
    appendFileSync(path, lines[5] as string)
    await stdout.until(() => stdout.all.length > length)
    stdin.write('q')
    expect(await done).toBe(0)
    expect(`${stdout.all}${stderr.text}`).not.toMatch(/Round|module|ctxwin-follow/i)
    expect(existsSync(join(cache, 'traces'))).toBe(false)
  })

  it('has the name of no file that is not there with --redact', async () => {
    const stderr = new Collected()
    const argv = ['simulate', 'secret.jsonl', ...how, '--redact']
    const streams = { stdin: new PassThrough(), stdout: new Collected(), stderr }
    expect(await main(argv, { ...streams, env: {}, cwd: () => directory })).toBe(2)
    expect(stderr.text).toMatch(/^ctxwin: .*\.jsonl: there is no such file\n$/)
    expect(stderr.text).not.toContain('secret')
  })
})
