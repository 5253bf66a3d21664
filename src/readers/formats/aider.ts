/**
 * Aider's chat history: Markdown, of which `lines/aider-history.ts` makes a record a line. Read from Aider-AI/aider@5dc9490bb (io.py,
 * and how utils.py reads it back) on 2026-11-23.
 *
 * - What the user typed stands behind `####`, what aider said behind `>`, and what stands alone is the model's. A quotation in a
 *   response looks like words of aider: it ends the response there, and aider itself reads it no better.
 * - Each start of aider begins a chat of its own. Commands (`/add`, `!ls`) are for aider, but for those that ask the model.
 * - Files, the map of the repository and the system prompt are sent with each request and not recorded, and counts of tokens are
 *   rounded to hundreds: the size of what was sent cannot be known from such a file.
 */
import { setOf } from '../../base/words.ts'
import { recordReader, Underway } from '../frames.ts'
import { bad, type Outcome, unknown } from '../reader.ts'
import { textBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { Session } from '../wire/session.ts'
import { keys } from '../wire/shape.ts'

const speakers = setOf('started user tool assistant')

export default recordReader({
  name: 'aider',
  program: 'aider',
  summary: "Aider's chat history",
  source: '.aider.chat.history.md of a repository',
  shapes: [['aider', 'text']],
  shape: keys({ aider: 'string', text: 'string' }),
  recognise: ({ aider }) => speakers.has(aider),
  begin: (context) => new Lines(context),
  record: ({ aider, text }, { line }, lines) => lines.add(aider, text, line),
  end: (lines) => lines.end(),
})

/** Commands whose words go to the model. */
const asks = /^\/(?:ask|architect|code|context|help)\s+/

class Lines extends Underway {
  #session = new Session()
  #started: string | null = null
  #model: string | undefined
  /** Whose lines are being read, where they began, and the lines. */
  #speaker = ''
  #from = 0
  #lines: string[] = []

  add(speaker: unknown, text: unknown, line: number): Outcome {
    if (typeof speaker !== 'string' || typeof text !== 'string') return bad
    if (!speakers.has(speaker)) return unknown(speaker)
    // Blank lines in front of what somebody says are not theirs.
    if (text.trim() === '' && (this.#speaker !== 'assistant' || this.#lines.length === 0)) return 'no-context'
    if (speaker !== this.#speaker) {
      this.#endPart()
      this.#speaker = speaker
      this.#from = line
    }
    if (speaker === 'started') {
      this.#endChat()
      this.#started = text
      return 'no-context'
    }
    if (speaker === 'tool') {
      this.#model = /^(?:Main model|Model): (\S+)/.exec(text)?.[1] ?? this.#model
      return 'no-context'
    }
    this.#lines.push(text)
    return 'used'
  }

  end(): void {
    this.#endPart()
    this.#endChat()
  }

  #endPart(): void {
    const text = this.#lines.join('\n').trim()
    this.#lines = []
    if (text === '') return
    const mark = { line: this.#from }
    if (this.#speaker === 'assistant') this.#session.response(textBlocks(text), { ...mark, model: this.#model })
    else if (asks.test(text) || !/^[/!]/.test(text))
      this.#session.prompt(textBlocks(text.replace(asks, '')), this.#timed(mark))
  }

  /** The first prompt has the time at which the chat began; no other is recorded. */
  #timed(mark: { readonly line: number }) {
    return this.#session.length === 0 ? { ...mark, time: timeOf(this.#started) } : mark
  }

  #endChat(): void {
    if (this.#session.length > 0) this.#session.write(this.context, { conversation: this.#started })
    this.#session = new Session()
  }
}
