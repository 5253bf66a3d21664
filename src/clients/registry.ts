/**
 * Asks the registry of npm which version of a package is the newest, through npm itself: so it is the registry, the proxy and
 * the key that the user has set up, and nothing is sent but the package's name.
 */
import { execFile } from 'node:child_process'
import { CtxwinError } from '../base/errors.ts'
import { homeOrRoot } from '../base/user-directory.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** In milliseconds. */
const patience = 30_000

/** Which packages there are stands in ctxwin, so that nobody else's words get into a command. */
const isName = /^(@[a-z0-9-]+\/)?[a-z0-9.-]+$/

/**
 * @returns the newest version, as the registry names it
 * @throws CtxwinError if npm is not there, the registry refuses, or its answer is no version
 */
export async function publishedVersion(name: string, env: Environment): Promise<string> {
  if (!isName.test(name)) throw new Error(`no package is named ${name}`)
  const isWindows = process.platform === 'win32'
  // Once in a while npm would ask for its own version, too.
  const words = ['view', name, 'version', '--json', '--fetch-retries=0', '--update-notifier=false']
  // npm takes settings from where it is started.
  const options = { cwd: homeOrRoot(env), env: { ...env }, timeout: patience, shell: isWindows, windowsHide: true }
  const answer = await new Promise<string>((done, fail) => {
    execFile(isWindows ? 'npm.cmd' : 'npm', words, options, (error, stdout) => {
      if (error) fail(new CtxwinError('registry', name, reasonOf(error, stdout)))
      else done(stdout)
    })
  })
  const version = versionIn(answer)
  if (version === null) throw new CtxwinError('registry', name, 'its answer holds no version')
  return version
}

function versionIn(answer: string): string | null {
  try {
    const version: unknown = JSON.parse(answer)
    return typeof version === 'string' && /^\d[\w.+-]*$/.test(version) ? version : null
  } catch {
    return null
  }
}

/** npm's own words are not passed on: they name the registry, and may name more of what is set up there. */
function reasonOf(error: Error & { readonly code?: unknown; readonly killed?: boolean }, stdout: string): string {
  if (error.code === 'ENOENT') return 'there is no npm here'
  if (error.killed) return 'it did not answer in time'
  const code = /"code":\s*"(\w+)"/.exec(stdout)?.[1]
  return code === undefined ? 'npm failed' : `npm says ${code}`
}
