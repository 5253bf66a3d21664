/** A database while a program writes to it. What writes is Python's SQLite, as ours in tests knows no write-ahead log. */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openDatabase } from '../../../src/readers/databases/open.ts'

/** Each transaction adds a pair of rows, and now and then the log is emptied into the file. */
const writer = `
import sqlite3, sys, time
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute('PRAGMA journal_mode = ' + sys.argv[2])
database.execute('PRAGMA wal_autocheckpoint = 7')
database.execute('CREATE TABLE t (number INTEGER, text TEXT)')
print('ready', flush=True)
number = 0
while True:
    database.execute('BEGIN')
    for each in (1, 2):
        number += 1
        database.execute('INSERT INTO t VALUES (?, ?)', (number, 'x' * 700))
    database.execute('COMMIT')
    time.sleep(0.002)
`

const hasPython = spawnSync('python3', ['-c', 'import sqlite3']).status === 0

it.skipIf(!hasPython).each(['wal', 'delete'])(
  'shows whole transactions, each reading at least those of the one before (%s)',
  async (journal) => {
    const directory = mkdtempSync(join(tmpdir(), 'ctxwin-alive-'))
    const path = join(directory, 'a.db')
    const child = spawn('python3', ['-c', writer, path, journal], { stdio: ['ignore', 'pipe', 'inherit'] })
    await once(child.stdout, 'data')
    const own = new Set(['a.db', 'a.db-wal', 'a.db-shm', 'a.db-journal'])
    let last = 0
    let read = 0
    try {
      for (let tried = 0; tried < 60; tried++) {
        try {
          const numbers = [...openDatabase(path, path).rows('SELECT number FROM t ORDER BY rowid')].map(
            (row) => row.number,
          )
          read++
          expect(numbers).toEqual(Array.from({ length: numbers.length }, (_, at) => at + 1))
          expect(numbers.length % 2).toBe(0)
          expect(numbers.length).toBeGreaterThanOrEqual(last)
          last = numbers.length
        } catch (error) {
          expect((error as Error).message).toContain('its program writes to it without a pause: try again')
        }
        expect(readdirSync(directory).filter((name) => !own.has(name))).toEqual([])
        await new Promise((done) => setTimeout(done, 20))
      }
    } finally {
      child.kill('SIGKILL')
      await once(child, 'exit')
      rmSync(directory, { recursive: true })
    }
    // It is no use to be right about none of them.
    expect(read).toBeGreaterThan(20)
    expect(last).toBeGreaterThan(100)
  },
  60_000,
)
