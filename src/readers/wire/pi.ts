/**
 * pi's messages as canonical ones, with the words in which it sends what is no message: summaries, commands and files. A response
 * with an error and no tokens was never part of the context.
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { parsedJson } from '../../base/json-text.ts'
import type { Block } from '../../model/message.ts'
import { callBlock, jsonBlock, opaque, textBlocks, urlBlock } from './blocks.ts'
import { OpenCalls } from './calls.ts'
import type { Draft } from './conversations.ts'
import { responseBlocks } from './responses.ts'
import { piUsage } from './usage.ts'

export class PiMapping {
  readonly #calls = new OpenCalls()
  /** The agent is still working: its newest response called tools. */
  #works = false

  /** @returns nothing for what no model is sent */
  message(message: JsonObject, line: number): Draft | undefined {
    switch (message.role) {
      case 'user': {
        const user: Draft = { role: 'user', line, blocks: contentOf(message.content) }
        if (this.#works) user.origin = 'queued'
        return user
      }
      case 'assistant':
        return this.#response(message, line)
      case 'toolResult': {
        const answered = this.#calls.answer(stringOf(message.toolCallId) ?? '', stringOf(message.toolName))
        const result: Draft = { role: 'tool', line, blocks: contentOf(message.content), ...answered }
        if (message.isError === true) result.isError = true
        return result
      }
      case 'system':
        return undefined
      case 'fileMention':
        return injected(mentionText(message), line)
      case 'bashExecution':
        return message.excludeFromContext === true ? undefined : injected(commandText(message), line)
      case 'branchSummary':
        return injected(summaryText('branch', message.summary), line)
      case 'compactionSummary':
        return injected(summaryText('compaction', message.summary), line)
      default:
        return injected(contentOf(message.content), line)
    }
  }

  #response(message: JsonObject, line: number): Draft | undefined {
    const usage = piUsage(message.usage)
    this.#works = message.stopReason === 'toolUse'
    if (isFailed(message)) return undefined
    const model = stringOf(message.model)
    const responseId = stringOf(message.responseId)
    const blocks = this.#calls.make(contentOf(message.content))
    const response: Draft = { role: 'assistant', line, blocks }
    if (usage) response.usage = usage
    if (model !== undefined) response.model = model
    if (responseId !== undefined) response.responseId = responseId
    return response
  }
}

/** Whether the request was never answered. */
export function isFailed(message: JsonObject): boolean {
  return Boolean(stringOf(message.errorMessage)) && !piUsage(message.usage)
}

/** A message in the user's name that starts no exchange. */
export function injected(blocks: Block[], line: number): Draft {
  return { role: 'user', line, blocks, origin: 'injected' }
}

export function contentOf(content: unknown): Block[] {
  return Array.isArray(content) ? content.flatMap(partBlocks) : textBlocks(content)
}

function partBlocks(value: unknown): Block[] {
  const part = objectOf(value)
  if (!part) return textBlocks(value)
  switch (part.type) {
    case 'text':
      return typeof part.text === 'string' ? [{ type: 'text', text: part.text }] : [jsonBlock(part)]
    case 'thinking':
      return thoughtBlocks(part)
    case 'toolCall':
      return [callBlock(part.id, part.name, part.arguments ?? {})]
    case 'image':
      return [urlBlock('image', `data:${stringOf(part.mimeType) ?? ''};base64,${stringOf(part.data) ?? ''}`)]
    default:
      return [jsonBlock(part)]
  }
}

/** The signature goes back to the provider: OpenAI's is the whole item, Anthropic's contains redacted reasoning. */
function thoughtBlocks(part: JsonObject): Block[] {
  const signature = stringOf(part.thinkingSignature)
  const item = signature?.startsWith('{') ? objectOf(parsedJson(signature)) : undefined
  if (item) return responseBlocks({ ...item, type: 'reasoning' }) ?? []
  if (signature && (part.redacted === true || part.thinking === '')) return [opaque(signature)]
  return typeof part.thinking === 'string' ? [{ type: 'thinking', text: part.thinking }] : [jsonBlock(part)]
}

const headings = {
  branch: 'The following is a summary of a branch that this conversation came back from:',
  compaction: 'The conversation history before this point was compacted into the following summary:',
} as const

export function summaryText(of: keyof typeof headings, summary: unknown): Block[] {
  const end = of === 'branch' ? '</summary>' : '\n</summary>'
  return textBlocks(`${headings[of]}\n\n<summary>\n${stringOf(summary) ?? ''}${end}`)
}

/** A command that the user ran with `!`, in the words in which pi sends it to the model. */
function commandText({ command, output, cancelled, exitCode, truncated, fullOutputPath }: JsonObject): Block[] {
  const text = stringOf(output) ? `\`\`\`\n${output}\n\`\`\`` : '(no output)'
  const failed = typeof exitCode === 'number' && exitCode !== 0 ? `\n\nCommand exited with code ${exitCode}` : ''
  const path = truncated === true ? stringOf(fullOutputPath) : undefined
  const rest = path ? `\n\n[Output truncated. Full output: ${path}]` : ''
  const end = cancelled === true ? '\n\n(command cancelled)' : failed
  return textBlocks(`Ran \`${stringOf(command) ?? ''}\`\n${text}${end}${rest}`)
}

/** Files that the user named with `@`, in oh-my-pi's words. */
function mentionText({ files }: JsonObject): Block[] {
  const texts = itemsOf(files).map((file) => {
    const { path, content } = objectOf(file) ?? {}
    return `<file path="${stringOf(path) ?? ''}">\n${stringOf(content) ?? ''}\n</file>`
  })
  return textBlocks(`<system-reminder>\n${texts.join('\n\n')}\n</system-reminder>`)
}
