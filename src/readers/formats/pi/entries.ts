/** The entries of pi's sessions, and what each must hold. */

import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import { setOf } from '../../../base/words.ts'
import { keys, kinds, listOf, mapOf, optional, orNull, orText, prose } from '../../wire/shape.ts'

/** Entries that are not part of the context, but of the tree: other entries can follow them. */
export const treeOnly = setOf(`
  archive credential_pin custom label mcp_tool_selection mode_change model_change service_tier_change session_info
  thinking_level_change title_change ttsr_injection
`)

export const types = setOf(
  'branch_summary compaction context_edit custom_message message model_usage reset_boundary session_init usage',
  treeOnly,
)

const roles = setOf(`
  assistant bashExecution branchSummary compactionSummary custom developer fileMention hookMessage system toolResult
  user
`)

const contentShape = orText(
  listOf(
    kinds('type', {
      text: keys({ text: 'string' }),
      thinking: keys({ thinking: 'string', thinkingSignature: 'text?', redacted: 'boolean?' }),
      toolCall: keys({ id: 'string', name: 'string', arguments: 'object' }),
      image: keys({ data: 'string', mimeType: 'string' }),
    }),
  ),
)

const spokenShape = keys({ content: contentShape })

const summaryShape = keys({ summary: 'string' })

const usageShape = keys({
  input: 'any',
  output: 'any',
  cacheRead: 'any',
  cacheWrite: 'any',
  cost: optional(keys({ total: 'number' })),
})

const promptShape = keys({
  content: orText(listOf(kinds('type', { text: keys({ text: 'string' }) }))),
  // Null takes the section away.
  sections: optional(mapOf(orNull(prose))),
  toolsAdded: optional(listOf(keys({ name: 'string', description: 'string', parameters: 'object' }))),
  toolsRemoved: optional(listOf(keys({ name: 'string' }))),
})

const messageShape = kinds('role', {
  assistant: keys({ content: contentShape, stopReason: 'string', errorMessage: 'string?', usage: usageShape }),
  bashExecution: keys({
    command: 'string',
    output: 'string',
    exitCode: 'number?',
    cancelled: 'boolean',
    truncated: 'boolean',
    fullOutputPath: 'string?',
    excludeFromContext: 'boolean?',
  }),
  branchSummary: summaryShape,
  compactionSummary: summaryShape,
  custom: spokenShape,
  developer: spokenShape,
  fileMention: keys({ files: listOf(keys({ path: 'string', content: 'string' })) }),
  hookMessage: spokenShape,
  system: promptShape,
  toolResult: keys({ toolCallId: 'string', content: contentShape, isError: 'boolean', usage: optional(usageShape) }),
  user: spokenShape,
})

const callShape = keys({ model: 'string', usage: usageShape })

export const entryShape = kinds('type', {
  branch_summary: keys({ summary: 'string', usage: optional(usageShape) }),
  compaction: keys({
    summary: 'string',
    usage: optional(usageShape),
    retainedTail: optional(listOf(keys({ role: 'string' }))),
  }),
  // A replacement of null takes the whole message out.
  context_edit: keys({ targetId: 'string', replacement: optional(keys({ content: contentShape })) }),
  custom_message: spokenShape,
  message: keys({ message: messageShape }),
  model_usage: callShape,
  session_init: keys({ systemPrompt: someTexts }),
  usage: callShape,
})

/** A text, or several. */
function someTexts(value: unknown): string | null {
  const texts = Array.isArray(value) ? value : [value]
  return texts.every((text) => typeof text === 'string') ? null : ''
}

export function isHeader(record: JsonObject): boolean {
  if (record.type !== 'session' || typeof record.id !== 'string') return false
  return typeof record.cwd === 'string' || typeof record.version === 'number'
}

export function isMessage(value: unknown): value is JsonObject {
  return roles.has(roleOf(value))
}

export function roleOf(message: unknown): string {
  return stringOf(objectOf(message)?.role) ?? ''
}
