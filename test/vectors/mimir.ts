import { type Message, textOf } from '../../src/model/message.ts'
import { pruneOnce } from '../../src/policies/systems/mimir-shipped.ts'
import { messageTokens, programCounter, protectedMessages, pruneThreshold } from '../../src/policies/upstream/mimir.ts'
import type { EditableWindow } from '../../src/simulator/window.ts'
import { type Json, messageOf, messagesOf, windowOf } from './window.ts'

interface Sized {
  readonly pattern: string
  readonly content_bytes_each: number
  readonly content_bytes_override?: Readonly<Record<string, number>>
  readonly max_tokens: number
}

/** All keys of the inputs of mimir's cases; a case has those that its function needs. */
interface Input extends Sized {
  readonly content: string
  readonly messages_from_current_request: number
  readonly first: Sized & { readonly messages_from_current_request?: number }
  readonly then_append: string
  readonly messages_len: number
  readonly initial_message_count: number
}

/** The message list, with a system prompt in the preamble; `more` is appended without pruning. */
function windowFor(input: Sized): { window: EditableWindow; system: string } {
  const list = messagesOf(input.pattern, (index) =>
    'x'.repeat(input.content_bytes_override?.[index] ?? input.content_bytes_each),
  )
  const system = list[0]?.role === 'system' ? (list.shift() as Message) : null
  const window = windowOf(list, {
    budget: input.max_tokens,
    preamble: system ? messageTokens(system) : 0,
    tokens: programCounter,
  })
  return { window, system: system ? 's' : '' }
}

function patternOf(window: EditableWindow, letters: string): string {
  let pattern = ''
  for (let item = window.first; item; item = item.next) pattern += item.index < 0 ? 'M' : letters[item.index]
  return pattern
}

function markerOf(window: EditableWindow): string | null {
  return window.first && window.first.index < 0 ? textOf(window.first.message as Message) : null
}

export const mimir: Readonly<Record<string, (input: Input) => Json>> = {
  threshold: ({ max_tokens }) => ({ threshold: pruneThreshold(max_tokens, 0.8) }),
  message_tokens: ({ content }) => ({ tokens: messageTokens(messageOf({ role: 'user', content })) }),
  messages_from_current_request: ({ messages_len, initial_message_count }) => ({
    value: protectedMessages(messages_len, initial_message_count),
  }),
  prune: (input) => {
    const { window, system } = windowFor(input)
    const threshold = pruneThreshold(input.max_tokens, 0.8)
    const before = window.tokens
    const skipped = pruneOnce(window, input.messages_from_current_request)
    return {
      tokens_before: before,
      threshold,
      pruned: skipped > 0,
      skipped,
      result_pattern: system + patternOf(window, input.pattern.slice(system.length)),
      marker: markerOf(window),
      tokens_after: window.tokens,
      still_over: window.tokens > threshold,
    }
  },
  // Appended messages have the size of the first ones, so the window is made with all of them and cut twice.
  prune_twice: ({ first, then_append }) => {
    const { window, system } = windowFor(first)
    pruneOnce(window, first.messages_from_current_request ?? 6)
    const firstMarker = markerOf(window)
    for (const message of messagesOf(then_append, () => 'x'.repeat(first.content_bytes_each))) {
      window.insert(null, message)
    }
    const skipped = pruneOnce(window, first.messages_from_current_request ?? 6)
    return {
      first_marker: firstMarker,
      second_pruned: skipped > 0,
      second_marker: skipped > 0 ? markerOf(window) : null,
      second_len: window.count + system.length,
    }
  },
}
