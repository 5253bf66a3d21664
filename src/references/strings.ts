/** Strings that outlive the text they were cut from. */
import { fingerprint as fingerprintOf } from '../base/fingerprint.ts'
import type { Message } from '../model/message.ts'

/** V8 cuts a longer string as a view on the whole text, which would keep a file's text alive for a path in it. */
const shortestView = 13

/** The same string, not a view on a longer one: joining makes a new text, and the view is on that. Faster than a buffer. */
export function owned(text: string): string {
  return text.length < shortestView ? text : ` ${text}`.slice(1)
}

/** A number for the content of a message. */
export function fingerprint({ blocks }: Message): number {
  return fingerprintOf(
    blocks.map((block) => (block.type === 'text' ? block.text : `${block.type}:${'bytes' in block ? block.bytes : 0}`)),
  )
}
