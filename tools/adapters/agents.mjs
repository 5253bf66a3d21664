/**
 * Runs the examples of docs/turn-on.md, each against the package that it is for, with a stub in the place of the model: an agent
 * that reads four files, two of them in one step, whose results together are more than its policy lets stand.
 *
 *   npm ci --ignore-scripts --prefix tools/adapters
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The project itself has those of the APIs. */
const folders = [new URL('node_modules/', import.meta.url), new URL('../../node_modules/', import.meta.url)].map(
  fileURLToPath,
)
const placeOf = (name) => folders.map((folder) => join(folder, name)).find((place) => existsSync(place))
const opencodeBinary = `opencode-${process.platform}-${process.arch}`
const built = new URL('../../dist/live/modules/live/', import.meta.url)
const { anthropic, chat, responses } = await import(new URL('core.js', built).href)
const { aiSdk, langchain, openaiAgents, opencode, pi, strands } = await import(new URL('forms.js', built).href)

const system = 'You compare files.'
const prompt = 'Which of the files is the longest?'
const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] }

/** What the model does step by step: the files that it reads; at last it answers. */
const steps = [['a.txt'], ['b.txt', 'c.txt'], ['d.txt'], []]
const answer = 'They are equally long.'

/** About 30,000 tokens. */
const fileOf = (path) => `${path}: ${'word '.repeat(24_000)}`

const callsIn = (step) => steps[step].map((path, nth) => ({ id: `call_${step}${nth}`, path }))

/** About as many tokens as a provider would count. */
const tokensOf = (body) => Math.round(JSON.stringify(body).length / 4)

// --- The programs, each as a function of its example that gives what reached the model ---

const json = (value) => new Response(JSON.stringify(value), { headers: { 'content-type': 'application/json' } })

/** A provider's API: what it is sent, and what it says. */
function api(reply) {
  const bodies = []
  const fetch = async (_, { body }) => {
    bodies.push(JSON.parse(body))
    return json(reply(bodies.length - 1, bodies.at(-1)))
  }
  return { bodies, client: { apiKey: 'none', fetch, maxRetries: 0 } }
}

async function anthropicMessages({ agent }) {
  const { Anthropic } = await import('@anthropic-ai/sdk')
  const { bodies, client } = api((step, body) => ({
    ...{ id: `msg_${step}`, type: 'message', role: 'assistant', model: body.model, stop_sequence: null },
    content: [
      ...callsIn(step).map(({ id, path }) => ({ type: 'tool_use', id, name: 'read', input: { path } })),
      ...(steps[step].length === 0 ? [{ type: 'text', text: answer }] : []),
    ],
    stop_reason: steps[step].length === 0 ? 'end_turn' : 'tool_use',
    usage: { input_tokens: tokensOf(body), output_tokens: 10 },
  }))
  const tools = [{ name: 'read', input_schema: schema }]
  await agent(new Anthropic(client), { system, tools, run: (_, { path }) => fileOf(path), prompt })
  return bodies.map((body) => ({ form: anthropic, system: body.system, elements: body.messages }))
}

async function openaiResponses({ agent }) {
  const { OpenAI } = await import('openai')
  const { bodies, client } = api((step, body) => ({
    ...{ id: `resp_${step}`, object: 'response', status: 'completed', model: body.model },
    output: [
      { type: 'reasoning', id: `rs_${step}`, summary: [], encrypted_content: 'x'.repeat(100) },
      ...callsIn(step).map(({ id, path }) => ({
        ...{ type: 'function_call', id: `fc_${id}`, call_id: id, name: 'read', status: 'completed' },
        arguments: JSON.stringify({ path }),
      })),
      ...(steps[step].length === 0
        ? [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: answer, annotations: [] }] }]
        : []),
    ],
    usage: { input_tokens: tokensOf(body), input_tokens_details: { cached_tokens: 0 }, output_tokens: 10 },
  }))
  const tools = [{ type: 'function', name: 'read', parameters: schema, strict: false }]
  await agent(new OpenAI(client), { system, tools, run: (_, { path }) => fileOf(path), prompt })
  return bodies.map((body) => ({ form: responses, system: body.instructions, elements: body.input }))
}

async function openaiChat({ agent }) {
  const { OpenAI } = await import('openai')
  const { bodies, client } = api((step, body) => ({
    ...{ id: `chat_${step}`, object: 'chat.completion', model: body.model },
    choices: [
      {
        index: 0,
        finish_reason: steps[step].length === 0 ? 'stop' : 'tool_calls',
        message: {
          role: 'assistant',
          ...(steps[step].length === 0 ? { content: answer } : { content: null, tool_calls: chatCalls(step) }),
        },
      },
    ],
    usage: { prompt_tokens: tokensOf(body), completion_tokens: 10 },
  }))
  const tools = [{ type: 'function', function: { name: 'read', parameters: schema } }]
  await agent(new OpenAI(client), { system, tools, run: (_, { path }) => fileOf(path), prompt })
  return bodies.map(({ messages }) => ({ form: chat, system: messages[0].content, elements: messages }))
}

const chatCalls = (step) =>
  callsIn(step).map(({ id, path }) => ({
    ...{ id, type: 'function' },
    function: { name: 'read', arguments: JSON.stringify({ path }) },
  }))

async function vercel({ agent }) {
  const { jsonSchema, tool } = await import('ai')
  const { MockLanguageModelV4 } = await import('ai/test')
  const prompts = []
  const count = (total) => ({ total, noCache: total, cacheRead: 0, cacheWrite: 0, text: total, reasoning: 0 })
  const model = new MockLanguageModelV4({
    doGenerate: async ({ prompt }) => {
      prompts.push(prompt)
      const step = prompts.length - 1
      const calls = callsIn(step).map(({ id, path }) => ({
        ...{ type: 'tool-call', toolCallId: id, toolName: 'read', input: JSON.stringify({ path }) },
      }))
      return {
        content: calls.length > 0 ? calls : [{ type: 'text', text: answer }],
        finishReason: calls.length > 0 ? { unified: 'tool-calls', raw: 'tool' } : { unified: 'stop', raw: 'stop' },
        usage: { inputTokens: count(tokensOf(prompt)), outputTokens: count(10) },
        warnings: [],
      }
    },
  })
  const read = tool({ inputSchema: jsonSchema(schema), execute: ({ path }) => fileOf(path) })
  await agent({ model, system, tools: { read }, prompt })
  return prompts.map((elements) => ({ form: aiSdk, system: elements[0].content, elements }))
}

async function chain({ agent }) {
  const { tool } = await import('langchain')
  const { BaseChatModel } = await import('@langchain/core/language_models/chat_models')
  const { AIMessage } = await import('@langchain/core/messages')
  const sent = []
  class Stub extends BaseChatModel {
    _llmType() {
      return 'stub'
    }
    bindTools() {
      return this
    }
    async _generate(messages) {
      sent.push(messages)
      const step = sent.length - 1
      const input_tokens = tokensOf(messages)
      const message = new AIMessage({
        content: steps[step].length === 0 ? answer : '',
        tool_calls: callsIn(step).map(({ id, path }) => ({ id, name: 'read', args: { path }, type: 'tool_call' })),
        usage_metadata: { input_tokens, output_tokens: 10, total_tokens: input_tokens + 10 },
      })
      return { generations: [{ text: '', message }] }
    }
  }
  const read = tool(({ path }) => fileOf(path), { name: 'read', description: 'Reads a file.', schema })
  await agent({ model: new Stub({}), system, tools: [read] }).invoke({ messages: [{ role: 'user', content: prompt }] })
  return sent.map((elements) => ({ form: langchain, system: elements[0].text, elements }))
}

async function openaiAgentsRun({ agent }) {
  const { Agent, setTracingDisabled, tool, Usage } = await import('@openai/agents')
  setTracingDisabled(true)
  const sent = []
  const model = {
    async getResponse({ input, systemInstructions }) {
      sent.push({ input, systemInstructions })
      const step = sent.length - 1
      const calls = callsIn(step).map(({ id, path }) => ({
        ...{ type: 'function_call', callId: id, name: 'read', status: 'completed' },
        arguments: JSON.stringify({ path }),
      }))
      const content = [{ type: 'output_text', text: answer }]
      const said = { type: 'message', role: 'assistant', status: 'completed', content }
      const count = { inputTokens: tokensOf(input), outputTokens: 10, totalTokens: tokensOf(input) + 10 }
      return { usage: new Usage({ requests: 1, ...count }), output: calls.length > 0 ? calls : [said] }
    },
  }
  const parameters = { ...schema, additionalProperties: true }
  const read = tool({
    ...{ name: 'read', description: 'Reads a file.', parameters, strict: false },
    execute: ({ path }) => fileOf(path),
  })
  const own = new Agent({ name: 'own', instructions: system, model, tools: [read] })
  await agent(own, { system, prompt })
  return sent.map(({ input, systemInstructions }) => ({
    form: openaiAgents,
    system: systemInstructions,
    elements: input,
  }))
}

async function strandsAgent({ agent }) {
  const { FunctionTool, Model } = await import('@strands-agents/sdk')
  const sent = []
  class Stub extends Model {
    updateConfig() {}
    getConfig() {
      return {}
    }
    async *stream(messages, { systemPrompt }) {
      sent.push({ messages, systemPrompt })
      const step = sent.length - 1
      const calls = callsIn(step)
      const block = (start, delta) => [
        { type: 'modelContentBlockStartEvent', ...(start && { start }) },
        { type: 'modelContentBlockDeltaEvent', delta },
        { type: 'modelContentBlockStopEvent' },
      ]
      yield { type: 'modelMessageStartEvent', role: 'assistant' }
      for (const { id, path } of calls) {
        const input = JSON.stringify({ path })
        yield* block({ type: 'toolUseStart', name: 'read', toolUseId: id }, { type: 'toolUseInputDelta', input })
      }
      if (calls.length === 0) yield* block(null, { type: 'textDelta', text: answer })
      yield { type: 'modelMessageStopEvent', stopReason: calls.length > 0 ? 'toolUse' : 'endTurn' }
      const inputTokens = tokensOf(messages)
      const usage = { inputTokens, outputTokens: 10, totalTokens: inputTokens + 10 }
      yield { type: 'modelMetadataEvent', usage }
    }
  }
  const read = new FunctionTool({
    ...{ name: 'read', description: 'Reads a file.', inputSchema: schema },
    callback: ({ path }) => fileOf(path),
  })
  await agent({ model: new Stub(), system, tools: [read] }).invoke(prompt)
  return sent.map(({ messages, systemPrompt }) => ({ form: strands, system: systemPrompt, elements: messages }))
}

/** pi itself, which loads the file as its user would have it loaded, with a tool and a provider of ours. */
async function piExtension(_, { place, file }) {
  const { createAgentSession, DefaultResourceLoader, defineTool, ModelRuntime, SessionManager, SettingsManager } =
    await import('@earendil-works/pi-coding-agent')
  const { createFauxCore, fauxAssistantMessage, fauxToolCall } = await import('@earendil-works/pi-ai')
  const sent = []
  const model = createFauxCore({ models: [{ id: 'stub', contextWindow: 1_000_000 }] })
  model.setResponses(
    steps.map((files, step) => ({ messages, systemPrompt }) => {
      sent.push({ messages, systemPrompt })
      const calls = callsIn(step).map(({ id, path }) => fauxToolCall('fetch_file', { path }, { id }))
      return files.length > 0 ? fauxAssistantMessage(calls, { stopReason: 'toolUse' }) : fauxAssistantMessage(answer)
    }),
  )
  const modelRuntime = await ModelRuntime.create({ modelsPath: null, authPath: join(place, 'auth.json') })
  const [{ id, ...rest }] = model.models
  const cost = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  modelRuntime.registerProvider('stub', {
    ...{ baseUrl: 'http://127.0.0.1', apiKey: 'none', api: model.api, streamSimple: model.streamSimple },
    models: [{ ...rest, id, name: id, reasoning: false, input: ['text'], cost }],
  })
  const settingsManager = SettingsManager.inMemory({ compaction: { enabled: false } })
  const resourceLoader = new DefaultResourceLoader({
    ...{ cwd: place, agentDir: place, settingsManager, additionalExtensionPaths: [file], systemPrompt: system },
  })
  await resourceLoader.reload()
  const { session, extensionsResult } = await createAgentSession({
    ...{ cwd: place, agentDir: place, modelRuntime, resourceLoader, settingsManager },
    model: modelRuntime.getModel('stub', id),
    sessionManager: SessionManager.inMemory(place),
    customTools: [
      defineTool({
        ...{ name: 'fetch_file', label: 'Fetch', description: 'Reads a file.', parameters: schema },
        execute: async (_, { path }) => ({ content: [{ type: 'text', text: fileOf(path) }], details: {} }),
      }),
    ],
  })
  if (extensionsResult.errors.length > 0) throw new Error(JSON.stringify(extensionsResult.errors))
  await session.prompt(prompt)
  session.dispose()
  return sent.map(({ messages, systemPrompt }) => ({
    form: pi,
    // Newer versions have it as the first message.
    system: systemPrompt?.slice(0, system.length) ?? messages[0].sections.preamble,
    elements: messages.filter(({ role }) => role !== 'system'),
  }))
}

/** opencode itself, as a process, with a server of ours in the place of the provider. It cuts what it reads to 50 kB. */
async function opencodePlugin(_, { place, file }) {
  const bodies = []
  const server = createServer(async (request, response) => {
    const body = JSON.parse(await text(request))
    // It asks for a title without tools.
    const step = body.tools ? bodies.push(body) - 1 : steps.length - 1
    const paths = steps[step].map((name) => JSON.stringify({ filePath: join(place, name) }))
    const tool_calls = callsIn(step).map(({ id }, index) => ({
      ...{ index, id, type: 'function', function: { name: 'read', arguments: paths[index] } },
    }))
    const usage = { prompt_tokens: tokensOf(body), completion_tokens: 10, total_tokens: tokensOf(body) + 10 }
    const chunk = (delta, finish_reason) => {
      const choices = [{ index: 0, delta: { role: 'assistant', ...delta }, finish_reason }]
      return `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', created: 1, model: 'stub', choices, usage })}\n\n`
    }
    response.setHeader('content-type', 'text/event-stream')
    response.write(paths.length > 0 ? chunk({ tool_calls }, null) : chunk({ content: answer }, null))
    response.end(`${chunk({}, paths.length > 0 ? 'tool_calls' : 'stop')}data: [DONE]\n\n`)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const config = join(place, 'config/opencode')
  mkdirSync(join(config, 'plugins'), { recursive: true })
  symlinkSync(join(place, 'node_modules'), join(config, 'node_modules'), 'junction')
  copyFileSync(file, join(config, 'plugins/ctxwin.js'))
  for (const name of steps.flat()) writeFileSync(join(place, name), fileOf(name).replaceAll('word word ', 'word\n'))
  const stub = {
    npm: '@ai-sdk/openai-compatible',
    options: { baseURL: `http://127.0.0.1:${server.address().port}/v1`, apiKey: 'none' },
    models: { stub: { limit: { context: 1_000_000, output: 8_000 } } },
  }
  const settings = { model: 'stub/stub', small_model: 'stub/stub', provider: { stub }, autoupdate: false }
  writeFileSync(
    join(place, 'opencode.json'),
    JSON.stringify({ ...settings, share: 'disabled', compaction: { auto: false, prune: false } }),
  )
  writeFileSync(join(place, 'AGENTS.md'), system)
  const given = join(place, 'given.ndjson')
  const dirs = Object.fromEntries(['DATA', 'STATE', 'CACHE'].map((name) => [`XDG_${name}_HOME`, join(place, name)]))
  const env = {
    ...{ PATH: process.env.PATH, HOME: place, ...dirs, XDG_CONFIG_HOME: join(place, 'config'), CTXWIN_GIVEN: given },
    ...{
      OPENCODE_DISABLE_MODELS_FETCH: '1',
      OPENCODE_DISABLE_DEFAULT_PLUGINS: '1',
      OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
    },
  }
  const child = spawn(join(placeOf(opencodeBinary), 'bin/opencode'), ['run', prompt], {
    ...{ cwd: place, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 90_000 },
  })
  const said = text(child.stderr)
  child.stdout.resume()
  const [code] = await once(child, 'close')
  server.close()
  if (code !== 0) throw new Error(`opencode: ${await said}`)
  globalThis.given = readFileSync(given, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return bodies.map(({ messages }) => ({
    form: chat,
    system: messages[0].content.includes(system) ? system : null,
    elements: messages,
  }))
}

/** By the heading of the example in the docs. */
export const programs = {
  'Anthropic Messages': { run: anthropicMessages, gives: anthropic, packages: ['@anthropic-ai/sdk'] },
  'OpenAI Responses': { run: openaiResponses, gives: responses, packages: ['openai'] },
  'OpenAI Chat Completions': { run: openaiChat, gives: chat, packages: ['openai'] },
  'AI SDK': { run: vercel, gives: aiSdk, packages: ['ai'] },
  LangChain: { run: chain, gives: langchain, packages: ['langchain', '@langchain/core'] },
  'OpenAI Agents': { run: openaiAgentsRun, gives: openaiAgents, packages: ['@openai/agents'] },
  Strands: { run: strandsAgent, gives: strands, packages: ['@strands-agents/sdk'] },
  pi: { run: piExtension, gives: pi, packages: ['@earendil-works/pi-coding-agent'], node: 22 },
  opencode: { run: opencodePlugin, gives: opencode, packages: [opencodeBinary], budget: '40k' },
}

/** Whether a program can be run here. */
export function isHere(name) {
  const { packages, node = 0 } = programs[name]
  return packages.every(placeOf) && Number.parseInt(process.versions.node, 10) >= node
}

// --- The examples ---

/** The lines to paste, by the heading above them. */
export function examples() {
  const page = readFileSync(join(root, 'docs/turn-on.md'), 'utf8')
  const found = page.matchAll(/^## (.+)\n(?:(?!^## )[\s\S])*?^```js\n([\s\S]*?)^```/gm)
  return Object.fromEntries([...found].map(([, heading, code]) => [heading, code]))
}

/** Which lines were run. */
export const digestOf = (code) => createHash('sha256').update(code).digest('hex').slice(0, 16)

/** `live` as it is, which notes what it gives. */
const noting = `
import { appendFileSync } from 'node:fs'
import { live as real } from ${JSON.stringify(new URL('index.js', built).href)}
const given = (globalThis.given = [])
const file = process.env.CTXWIN_GIVEN
export function live(...settings) {
  const window = real(...settings)
  return {
    next(...told) {
      const request = window.next(...told)
      given.push(request.messages)
      if (file) appendFileSync(file, JSON.stringify(request.messages) + '\\n')
      return request
    },
  }
}
`

/**
 * @param name a heading of docs/turn-on.md
 * @returns for each request, what reached the model, and what `live` gave; both as `[role, what]`, one for each message
 */
export async function requestsOf(name) {
  const { run, gives, packages, budget = '100k' } = programs[name]
  const place = mkdtempSync(join(tmpdir(), 'ctxwin-adapters-'))
  try {
    const own = join(place, 'node_modules/ctxwin')
    mkdirSync(own, { recursive: true })
    const doors = { './live': './live.js', './live/forms': './forms.js' }
    writeFileSync(join(own, 'package.json'), JSON.stringify({ type: 'module', exports: doors }))
    writeFileSync(join(own, 'live.js'), noting)
    writeFileSync(join(own, 'forms.js'), `export * from ${JSON.stringify(new URL('forms.js', built).href)}`)
    for (const one of packages) {
      const link = join(place, 'node_modules', one)
      mkdirSync(dirname(link), { recursive: true })
      symlinkSync(placeOf(one), link, 'junction')
    }
    const file = join(place, 'example.mjs')
    writeFileSync(file, examples()[name].replace("'100k'", `'${budget}'`))
    const sent = await run(await import(pathToFileURL(file).href), { place, file })
    return sent.map(({ form, system, elements }, at) => ({
      system,
      sent: rowsOf(form, elements),
      given: rowsOf(gives, globalThis.given[at]),
    }))
  } finally {
    rmSync(place, { recursive: true })
  }
}

/** The messages as a form reads them: who says what. */
function rowsOf(form, elements) {
  const rows = []
  const sink = {
    preamble: () => {},
    message: ({ role, blocks, callId }) => {
      const said = blocks.map((block) => same(told(block))).filter((text) => text !== '')
      rows.push([role, ...said, ...(callId ? [`of ${callId}`] : [])])
    },
    stranger: (index) => {
      throw new Error(`message ${index} is none`)
    },
  }
  const reader = form.reader({ provider: form.provider ?? 'anthropic' }, sink)
  for (const [index, element] of elements.entries()) reader.add(element, index)
  reader.settle()
  return rows
}

/** Without what is another in each run: the folder, and so how many tokens were taken out. */
const same = (text) => {
  const named = text.replaceAll(/[^\s">]*ctxwin-adapters-\w+\//g, '').replaceAll(/~\d+ tokens/g, '~n tokens')
  return named.length <= 80 ? named : `${named.slice(0, 20)}… (about ${Math.round(named.length / 1000)} kB)`
}

function told(block) {
  if (block.type === 'call') return `calls ${block.id}: ${block.name} ${inputOf(block)}`
  return block.type === 'text' || block.type === 'thinking' ? block.text : `(${block.type})`
}

/** Chat Completions have arguments as text. */
const inputOf = ({ input }) => (typeof input === 'string' ? input : JSON.stringify(input))
