/** Lets a reader's mapping write to an agent's window in place of a transcript. */
import type { TranscriptWriter } from '../../readers/reader.ts'
import type { Sink } from './form.ts'

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
