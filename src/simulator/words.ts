/** What `history` shows of an exchange: its messages and calls, in a few words each. */

import { wordsIn } from '../base/words.ts'
import type { Exchange } from '../model/exchanges.ts'
import { firstWords } from '../model/first-words.ts'
import type { HistoryLine } from '../model/history.ts'
import { textOf } from '../model/message.ts'
import type { Redaction } from '../model/redaction.ts'
import type { Trace } from '../model/trace.ts'
import type { InsideMessage } from './contents.ts'

/**
 * The user's first words, on one line, of a trace with its messages.
 * @param prompt index of the message that starts an exchange
 */
export function titleOf({ messages, redaction }: Trace, prompt: number): string {
  const message = messages?.[prompt]
  return message ? redaction.text(firstWords(textOf(message))) : ''
}

/** What `history --exchanges` and `export` both say of an exchange. */
export function factsOf(trace: Trace, { from, to, state }: Exchange) {
  let toolCalls = 0
  for (let index = from; index < to; index++) toolCalls += trace.callCount(index)
  return { state, title: titleOf(trace, from), requests: trace.requestFrom(to) - trace.requestFrom(from), toolCalls }
}

/** The lines that `history` shows of an exchange: messages and calls, without what the harness added. */
export function linesOf(entries: readonly InsideMessage[], { head, redaction }: Trace): HistoryLine[] {
  const lines: HistoryLine[] = []
  const shortened = new Set<string>()
  for (const { message, replaced } of entries) {
    if (replaced && message.callId !== undefined) shortened.add(message.callId)
  }
  for (const { index, message } of entries) {
    const text = redaction.text(firstWords(textOf(message)))
    if (index < 0) lines.push({ kind: 'inserted', text })
    else if (message.role === 'user' && message.origin !== 'injected') lines.push({ kind: 'user', text })
    else if (message.role === 'assistant') {
      const calls = message.blocks.filter((block) => block.type === 'call')
      if (text !== '') lines.push({ kind: calls.length > 0 ? 'aside' : 'assistant', text })
      for (const { id, name, input } of calls) {
        const target = targetOf(input, head.cwd, redaction)
        lines.push({ kind: 'tool', name: redaction.tool(name), target, shortened: shortened.has(id) })
      }
    }
  }
  return lines
}

const targetFields = wordsIn('command cmd file_path filePath filename notebook_path pattern query path url description')

/** What a call works on, in a few words: its command, its file (relative to `cwd`), its query. Null if it has none. */
function targetOf(input: unknown, cwd: string | null, redaction: Redaction): string | null {
  const fields = typeof input === 'string' ? parsed(input) : input
  if (typeof fields !== 'object' || fields === null) return null
  for (const field of targetFields) {
    const value: unknown = Object.hasOwn(fields, field) ? fields[field as keyof typeof fields] : undefined
    const given = Array.isArray(value) ? value.filter((word) => typeof word === 'string').join(' ') : value
    if (typeof given === 'string' && given.trim() !== '') {
      const text = redaction.text(given)
      const inside = cwd !== null && cwd !== '' && text.startsWith(`${cwd}/`)
      return firstWords(inside ? text.slice(cwd.length + 1) : text)
    }
  }
  return null
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return null
  }
}
