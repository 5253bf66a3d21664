/**
 * What Claude Code puts back into the context behind the summary of a compaction. Versions that write `attachment` records
 * show it; those before (to 2.1.4x) recorded none of it, but it follows from what they did record, by rules measured on
 * some eighty compactions with recorded usage:
 *
 * - The five files of the latest modification among those the agent has read or written: edited ones by their last edit,
 *   and behind them those only read, the latest read first. A file of more than 5,000 tokens is only named.
 * - The skills that were invoked.
 * - A session that is resumed has forgotten both, and what was put back in is gone as well.
 *
 * Tried and worse: the five read or edited last, whatever was done to them; files of which only a part was read left out.
 */
import type { Message } from '../../../model/message.ts'
import { type JsonObject, objectOf, stringOf } from '../../wire/blocks.ts'

const mostFiles = 5
/** 5,000 tokens of Claude's, in characters of source code. */
const largest = 14_500
/** Claude Code remembers no more of them either. */
const mostKnown = 100

interface KnownFile {
  /** Null where it is too large to be put back in. */
  readonly text: string | null
  /** When it was last edited: 0 for one that was only read. Edits and reads are numbered through the session. */
  readonly edited: number
  readonly touched: number
}

const skillMark = 'Base directory for this skill: '

export class Restored {
  readonly #files = new Map<string, KnownFile>()
  readonly #skills = new Map<string, string>()
  #touches = 0

  /** Looks at what a tool did, as Claude Code records it beside its result. */
  tool(result: unknown): void {
    const object = objectOf(result)
    const read = objectOf(object?.file)
    if (read && typeof read.filePath === 'string' && typeof read.content === 'string') this.#read(read.filePath, read)
    else if (object && typeof object.filePath === 'string') this.#written(object.filePath, object)
  }

  /** A skill's text begins with where it lies. */
  skill(text: string): void {
    if (text.startsWith(skillMark)) this.#skills.set(text.slice(0, text.indexOf('\n')), text)
  }

  forget(): void {
    this.#files.clear()
    this.#skills.clear()
  }

  /** The messages that a compaction at this line puts back in. The files among them are all that is known from then on. */
  messages(line: number): Message[] {
    const files = [...this.#files].sort(([, a], [, b]) => b.edited - a.edited || b.touched - a.touched)
    const kept = files.slice(0, mostFiles)
    this.#files.clear()
    for (const [path, file] of kept.toReversed()) if (file.text !== null) this.#files.set(path, file)
    return [
      ...kept.map(([path, { text }]) => reminder(text === null ? named(path) : shown(path, text), line)),
      ...[...this.#skills.values()].map((text) => reminder(text, line)),
    ]
  }

  #read(path: string, { content, numLines, totalLines }: JsonObject): void {
    const text = content as string
    const lines = typeof totalLines === 'number' ? totalLines : 1
    const share = typeof numLines === 'number' && numLines > 0 ? lines / numLines : 1
    const before = this.#files.get(path)
    // Of a part the rest is guessed to be like it, unless the whole is known already.
    const known = share > 1 && before ? before.text : repeated(text, Math.max(1, share))
    this.#add(path, known, before?.edited ?? 0)
  }

  #written(path: string, { originalFile, content, oldString, newString, replaceAll }: JsonObject): void {
    let text: string | undefined
    if (typeof content === 'string') text = content
    else if (typeof originalFile === 'string') {
      const [before, after] = [stringOf(oldString), stringOf(newString)]
      // Not by a string: in one that replaces, `$` has a meaning.
      if (before === undefined || after === undefined) text = originalFile
      else if (replaceAll === true) text = originalFile.replaceAll(before, () => after)
      else text = originalFile.replace(before, () => after)
    }
    if (text !== undefined) this.#add(path, text.length > largest ? null : text, this.#touches + 1)
  }

  #add(path: string, text: string | null, edited: number): void {
    // What stands in every request anyway is not put back in.
    if (/(?:^|[\\/])CLAUDE(?:\.local)?\.md$/.test(path)) return
    this.#files.delete(path)
    this.#files.set(path, { text, edited, touched: ++this.#touches })
    if (this.#files.size > mostKnown) this.#files.delete(this.#files.keys().next().value as string)
  }
}

/** So many times the text; null where that is too much. */
function repeated(text: string, share: number): string | null {
  const length = Math.round((text.length + 1) * share) - 1
  if (length > largest) return null
  return `${text}\n`.repeat(Math.ceil(share)).slice(0, length)
}

const named = (path: string): string =>
  `Note: ${path} was read before the last conversation was summarized, but the contents are too large to include. Use Read tool if you need to access it.`

function shown(path: string, text: string): string {
  const lines = text.split('\n').map((line, index) => `${String(index + 1).padStart(6)}→${line}`)
  return `Called the Read tool with the following input: {"file_path":${JSON.stringify(path)}}\nResult of calling the Read tool:\n${lines.join('\n')}`
}

function reminder(text: string, line: number): Message {
  const blocks = [{ type: 'text', text: `<system-reminder>\n${text}\n</system-reminder>` }] as const
  return { role: 'user', line, blocks, origin: 'injected' }
}
