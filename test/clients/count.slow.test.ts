import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { afterEach, describe, expect, it } from 'vitest'
import { countsOf } from '../../src/cli/inputs/counts.ts'
import { worldOf } from '../../src/cli/output/world.ts'
import { type CountCache, RemoteCounter } from '../../src/clients/count.ts'
import type { ProviderName } from '../../src/model/message.ts'
import { responsesBody } from '../../src/providers/responses.ts'
import { Collected, runCli } from '../cli/run.ts'
import { type Answer, type Asked, serve } from './server.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const speak = {
  anthropic: {
    key: 'ANTHROPIC_API_KEY',
    url: 'ANTHROPIC_BASE_URL',
    model: 'claude-opus-4-6',
    body: { system: 'be short', messages: [{ role: 'user', content: 'hi' }] },
    path: '/v1/messages/count_tokens',
    answer: (tokens: unknown) => JSON.stringify({ input_tokens: tokens }),
  },
  openai: {
    key: 'OPENAI_API_KEY',
    url: 'OPENAI_BASE_URL',
    model: 'gpt-5',
    body: { messages: [{ role: 'user', content: 'hi' }] },
    path: '/responses/input_tokens',
    answer: (tokens: unknown) => JSON.stringify({ object: 'response.input_tokens', input_tokens: tokens }),
  },
  google: {
    key: 'GEMINI_API_KEY',
    url: 'GOOGLE_GEMINI_BASE_URL',
    model: 'gemini-2.5-pro',
    body: {
      systemInstruction: { parts: [{ text: 'be short' }] },
      contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
    },
    path: '/v1beta/models/gemini-2.5-pro:countTokens',
    answer: (tokens: unknown) => JSON.stringify({ totalTokens: tokens }),
  },
} as const
const providers = Object.keys(speak) as ProviderName[]

function memory(): CountCache & { readonly known: Map<string, number> } {
  const known = new Map<string, number>()
  return { known, get: (key) => known.get(key) ?? null, set: (key, tokens) => void known.set(key, tokens) }
}

/**
 * @param perMinute as good as no limit, unless it is what is tested: the providers' would let the tests wait for seconds
 * @param timeout in milliseconds, only where silence is what is tested: on a busy machine an answer takes longer
 */
async function counterAt(
  provider: ProviderName,
  answer: (asked: Asked, number: number) => Answer,
  { cache = memory(), perMinute = 60_000, timeout = 30_000 } = {},
) {
  const server = await serve(answer)
  cleanups.push(server.close)
  const env = { [speak[provider].key]: 'sk-secret', [speak[provider].url]: server.url }
  return {
    server,
    env,
    cache,
    counter: new RemoteCounter({ provider, env, cache, perMinute, patience: 1, timeout }),
  }
}

describe.each(providers)('%s', (provider) => {
  const { model, body, path, answer } = speak[provider]

  it('asks the endpoint that counts, once for each content', async () => {
    const { server, counter, env, cache } = await counterAt(provider, () => ({ body: answer(42) }))
    expect(await counter.count(model, [body, body])).toEqual([42, 42])
    expect(server.asked[0]?.path.split('?')[0]).toBe(path)
    expect(server.asked[0]?.key).toContain('sk-secret')
    const before = server.asked.length
    expect(await new RemoteCounter({ provider, env, cache }).count(model, [body])).toEqual([42])
    expect(server.asked.length).toBe(before)
    expect([...cache.known.keys()].every((key) => /^[\da-f]{64}$/.test(key))).toBe(true)
  })

  it('tries again after 429, a server in trouble, silence and garbage', async () => {
    const answers: Answer[] = [
      { status: 429, headers: { 'retry-after': '0' }, body: '{"error":{"message":"slow down"}}' },
      { status: 500, body: 'oops' },
      { status: 503, body: '' },
      { after: 1000, body: answer(1) },
      { body: '<html>' },
    ]
    const { server, counter } = await counterAt(provider, (_, number) => answers[number] ?? { body: answer(7) }, {
      timeout: 300,
    })
    expect(await counter.count(model, [body]).catch((error) => error.message)).toSatisfy(
      // An SDK may treat a response that is not JSON as one without a count.
      (found: unknown) => String(found) === '7' || String(found).includes('holds no count'),
    )
    expect(server.asked.length).toBeGreaterThanOrEqual(5)
  })

  it.each([
    [401, /rejected the key/],
    [400, /HTTP 400/],
  ])('gives up at once on %i, without a word of what was sent or of the key', async (status, words) => {
    const { server, counter } = await counterAt(provider, () => ({
      status,
      body: '{"error":{"message":"hi sk-secret"}}',
    }))
    const error = await counter.count(model, [body]).catch((thrown) => thrown)
    expect(error).toMatchObject({ name: 'CtxwinError', code: 'remote', message: expect.stringMatching(words) })
    expect(error.message).not.toMatch(/sk-secret|\bhi\b/)
    expect(server.asked.length).toBe(1)
  })

  it('follows no redirect: neither key nor request goes where nobody sent them', async () => {
    const elsewhere = await serve(() => ({ body: answer(42) }))
    cleanups.push(elsewhere.close)
    const headers = { location: elsewhere.url.replace('127.0.0.1', 'localhost') }
    const { server, counter } = await counterAt(provider, () => ({ status: 307, headers, body: '' }))
    const words = /redirects to another address: name that one \(HTTP 307\)$/
    await expect(counter.count(model, [body])).rejects.toThrow(words)
    expect([server.asked.length, elsewhere.asked.length]).toEqual([1, 0])
  })

  it('says so when the trouble does not end', async () => {
    const { counter } = await counterAt(provider, () => ({ status: 502, body: '' }))
    await expect(counter.count(model, [body])).rejects.toMatchObject({ code: 'remote' })
    expect(counter.asked).toBe(6)
  })

  it.each([
    ['a word', 'many'],
    ['nothing', undefined],
    ['a fraction', 1.5],
    ['less than nothing', -1],
  ])('takes %s for no count', async (_, tokens) => {
    const { counter, cache } = await counterAt(provider, () => ({ body: answer(tokens) }))
    await expect(counter.count(model, [body])).rejects.toMatchObject({ code: 'remote' })
    expect(cache.known.size).toBe(0)
  })

  it('needs a key', async () => {
    const counter = new RemoteCounter({ provider, env: {}, cache: memory() })
    await expect(counter.count(model, [body])).rejects.toMatchObject({ code: 'no-key' })
  })
})

it('waits as long as it is told to', async () => {
  const first = { status: 429, headers: { 'retry-after': '0.3' }, body: '{}' }
  const { server, counter } = await counterAt('anthropic', (_, n) => (n === 0 ? first : { body: '{"input_tokens":5}' }))
  expect(await counter.count('claude-opus-4-6', [speak.anthropic.body])).toEqual([5])
  expect(server.asked[1]!.at - server.asked[0]!.at).toBeGreaterThanOrEqual(290)
})

it('keeps to the rate, retries included', async () => {
  const answers: Answer[] = [{ body: '{"input_tokens":5}' }, { status: 503, body: '' }]
  const { server, counter } = await counterAt('anthropic', (_, n) => answers[n] ?? { body: '{"input_tokens":5}' }, {
    perMinute: 400,
  })
  const bodies = [1, 2].map((n) => ({ messages: [{ role: 'user', content: `${n}` }] }))
  expect(await counter.count('claude-opus-4-6', bodies)).toEqual([5, 5])
  expect(server.asked).toHaveLength(3)
  // Two pauses of 150 ms; a request may arrive late on a busy machine, and the first may.
  expect((server.asked[2]?.at ?? 0) - (server.asked[0]?.at ?? 0)).toBeGreaterThanOrEqual(200)
})

it('goes on where a run was broken off', async () => {
  const bodies = Array.from({ length: 6 }, (_, at) => ({ contents: [{ role: 'user', parts: [{ text: `${at}` }] }] }))
  const cache = memory()
  const broken = await counterAt(
    'google',
    (_, n) => (n < 3 ? { body: '{"totalTokens":9}' } : { status: 403, body: '{}' }),
    { cache },
  )
  await expect(broken.counter.count('gemini-2.5-pro', bodies)).rejects.toMatchObject({ code: 'remote' })
  await expect.poll(() => cache.known.size, { timeout: 10_000 }).toBe(3)
  const { asked } = broken.server
  const again = new RemoteCounter({ provider: 'google', env: broken.env, cache })
  await again.count('gemini-2.5-pro', bodies).catch(() => {})
  expect(asked.length).toBeGreaterThan(3)
  expect(again.asked).toBeLessThanOrEqual(3)
})

it('keeps counts on disk, and takes a damaged one for none', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-counts-'))
  cleanups.push(() => rmSync(cwd, { recursive: true }))
  const cache = countsOf('counts', { env: {}, cwd: () => cwd } as never)
  expect(cache.get('abcdef')).toBe(null)
  cache.set('abcdef', 12)
  expect(countsOf('counts', { env: {}, cwd: () => cwd } as never).get('abcdef')).toBe(12)
  expect(readdirSync(join(cwd, 'counts', 'ab'))).toEqual(['cdef'])
})

it('goes on where no count can be kept, and says so once', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'ctxwin-counts-'))
  cleanups.push(() => rmSync(cwd, { recursive: true }))
  writeFileSync(join(cwd, 'counts'), 'a file where the directory should be')
  const stderr = new Collected()
  const world = worldOf({ stdin: Readable.from([]), stdout: new Collected(), stderr, env: {}, cwd: () => '/elsewhere' })
  const cache = countsOf(join(cwd, 'counts'), world)
  cache.set('abcdef', 12)
  cache.set('fedcba', 13)
  expect(cache.get('abcdef')).toBe(null)
  expect(stderr.text).toMatch(/^ctxwin: cannot write .*counts: .+: the counts of this run are not kept\n$/)
})

it('gives calls and results to OpenAI as items', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"a":1}' } }
  const body = {
    messages: [
      { role: 'system', content: 'be short' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'image_url', image_url: { url: 'data:,' } },
        ],
      },
      { role: 'assistant', content: null, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ],
    tools: [{ type: 'function', function: { name: 'read', parameters: {} } }],
  }
  expect(responsesBody(body)).toEqual({
    input: [
      { role: 'system', content: 'be short' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'look' },
          { type: 'input_image', image_url: 'data:,', detail: 'auto' },
        ],
      },
      { type: 'function_call', call_id: 'c1', name: 'read', arguments: '{"a":1}' },
      { type: 'function_call_output', call_id: 'c1', output: 'done' },
    ],
    tools: [{ type: 'function', strict: false, name: 'read', parameters: {} }],
  })
})

it('ctxwin history --request --count remote says what the provider counts, and asks nobody without it', async () => {
  const server = await serve(() => ({ body: '{"input_tokens":1234}' }))
  const cache = mkdtempSync(join(tmpdir(), 'ctxwin-counts-'))
  cleanups.push(server.close, () => rmSync(cache, { recursive: true }))
  const env = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: server.url, XDG_CACHE_HOME: cache }
  const line = ['history', '--request', 'fixtures/openai-chat/tools.jsonl', '--at', '2']
  expect((await runCli(line, { env })).stderr).not.toContain('counts')
  expect(server.asked.length).toBe(0)
  expect((await runCli([...line, '--count', 'remote'], { env })).stderr).toContain('openai counts 1234 tokens for ')
  expect((await runCli([...line, '--count', 'remote'], { env: { XDG_CACHE_HOME: cache } })).code).toBe(2)
  expect(server.asked.length).toBe(1)
})
