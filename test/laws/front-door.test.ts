/**
 * The front door: for each program whose home is known, `ctxwin` alone finds what lies there, as on Linux, macOS and Windows, and
 * bills it as if it had been named. docs/formats.md promises no place that is not held here.
 */
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import picomatch from 'picomatch'
import { afterAll, describe, expect, it } from 'vitest'
import { discover } from '../../src/cli/inputs/places.ts'
import { readers } from '../../src/readers/index.ts'
import { runCli } from '../cli/run.ts'
import { writeExample } from '../readers/databases/examples.ts'
import { writeTree } from '../readers/lines/opencode-tree.ts'

const top = mkdtempSync(join(tmpdir(), 'ctxwin-front-door-'))
afterAll(() => rmSync(top, { recursive: true }))

const id = '53ea19c1-7d2b-4c3e-9f00-1234567890ab'
const appData = 'AppData/Roaming'
const code = ['.config/Code', 'Library/Application Support/Code', `${appData}/Code`, '.vscode-server/data'].map(
  (directory) => `${directory}/User/globalStorage`,
)

/** What lies in a home: its path there, the id by which `history` takes it, and a fixture, or the program that wrote it otherwise. */
type Home = readonly [path: string, session: string, content: string]

const homes: Readonly<Record<string, readonly Home[]>> = {
  'claude-code': [
    [`.claude/projects/-home-me-app/${id}.jsonl`, id, 'claude-code/refactor.jsonl'],
    ['.claude/projects/-home-me-app/agent-a1b2c3d4.jsonl', 'a1b2c3d4', 'claude-code/agent-file.jsonl'],
    [`.claude/projects/-a/${id}/subagents/agent-a1b2c3d4.jsonl`, 'a1b2c3d4', 'claude-code/agent-file.jsonl'],
    [`.claude/projects/-a/${id}/subagents/workflows/wf_9/agent-w1w2.jsonl`, 'w1w2', 'claude-code/agent-file.jsonl'],
    [`.config/claude/projects/-home-me-app/${id}.jsonl`, id, 'claude-code/refactor.jsonl'],
  ],
  codex: [
    [`.codex/sessions/2026/11/01/rollout-2026-11-01T10-00-00-${id}.jsonl`, id, 'codex/items.jsonl'],
    [`.codex/archived_sessions/rollout-2025-05-07-${id}.json`, id, 'codex/document.json'],
  ],
  'anthropic-messages': [
    [
      '.cline/data/tasks/1762000000000/api_conversation_history.json',
      '1762000000000',
      'anthropic-messages/tools.jsonl',
    ],
    [`.cline/data/sessions/${id}/${id}.messages.json`, id, 'anthropic-messages/session-export.json'],
    ...code.map(
      (directory): Home => [
        `${directory}/rooveterinaryinc.roo-cline/tasks/1762000000000/api_conversation_history.json`,
        '1762000000000',
        'anthropic-messages/tools.jsonl',
      ],
    ),
  ],
  'gemini-cli': [
    ['.gemini/tmp/9f86d081/chats/session-2026-04-14T14-14-914f3c63.json', '914f3c63', 'gemini-cli/session.json'],
    ['.gemini/tmp/lamp/chats/session-2026-08-14T14-14-914f3c63.jsonl', '914f3c63', 'gemini-cli/lines.jsonl'],
    [`.gemini/tmp/lamp/chats/914f3c63/${id}.jsonl`, id, 'gemini-cli/lines.jsonl'],
  ],
  'qwen-code': [
    [`.qwen/projects/-home-me-app/chats/${id}.jsonl`, id, 'qwen-code/session.jsonl'],
    [`.qwen/projects/-a/subagents/${id}/agent-explore-1.jsonl`, 'agent-explore-1', 'qwen-code/session.jsonl'],
    [`.qwen/tmp/9f86d081/chats/${id}.jsonl`, id, 'qwen-code/session.jsonl'],
  ],
  antigravity: ['antigravity', 'antigravity-ide', 'antigravity-cli'].map(
    (program): Home => [
      `.gemini/${program}/brain/${id}/.system_generated/logs/transcript_full.jsonl`,
      id,
      'antigravity/transcript_full.jsonl',
    ],
  ),
  'copilot-cli': [
    [`.copilot/session-state/${id}/events.jsonl`, id, 'copilot-cli/session.jsonl'],
    [`.copilot/session-state/${id}.jsonl`, id, 'copilot-cli/older.jsonl'],
  ],
  amp: [[`.local/share/amp/threads/T-${id}.json`, `T-${id}`, 'amp/thread.json']],
  'factory-droid': [[`.factory/sessions/-home-me-app/${id}.jsonl`, id, 'factory-droid/session.jsonl']],
  goose: [
    ['.local/share/goose/sessions/20260401_100000.jsonl', '20260401_100000', 'goose/session.jsonl'],
    ['.local/share/goose/sessions/sessions.db', '20260401_1', 'database of goose'],
    [`${appData}/Block/goose/data/sessions/sessions.db`, '20260401_1', 'database of goose'],
    [`${appData}/Block/goose/sessions/sessions.db`, '20260401_1', 'database of goose'],
  ],
  opencode: [
    ['.local/share/opencode/opencode.db', 'ses_1', 'database of opencode'],
    ['.local/share/opencode/opencode-beta.db', 'ses_1', 'database of opencode'],
    ['.local/share/kilo/kilo.db', 'ses_1', 'database of opencode'],
    ['.local/share/mimocode/mimocode.db', 'ses_1', 'database of opencode'],
    ['.local/share/opencode/storage/session/global/ses_2.json', 'ses_2', 'files of opencode'],
    ['.local/share/kilo/storage/session/global/ses_2.json', 'ses_2', 'files of opencode'],
  ],
  crush: [['work/.crush/crush.db', '7f3c-lamp', 'database of crush']],
  zed: ['.local/share/zed', 'Library/Application Support/Zed', 'AppData/Local/Zed'].map(
    (directory): Home => [`${directory}/threads/threads.db`, id, 'database of zed'],
  ),
  hermes: ['.hermes', '.hermes/profiles/coder'].map(
    (directory): Home => [`${directory}/state.db`, '20260401_lamp', 'database of hermes'],
  ),
  'kiro-cli': ['.local/share/kiro-cli', 'Library/Application Support/kiro-cli', 'AppData/Local/kiro-cli'].map(
    (directory): Home => [`${directory}/data.sqlite3`, id, 'database of kiro-cli'],
  ),
  forge: [['.forge/.forge.db', id, 'database of forge']],
  'otel-genai': code.map(
    (directory): Home => [`${directory}/github.copilot-chat/agent-traces.db`, id, 'database of copilot-chat'],
  ),
  cursor: [
    [`.cursor/projects/home-me-app/agent-transcripts/${id}.jsonl`, id, 'cursor/transcript.jsonl'],
    [`.cursor/projects/home-me-app/agent-transcripts/${id}/${id}.jsonl`, id, 'cursor/transcript.jsonl'],
  ],
  'kimi-cli': [[`.kimi/sessions/9f86d081/${id}/context.jsonl`, id, 'kimi-cli/context.jsonl']],
  'kimi-wire': [
    ['.kimi-code/sessions/wd_lamps_0123456789ab/session_1/agents/main/wire.jsonl', 'session_1', 'kimi-wire/code.jsonl'],
    [
      'Library/Application Support/kimi-desktop/daimon-share/daimon/runtime/kimi-code/home/sessions/wd_a/conv-1/agents/main/wire.jsonl',
      'conv-1',
      'kimi-wire/code.jsonl',
    ],
    [`.kimi/sessions/9f86d081/${id}/wire.jsonl`, id, 'kimi-wire/cli.jsonl'],
  ],
  'grok-build': [[`.grok/sessions/%2Fhome%2Fme%2Fapp/${id}/updates.jsonl`, id, 'grok-build/updates.jsonl']],
  duragent: [['work/.duragent/sessions/session_01/events.jsonl', 'session_01', 'duragent/events.jsonl']],
  pi: [
    [`.pi/agent/sessions/--home-me-app--/2026-11-01T10-00-00-000Z_${id}.jsonl`, id, 'pi/tree.jsonl'],
    [`.omp/agent/sessions/--home-me-app--/2026-11-01T10-00-00-000Z_${id}.jsonl`, id, 'pi/tree.jsonl'],
    [`.openclaw/agents/main/sessions/${id}.jsonl`, id, 'pi/tree.jsonl'],
  ],
}

const all = Object.values(homes).flat()

function homeWith(...contents: readonly Home[]) {
  const home = mkdtempSync(join(top, 'home-'))
  for (const [path, session, content] of contents) {
    const file = join(home, path)
    mkdirSync(dirname(file), { recursive: true })
    const [, program] = /^database of (.+)$/.exec(content) ?? []
    if (content === 'files of opencode')
      writeTree(file, { id: session, projectID: 'global', directory: '/home/me/app' })
    else if (program === undefined) cpSync(join('fixtures', content), file)
    else writeExample(program, file, session)
  }
  mkdirSync(join(home, 'work'), { recursive: true })
  return {
    cwd: join(home, 'work'),
    env: { HOME: home, APPDATA: join(home, appData), LOCALAPPDATA: join(home, 'AppData/Local') },
    terminal: true,
    now: Date.UTC(2026, 10, 28),
  }
}

it('has a home for each program with a place', () => {
  expect(Object.keys(homes).sort()).toEqual(
    readers.all
      .filter(({ places }) => places)
      .map(({ name }) => name)
      .sort(),
  )
})

describe.each(all)('%s', (path, session, content) => {
  const world = homeWith([path, session, content])
  const file = join(world.env.HOME, path)

  it(`is found as session ${session}, and billed as if it had been named`, async () => {
    expect(discover({ env: world.env, cwd: () => world.cwd }).found.map((one) => one.session)).toEqual([session])
    const found = await runCli(['spend', '--output', 'json'], world)
    const named = await runCli(['spend', file, '--output', 'json'], world)
    expect({ ...found, stdout: '' }).toEqual({ ...named, stdout: '' })
    const [one, other] = [found, named].map(({ stdout }) => (stdout === '' ? null : JSON.parse(stdout).total))
    expect(one).toEqual(other)
    const byId = await runCli(['history', '--exchanges', session], world)
    expect(byId).toEqual(await runCli(['history', '--exchanges', file], world))
    expect(byId.code).toBe(0)
  })
})

it('says what each home holds that cannot be read', async () => {
  const contents = all.filter(([, , content]) => content.startsWith('database'))
  const world = homeWith(...contents)
  for (const [path] of contents) cpSync('fixtures/README.md', join(world.env.HOME, path))
  const { stderr } = await runCli(['spend', '--output', 'json'], world)
  expect(stderr).toContain(`${contents.length} files skipped`)
})

it('promises no place that is not held', () => {
  const text = readFileSync('docs/formats.md', 'utf8')
  const promised = [...text.matchAll(/- \*\*Lies in\*\*: ([\s\S]*?)\n- /g)].flatMap(([, lies = '']) =>
    [...lies.matchAll(/`((?:~|%APPDATA%|%LOCALAPPDATA%)[^`]*)`/g)].map(([, place = '']) => place),
  )
  const paths = all.map(([path]) => path)
  const missing = promised.filter((place) => {
    const glob = place
      .replaceAll('\\', '/')
      .replace(/^~\//, '')
      .replace(/^%APPDATA%/, appData)
      .replace(/^%LOCALAPPDATA%/, 'AppData/Local')
      .replaceAll(/<[^>]+>/g, '*')
    const matches = picomatch([glob, `${glob}/**`], { dot: true })
    return !paths.some((path) => matches(path))
  })
  expect(promised.length).toBeGreaterThan(10)
  expect(missing).toEqual([])
})
