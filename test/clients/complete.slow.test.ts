import { afterEach, describe, expect, it, vi } from 'vitest'
import { Completer, type CompleterOptions } from '../../src/clients/complete.ts'
import type { Watch } from '../../src/clients/retries.ts'
import type { NextAction, ProbeApi } from '../../src/model/probe.ts'
import { type ModelOptions, type Rule, serveModel, unspeakable, usageOf } from './model-server.ts'
import { serve } from './server.ts'

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

const apis = ['anthropic', 'responses', 'chat'] as const
const keyOf = { anthropic: 'ANTHROPIC_API_KEY', responses: 'OPENAI_API_KEY', chat: 'OPENAI_API_KEY' }
const paths = { anthropic: '/v1/messages', responses: '/v1/responses', chat: '/v1/chat/completions' }
const ways = apis.flatMap((api) => [true, false].map((stream) => ({ api, stream, way: stream ? 'streamed' : 'whole' })))

/** With what the model is to hear, and nobody else. */
const body = {
  model: 'm-1',
  max_tokens: 99,
  messages: [{ role: 'user', content: 'HUSH-HUSH "é\u2028\ud83d' }],
  tools: [],
}
const action: NextAction = {
  text: 'I look, “then” I edit 🙂\n\ndata: x',
  calls: [
    { name: 'Read', input: { path: 'a.ts', lines: [1, 2] } },
    { name: 'Read', input: {} },
    { name: 'Edit', input: { text: 'x\n'.repeat(30), deep: { er: null } } },
  ],
}

async function modelAt(
  api: ProbeApi,
  rule: Rule = () => action,
  options: ModelOptions & Partial<CompleterOptions> = {},
) {
  const { faults, count, ...rest } = options
  const server = await serveModel(api, rule, { ...(faults && { faults }), ...(count && { count }) })
  cleanups.push(server.close)
  const env = { [keyOf[api]]: 'sk-secret' }
  const completer = new Completer({ api, env, baseUrl: server.url, patience: 1, ...rest })
  return { server, completer }
}

/** How often a try went out, and how those that failed were billed. */
function watched() {
  const seen = { started: 0, free: 0, lost: 0 }
  const watch: Watch = {
    starts: () => void seen.started++,
    failed: (isFree) => void (isFree ? seen.free++ : seen.lost++),
  }
  return { seen, watch }
}

describe.each(ways)('$api, $way', ({ api, stream }) => {
  it('sends the body as it is, and reads what the model does next', async () => {
    const { server, completer } = await modelAt(api, () => action, { stream })
    const answer = await completer.complete(body)
    const { usage, ...rest } = answer
    const stops = { anthropic: 'tool_use', responses: 'completed', chat: 'tool_calls' }
    expect(rest).toEqual({ action, stop: stops[api], model: 'm-1' })
    expect(usage).toEqual(usageOf(server.asked[0]!.body))
    expect(server.asked[0]!.path).toBe(paths[api])
    expect(server.asked[0]!.key).toContain('sk-secret')
    const asks = api === 'chat' ? ',"stream":true,"stream_options":{"include_usage":true}}' : ',"stream":true}'
    const given = JSON.stringify(body)
    expect(server.asked[0]!.text).toBe(stream ? given.slice(0, -1) + asks : given)
    expect(completer.asked).toBe(1)
  })

  it('reads text alone, and what the cache served', async () => {
    const usage = { input: 1000, cacheRead: 700, cacheWrite: 200, output: 7 }
    const { completer } = await modelAt(api, () => ({ text: 'Done.', usage }), { stream })
    expect(await completer.complete(body)).toMatchObject({ action: { text: 'Done.', calls: [] }, usage })
  })

  it.each([
    ['429 with a pause', { status: 429, retryAfter: 0.01 }],
    ['500', { status: 500 }],
    ['502', { status: 502 }],
    ['503', { status: 503 }],
    ['529', { status: 529 }],
  ])('asks again after %s, which costs nothing', async (_, fault) => {
    const { server, completer } = await modelAt(api, () => action, { stream, faults: [fault, fault] })
    const { seen, watch } = watched()
    expect((await completer.complete(body, watch)).action).toEqual(action)
    expect(seen).toEqual({ started: 3, free: 2, lost: 0 })
    expect(new Set(server.asked.map(({ text }) => text)).size).toBe(1)
  })

  it.each([
    ['breaks off at once', { cut: 0 }],
    ['breaks off in the midst', { cut: 400 }],
    ['is no JSON', { garbage: true as const }],
    ['is a page', { nonsense: '<html>busy</html>', contentType: 'text/html' }],
    ['is nothing', { nonsense: '' }],
    ['reports an error', { failure: 'overloaded_error' }],
    ['is not waited for by a gateway', { status: 504 }],
  ])('asks again where the answer %s, and says that it may be billed', async (_, fault) => {
    const { completer } = await modelAt(api, () => action, { stream, faults: [fault] })
    const { seen, watch } = watched()
    expect((await completer.complete(body, watch)).action).toEqual(action)
    expect(seen).toEqual({ started: 2, free: 0, lost: 1 })
  })

  it('takes an answer that has no usage, odd arguments, or another type of content', async () => {
    const calls = [{ name: 'Read', input: '{"path": ' }]
    const { completer } = await modelAt(api, () => ({ calls: [{ name: 'Read', input: { path: 1 } }] }), {
      stream,
      faults: [
        { withoutUsage: true },
        { rawArguments: '{"path": ' },
        { contentType: 'text/plain' },
        { otherWay: true },
      ],
    })
    expect((await completer.complete(body)).usage).toBe(null)
    expect((await completer.complete(body)).action.calls).toEqual(calls)
    expect((await completer.complete(body)).action.calls[0]?.input).toEqual({ path: 1 })
    expect((await completer.complete(body)).action.calls[0]?.input).toEqual({ path: 1 })
    expect(completer.asked).toBe(4)
  })

  it.each([
    [400, /does not take such a request.+\(HTTP 400\)$/],
    [401, /rejected the key: see that .+\(HTTP 401\)$/],
    [403, /rejected the key: see that .+\(HTTP 403\)$/],
    [404, /does not know the model or the path.+\(HTTP 404\)$/],
    [413, /too large for it \(HTTP 413\)$/],
    [307, /redirects to another address: name that one \(HTTP 307\)$/],
  ])('gives up at once on %i, in one line without anybody’s words', async (status, words) => {
    const elsewhere = await serve(() => ({ body: '{}' }))
    cleanups.push(elsewhere.close)
    const to = elsewhere.url.replace('127.0.0.1', 'localhost')
    const { completer } = await modelAt(api, () => action, { stream, faults: () => ({ status, to }) })
    const { seen, watch } = watched()
    const error = await completer.complete(body, watch).catch((thrown) => thrown)
    expect(error).toMatchObject({ name: 'CtxwinError', code: 'remote', message: expect.stringMatching(words) })
    expect(error.message).toMatch(/^127\.0\.0\.1:\d+ did not answer the request: .+$/)
    expect(error.message).not.toMatch(new RegExp(`sk-secret|HUSH|${unspeakable}`))
    expect(seen).toEqual({ started: 1, free: 1, lost: 0 })
    expect(elsewhere.asked).toEqual([])
  })

  it('gives up at once where the model says that the request is wrong, or sends no answer', async () => {
    const faults = [{ failure: 'invalid_request_error' }, { nonsense: '{"hello": "world"}' }]
    const { completer } = await modelAt(api, () => action, { stream, faults })
    const { seen, watch } = watched()
    await expect(completer.complete(body, watch)).rejects.toThrow('reported an error')
    await expect(completer.complete(body, watch)).rejects.toThrow('its response holds no answer')
    expect(seen).toEqual({ started: 2, free: 0, lost: 2 })
  })

  it('gives up after six tries', async () => {
    const { completer } = await modelAt(api, () => action, { stream, faults: () => ({ cut: 100 }) })
    await expect(completer.complete(body)).rejects.toThrow(/did not answer the request: its answer broke off$/)
    expect(completer.asked).toBe(6)
  })

  it('sends nothing where who pays says no', async () => {
    const { server, completer } = await modelAt(api, () => action, { stream, faults: [{ status: 500 }] })
    let left = 1
    const starts = () => {
      if (left-- === 0) throw new Error('no more dollars')
    }
    await expect(completer.complete(body, { starts })).rejects.toThrow('no more dollars')
    expect(server.asked).toHaveLength(1)
  })

  it('repeats no key, whatever a server does with it', async () => {
    const key = keyOf[api]
    const env = {
      [key]: 'zq-key-77aa',
      [key.replace('API_KEY', 'CUSTOM_HEADERS')]: 'x-gate: Bearer zq-gate-55\nx-y: plain',
    }
    const secrets = ['zq-key-77aa', 'zq-gate-55', ['ghp', 'Zq7Kx2Vb9Nw4Lm8Rt3Yc6Hd1Jf5Gs0Pa9Eu2'].join('_')]
    const echoed = secrets.join(' ')
    const said = {
      text: `You sent ${echoed}.`,
      calls: [{ name: `Read ${echoed}`, input: { [echoed]: [echoed], quoted: JSON.stringify({ echoed }) } }],
      model: `m ${echoed}`,
    }
    const { server, completer } = await modelAt(api, () => said, { stream, env })
    const answer = JSON.stringify(await completer.complete(body))
    expect(server.asked[0]!.key).toContain('zq-key-77aa')
    for (const secret of secrets) expect(answer).not.toContain(secret)
    expect(JSON.parse(answer).action.text).toBe('You sent [secret: key 1] [secret: key 2] [secret: github token 1].')
  })

  it('leaves words alone that a local server takes for a key', async () => {
    const { completer } = await modelAt(api, () => ({ text: 'the secret test' }), {
      stream,
      env: { [keyOf[api]]: 'test' },
    })
    expect((await completer.complete(body)).action.text).toBe('the secret test')
  })

  it('needs no key at an address of the user’s own, and sends none then', async () => {
    const { server, completer } = await modelAt(api, () => action, { stream, env: {} })
    expect((await completer.complete(body)).action).toEqual(action)
    expect(server.asked[0]!.key).toBe(undefined)
  })
})

describe.each(apis)('%s', (api) => {
  it('needs a key elsewhere', async () => {
    await expect(new Completer({ api, env: {} }).complete(body)).rejects.toMatchObject({ code: 'no-key' })
  })

  it('asks where the environment says', async () => {
    const { server } = await modelAt(api)
    const url = api === 'anthropic' ? 'ANTHROPIC_BASE_URL' : 'OPENAI_BASE_URL'
    const completer = new Completer({ api, env: { [keyOf[api]]: 'k', [url]: server.url }, perMinute: 60_000 })
    expect((await completer.complete(body)).action).toEqual(action)
    expect(completer.baseUrl).toBe(server.url)
  })

  it('says that nobody is there', async () => {
    const { server, completer } = await modelAt(api)
    await server.close()
    const { seen, watch } = watched()
    await expect(completer.complete(body, watch)).rejects.toThrow(/did not answer the request: nothing answers there$/)
    expect(seen).toEqual({ started: 6, free: 6, lost: 0 })
  })

  it('takes no address that is none, or has a password in it', () => {
    const at = (baseUrl: string) => () => new Completer({ api, env: {}, baseUrl })
    expect(at('localhost:8000/v1')).toThrow('endpoint: "localhost:8000/v1" is not an address such as')
    expect(at('file:///etc')).toThrow('is not an address')
    expect(at('https://me:hunter2@example.org')).toThrow(/^the endpoint has a password in it: a key belongs/)
  })

  it('counts where the API does', async () => {
    const { server, completer } = await modelAt(api, () => action, { count: () => 4321, faults: [{ status: 500 }] })
    expect(await completer.count(body)).toBe(api === 'chat' ? null : 4321)
    expect(server.asked.length).toBe(api === 'chat' ? 0 : 2)
    const { messages, tools } = body
    const sent = api === 'anthropic' ? { model: 'm-1', messages, tools } : { model: 'm-1', tools }
    if (api !== 'chat') expect(server.asked[1]!.body).toEqual(sent)
  })

  it('counts nothing where a server at the user’s own address does not', async () => {
    const { completer } = await modelAt(api, () => action, { faults: () => ({ status: 404 }) })
    expect(await completer.count(body)).toBe(null)
    expect(await completer.count(body)).toBe(null)
    expect(completer.asked).toBe(api === 'chat' ? 0 : 1)
  })

  it('sends a body that nests deeper than the stack', async () => {
    const depth = 20_000
    const deep = JSON.parse(`${'['.repeat(depth)}${']'.repeat(depth)}`)
    const { server, completer } = await modelAt(api)
    await completer.complete({ model: 'm', input: deep })
    expect(server.asked[0]!.text.startsWith(`{"model":"m","input":${'['.repeat(depth)}]`)).toBe(true)
  })

  it('says nothing itself, whatever the environment asks of the SDK and a server sends', async () => {
    const said: unknown[] = []
    for (const level of ['debug', 'log', 'info', 'warn', 'error'] as const) {
      const spy = vi.spyOn(console, level).mockImplementation((...words) => void said.push(words))
      cleanups.push(() => spy.mockRestore())
    }
    for (const name of ['ANTHROPIC_LOG', 'OPENAI_LOG']) {
      process.env[name] = 'debug'
      cleanups.push(() => delete process.env[name])
    }
    const faults = [{ garbage: true as const }, { nonsense: 'event: thread.x\ndata: {\u001b[2J\n\n' }]
    const { completer } = await modelAt(api, () => action, { stream: true, faults })
    expect((await completer.complete(body)).action).toEqual(action)
    expect(said).toEqual([])
  })
})

// The transport is one for all APIs, and what it holds is measured: in one of them.
const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`
it.each([
  ['as one value', false, `{"content":${nested(4_000_000)}}`, 'its answer nests deeper than 10000 levels'],
  [
    'as an event',
    true,
    `data: {"type":"x","delta":${nested(4_000_000)}}\n\n`,
    'its answer nests deeper than 10000 levels',
  ],
  // Together these lines are a string, and then brackets; by themselves the string goes on.
  [
    'as an event that hides it',
    true,
    `data: "\ndata: ",[\ndata: "${'['.repeat(8_000_000)}\n\n`,
    'is not what this API sends',
  ],
])('takes none that nests too deep %s, and has no more than its text in memory', async (_, stream, nonsense, words) => {
  const { completer } = await modelAt('responses', () => action, { stream, faults: () => ({ nonsense }) })
  const before = process.memoryUsage.rss()
  let most = 0
  const look = setInterval(() => {
    most = Math.max(most, process.memoryUsage.rss() - before)
  }, 1)
  await expect(completer.complete(body)).rejects.toThrow(words)
  clearInterval(look)
  // Arrays of four million levels take as much.
  expect(most).toBeLessThan(300e6)
})

it('takes no answer that is longer than anybody’s', async () => {
  const { completer } = await modelAt('chat', () => action, { stream: false, faults: [{ more: 20_000_000 }] })
  await expect(completer.complete(body)).rejects.toThrow('its answer is longer than 8 MB')
  expect(completer.asked).toBe(1)
})

it('takes an answer that repeats a large request', async () => {
  const large = { ...body, messages: [{ role: 'user', content: 'x'.repeat(2_000_000) }] }
  const { completer } = await modelAt('chat', () => action, { stream: false, faults: [{ more: 12_000_000 }] })
  expect((await completer.complete(large)).action.text.length).toBeGreaterThan(12_000_000)
})

it.each([
  ['does not begin', { after: 2000 }],
  ['does not end', { cut: 200, silence: 2000 }],
])('asks again where the answer %s in time', async (_, fault) => {
  // At once: each waits.
  await Promise.all(
    ways.map(async ({ api, stream }) => {
      const { completer } = await modelAt(api, () => action, { stream, faults: [fault], timeout: 700 })
      const { seen, watch } = watched()
      expect((await completer.complete(body, watch)).action).toEqual(action)
      expect(seen).toEqual({ started: 2, free: 0, lost: 1 })
    }),
  )
})

it('takes an answer that was cut behind its end, as it has been paid for', async () => {
  for (const { api, stream } of ways) {
    if (!stream) continue
    // Behind the reason for its end: Anthropic's last event, the end of Chat Completions, the empty line of Responses.
    const cut = { anthropic: -50, responses: -1, chat: -20 }[api]
    const { completer } = await modelAt(api, () => action, { stream, faults: () => ({ cut }) })
    expect((await completer.complete(body)).action).toEqual(action)
  }
})

it('never takes a cut answer for a whole one', async () => {
  for (const { api, stream } of ways) {
    let cut = 0
    const { completer } = await modelAt(api, () => action, { stream, faults: () => ({ cut }) })
    const whole = await modelAt(api, () => action, { stream })
    const { action: all, stop } = await whole.completer.complete(body)
    for (; cut < 2500; cut += 83) {
      const { watch } = {
        watch: {
          failed: () => {
            throw new Error('cut')
          },
        },
      }
      const answer = await completer.complete(body, watch).catch(() => null)
      if (answer) expect(answer).toMatchObject({ action: all, stop })
    }
  }
})
