/** A conversation whose beginning is not in the file. */
import type { Message } from '../../model/message.ts'
import type { TranscriptWriter } from '../reader.ts'

/** Begins a transcript with a placeholder for what came before. Only the provider's counts say how large that was. */
export function beginWithoutHead(writer: TranscriptWriter, line: number): void {
  writer.describe({ headless: true })
  writer.message(lostHead(line))
}

export function lostHead(line: number): Message {
  const text = '[what was said before this file begins]'
  return { role: 'user', line, blocks: [{ type: 'text', text }], origin: 'injected' }
}

/** What stands for a prompt that a stream leaves out. */
export const unrecordedPrompt = '[a prompt that is not recorded]'
