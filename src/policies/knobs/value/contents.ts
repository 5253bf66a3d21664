/**
 * What the signals look at in a message: its lines, the names in it, and what its calls are about, as hashes. A message
 * is looked through once, however many policies are tried on its transcript, and nothing of its text is kept.
 */
import type { Block, Message } from '../../../model/message.ts'

/** What a call does with what it names. */
export const deeds = ['read', 'search', 'shell', 'edit', 'other'] as const
export type Deed = (typeof deeds)[number]

interface CallContents {
  readonly id: string
  readonly deed: Deed
  /** The names in its short arguments. */
  readonly about: readonly number[]
}

export interface Contents {
  /** Of its long lines, and of the names in it; each once. */
  readonly lines: readonly number[]
  readonly names: readonly number[]
  readonly calls: readonly CallContents[]
  readonly shares: Shares
}

/** The shares of a message's characters that are arguments of calls, and reasoning. */
export interface Shares {
  readonly inputs: number
  readonly thoughts: number
}

/** A line with fewer characters, white space aside, is in many messages and says nothing. */
const shortest = 20
/** A longer log is known by its first lines. */
const mostLines = 3000
/** A longer argument is content: a written file, a patch. */
const longestName = 500

const known = new WeakMap<Message, Contents>()

export function contentsOf(message: Message): Contents {
  let contents = known.get(message)
  if (!contents) {
    contents = read(message)
    known.set(message, contents)
  }
  return contents
}

function read({ blocks }: Message): Contents {
  const [lines, names] = [new Set<number>(), new Set<number>()]
  const calls: CallContents[] = []
  let [all, inputs, thoughts] = [0, 0, 0]
  for (const block of blocks) {
    if (block.type === 'call') {
      const about = new Set<number>()
      for (const text of textsIn(block.input)) {
        all += text.length
        inputs += text.length
        scan(text, lines, names)
        if (text.length <= longestName) scan(text, null, about)
      }
      calls.push({ id: block.id, deed: deedOf(block), about: [...about] })
    } else if (block.type === 'text') {
      all += block.text.length
      scan(block.text, lines, names)
    } else {
      const bytes = block.type === 'thinking' ? block.text.length : block.bytes
      all += bytes
      if (block.type === 'thinking' || block.type === 'opaque') thoughts += bytes
    }
  }
  const of = (part: number) => (all === 0 ? 0 : part / all)
  const shares = { inputs: of(inputs), thoughts: of(thoughts) }
  return { lines: [...lines], names: [...names], calls, shares }
}

/** The texts among the arguments of a call. Arguments may be recorded as the JSON that the model wrote. */
function* textsIn(input: unknown): Generator<string> {
  if (typeof input === 'string') {
    if (!/^\s*[{[]/.test(input)) yield input
    else {
      try {
        yield* textsIn(JSON.parse(input))
      } catch {
        yield input
      }
    }
  } else if (input !== null && typeof input === 'object') {
    for (const value of Object.values(input)) {
      if (typeof value === 'string') yield value
      else if (typeof value === 'object') yield* textsIn(value)
    }
  }
}

function deedOf({ name, input }: Extract<Block, { readonly type: 'call' }>): Deed {
  if (/edit|write|patch|replace|insert|create_file/i.test(name) && !/stdin|todo/i.test(name)) return 'edit'
  if (/bash|shell|exec|command|terminal|stdin/i.test(name)) {
    const [command = ''] = textsIn(input)
    return deedOfCommand(command)
  }
  if (/web|fetch|http|browser/i.test(name)) return 'other'
  if (/grep|glob|search|find|list|^ls$/i.test(name)) return 'search'
  return /read|view|cat|open/i.test(name) ? 'read' : 'other'
}

/** A shell reads, searches and edits, too: the first word of what it runs behind `cd` says so. */
function deedOfCommand(command: string): Deed {
  if (/apply_patch|\bsed -i|\btee |(^|[^<>])>\s*[\w./~]/.test(command)) return 'edit'
  const [, first = ''] = /^\s*(?:cd [^&;]+(?:&&|;)\s*)?(\w+)/.exec(command) ?? []
  if (/^(cat|sed|head|tail|nl|less|bat)$/.test(first)) return 'read'
  return /^(rg|grep|find|ls|fd|tree|ag)$/.test(first) ? 'search' : 'shell'
}

/** FNV-1a (Fowler, Noll and Vo), a character at a time. */
const [offset, prime] = [0x811c9dc5 | 0, 0x01000193]

/** What a character can be in: 1 a name, 2 white space, 4 the end of a line. */
const classes = Uint8Array.from({ length: 128 }, (_, code) => {
  if (code === 10) return 6
  if (code <= 32) return 2
  return /[\w./@~-]/.test(String.fromCharCode(code)) ? 1 : 0
})

/**
 * Adds what stands in a text. A line is what has no white space, and not the number or the sign that a tool puts in
 * front of it. A name is a path, or a word with a dot or with digits and letters, such as a file or a commit: its last
 * part counts, so that one file has one name however much of its path is said.
 */
function scan(text: string, lines: Set<number> | null, names: Set<number>): void {
  let [line, length, lineCount] = [offset, 0, 0]
  let [isFront, sawDigit] = [true, false]
  let start = -1
  for (let at = 0; at <= text.length; at++) {
    const code = at < text.length ? text.charCodeAt(at) : 10
    const kind = code < 128 ? (classes[code] as number) : 0
    if (kind === 1) {
      if (start < 0) start = at
    } else if (start >= 0) {
      addName(text, start, at, names)
      start = -1
    }
    if (lines === null) continue
    if ((kind & 4) !== 0) {
      if (length >= shortest && lineCount < mostLines) {
        lines.add(line)
        lineCount++
      }
      ;[line, length, isFront, sawDigit] = [offset, 0, true, false]
    } else if ((kind & 2) === 0) {
      if (isFront && code >= 48 && code <= 57) {
        sawDigit = true
        continue
      }
      // The arrow, colon or bar behind a line's number, and the sign of a diff.
      if (isFront && ((sawDigit && (code === 0x2192 || code === 58 || code === 124)) || code === 43 || code === 45)) {
        isFront = sawDigit
        continue
      }
      isFront = false
      line = Math.imul(line ^ code, prime)
      length++
    }
  }
}

function addName(text: string, from: number, to: number, names: Set<number>): void {
  let end = to
  while (end > from && isEdge(text.charCodeAt(end - 1))) end--
  let [hasDot, hasSlash, hasDigit, hasLetter] = [false, false, false, false]
  let start = from
  for (let at = from; at < end; at++) {
    const code = text.charCodeAt(at)
    if (code === 47) {
      hasSlash = true
      start = at + 1
    } else if (code === 46) hasDot ||= at > from
    else if (code >= 48 && code <= 57) hasDigit = true
    else if (code >= 65) hasLetter = true
  }
  const length = end - start
  if (length < 3 || length > 120 || !hasLetter) return
  if (!hasSlash && !hasDot && !(hasDigit && end - from >= 7)) return
  let hash = offset
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), prime)
  names.add(hash)
}

/** A dot, slash or dash at the end of a name belongs to the sentence. */
const isEdge = (code: number): boolean => code === 46 || code === 47 || code === 45
