/** Opens a file in the user's browser. */
import { spawn } from 'node:child_process'
import { win32 } from 'node:path'
import { homeOrRoot } from '../../base/user-directory.ts'
import type { World } from './world.ts'

/**
 * How long a program that opens a file may take to say that it cannot, in milliseconds: some stay until they are
 * closed.
 */
const patience = 2000

/** What opens a file on each system. The file is one argument: no shell reads its name. */
export function openerOn(platform: NodeJS.Platform, { SystemRoot = '' }: World['env']): string {
  // By its whole path: Windows looks for a mere name in the working directory first, which may be anybody's checkout.
  if (platform === 'win32') return `${win32.isAbsolute(SystemRoot) ? SystemRoot : 'C:\\Windows'}\\explorer.exe`
  return platform === 'darwin' ? 'open' : 'xdg-open'
}

/** Says what to do where no browser can be started. */
export async function openInBrowser(path: string, { env, note }: Pick<World, 'env' | 'note'>): Promise<void> {
  const opener = openerOn(process.platform, env)
  const child = spawn(opener, [path], { cwd: homeOrRoot(env), env: { ...env }, stdio: 'ignore', detached: true })
  const failure = await new Promise<string | null>((done) => {
    const wait = setTimeout(() => done(null), patience)
    const end = (reason: string | null) => {
      clearTimeout(wait)
      done(reason)
    }
    child.once('error', () => end(`there is no ${opener}`))
    // Explorer exits with 1 on success.
    child.once('exit', (code) => end(code === 0 || process.platform === 'win32' ? null : `${opener} found no browser`))
  })
  child.unref()
  if (failure !== null) note(`${failure}: open the file yourself`)
}
