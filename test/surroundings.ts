/**
 * The surroundings of the programs that tests start: what they keep for their next start goes to a directory of this run of
 * tests, which is removed, and none of them waits for what no test needs.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export default function setup(): () => void {
  const directory = mkdtempSync(join(tmpdir(), 'ctxwin-caches-'))
  process.env.XDG_CACHE_HOME = directory
  // In CI nothing would be kept, and each of some hundred starts would compile the program anew.
  delete process.env.CI
  // Where it is set, each start of Node takes 0.13 s of processor time to read the certificates: as much as most tests.
  // No test speaks to a host that would need them.
  delete process.env.NODE_EXTRA_CA_CERTS
  // A program that a test has killed may still write here.
  return () => rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
}
