/**
 * Infers what Claude Code restores into the context after the summary of a compaction. Versions that write `attachment`
 * records show it. Older ones (up to 2.1.4x) do not record it, but it follows from what they do record, by rules derived
 * from about eighty compactions with recorded usage:
 *
 * - Five of the files that the agent has read or written: first the edited ones, the latest edit first, then those only
 *   read, the latest read first. A file of more than 5,000 tokens is only named.
 * - The skills that were invoked.
 */

import { type JsonObject, objectOf, stringOf } from '../../../base/json.ts'
import type { Message } from '../../../model/message.ts'
import { unreadText } from '../../wire/unread.ts'
import { readCall, tooLarge } from './shown.ts'

const mostFiles = 5
/** The limit of 5,000 Claude tokens in characters of source code. */
const largest = 14_500
/**
 * Tokens of a file that the agent knew before the file of its session begins. It is what one of five restored files took
 * in 82 compactions of six projects, those that are only named among them.
 */
const unseenTokens = 1_300
/** How many files to remember, the same number as Claude Code. */
const mostKnown = 100

export interface KnownFile {
  /** Null if it is too large to be restored. */
  readonly text: string | null
  /** Number of its last edit, 0 if it was only read. Edits and reads are numbered through the session. */
  readonly edited: number
  readonly touched: number
}

/** Tokens of lists, reminders and the output of hooks, which are not recorded: the middle of what was seen. */
const otherTokens = 1_000

const skillMark = 'Base directory for this skill: '

export interface PlainRestored {
  readonly files: ReadonlyMap<string, KnownFile>
  readonly skills: ReadonlyMap<string, string>
  readonly touches: number
}

export class Restored {
  readonly #files: Map<string, KnownFile>
  readonly #skills: Map<string, string>
  #touches: number

  /** @param plain what was known when it was written down; default: nothing */
  constructor(plain?: PlainRestored) {
    this.#files = new Map(plain?.files)
    this.#skills = new Map(plain?.skills)
    this.#touches = plain?.touches ?? 0
  }

  /** The beginning is missing: the agent knows files that no record shows. All that are shown are newer. */
  beginWithoutHead(): void {
    for (let nth = 1; nth <= mostFiles; nth++) {
      const text = unreadText('a file that was known before this file begins', unseenTokens)
      this.#files.set(`unseen file ${nth}`, { text, edited: 0, touched: -nth })
    }
  }

  plain(): PlainRestored {
    return { files: this.#files, skills: this.#skills, touches: this.#touches }
  }

  /** Notes the file that a tool read or wrote, as recorded beside its result (`toolUseResult`). */
  tool(result: unknown): void {
    const object = objectOf(result)
    const read = objectOf(object?.file)
    if (read && typeof read.filePath === 'string' && typeof read.content === 'string') this.#read(read.filePath, read)
    else if (object && typeof object.filePath === 'string') this.#written(object.filePath, object)
  }

  /** Notes a skill: its text begins with its directory. */
  skill(text: string): void {
    if (text.startsWith(skillMark)) this.#skills.set(text.slice(0, text.indexOf('\n')), text)
  }

  /** The messages restored after a compaction at this line. Afterwards only their files are remembered. */
  messages(line: number): Message[] {
    const files = [...this.#files].sort(([, a], [, b]) => b.edited - a.edited || b.touched - a.touched)
    const kept = files.slice(0, mostFiles)
    this.#files.clear()
    for (const [path, file] of kept.toReversed()) if (file.text !== null) this.#files.set(path, file)
    return [
      ...kept.map(([path, { text }]) => reminder(text === null ? tooLarge(path) : shown(path, text), line)),
      ...[...this.#skills.values()].map((text) => reminder(text, line)),
      reminder(unreadText('lists, reminders and the output of hooks, of which nothing is recorded', otherTokens), line),
    ]
  }

  #read(path: string, { content, numLines, totalLines }: JsonObject): void {
    const text = content as string
    const lines = typeof totalLines === 'number' ? totalLines : 1
    const share = typeof numLines === 'number' && numLines > 0 ? lines / numLines : 1
    const before = this.#files.get(path)
    // If only a part was read and the whole file is not known, the rest is assumed to be like the part.
    const known = share > 1 && before ? before.text : repeated(text, Math.max(1, share))
    this.#add(path, known, before?.edited ?? 0)
  }

  #written(path: string, { originalFile, content, oldString, newString, replaceAll }: JsonObject): void {
    let text: string | undefined
    if (typeof content === 'string') text = content
    else if (typeof originalFile === 'string') {
      const [before, after] = [stringOf(oldString), stringOf(newString)]
      // A function, because `$` in a replacement string has a special meaning.
      if (before === undefined || after === undefined) text = originalFile
      else if (replaceAll === true) text = originalFile.replaceAll(before, () => after)
      else text = originalFile.replace(before, () => after)
    }
    if (text !== undefined) this.#add(path, text.length > largest ? null : text, this.#touches + 1)
  }

  #add(path: string, text: string | null, edited: number): void {
    // These files are in every request anyway, and not restored.
    if (/(?:^|[\\/])CLAUDE(?:\.local)?\.md$/.test(path)) return
    this.#files.delete(path)
    this.#files.set(path, { text, edited, touched: ++this.#touches })
    if (this.#files.size > mostKnown) this.#files.delete(this.#files.keys().next().value as string)
  }
}

/** The text repeated `share` times (a fraction); null if that is too long. */
function repeated(text: string, share: number): string | null {
  const length = Math.round((text.length + 1) * share) - 1
  if (length > largest) return null
  return `${text}\n`.repeat(Math.ceil(share)).slice(0, length)
}

function shown(path: string, text: string): string {
  const lines = text.split('\n').map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
  return readCall(path, lines.join('\n'))
}

function reminder(text: string, line: number): Message {
  const blocks = [{ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }] as const
  return { role: 'user', line, blocks, origin: 'injected' }
}
