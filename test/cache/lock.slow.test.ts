/** Several runs at once lose nothing of what each writes into one file. */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const names = ['a.jsonl', 'b.jsonl', 'c.jsonl', 'd.jsonl']

let cwd = ''
beforeEach(() => {
  cwd = mkdtempSync(join(tmpdir(), 'ctxwin-lock-'))
  for (const name of names) copyFileSync(join(root, 'fixtures/openai-chat/tools.jsonl'), join(cwd, name))
})
afterEach(() => rmSync(cwd, { recursive: true }))

const update = (name: string) =>
  new Promise<number | null>((done) => {
    const words = ['check', name, '--assert', 'maxCuts=9', '--update-baseline', '--estimator', 'bytes']
    spawn(process.execPath, [join(root, 'bin/ctxwin.js'), ...words], { cwd, stdio: 'ignore' }).on('exit', done)
  })

const known = () => {
  const text = readFileSync(join(cwd, 'ctxwin-baseline.json'), 'utf8')
  return names.filter((name) => text.includes(`"${name}`))
}

describe('a baseline', () => {
  it('has the files of all runs that update it at once', async () => {
    expect(await Promise.all(names.map(update))).toEqual([0, 0, 0, 0])
    expect(known()).toEqual(names)
    expect(readdirSync(cwd).filter((name) => name.includes('lock'))).toEqual([])
  })

  it('is written behind the lock of a run that has died', async () => {
    const died = spawn(process.execPath, ['--version'], { stdio: 'ignore' })
    await new Promise((done) => died.on('exit', done))
    writeFileSync(join(cwd, 'ctxwin-baseline.json.lock'), `${died.pid} ${hostname()}\n`)
    expect(await update('a.jsonl')).toBe(0)
    expect(known()).toEqual(['a.jsonl'])
  })
})
