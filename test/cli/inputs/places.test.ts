import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { discover } from '../../../src/cli/inputs/places.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-places-'))
afterAll(() => rmSync(top, { recursive: true }))

const id = '53ea19c1-7d2b-4c3e-9f00-1234567890ab'

/** A home directory with these files, each a minute older than the one before. */
function home(...files: string[]): string {
  const path = mkdtempSync(join(top, 'home-'))
  for (const [nth, file] of files.entries()) {
    mkdirSync(dirname(join(path, file)), { recursive: true })
    writeFileSync(join(path, file), '')
    const time = Date.UTC(2026, 10, 1) / 1000 - nth * 60
    utimesSync(join(path, file), time, time)
  }
  return path
}

/** The files found, as paths relative to the home directory. */
function foundIn(path: string, env: Record<string, string> = {}) {
  const { found, ...rest } = discover({ env: { HOME: path, ...env }, cwd: () => join(path, 'work') })
  const inside = (file: string) => file.slice(path.length + 1)
  return { files: found.map((file) => inside(file.path)), found, ...rest }
}

describe('discover', () => {
  it('says which files hold nothing but sub-agents', () => {
    const projects = '.claude/projects/-home-me-app'
    const agents = [`${projects}/agent-a1b2c3d4.jsonl`, `${projects}/${id}/subagents/agent-a1b2c3d4.jsonl`]
    const { found } = foundIn(home(`${projects}/${id}.jsonl`, ...agents, `.config/claude/projects/-a/${id}.jsonl`))
    expect(found.map(({ subagents }) => subagents)).toEqual([false, true, true, false])
  })

  it('lists the newest first, and by name what is of the same moment', () => {
    const path = home(
      '.codex/sessions/rollout-b.jsonl',
      '.claude/projects/a/1.jsonl',
      '.codex/sessions/rollout-a.jsonl',
    )
    const both = new Date(Date.UTC(2026, 9, 1))
    for (const name of ['b', 'a']) utimesSync(join(path, `.codex/sessions/rollout-${name}.jsonl`), both, both)
    expect(foundIn(path).files).toEqual([
      '.claude/projects/a/1.jsonl',
      '.codex/sessions/rollout-a.jsonl',
      '.codex/sessions/rollout-b.jsonl',
    ])
  })

  it('looks where a variable says, and not where the files would lie without it', () => {
    const path = home('.codex/sessions/rollout-1.jsonl', 'elsewhere/sessions/rollout-2.jsonl')
    expect(foundIn(path, { CODEX_HOME: join(path, 'elsewhere') }).files).toEqual(['elsewhere/sessions/rollout-2.jsonl'])
    expect(foundIn(path, { CODEX_HOME: '~/elsewhere' }).files).toEqual(['elsewhere/sessions/rollout-2.jsonl'])
    expect(foundIn(path, { CODEX_HOME: '' }).files).toEqual(['.codex/sessions/rollout-1.jsonl'])
  })

  it('looks where Cline is told to keep its sessions, and for its tasks where they were', () => {
    const path = home('else/1/1.messages.json', '.cline/data/tasks/2/api_conversation_history.json')
    expect(foundIn(path, { CLINE_SESSION_DATA_DIR: join(path, 'else') }).files).toEqual([
      'else/1/1.messages.json',
      '.cline/data/tasks/2/api_conversation_history.json',
    ])
  })

  it('looks once where a link leads to a directory that is looked in anyway', () => {
    const path = home('.claude/projects/a/1.jsonl')
    mkdirSync(join(path, '.config'))
    symlinkSync(join(path, '.claude'), join(path, '.config/claude'))
    expect(foundIn(path).files).toEqual(['.claude/projects/a/1.jsonl'])
  })

  it('looks once where two variables lead to the same directory', () => {
    const path = home('.config/claude/projects/a/1.jsonl')
    const { files, looked } = foundIn(path, { CLAUDE_CONFIG_DIR: join(path, '.config/claude') })
    expect(files).toEqual(['.config/claude/projects/a/1.jsonl'])
    expect(looked.filter((place) => place.includes('claude'))).toEqual([join(path, '.config/claude/projects')])
  })

  it('needs no home directory', () => {
    expect(discover({ env: {}, cwd: () => top })).toEqual({
      found: [],
      looked: [join(top, '.duragent/sessions'), join(top, '.crush')],
      unreadable: [],
      unread: [],
    })
  })

  it('follows links, those that go round or lead nowhere too', () => {
    const path = home('store/1.jsonl')
    mkdirSync(join(path, '.claude/projects'), { recursive: true })
    symlinkSync(join(path, 'store'), join(path, '.claude/projects/linked'))
    symlinkSync('..', join(path, '.claude/projects/round'))
    symlinkSync('gone', join(path, '.claude/projects/gone.jsonl'))
    expect(foundIn(path).files).toEqual(['.claude/projects/linked/1.jsonl'])
  })

  // Root can read everything.
  it.skipIf(process.getuid?.() === 0)('looks into no directory that leads to no transcript', () => {
    const path = home('.config/Code/User/globalStorage/other.extension/tasks/1/api_conversation_history.json')
    chmodSync(join(path, '.config/Code/User/globalStorage/other.extension'), 0)
    expect(foundIn(path)).toMatchObject({ files: [], unreadable: [] })
    chmodSync(join(path, '.config/Code/User/globalStorage/other.extension'), 0o700)
  })

  it.skipIf(process.getuid?.() === 0)('goes on where a directory may not be read, and says which', () => {
    const path = home('.claude/projects/a/1.jsonl', '.claude/projects/b/2.jsonl')
    chmodSync(join(path, '.claude/projects/b'), 0)
    const { files, unreadable } = foundIn(path)
    chmodSync(join(path, '.claude/projects/b'), 0o700)
    expect({ files, unreadable }).toEqual({
      files: ['.claude/projects/a/1.jsonl'],
      unreadable: [join(path, '.claude/projects/b')],
    })
  })
})
