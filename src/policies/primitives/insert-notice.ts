/**
 * `insert-notice`: behind other steps of a composition: a message in front of the window says how many messages are gone,
 * and follows as more go. It is priced like any other message. A moving number at the front breaks the prompt cache, but
 * so did the cut that moved it.
 * Law: sticky; it looks at no budget.
 */
import { choice, text } from '../../base/param.ts'
import { definePolicy, type Entry, type Window } from '../policy.ts'

/** One message of the policy's own at the front of the window. */
export class Notice {
  #entry: Entry | null = null
  #text: string | null = null
  readonly #role: 'system' | 'user'

  constructor(role: 'system' | 'user' = 'system') {
    this.#role = role
  }

  /** Makes the notice say this, or takes it away. */
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
  summary: 'after a cut, say in front of the window how many messages are gone',
  source: 'duragent, Context Window Management, layer 2, truncation notice',
  params: {
    text: text({
      default: '[conversation truncated — {count} older messages omitted]',
      help: 'what it says; {count} is the number of messages that are gone',
    }),
    role: choice({ default: 'system', of: ['system', 'user'], help: 'whose message it is' }),
  },
  kind: 'sticky',
  monotone: false,
  wholePairs: true,
  part: true,
  inserts: true,
  text: false,
  start({ text, role }) {
    const notice = new Notice(role)
    return {
      request(window) {
        notice.set(window, window.omitted > 0 ? text.replaceAll('{count}', String(window.omitted)) : null)
      },
    }
  },
})
