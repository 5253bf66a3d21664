import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { discover } from '../../../src/cli/inputs/places.ts'
import { readers } from '../../../src/readers/index.ts'

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

describe('the places of the readers', () => {
  /** For each reader with known places, a file of every kind, and the id in its name. */
  const files: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
    'claude-code': [
      [`.claude/projects/-home-me-app/${id}.jsonl`, id],
      ['.claude/projects/-home-me-app/agent-a1b2c3d4.jsonl', 'a1b2c3d4'],
      [`.claude/projects/-home-me-app/${id}/subagents/agent-a1b2c3d4.jsonl`, 'a1b2c3d4'],
      [`.config/claude/projects/-home-me-app/${id}.jsonl`, id],
    ],
    codex: [
      [`.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-${id}.jsonl`, id],
      [`.codex/archived_sessions/rollout-2025-05-07-${id}.json`, id],
    ],
    'anthropic-messages': [
      ['.cline/data/tasks/1762000000000/api_conversation_history.json', '1762000000000'],
      [`.cline/data/sessions/${id}/${id}.messages.json`, id],
      [
        '.config/Code/User/globalStorage/rooveterinaryinc.roo-cline/tasks/1762000000000/api_conversation_history.json',
        '1762000000000',
      ],
    ],
    'gemini-cli': [
      ['.gemini/tmp/9f86d081/chats/session-2026-04-14T14-14-914f3c63.json', '914f3c63'],
      ['.gemini/tmp/lamp/chats/session-2026-08-14T14-14-914f3c63.jsonl', '914f3c63'],
      [`.gemini/tmp/lamp/chats/914f3c63/${id}.jsonl`, id],
    ],
    'qwen-code': [
      [`.qwen/projects/-home-me-app/chats/${id}.jsonl`, id],
      [`.qwen/projects/-home-me-app/subagents/${id}/agent-explore-1.jsonl`, 'agent-explore-1'],
      [`.qwen/tmp/9f86d081/chats/${id}.jsonl`, id],
    ],
    antigravity: [
      [`.gemini/antigravity/brain/${id}/.system_generated/logs/transcript_full.jsonl`, id],
      [`.gemini/antigravity-cli/brain/${id}/.system_generated/logs/transcript_full.jsonl`, id],
    ],
    'copilot-cli': [
      [`.copilot/session-state/${id}/events.jsonl`, id],
      [`.copilot/session-state/${id}.jsonl`, id],
    ],
    amp: [[`.local/share/amp/threads/T-${id}.json`, `T-${id}`]],
    'factory-droid': [[`.factory/sessions/-home-me-app/${id}.jsonl`, id]],
    goose: [['.local/share/goose/sessions/20260401_100000.jsonl', '20260401_100000']],
    cursor: [
      [`.cursor/projects/home-me-app/agent-transcripts/${id}.jsonl`, id],
      [`.cursor/projects/home-me-app/agent-transcripts/${id}/${id}.jsonl`, id],
    ],
    'kimi-cli': [[`.kimi/sessions/9f86d081/${id}/context.jsonl`, id]],
    duragent: [['work/.duragent/sessions/session_01/events.jsonl', 'session_01']],
    pi: [
      [`.pi/agent/sessions/--home-me-app--/2026-11-01T10-00-00-000Z_${id}.jsonl`, id],
      [`.openclaw/agents/main/sessions/${id}.jsonl`, id],
    ],
  }

  it('are known by an example each', () => {
    expect(Object.keys(files).sort()).toEqual(
      readers.all
        .filter(({ places }) => places)
        .map(({ name }) => name)
        .sort(),
    )
  })

  it.each(Object.values(files).flat())('have %s, of session %s', (file, session) => {
    const { files, found } = foundIn(home(file))
    expect(files).toEqual([file])
    expect(found[0]!.session).toBe(session)
  })

  it('say which files hold nothing but sub-agents', () => {
    const { found } = foundIn(home(...files['claude-code']!.map(([file]) => file)))
    expect(found.map(({ subagents }) => subagents)).toEqual([false, true, true, false])
  })
})

describe('discover', () => {
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
      looked: [join(top, '.duragent/sessions')],
      unreadable: [],
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
