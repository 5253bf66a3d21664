/**
 * Transcripts in which each kind of thing has a word of its own, so that a search of an output tells what of them is in it.
 * No such word comes twice, but where the thing itself does: a word that comes again is a term that was used later.
 */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const fixture = (name: string) => readFileSync(new URL(`../../fixtures/${name}`, import.meta.url), 'utf8')

/** The kinds, with the beginning of their words. */
export const kinds = {
  'file names': 'zqfile',
  'session ids': 'zqsession',
  projects: 'zqproject',
  tools: 'zqtool',
  models: 'zqmodel',
  'the user’s first words': 'zqfirst',
  'a line of messages': 'zqline',
  'terms used later': 'zqterm',
  'other text': 'zqtext',
  'keys of unknown records': 'zqunknown',
} as const

export type Kind = keyof typeof kinds

/** Which kinds a text holds. */
export function kindsIn(text: string): Set<Kind> {
  return new Set((Object.keys(kinds) as Kind[]).filter((kind) => text.includes(kinds[kind])))
}

let count = 0
const word = (kind: Kind): string => `${kinds[kind]}${String(count++).padStart(4, '0')}`

/** More than any list shows of a text. */
const filler = ' -'.repeat(400)
const long = (kind: Kind, text: string): string => `${word(kind)} ${text}${filler} ${word('other text')}`

/** By key: what becomes of a string in a session of Claude Code. Of others nothing is known, so they are any text. */
const inSession: Readonly<Record<string, (text: string) => string>> = {
  sessionId: () => kinds['session ids'],
  agentId: (id) => `${kinds['session ids']}-${id}`,
  cwd: (path) => path,
  name: (tool) => (tool === 'Grep' ? `mcp__${kinds.tools}__grep` : tool),
  file_path: (path) => path,
  command: (text) => long('a line of messages', text),
  pattern: (text) => `${word('a line of messages')}|${text}`,
  originalFile: (text) => `${text} ${word('other text')}`,
  stdout: (text) => `${text} ${word('other text')}`,
  gitBranch: () => word('other text'),
  signature: () => word('other text'),
  description: (text) => `${text} ${word('other text')}`,
  old_string: (text) => `${text} ${word('other text')}`,
  new_string: (text) => `${text} ${word('other text')}`,
  thinking: (text) => `${text} ${word('other text')}`,
}

/** Ids that tie records together: the same one has to become the same. */
const ids = new Set([
  'uuid',
  'parentUuid',
  'messageId',
  'id',
  'tool_use_id',
  'requestId',
  'leafUuid',
  'logicalParentUuid',
])
const kept = new Set(['type', 'role', 'timestamp', 'model', 'version', 'stop_reason', 'service_tier', 'userType'])

function plantedIn(value: unknown, key = '', role = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => plantedIn(one, key, role))
  if (typeof value === 'object' && value !== null) {
    const inner = 'role' in value ? String(value.role) : 'tool_use_id' in value ? 'tool' : role
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, plantedIn(one, name, inner)]))
  }
  if (typeof value !== 'string' || kept.has(key)) return value
  if (ids.has(key)) return `${kinds['other text']}-id-${value}`
  if (key === 'content' || key === 'text')
    return long(role === 'user' ? 'the user’s first words' : 'a line of messages', value)
  return (inSession[key] ?? ((text: string) => `${text} ${word('other text')}`))(value)
}

/** A long session with losses, compacted at its end. */
function session(): string {
  const text = (fixture('claude-code/refactor.jsonl') + fixture('claude-code/compaction.jsonl'))
    .replaceAll('/home/ada/tidepool', `/home/ada/${kinds.projects}`)
    // One is used later by its name, the other by its content.
    .replaceAll('src/station.ts', `src/${kinds['terms used later']}.ts`)
    .replaceAll('src/parse.ts', `src/${kinds['terms used later']}-too.ts`)
  return planting(text)
}

/** Another session, with sub-agents by a model that nobody knows. */
function agents(): string {
  const { models, 'session ids': id } = kinds
  return planting(
    fixture('claude-code/started-agents.jsonl').replaceAll('claude-haiku-4-5-20251001', models),
  ).replaceAll(`"sessionId":"${id}"`, `"sessionId":"${id}-agents"`)
}

const planting = (text: string): string =>
  lines(
    text
      .trimEnd()
      .split('\n')
      .map((line) => plantedIn(JSON.parse(line))),
  )

const lines = (records: readonly unknown[]) => records.map((record) => `${JSON.stringify(record)}\n`).join('')

/** A request with its tools and its system prompt, by a model that nobody knows. */
function request(): string {
  const text = (kind: Kind) => long(kind, 'What does the lamp do?')
  const call = {
    id: `${word('other text')}`,
    type: 'function',
    function: { name: kinds.tools, arguments: '{"path":"a.c"}' },
  }
  const { tools } = kinds
  return lines([
    {
      model: kinds.models,
      messages: [
        { role: 'system', content: text('other text') },
        { role: 'user', content: text('the user’s first words'), name: word('other text') },
        { role: 'assistant', content: text('a line of messages'), tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: text('a line of messages') },
        { role: 'assistant', content: text('a line of messages') },
      ],
      tools: [
        {
          type: 'function',
          function: { name: tools, description: text('other text'), parameters: { type: 'object' } },
        },
      ],
    },
  ])
}

const file = kinds['file names']
const broken = ['torn', 'nothing', 'damaged', 'json', 'kinds', 'usage'] as const

/** What `plant` writes: a long session, the directory of all that can be read, and what cannot, or not whole. */
export const planted = {
  session: `${file}/${file}-session.jsonl`,
  all: file,
  failing: [...broken.map((name) => `failing/${file}-${name}.jsonl`), `missing-${file}.jsonl`],
}

/** Writes them into a directory. */
export function plant(cwd: string): void {
  mkdirSync(join(cwd, planted.all))
  mkdirSync(join(cwd, 'failing'))
  writeFileSync(join(cwd, planted.session), session())
  writeFileSync(join(cwd, `${planted.all}/${file}-agents.jsonl`), agents())
  writeFileSync(join(cwd, `${planted.all}/${file}-request.jsonl`), request())
  const secret = word('other text')
  const key = kinds['keys of unknown records']
  const failing: Record<(typeof broken)[number], string> = {
    torn: `${session().split('\n').slice(0, 9).join('\n')}\n{"type": "user", "${secret}\n${secret}\n`,
    nothing: `{"${key}": "${secret}"}\n`,
    damaged: `{"${secret}": "${secret}\n`,
    json: `[{"role": "user", "content": "${secret}"`,
    kinds: `{"type": "${secret}", "uuid": "1"}\n${session()}`,
    usage: session().replaceAll('"output_tokens":', `"${secret}":"${secret}","output_tokens":-`),
  }
  for (const name of broken) writeFileSync(join(cwd, `failing/${file}-${name}.jsonl`), failing[name])
}

/** All that stands in the files below a directory, and their names. */
export function contentsOf(directory: string): string {
  const names = readdirSync(directory, { recursive: true, encoding: 'utf8' }).sort()
  const files = names.filter((name) => statSync(join(directory, name)).isFile())
  return files.map((name) => `${name}\n${readFileSync(join(directory, name), 'latin1')}`).join('\n')
}
