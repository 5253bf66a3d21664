/**
 * The summary that today's forge renders without a model: a template with the messages' text and the tools that ran.
 * Tool output and reasoning are lost. From tailcallhq/forgecode at 6ed5d37: forge_domain/src/compact/summary.rs,
 * forge_app/src/transformers, templates/forge-partial-summary-frame.md. Its text is known, so its tokens are exact.
 */
import { jsonText, wordOf } from '../../base/json-text.ts'
import { type Block, type Message, type Role, textOf } from '../../model/message.ts'

/** What a tool call did. Operations with the same key work on the same thing. */
export interface Operation {
  /** `file:path`, `shell:command`, …: what it works on. */
  readonly key: string
  /** Its lines in the summary. */
  readonly lines: string
}

export type Content = { readonly text: string } | { readonly operation: Operation }

/** Consecutive messages of one role. */
export interface SummaryBlock<C = Content> {
  readonly role: Role
  readonly contents: readonly C[]
}

/** Of consecutive user blocks only the first is kept, and of its contents only the first. */
export function dedupeUsers<C>(blocks: readonly SummaryBlock<C>[]): SummaryBlock<C>[] {
  return blocks.flatMap((block, index) => {
    if (block.role !== 'user') return block
    return blocks[index - 1]?.role === 'user' ? [] : { ...block, contents: block.contents.slice(0, 1) }
  })
}

/** In an assistant's block, a tool call replaces the one right before it if both work on the same thing. */
export function trimBlock<B extends SummaryBlock>(block: B): B {
  if (block.role !== 'assistant') return block
  const contents: Content[] = []
  for (const content of block.contents) {
    const last = contents.at(-1)
    const repeats =
      'operation' in content && last && 'operation' in last && last.operation.key === content.operation.key
    if (repeats) contents.pop()
    contents.push(content)
  }
  return { ...block, contents }
}

/** The summary of a range of messages, as one text. */
export function summaryOf(messages: readonly Message[], cwd: string | null): string {
  return render(dedupeUsers(blocksOf(messages, cwd)).map(trimBlock))
}

function blocksOf(messages: readonly Message[], cwd: string | null): SummaryBlock[] {
  const blocks: { role: Role; contents: Content[] }[] = []
  const todos: Todo[] = []
  for (const message of messages) {
    if (message.role === 'system' || message.role === 'tool') continue
    const contents: Content[] = []
    const text = textOf(message)
    if (text !== '') contents.push({ text })
    for (const block of message.blocks) {
      if (block.type === 'call') contents.push({ operation: operationOf(block, cwd, todos) })
    }
    const last = blocks.at(-1)
    if (last?.role === message.role) for (const content of contents) last.contents.push(content)
    else if (contents.length > 0) blocks.push({ role: message.role, contents })
  }
  return blocks
}

const rolesAsWritten = { user: 'User', assistant: 'Assistant', system: 'System', tool: 'Tool' } as const

function render(blocks: readonly SummaryBlock[]): string {
  const parts = blocks.map(({ role, contents }, index) => {
    const lines = contents.map((content) =>
      'text' in content ? `\`\`\`\`\n${content.text}\n\`\`\`\`\n` : content.operation.lines,
    )
    return `### ${index + 1}. ${rolesAsWritten[role]}\n\n${lines.join('')}\n`
  })
  return `Use the following summary frames as the authoritative reference for all coding suggestions and decisions. Do not re-explain or revisit it unless I ask. Additional summary frames will be added as the conversation progresses.

## Summary

${parts.join('')}
---

Proceed with implementation based on this context.
`
}

interface Todo {
  readonly content: string
  readonly status: string
}

const fileTools: Readonly<Record<string, { readonly title: string; readonly from: readonly string[] }>> = {
  read: { title: 'Read', from: ['file_path', 'path'] },
  Read: { title: 'Read', from: ['file_path', 'path'] },
  write: { title: 'Update', from: ['file_path', 'path'] },
  Write: { title: 'Update', from: ['file_path', 'path'] },
  patch: { title: 'Update', from: ['file_path', 'path'] },
  multi_patch: { title: 'Update', from: ['file_path'] },
  remove: { title: 'Delete', from: ['path'] },
  undo: { title: '', from: ['path'] },
}

/**
 * What the call did, by the name of the tool. An unknown tool, or one with invalid arguments, counts as an MCP tool.
 */
export function operationOf(
  call: Pick<Block & { type: 'call' }, 'name' | 'input'>,
  cwd: string | null,
  todos: Todo[] = [],
): Operation {
  const input = fieldsOf(call.input)
  const string = (...keys: string[]): string | undefined => {
    for (const key of keys) if (typeof input[key] === 'string') return input[key]
    return undefined
  }
  const file = Object.hasOwn(fileTools, call.name) ? fileTools[call.name] : undefined
  // biome-ignore lint/plugin: two at most
  const path = file && string(...file.from)
  if (file && path !== undefined) {
    const place = relative(path, cwd)
    return { key: `file:${place}`, lines: file.title === '' ? '' : `**${file.title}:** \`${place}\`\n` }
  }
  const named = (kind: string, value: string | undefined, lines: (value: string) => string): Operation | null =>
    value === undefined ? null : { key: `${kind}:${value}`, lines: lines(value) }
  const unwritten = () => ''
  const known: Readonly<Record<string, () => Operation | null>> = {
    shell: () => named('shell', string('command'), (command) => `**Execute:** \n\`\`\`\n${command}\n\`\`\`\n`),
    fs_search: () => {
      const pattern = string('pattern') === undefined ? undefined : string('glob', 'type', 'pattern')
      return named('search', pattern, (value) => `**Search:** \`${value}\`\n`)
    },
    sem_search: () => {
      if (!Array.isArray(input.queries)) return null
      const cases = input.queries.map((query) => `- \`${wordOf(fieldsOf(query).use_case)}\`\n`)
      return { key: `semantic:${jsonText(input.queries)}`, lines: `**Semantic Search:**\n${cases.join('')}` }
    },
    skill: () => named('skill', string('name'), (name) => `**Skill:** \`${name}\`\n`),
    fetch: () => named('fetch', string('url'), unwritten),
    followup: () => named('followup', string('question'), unwritten),
    plan: () => named('plan', string('plan_name'), unwritten),
    task: () => named('task', string('agent_id'), unwritten),
    Task: () => named('task', string('agent_id'), unwritten),
    todo_read: () => ({ key: 'todo', lines: '' }),
    todo_write: () =>
      Array.isArray(input.todos) ? { key: 'todo', lines: `**Task Plan:**\n${changes(input.todos, todos)}` } : null,
  }
  const operation = Object.hasOwn(known, call.name) ? known[call.name]?.() : null
  return operation ?? { key: `mcp:${call.name}`, lines: `**MCP:** \`${call.name}\`\n` }
}

/** The changes that a call makes to the todo list, as lines; `todos` is updated. */
function changes(items: readonly unknown[], todos: Todo[]): string {
  const before = new Map(todos.map((todo) => [todo.content, todo.status]))
  let lines = ''
  for (const item of items) {
    const { content, status } = fieldsOf(item)
    if (typeof content !== 'string' || typeof status !== 'string') continue
    const was = before.get(content)
    const place = todos.findIndex((todo) => todo.content === content)
    if (status === 'cancelled') {
      if (was !== undefined) lines += `- [CANCELLED] ~~${content}~~\n`
      if (place >= 0) todos.splice(place, 1)
      continue
    }
    if (was === undefined) lines += `- [ADD] ${content}\n`
    else if (was !== status && status === 'completed') lines += `- [DONE] ~~${content}~~\n`
    else if (was !== status) lines += `- [${status === 'in_progress' ? 'IN_PROGRESS' : 'UPDATE'}] ${content}\n`
    if (place >= 0) todos[place] = { content, status }
    else todos.push({ content, status })
  }
  return lines
}

function relative(path: string, cwd: string | null): string {
  if (cwd === null) return path
  if (path === cwd) return ''
  const folder = cwd.endsWith('/') ? cwd : `${cwd}/`
  return path.startsWith(folder) ? path.slice(folder.length) : path
}

function fieldsOf(value: unknown): Record<string, unknown> {
  let fields = value
  if (typeof value === 'string') {
    try {
      fields = JSON.parse(value)
    } catch {
      return {}
    }
  }
  return fields !== null && typeof fields === 'object' ? (fields as Record<string, unknown>) : {}
}
