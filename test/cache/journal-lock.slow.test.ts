/** The lock of a journal among processes that want it at the same moment, some of which die with it. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { pathToFileURL } from 'node:url'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { readEntries } from '../../src/cache/journal.ts'

let directory: string
let path: string
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'ctxwin-lock-'))
  path = join(directory, 'probe.ndjson')
})
afterEach(() => rmSync(directory, { recursive: true }))

const built = pathToFileURL(join(import.meta.dirname, '../../dist/cache/journal.js')).href

/** A process of the program, which is told where the journal is. It reads `go` from its input when all are there. */
function started(program: string, ...more: string[]) {
  const begin = `
    import { openJournal } from ${JSON.stringify(built)}
    import { once } from 'node:events'
    import { readFileSync, rmSync, writeFileSync } from 'node:fs'
    const [path, ...more] = process.argv.slice(1)
    process.stdout.write('ready\\n')
    await once(process.stdin, 'data')
    function attempt() {
      try {
        return openJournal(path)
      } catch (error) {
        if (error.code !== 'in-use') throw error
        return null
      }
    }
  `
  const child = spawn(process.execPath, ['--input-type=module', '--eval', begin + program, path, ...more])
  return {
    child,
    ready: once(child.stdout, 'data'),
    out: text(child.stdout),
    errors: text(child.stderr),
    ended: once(child, 'close'),
  }
}

const leaveStale = () => {
  const { pid } = spawnSync(process.execPath, ['-e', ''])
  writeFileSync(`${path}.lock`, `${pid} ${hostname()}\n`)
}

const some = [0, 1, 2, 3]

it('of a process that has died goes to exactly one of several', async () => {
  for (let round = 0; round < 3; round++) {
    leaveStale()
    // Whoever has it keeps it until all have tried.
    const all = some.map(() =>
      started(`
        const journal = attempt()
        process.stdout.write(journal ? 'got' : 'not')
        await once(process.stdin, 'data')
        journal?.close()
        process.exit()
      `),
    )
    await Promise.all(all.map(({ ready }) => ready))
    const tried = all.map(({ child }) => once(child.stdout, 'data'))
    for (const { child } of all) child.stdin.write('go\n')
    const said = (await Promise.all(tried)).map(([chunk]) => String(chunk))
    expect(said.sort()).toEqual(['got', 'not', 'not', 'not'])
    for (const { child } of all) child.stdin.write('end\n')
    await Promise.all(all.map(({ ended }) => ended))
    expect(await Promise.all(all.map(({ errors }) => errors))).toEqual(some.map(() => ''))
    expect(readdirSync(directory)).toEqual(['probe.ndjson'])
  }
})

it('is had by one at a time, and what each writes is kept, whoever dies with it', async () => {
  leaveStale()
  const times = 60
  const all = some.map((number) =>
    started(
      `
        const [number, times] = more.map(Number)
        for (let time = 0; time < times; ) {
          const journal = attempt()
          if (!journal) {
            await new Promise(setImmediate)
            continue
          }
          writeFileSync(path + '.inside', '', { flag: 'wx' })
          journal.keep('count', String(number * times + time).padStart(64, '0'), time)
          rmSync(path + '.inside')
          time++
          // Every second process dies with the lock in the end.
          if (time === times && number % 2 === 1) process.kill(process.pid, 'SIGKILL')
          journal.close()
        }
        process.exit()
      `,
      `${number}`,
      `${times}`,
    ),
  )
  await Promise.all(all.map(({ ready }) => ready))
  for (const { child } of all) child.stdin.write('go\n')
  const ends = await Promise.all(all.map(({ ended }) => ended))
  expect(await Promise.all(all.map(({ errors }) => errors))).toEqual(some.map(() => ''))
  expect(ends.map(([code, signal]) => code ?? signal)).toEqual([0, 'SIGKILL', 0, 'SIGKILL'])
  const entries = readEntries(path)
  const keys = Array.from({ length: some.length * times }, (_, key) => `${key}`.padStart(64, '0'))
  expect(keys.map((key) => entries.find('count', key))).toEqual(keys.map((_, key) => key % times))
  expect([entries.damaged, entries.wasCut]).toEqual([[], false])
})
