/** The bodies that `probe` really sends are requests that the API's own SDK declares, whatever was recorded, by whom, and for which API. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { jsonText } from '../../../src/base/json-text.ts'
import { probedApis } from '../../../src/cli/inputs/commands.ts'
import { Completer } from '../../../src/clients/complete.ts'
import type { ProbeApi } from '../../../src/model/probe.ts'
import { undeclared } from '../../clients/declared.ts'
import { serveModel } from '../../clients/model-server.ts'
import { problemsOf } from '../../providers/apis/rules.ts'
import { runCli } from '../run.ts'
import { anthropicLog, chatLog, responsesLog, thinkingModel, withoutMedia } from './every-kind.ts'

type Body = Record<string, unknown>

const root = mkdtempSync(join(tmpdir(), 'ctxwin-probe-bodies-'))
afterAll(() => rmSync(root, { recursive: true }))
let journals = 0

interface Asking {
  readonly model?: string
  readonly more?: readonly string[]
}

const dropping = ['-p', 'drop-oldest', '-b', '300']
const summarising = ['-p', 'claude-code-auto', '-b', '600']

/** What a server gets that is asked about some requests of each file, with a policy that drops and one that has summaries written. */
async function sent(api: ProbeApi, files: readonly string[], { model = 'some-model', more = [] }: Asking = {}) {
  // The first time, it calls a tool where it is asked for a summary.
  const server = await serveModel(api, (body) =>
    jsonText(body).includes('about to be cut') && !('tool_choice' in body)
      ? { calls: [{ name: 'Read', input: {} }] }
      : { text: 'What was done so far.' },
  )
  // A model cannot write a summary of pseudonyms.
  for (const policy of more.includes('--redact') ? [dropping] : [dropping, summarising]) {
    const journal = join(root, `journal${journals++}.ndjson`)
    const to = ['--endpoint', server.url, '--api', api, '--ask', model, '--max-requests', '99999', '--max-usd', '9999']
    const how = ['-e', 'bytes', '--without-tools', '--yes', '--json', '--journal', journal]
    const { stdout, stderr } = await runCli(['probe', ...files, ...policy, ...to, ...how, ...more])
    // Of no use, but not wrong: a file of which nothing is known is said to be one.
    if (stdout === '') expect(stderr).toMatch(/no known transcript format|no input/)
  }
  await server.close()
  return server.asked.map(({ body }) => body)
}

/** What an API would refuse beyond what its SDK declares; marks for the cache and what says how to answer left out. */
function refusedIn(api: ProbeApi, bodies: readonly Body[]): string[] {
  return bodies.flatMap((body) => {
    const { stream: _, max_output_tokens: __, tool_choice: ___, max_tokens, ...rest } = body
    const input = JSON.parse(jsonText(rest), (key, value) => (key === 'cache_control' ? undefined : value))
    return problemsOf(api, api === 'anthropic' ? { ...input, max_tokens } : input)
  })
}

/** The kinds of content, items and tools that stand in bodies. */
function kindsIn(bodies: readonly Body[]): Set<unknown> {
  const kinds = new Set<unknown>()
  const look = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('type' in value) kinds.add(value.type)
    // The input of a tool and the schema of one have types of their own.
    for (const [key, one] of Object.entries(value)) if (!/^(?:input_schema|parameters)$/.test(key)) look(one)
  }
  look(bodies)
  return kinds
}

const logs = { anthropic: anthropicLog, chat: chatLog, responses: responsesLog }
for (const [name, log] of Object.entries(logs)) {
  writeFileSync(join(root, `${name}.jsonl`), log())
  writeFileSync(join(root, `${name}-words.jsonl`), withoutMedia(log()))
}

/** What there is to be found of what was recorded by the same API. */
const kinds: Readonly<Record<ProbeApi, readonly string[]>> = {
  anthropic: [
    ...['text', 'image', 'document', 'thinking', 'redacted_thinking', 'tool_use', 'tool_result', 'server_tool_use'],
    ...['web_search_tool_result', 'bash_20250124', 'web_search_20250305', 'char_location'],
  ],
  chat: ['text', 'image_url', 'input_audio', 'file', 'function', 'custom', 'grammar'],
  responses: [
    ...['input_text', 'input_image', 'input_file', 'function', 'custom', 'grammar'],
    ...['function_call', 'function_call_output'],
  ],
}

const fixtures = readdirSync('fixtures', { recursive: true, encoding: 'utf8' })
  .map((name) => join('fixtures', name))
  .filter((path) => statSync(path).isFile())
  .sort()
/** Of each format some for each API, and none for two: a body depends on what was read, whatever file that stood in. */
const fixturesFor = (api: ProbeApi, shift = 0) =>
  fixtures.filter((_, at) => at % probedApis.length === (probedApis.indexOf(api) + shift) % probedApis.length)

describe.each(probedApis)('bodies for %s', (api) => {
  it('are declared where it recorded every kind that it has, and so are those of the others', async () => {
    const own = await sent(api, [join(root, `${api}.jsonl`)], { model: thinkingModel })
    const found = kindsIn(own)
    expect(kinds[api].filter((kind) => !found.has(kind))).toEqual([])
    const others = Object.keys(logs).map((name) => join(root, `${name}.jsonl`))
    const all = [...own, ...(await sent(api, others))]
    expect([undeclared(api, all), refusedIn(api, all)]).toEqual([[], []])
  })

  it('are declared for the fixtures', async () => {
    const bodies = await sent(api, fixturesFor(api), { more: ['--probes', '9999', '--per-session', '1'] })
    expect(bodies.length).toBeGreaterThan(150)
    expect(bodies.some((body) => 'tool_choice' in body)).toBe(true)
    expect([undeclared(api, bodies), refusedIn(api, bodies)]).toEqual([[], []])
  })

  it('are declared where pseudonyms stand for their words', async () => {
    const files = Object.keys(logs).map((name) => join(root, `${name}-words.jsonl`))
    const more = ['--redact', '--probes', '9999', '--per-session', '1']
    const own = await sent(api, files, { model: thinkingModel, more })
    const all = [...own, ...(await sent(api, fixturesFor(api, 1), { more }))]
    expect([own.length > 10, all.length > 50, undeclared(api, all), refusedIn(api, all)]).toEqual([true, true, [], []])
    // No image, and no thought whose words are others than were signed.
    const found = kindsIn(all)
    const none = [...kinds[api].filter((kind) => /image|file|audio|document/.test(kind)), 'thinking']
    expect(none.filter((kind) => found.has(kind))).toEqual([])
  })

  it('are declared where the answer is streamed, and where it is not', async () => {
    const [body] = (await sent(api, ['fixtures/claude-code/refactor.jsonl'], { more: ['--probes', '1'] })) as [Body]
    const { stream: _, ...unset } = body
    for (const stream of [true, false]) {
      const server = await serveModel(api, () => ({ text: 'Yes.' }))
      await new Completer({ api, env: {}, baseUrl: server.url, stream }).complete(unset)
      await server.close()
      const bodies = server.asked.map((one) => one.body)
      expect([bodies[0]?.stream === true, undeclared(api, bodies)]).toEqual([stream, []])
    }
  })

  it('are declared where they go to the provider itself', async () => {
    const server = await serveModel(api, () => ({ text: 'Yes.' }))
    const provider = api === 'anthropic' ? 'anthropic' : 'openai'
    const name = provider.toUpperCase()
    const env = { [`${name}_BASE_URL`]: server.url, [`${name}_API_KEY`]: 'k' }
    const argv = [
      'probe',
      'fixtures/claude-code/refactor.jsonl',
      '-p',
      'drop-oldest',
      '-b',
      '2k',
      '-e',
      'bytes',
      '--yes',
    ]
    const to = ['--endpoint', provider, '--api', api, '--ask', 'm', '--max-requests', '9', '--probes', '1']
    const { code, stderr } = await runCli([...argv, ...to, '--journal', join(root, `own-${api}`)], { env })
    await server.close()
    expect([code, stderr, server.asked.length]).toEqual([0, '', 4])
    const bodies = server.asked.map(({ body }) => body)
    expect(undeclared(api, bodies)).toEqual([])
    const limit = { anthropic: 'max_tokens', chat: 'max_completion_tokens', responses: 'max_output_tokens' }[api]
    expect(bodies.map((body) => body[limit])).toEqual([8192, 8192, 8192, 8192])
  })

  it('are found where they are not declared', async () => {
    const bodies = await sent(api, [join(root, `${api}.jsonl`)])
    const list = api === 'responses' ? 'input' : 'messages'
    const [body] = bodies.filter((one) => Array.isArray(one.tools) && (one[list] as Body[]).length > 1) as [Body]
    const [first, ...rest] = body[list] as [Body, ...Body[]]
    const [tool, ...tools] = body.tools as [Body, ...Body[]]
    const wrong = [
      { ...body, own: 1 },
      { ...body, model: 5 },
      { ...body, [list]: 5 },
      { ...body, [list]: [{ ...first, own: 1 }, ...rest] },
      { ...body, [list]: [{ ...first, role: 'clown' }, ...rest] },
      { ...body, [list]: [...rest, { role: 'user', content: [{ type: 'own', own: 1 }] }] },
      { ...body, tools: [...tools, { ...tool, own: 1 }] },
      { ...body, tools: [...tools, { type: 'function', function: { description: 'none' } }] },
    ]
    expect(undeclared(api, [body])).toEqual([])
    for (const one of wrong) expect(undeclared(api, [one]), jsonText(one).slice(0, 200)).not.toEqual([])
  })
})

const corpus = process.env.CTXWIN_CORPUS ?? '../shared/corpus'
const agents = existsSync(corpus) ? readdirSync(corpus).filter((name) => name !== 'damaged') : []

/** Of the files of an agent, in their order, so many at equal distances. */
function someFiles(agent: string): string[] {
  const all = readdirSync(join(corpus, agent), { recursive: true, encoding: 'utf8' })
    .map((name) => join(corpus, agent, name))
    .filter((path) => statSync(path).isFile() && statSync(path).size < 200_000)
    .sort()
  const most = 3
  const step = Math.max(1, all.length / most)
  return all.filter((_, at) => Math.floor(at / step) !== Math.floor((at - 1) / step)).slice(0, most)
}

it.skipIf(agents.length === 0)('bodies of real sessions of every agent are declared, of each for one API', async () => {
  const bodies = new Map<ProbeApi, Body[]>(probedApis.map((api) => [api, []]))
  let asked = 0
  for (const [at, agent] of agents.entries()) {
    const api = probedApis[at % probedApis.length] as ProbeApi
    const files = statSync(join(corpus, agent)).isDirectory() ? someFiles(agent) : []
    const own = files.length === 0 ? [] : await sent(api, files, { more: ['--probes', '12', '--per-session', '1'] })
    if (own.length > 0) asked++
    bodies.get(api)?.push(...own)
  }
  expect(asked).toBeGreaterThan(20)
  for (const [api, all] of bodies) expect(undeclared(api, all), api).toEqual([])
})
