/**
 * `insert-notice`: a step after others in a composition. A message at the front of the window says how many messages
 * are gone, and is updated as more leave. It costs tokens like any other message. Each update breaks the prompt cache,
 * but so does the cut that causes it. Law: sticky; it ignores the budget.
 */
import { choice, text } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'

/** The notice: one inserted message at the front of the window. */
export class Notice {
  #entry: Entry | null = null
  #text: string | null = null
  readonly #role: 'system' | 'user'

  constructor(role: 'system' | 'user' = 'system') {
    this.#role = role
  }

  /** Sets the text of the notice, or removes it for null. */
  set(window: Window, text: string | null): void {
    const entry = this.#entry
    if (entry?.inside) {
      if (text === this.#text && window.first === entry) return
      window.drop(entry, entry)
    }
    this.#text = text
    this.#entry =
      text === null ? null : window.insert(window.first, { role: this.#role, blocks: [{ type: 'text', text }] })
  }
}

export default definePolicy({
  name: 'insert-notice',
  summary: 'after a cut, insert a notice in front that says how many messages are gone',
  source: 'duragent, Context Window Management, layer 2, truncation notice',
  params: {
    text: text({
      default: '[conversation truncated — {count} older messages omitted]',
      help: 'the text of the notice; {count} becomes the number of messages that are gone',
    }),
    role: choice({ default: 'system', of: ['system', 'user'], help: 'the role of the notice' }),
  },
  wholePairs: true,
  part: true,
  inserts: true,
  start({ text, role }) {
    const notice = new Notice(role)
    return {
      request(window) {
        notice.set(window, window.omitted > 0 ? text.replaceAll('{count}', String(window.omitted)) : null)
      },
    }
  },
})
