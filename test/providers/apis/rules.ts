/**
 * What the providers' published references say of a request, as far as a conversation can break it, written down as checks.
 * Anthropic: Messages API reference and "Tool use", SDK 1.12. OpenAI: Chat Completions and Responses references, SDK 6.49.
 * Google: generateContent reference and "Function calling", SDK 2.32. Each returns what is wrong, with its place.
 */
import { parsedJson } from '../../../src/base/json-text.ts'
import type { ApiName } from '../../../src/model/message.ts'

type Value = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Value =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const isText = (value: unknown): value is string => typeof value === 'string'
const isFilled = (value: unknown): value is string => isText(value) && value !== ''
const listOf = (value: unknown): readonly Value[] => (Array.isArray(value) ? value.filter(isObject) : [])

/** The arguments of a call. OpenAI takes any text back; servers of other makes read them. */
const isInput = (value: unknown): boolean => isText(value) && isObject(parsedJson(value))

class Problems {
  readonly all: string[] = []

  expect(holds: boolean, where: string, what: string): void {
    if (!holds) this.all.push(`${where}: ${what}`)
  }

  /** The object has these fields and no others; a name with `?` need not be there. */
  fields(value: Value, where: string, names: readonly string[]): void {
    for (const name of Object.keys(value)) {
      this.expect(
        names.some((known) => known.replace('?', '') === name),
        where,
        `the field ${name} is not known`,
      )
    }
    for (const name of names) this.expect(name.endsWith('?') || value[name] !== undefined, where, `has no ${name}`)
  }
}

const anthropicBlocks: Readonly<Record<string, readonly string[]>> = {
  text: ['text', 'citations?'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
  image: ['source'],
  document: ['source', 'title?', 'context?', 'citations?'],
  tool_use: ['id', 'name', 'input', 'caller?'],
  tool_result: ['tool_use_id', 'content?', 'is_error?'],
  server_tool_use: ['id', 'name', 'input', 'caller?'],
  web_search_tool_result: ['tool_use_id', 'content', 'caller?'],
  tool_reference: ['tool_name'],
}

function anthropic(body: Value, problems: Problems): void {
  problems.fields(body, 'body', ['model', 'max_tokens', 'system?', 'tools?', 'messages'])
  problems.expect(Number.isInteger(body.max_tokens) && (body.max_tokens as number) > 0, 'max_tokens', 'is no number')
  for (const [at, block] of listOf(body.system).entries()) anthropicBlock(block, `system[${at}]`, problems)
  for (const [at, tool] of listOf(body.tools).entries()) {
    const isSchema = isObject(tool.input_schema) && tool.input_schema.type === 'object'
    problems.expect(isFilled(tool.name) && (isSchema || isFilled(tool.type)), `tools[${at}]`, 'is no tool')
  }
  const messages = listOf(body.messages)
  problems.expect(messages.length > 0, 'messages', 'at least one message is required')
  problems.expect(
    messages.length === 0 || messages[0]?.role !== 'assistant',
    'messages[0]',
    'the first must be the user',
  )
  const blocks = messages.flatMap(({ content }) => listOf(content))
  const served = blocks.flatMap(({ type, id }) => (type === 'server_tool_use' ? [id] : []))
  const answers = blocks.flatMap(({ type, tool_use_id: id }) => (/._tool_result$/.test(String(type)) ? [id] : []))
  problems.expect(`${served.sort()}` === `${answers.sort()}`, 'messages', 'a server’s call or its result is missing')
  const ids = new Set<unknown>()
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`
    problems.fields(message, where, ['role', 'content'])
    problems.expect(['user', 'assistant', 'system'].includes(String(message.role)), where, `role ${message.role}`)
    problems.expect(message.role !== messages[at - 1]?.role, where, 'the role of the one before')
    const content = listOf(message.content)
    problems.expect(content.length > 0, where, 'content is empty')
    for (const [index, block] of content.entries()) anthropicBlock(block, `${where}.content[${index}]`, problems)
    const called = content.flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []))
    for (const id of called) {
      problems.expect(!ids.has(id), where, 'tool_use ids must be unique')
      ids.add(id)
    }
    const next = listOf(messages[at + 1]?.content)
    const answered = next.flatMap(({ type, tool_use_id }) => (type === 'tool_result' ? [tool_use_id] : []))
    for (const id of called) problems.expect(answered.includes(id), where, 'tool_use without a tool_result right after')
    const before = listOf(messages[at - 1]?.content).flatMap(({ type, id }) => (type === 'tool_use' ? [id] : []))
    const results = content.flatMap(({ type, tool_use_id }) => (type === 'tool_result' ? [tool_use_id] : []))
    for (const id of results) problems.expect(before.includes(id), where, 'tool_result without its tool_use before')
    problems.expect(new Set(results).size === results.length, where, 'two tool_results for one tool_use')
    const first = content.slice(0, results.length).every(({ type }) => type === 'tool_result')
    problems.expect(first, where, 'tool_results must come first')
    problems.expect(message.role === 'assistant' || called.length === 0, where, 'tool_use of a user')
    problems.expect(message.role === 'user' || results.length === 0, where, 'tool_result of an assistant')
  }
}

function anthropicBlock(block: Value, where: string, problems: Problems): void {
  const names = anthropicBlocks[String(block.type)]
  problems.expect(names !== undefined, where, `content of type ${block.type}`)
  problems.fields(block, where, ['type', ...(names ?? Object.keys(block))])
  if (block.type === 'text') problems.expect(isText(block.text) && block.text.trim() !== '', where, 'text is blank')
  if (block.type === 'thinking') problems.expect(isFilled(block.signature), where, 'thinking is not signed')
  if (block.type === 'tool_use') {
    problems.expect(isObject(block.input), where, 'input is no object')
    problems.expect(/^[a-zA-Z0-9_-]+$/.test(String(block.id)), where, 'id has other characters')
    problems.expect(isFilled(block.name), where, 'has no name')
  }
  if (block.type === 'tool_result' && block.content !== undefined) {
    problems.expect(listOf(block.content).length > 0, where, 'content is empty')
    for (const [at, part] of listOf(block.content).entries()) anthropicBlock(part, `${where}.content[${at}]`, problems)
  }
  if (block.type === 'tool_result') {
    problems.expect(block.is_error !== true || block.content !== undefined, where, 'an error needs content')
  }
  if (block.type === 'image' || block.type === 'document') {
    const source = isObject(block.source) ? block.source : {}
    problems.expect(source.type !== 'base64' || isFilled(source.data), where, 'has no data')
  }
}

const chatRoles: Readonly<Record<string, readonly string[]>> = {
  system: ['content', 'name?'],
  developer: ['content', 'name?'],
  user: ['content', 'name?'],
  assistant: ['content?', 'name?', 'refusal?', 'tool_calls?', 'function_call?'],
  tool: ['content', 'tool_call_id'],
  function: ['content', 'name'],
}
const chatParts: Readonly<Record<string, readonly string[]>> = {
  system: ['text'],
  developer: ['text'],
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
  tool: ['text'],
}

function chat(body: Value, problems: Problems): void {
  problems.fields(body, 'body', ['model', 'messages', 'tools?'])
  for (const [at, tool] of listOf(body.tools).entries()) {
    const what = isObject(tool.function) ? tool.function : isObject(tool.custom) ? tool.custom : {}
    problems.expect(isFilled(what.name), `tools[${at}]`, 'is no tool')
  }
  const messages = listOf(body.messages)
  problems.expect(
    messages.some(({ role }) => role !== 'system'),
    'messages',
    'are empty',
  )
  let open = new Set<unknown>()
  for (const [at, message] of messages.entries()) {
    const where = `messages[${at}]`
    const names = chatRoles[String(message.role)]
    problems.expect(names !== undefined, where, `role ${message.role}`)
    problems.fields(message, where, ['role', ...(names ?? Object.keys(message))])
    const { content, role } = message
    const calls = listOf(message.tool_calls)
    const isCalling = calls.length > 0 || message.function_call !== undefined
    problems.expect(content !== null || isCalling || isFilled(message.refusal), where, 'has neither content nor calls')
    problems.expect(
      content === null || isText(content) || Array.isArray(content),
      where,
      'content is neither text nor a list',
    )
    for (const part of listOf(content)) {
      const type = String(part.type)
      problems.expect(chatParts[String(role)]?.includes(type) === true, where, `content of type ${type}`)
      problems.fields(part, where, ['type', type])
    }
    if (role !== 'tool') {
      problems.expect(open.size === 0, where, 'stands before the results of the calls')
      open = new Set()
    } else {
      problems.expect(open.delete(message.tool_call_id), where, 'answers no call')
    }
    for (const call of calls) {
      problems.fields(call, where, call.type === 'custom' ? ['id', 'type', 'custom'] : ['id', 'type', 'function'])
      const what = isObject(call.function) ? call.function : {}
      problems.expect(call.type === 'custom' || isInput(what.arguments), where, 'arguments are no object')
      problems.expect(call.type === 'custom' || isFilled(what.name), where, 'a call has no name')
      problems.expect(isFilled(call.id) && !open.has(call.id), where, 'ids of calls')
      open.add(call.id)
    }
  }
  problems.expect(open.size === 0, 'messages', 'calls without results')
}

const responseItems: Readonly<Record<string, readonly string[]>> = {
  message: ['role', 'content', 'type?'],
  function_call: ['type', 'call_id', 'name', 'arguments'],
  function_call_output: ['type', 'call_id', 'output'],
  custom_tool_call: ['type', 'call_id', 'name', 'input'],
  custom_tool_call_output: ['type', 'call_id', 'output'],
}
const responseParts = ['input_text', 'output_text', 'input_image', 'input_file', 'refusal']

function responses(body: Value, problems: Problems): void {
  problems.fields(body, 'body', ['model', 'store', 'input', 'tools?'])
  for (const [at, tool] of listOf(body.tools).entries()) {
    problems.expect(isFilled(tool.name) && isFilled(tool.type), `tools[${at}]`, 'is no tool')
  }
  const items = listOf(body.input)
  problems.expect(
    items.some(({ role }) => role !== 'system'),
    'input',
    'is empty',
  )
  const called = new Map<unknown, string>()
  const answered = new Set<unknown>()
  for (const [at, item] of items.entries()) {
    const where = `input[${at}]`
    const type = String(item.type ?? 'message')
    problems.expect(Object.hasOwn(responseItems, type), where, `an item of type ${type}`)
    problems.fields(item, where, responseItems[type] ?? Object.keys(item))
    if (type.endsWith('_call')) called.set(item.call_id, type)
    if (type.endsWith('_output')) {
      problems.expect(called.get(item.call_id) === type.replace('_output', ''), where, 'answers no call')
      problems.expect(isText(item.output), where, 'output is no text')
      answered.add(item.call_id)
    }
    if (type === 'function_call') problems.expect(isInput(item.arguments) && isFilled(item.name), where, 'is no call')
    if (type !== 'message') continue
    problems.expect(
      ['user', 'assistant', 'system', 'developer'].includes(String(item.role)),
      where,
      `role ${item.role}`,
    )
    for (const part of listOf(item.content)) {
      problems.expect(responseParts.includes(String(part.type)), where, `content of type ${part.type}`)
    }
  }
  for (const id of called.keys()) problems.expect(answered.has(id), 'input', 'a call without its output')
}

function google(body: Value, problems: Problems): void {
  problems.fields(body, 'body', ['systemInstruction?', 'contents', 'tools?'])
  const contents = listOf(body.contents)
  problems.expect(contents.length > 0, 'contents', 'are empty')
  problems.expect(contents.length === 0 || contents[0]?.role === 'user', 'contents[0]', 'the first must be the user')
  for (const [at, content] of contents.entries()) {
    const where = `contents[${at}]`
    problems.fields(content, where, ['role', 'parts'])
    problems.expect(['user', 'model'].includes(String(content.role)), where, `role ${content.role}`)
    problems.expect(content.role !== contents[at - 1]?.role, where, 'the role of the one before')
    const parts = listOf(content.parts)
    problems.expect(parts.length > 0, where, 'has no parts')
    for (const part of parts) {
      const kinds = Object.keys(part).filter((name) => name !== 'thought' && name !== 'thoughtSignature')
      problems.expect(kinds.length === 1, where, `a part of ${kinds.join(' and ')}`)
    }
    const ids = (turn: Value | undefined, kind: string) =>
      listOf(turn?.parts)
        .flatMap((part) => (isObject(part[kind]) ? [`${part[kind].id}`] : []))
        .sort()
        .join()
    problems.expect(
      ids(content, 'functionResponse') === ids(contents[at - 1], 'functionCall'),
      where,
      'a function response turn has as many parts as the function call turn right before it',
    )
    for (const part of parts) {
      if (isObject(part.functionCall)) problems.expect(isFilled(part.functionCall.name), where, 'a call has no name')
      if (isObject(part.functionResponse)) {
        problems.expect(isFilled(part.functionResponse.name), where, 'a response has no name')
        problems.expect(isObject(part.functionResponse.response), where, 'a response is no object')
      }
    }
  }
  const called = listOf(contents.at(-1)?.parts).some((part) => part.functionCall !== undefined)
  problems.expect(!called, 'contents', 'a function call without its response')
}

const rules: Readonly<Record<ApiName, (body: Value, problems: Problems) => void>> = {
  anthropic,
  chat,
  responses,
  google,
}

/** What a provider would refuse of this body. */
export function problemsOf(api: ApiName, body: Value): readonly string[] {
  const problems = new Problems()
  rules[api](body, problems)
  return problems.all
}
