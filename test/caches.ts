/** What the programs that tests start keep for their next start goes to a directory of this run of tests, which is removed. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export default function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'ctxwin-caches-'))
  process.env.XDG_CACHE_HOME = directory
  // In CI nothing would be kept, and each of some hundred starts would compile the program anew.
  delete process.env.CI
  // A program that a test has killed may still write here.
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
}
