/** Strings that are kept longer than the text they were cut from. */
import { fingerprint as fingerprintOf } from '../base/fingerprint.ts'
import type { Message } from '../model/message.ts'

/** V8 makes substrings from this length on views of the whole text, so a path would keep its file's text in memory. */
const shortestView = 13

/** The same string, not as a view of a longer text: concatenation creates a new one. Faster than through a buffer. */
export function owned(text: string): string {
  return text.length < shortestView ? text : ` ${text}`.slice(1)
}

/** A number for the content of a message. */
export function fingerprint({ blocks }: Message): number {
  return fingerprintOf(
    blocks.map((block) => (block.type === 'text' ? block.text : `${block.type}:${'bytes' in block ? block.bytes : 0}`)),
  )
}
