import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { isOlder } from '../../../src/cli/inputs/last-written.ts'

const folder = mkdtempSync(join(tmpdir(), 'ctxwin-dates-'))
afterAll(() => rmSync(folder, { recursive: true }))

const day = 86_400_000
/** No program can set when a file was changed last, so these files are of the clock's now. */
const now = Date.now()

it.each([
  ['is older where nothing was done to it since', now - day, now + day, true],
  ['is not older where it was written to since', now, now - day, false],
  ['is not older where it was written to at that moment', now - day, now - day, false],
  ['is older where it came here since with a date of long before', now - 9 * day, now - 7 * day, true],
  [
    'may be of another clock or zone where its date is of less than a day before',
    now - 7.5 * day,
    now - 7 * day,
    false,
  ],
  ['has no date where an archive has given it that of the epoch', 0, now - 7 * day, false],
  ['has no date where an archive has given it the first that ZIP knows', Date.UTC(1980), now - 7 * day, false],
  ['has no date where npm has given it one', Date.UTC(1985, 9, 26, 8, 15), now - 7 * day, false],
])('%s', (_, written, since, expected) => {
  const file = join(folder, 'a.jsonl')
  writeFileSync(file, '')
  utimesSync(file, written / 1000, written / 1000)
  expect(isOlder({ path: file }, since)).toBe(expected)
})

it.skipIf(process.platform === 'win32')(
  'is said of plain files alone: a directory, a pipe and what is not there are left to whoever reads them',
  () => {
    const pipe = join(folder, 'pipe')
    execFileSync('mkfifo', [pipe])
    const old = (now - 9 * day) / 1000
    utimesSync(pipe, old, old)
    for (const path of [folder, pipe, join(folder, 'none.jsonl')]) expect(isOlder({ path }, now - day)).toBe(false)
  },
)
