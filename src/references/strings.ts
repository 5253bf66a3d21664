/** Strings that outlive the text they were cut from. */
import type { Message } from '../model/message.ts'

/** V8 cuts a longer string as a view on the whole text, which would keep a file's text alive for a path in it. */
const shortestView = 13

/** The same string, not a view on a longer one: joining makes a new text, and the view is on that. Faster than a buffer. */
export function owned(text: string): string {
  return text.length < shortestView ? text : ` ${text}`.slice(1)
}

/** A number of 53 bits for the content of a message: equal for equal content, and by a rare chance for others (cyrb53). */
export function fingerprint(message: Message): number {
  let low = 0xdeadbeef
  let high = 0x41c6ce57
  for (const block of message.blocks) {
    const text = block.type === 'text' ? block.text : `${block.type}:${'bytes' in block ? block.bytes : 0}`
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      low = Math.imul(low ^ code, 2654435761)
      high = Math.imul(high ^ code, 1597334677)
    }
  }
  low = Math.imul(low ^ (low >>> 16), 2246822507) ^ Math.imul(high ^ (high >>> 13), 3266489909)
  high = Math.imul(high ^ (high >>> 16), 2246822507) ^ Math.imul(low ^ (low >>> 13), 3266489909)
  return 4294967296 * (2097151 & high) + (low >>> 0)
}
