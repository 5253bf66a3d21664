/**
 * A PostgreSQL server of its own for a test: in a temporary directory, reached by a socket only, gone afterwards. The server
 * refuses to run as root, who starts it as another user.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'

export interface Server {
  /** Its address, which names an empty database. */
  readonly address: string
  stop(): Promise<void>
}

/** The directory of the server's programs, in the path or where Debian has them; null where it is not installed. */
export const programs: string | null = (() => {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian).map((version) => join(debian, version, 'bin')) : []
  const directories = [...versions.reverse(), ...(process.env.PATH ?? '').split(delimiter)]
  return directories.find((each) => ['initdb', 'postgres'].every((name) => existsSync(join(each, name)))) ?? null
})()

/** @param programs the directory of the server's programs */
export async function startServer(programs: string): Promise<Server> {
  const directory = mkdtempSync(join(tmpdir(), 'ctxwin-pg-'))
  const user = process.getuid?.() === 0 ? unprivileged() : null
  if (user) chownSync(directory, user.uid, user.gid)
  const data = join(directory, 'data')
  const how = {
    ...(user ?? {}),
    cwd: directory,
    stdio: 'ignore',
    env: { PATH: process.env.PATH, LC_ALL: 'C' },
  } as const
  execFileSync(join(programs, 'initdb'), ['-D', data, '-U', 'ctxwin', '-A', 'trust', '-E', 'UTF8', '-N'], how)
  const server = spawn(join(programs, 'postgres'), ['-D', data, '-k', directory, '-c', 'listen_addresses=', '-F'], how)
  const gone = new Promise<void>((done) => server.on('exit', () => done()))
  const address = `postgresql://ctxwin@localhost/postgres?host=${encodeURIComponent(directory)}`
  const stop = async () => {
    server.kill('SIGINT')
    await gone
    rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 500 })
  }
  for (let attempt = 0; ; attempt++) {
    const client = new Client(address)
    try {
      await client.connect()
      await client.end()
      return { address, stop }
    } catch (error) {
      if (attempt < 300 && server.exitCode === null) {
        await sleep(100)
        continue
      }
      await stop()
      throw error
    }
  }
}

function unprivileged(): { uid: number; gid: number } {
  const lines = readFileSync('/etc/passwd', 'utf8').split('\n')
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = lines.find((line) => line.startsWith(`${name}:`))?.split(':') ?? []
    if (uid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('no user to run the server as')
}
