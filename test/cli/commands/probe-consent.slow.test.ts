/** The question that stands before a first request: asked on a terminal alone, and only a yes sends anything. */
import { spawn, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import { main } from '../../../src/cli/start/main.ts'
import { claudeSession } from '../../app/bill/claude-session.ts'
import { serveModel } from '../../clients/model-server.ts'
import { Collected } from '../run.ts'
import { Terminal } from '../terminal.ts'

const root = mkdtempSync(join(tmpdir(), 'ctxwin-consent-'))
afterAll(() => rmSync(root, { recursive: true }))
const file = join(root, 's.jsonl')
// With a word that would clear the screen.
writeFileSync(file, claudeSession(0, 8).replaceAll('Bring the modules', '\\u001b[2JBring the modules'))
const journal = join(root, 'journal.ndjson')
/** Where what was allowed is written down. */
const home = join(root, 'home')
const allowed = join(home, '.config/ctxwin/consent')

let server: Awaited<ReturnType<typeof serveModel>>
beforeEach(async () => {
  server = await serveModel('chat', () => ({ text: 'Yes.' }))
})
afterEach(async () => {
  await server.close()
  for (const path of [journal, home]) rmSync(path, { recursive: true, force: true })
})

const argv = () => {
  const to = ['--endpoint', server.url, '--ask', 'm', '--max-requests', '99', '--probes', '2', '--per-session', '2']
  return ['probe', file, '-p', 'drop-steps', '-b', '20k', '-e', 'bytes', ...to, '--journal', journal]
}

/** Runs it on a terminal and types, once it has asked. @param end how the input ends then; null: it does not */
async function typed(keys: string, end: 'end' | 'destroy' | null = null, more: readonly string[] = []) {
  const stdin = Object.assign(new PassThrough(), { isTTY: true })
  const [stdout, stderr] = [new Collected(), new Terminal()]
  const before = server.asked.length
  const run = main([...argv(), ...more], {
    stdin: stdin as never,
    stdout,
    stderr,
    env: { HOME: home },
    cwd: () => root,
  })
  await Promise.race([run, stderr.until(() => stderr.all.includes('Type yes:'))])
  if (stderr.all.includes('Type yes:')) expect(server.asked.length).toBe(before)
  // In pieces, as from a slow hand.
  for (const key of keys) stdin.write(key)
  if (end) stdin[end]()
  return { code: await run, stdout: stdout.text, stderr: stderr.all }
}

describe('the question before the first request', () => {
  it.each([
    ['y', 'y\n', null],
    ['yes', 'yes\n', null],
    ['Yes, with spaces', '  Yes \n', null],
    ['yes, and more behind it', 'yes\nn\n', null],
    ['y at the end of input', 'y', 'end'],
  ] as const)('takes %s for a yes', async (_, keys, end) => {
    const { code, stdout, stderr } = await typed(keys, end)
    expect([code, server.asked.length]).toEqual([0, 8])
    expect(stdout).toContain('same next action')
    expect(stderr).toContain(`8 requests for m, about `)
    // The terminal has it folded.
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain(` tokens of your transcripts, go to ${server.url}`)
    // It shows what begins the very first request that goes out.
    const first = JSON.stringify(server.asked[0]?.body, null, 1).split('\n')
    for (const line of first.slice(0, 5)) expect(stderr).toContain(line)
    // Only the line that shows how far it is moves the cursor.
    expect(stderr.replaceAll('\r\u001b[K', '')).not.toContain('\u001b')
  })

  it.each([
    ['n', 'n\n', null],
    ['Enter alone', '\n', null],
    ['another word', 'yep\n', null],
    ['a yes that is no answer by itself', 'yes but\n', null],
    ['the end of input', '', 'end'],
    ['a terminal that goes away', '', 'destroy'],
  ] as const)('sends nothing for %s, keeps nothing and asks again', async (_, keys, end) => {
    for (let turn = 0; turn < 2; turn++) {
      const { code, stdout, stderr } = await typed(keys, end)
      expect([code, stdout, server.asked.length]).toEqual([2, '', 0])
      expect(stderr).toMatch(/\nctxwin: nothing was sent\n$/)
      expect(existsSync(journal)).toBe(false)
    }
  })

  it('comes once: what was begun goes on', async () => {
    const { stdout } = await typed('y\n')
    const again = await typed('')
    expect([again.stdout, again.stderr.includes('Type yes:'), server.asked.length]).toEqual([stdout, false, 8])
    // Without the journal, too, in which no answer stands then: it is the user who has allowed it.
    rmSync(journal)
    const anew = await typed('')
    expect([anew.stdout, anew.stderr.includes('Type yes:'), server.asked.length]).toEqual([stdout, false, 16])
  })

  it.each([
    ['another model', ['--ask', 'n']],
    ['other requests', ['--seed', '2']],
    ['another prompt', ['--summary-prompt', file]],
  ])('comes again for %s', async (_, more) => {
    await typed('y\n')
    const { code, stderr } = await typed('n\n', null, more)
    expect([code, stderr.includes('Type yes:'), server.asked.length]).toEqual([2, true, 8])
  })

  it('comes again for another address', async () => {
    await typed('y\n')
    const other = await serveModel('chat', () => ({ text: 'Yes.' }))
    const { code, stderr } = await typed('n\n', null, ['--endpoint', other.url])
    expect([code, stderr.includes('Type yes:'), other.asked.length]).toEqual([2, true, 0])
    await other.close()
  })

  it.each([
    ['nothing', () => ''],
    ['no answer', (text: string) => text.slice(0, text.indexOf('\n') + 1)],
    ['answers, but not all', (text: string) => `${text.split('\n').slice(0, -6).join('\n')}\n`],
  ])('comes where a journal with %s lies in the directory', async (_, cut) => {
    await typed('y\n')
    const text = readFileSync(journal, 'utf8')
    expect(cut(text).length).toBeLessThan(text.length)
    writeFileSync(journal, cut(text))
    rmSync(home, { recursive: true })
    const { code, stderr } = await typed('n\n')
    expect([code, stderr.includes('Type yes:'), server.asked.length]).toEqual([2, true, 8])
  })

  it('is not answered by what others may have written', async () => {
    await typed('y\n')
    const [plan = ''] = readdirSync(allowed)
    for (const [mode, text] of [
      [0o666, 'yes\n'],
      [0o600, ''],
    ] as const) {
      rmSync(journal, { force: true })
      writeFileSync(join(allowed, plan), text)
      chmodSync(join(allowed, plan), mode)
      expect((await typed('n\n')).stderr).toContain('Type yes:')
    }
  })

  const isInstalled = spawnSync('script', ['--version']).status === 0
  it.skipIf(!isInstalled).each([
    ['y', 0, 8],
    ['n', 2, 0],
  ] as const)('is asked of who sits at a real terminal, who says %s', async (key, code, requests) => {
    const bin = fileURLToPath(new URL('../../../bin/ctxwin.js', import.meta.url))
    const words = [process.execPath, bin, ...argv()].map((word) => `'${word}'`).join(' ')
    const env = { PATH: process.env.PATH, XDG_CACHE_HOME: process.env.XDG_CACHE_HOME, TERM: 'xterm' }
    const child = spawn('script', ['--quiet', '--return', '--command', words, '/dev/null'], { cwd: root, env })
    let shown = ''
    child.stdout.on('data', (chunk) => {
      const isAsking = shown.includes('Type yes:')
      shown += chunk
      if (!isAsking && shown.includes('Type yes:')) child.stdin.write(`${key}\n`)
    })
    const [exit] = await Promise.all([new Promise((done) => child.on('close', done)), text(child.stderr)])
    expect([exit, server.asked.length]).toEqual([code, requests])
    expect(shown).toContain(code === 0 ? 'same next action' : 'nothing was sent')
  })
})
