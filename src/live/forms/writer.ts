/** Lets a reader's mapping write to an agent's window in place of a transcript. */
import type { Message } from '../../model/message.ts'
import type { TranscriptWriter } from '../../readers/reader.ts'
import { textBlocks } from '../../readers/wire/blocks.ts'
import type { Beside, Sink } from './form.ts'

/**
 * For messages that have their system prompt beside them.
 * @returns what writes the preamble when it is called for the first time, with the system messages that lead the others
 */
export function preambleOnce({ system, tools }: Beside, sink: Sink): (leading?: readonly Message[]) => void {
  let isWritten = false
  return (leading = []) => {
    if (isWritten) return
    isWritten = true
    const beside: Message[] =
      typeof system === 'string' ? [{ role: 'system', line: 1, blocks: textBlocks(system) }] : []
    sink.preamble({ system: [...beside, ...leading], ...(tools && { tools }), complete: true })
  }
}

export function writerTo(sink: Sink): TranscriptWriter {
  let length = 0
  return {
    get length() {
      return length
    },
    preamble: (preamble) => sink.preamble(preamble),
    message(message) {
      length++
      sink.message(message)
    },
    // A summary of the API's own stands in the history as what it is.
    compaction: ({ summary }) => {
      for (const message of summary) {
        length++
        sink.message(message)
      }
    },
    // The rest of what transcripts record is of a session, and no message of an agent says it.
    describe: () => {},
    rewind: () => {},
    reset: () => {},
    resumed: () => {},
    clearing: () => {},
    sideCall: () => {},
    close: () => {},
  }
}
