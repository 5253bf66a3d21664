/** What the records of a session file must hold, learnt from what every version has written. */

import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import type { Shape } from '../../reader.ts'
import { anthropicShape, anthropicShapeWithResults } from '../../wire/blocks.ts'
import { both, keys, kinds, listOf, optional, orText, someOf } from '../../wire/shape.ts'
import { usageShape } from '../../wire/usage.ts'

const contentShape = keys({ content: anthropicShapeWithResults })

const answeredShape = keys({ content: 'list', model: 'string', usage: usageShape, stop_reason: 'string?' })

const cached = { cache_read_input_tokens: 'any', cache_creation_input_tokens: 'any' } as const
const cachedShape = keys({ ...cached, iterations: optional(listOf(keys(cached))) })
/** Keys of usage beside input and output. Where one of them is present, the counts of the cache have to be, too. */
const besides = ['cache_creation', 'cache_creation_input_tokens', 'cache_read_input_tokens', 'service_tier']

/** Compatible services leave out ids, and what they do not cache. */
const claudeShape = keys({
  id: 'string',
  usage: (usage) => (besides.some((key) => Object.hasOwn(Object(usage), key)) ? cachedShape(usage) : null),
})

const responseShape = both(contentShape, (value) => {
  const message = objectOf(value) ?? {}
  // Records that other programs write into such a file have neither.
  if (message.model === undefined && message.usage === undefined) return null
  return answeredShape(message) ?? (stringOf(message.model)?.startsWith('claude') ? claudeShape(message) : null)
})

const linesShape = keys({ addedLines: 'list' })
const textShape = keys({ content: 'string' })
const listShape = keys({ content: 'list' })

const diagnosticShape = keys({
  message: 'string',
  range: keys({ start: keys({ line: 'number', character: 'number' }) }),
  source: 'string?',
})

const definitionShape = keys({ name: 'string', description: 'text?', input_schema: 'arguments?' })

const attachmentShape = kinds('type', {
  agent_listing_delta: linesShape,
  async_hook_response: keys({
    response: keys({ systemMessage: 'text?', hookSpecificOutput: optional(keys({ additionalContext: 'text?' })) }),
  }),
  deferred_tools_delta: linesShape,
  diagnostics: keys({ files: listOf(keys({ uri: 'string', diagnostics: listOf(diagnosticShape) })) }),
  edited_text_file: keys({ snippet: 'string' }),
  file: keys({
    filename: 'string',
    content: kinds('type', {
      text: keys({ file: textShape }),
      image: keys({ file: keys({ type: 'string', base64: 'string' }) }),
    }),
  }),
  hook_additional_context: listShape,
  hook_blocking_error: keys({
    hookName: 'string',
    blockingError: keys({ blockingError: 'string', command: 'string' }),
  }),
  hook_stopped_continuation: keys({ hookName: 'string', message: 'string' }),
  hook_success: keys({ content: 'string', hookEvent: 'string' }),
  invoked_skills: keys({ skills: listOf(keys({ name: 'string', path: 'string', content: 'string' })) }),
  mcp_instructions_delta: keys({ addedBlocks: 'list' }),
  nested_memory: keys({ content: textShape }),
  prompt_snapshot: keys({
    systemPrompt: listOf(orText(anthropicShape)),
    tools: listOf(keys({ name: 'string', schema: definitionShape })),
  }),
  queued_command: keys({ prompt: anthropicShape, commandMode: 'string?' }),
  read_truncation_notice: keys({ banner: 'string' }),
  skill_listing: textShape,
  task_reminder: listShape,
  todo_reminder: listShape,
  total_tokens_reminder: keys({ text: 'string' }),
})

const listedShape = keys({ uuids: 'list' })

const keptShape = keys({
  preservedSegment: optional(keys({ headUuid: 'string' })),
  preservedMessages: optional((messages) => (Array.isArray(messages) ? null : listedShape(messages))),
})

const systemShape = kinds('subtype', {
  compact_boundary: someOf({ compactMetadata: keptShape, compact_metadata: keptShape }),
  microcompact_boundary: keys({ microcompactMetadata: keys({ compactedToolIds: 'list' }) }),
})

const kindShape = kinds('type', {
  assistant: keys({ message: responseShape, isApiErrorMessage: 'boolean?', costUSD: 'number?' }),
  user: keys({
    message: contentShape,
    isMeta: 'boolean?',
    isCompactSummary: 'boolean?',
    isVisibleInTranscriptOnly: 'boolean?',
  }),
  attachment: keys({ attachment: attachmentShape, rendered: optional(listOf(keys({ content: anthropicShape }))) }),
  system: systemShape,
})

const sessionShape = keys({ sessionId: 'string' })
const recordedShape = keys({ sessionId: 'string', uuid: 'string', isSidechain: 'boolean' })
const printedShape = keys({ session_id: 'string' })
const saidShape = both(printedShape, keys({ parent_tool_use_id: 'string|null' }))

/**
 * The keys that say to which transcript a record belongs. Printed streams have no tree, and other programs record fewer
 * keys.
 */
function frameOf({ type, userType, sessionId }: JsonObject): Shape {
  if (userType !== undefined) return recordedShape
  if (sessionId !== undefined) return sessionShape
  return type === 'system' ? printedShape : saidShape
}

/** @param linked the kinds of records that are part of a conversation */
export function recordShapeOf(linked: ReadonlySet<unknown>): Shape {
  return (value) => {
    const record = objectOf(value) ?? {}
    return linked.has(record.type) ? (frameOf(record)(record) ?? kindShape(record)) : null
  }
}
