/**
 * What stands in a program that an agent writes instead of calls: since 2026 Codex has one tool, `exec`, and calls the
 * others from JavaScript (`tools.exec_command({cmd: "…"})`, `tools.apply_patch(patch)`). Its strings say what it reads
 * and changes; it is not run, and whatever it puts together from parts is not seen.
 */

export interface ProgramText {
  /** Of `cmd` and `command`. */
  readonly commands: readonly string[]
  readonly patches: readonly string[]
}

/** What opens a string, or a comment: that may hold an apostrophe, which opens no string. */
const opening = /["'`]|\/[/*]/g
/** By quote: what closes its string, or stands in front of an escaped character. */
const closing: Readonly<Record<string, RegExp>> = { '"': /["\\]/g, "'": /['\\]/g, '`': /[`\\]/g }
const commandKey = /(?:^|[{,\s])["']?(?:cmd|command)["']?\s*:\s*$/
/** So far in front of a string its key is looked for. */
const reach = 40

const escapes: Readonly<Record<string, string>> = { n: '\n', t: '\t', r: '\r', b: '\b', f: '\f', v: '\v', 0: '\0' }

/** @returns null for what is no such program */
export function programText(input: unknown): ProgramText | null {
  if (typeof input !== 'string' || !/\btools\.\w+\(/.test(input)) return null
  const commands: string[] = []
  const patches: string[] = []
  opening.lastIndex = 0
  for (let found = opening.exec(input); found !== null; found = opening.exec(input)) {
    const { 0: mark, index: at } = found
    if (mark === '//') opening.lastIndex = endOf(input, '\n', at)
    else if (mark === '/*') opening.lastIndex = endOf(input, '*/', at)
    else {
      const { text, end } = stringFrom(input, at)
      if (text.includes('*** Begin Patch')) patches.push(text)
      else if (commandKey.test(input.slice(Math.max(0, at - reach), at))) commands.push(text)
      opening.lastIndex = end
    }
  }
  return { commands, patches }
}

/** Behind the mark, or behind all where it does not come. */
function endOf(input: string, mark: string, from: number): number {
  const found = input.indexOf(mark, from)
  return found < 0 ? input.length : found + mark.length
}

/** The string that opens at `from`, and what comes behind it. */
function stringFrom(input: string, from: number): { readonly text: string; readonly end: number } {
  const close = closing[input[from] as string] as RegExp
  const parts: string[] = []
  let begin = from + 1
  for (;;) {
    close.lastIndex = begin
    let at = close.exec(input)?.index ?? input.length
    parts.push(input.slice(begin, at))
    if (input[at] !== '\\') return { text: parts.join(''), end: at + 1 }
    at++
    const code = /^(?:u([\da-fA-F]{4})|x([\da-fA-F]{2}))/.exec(input.slice(at, at + 5))
    const digits = code?.[1] ?? code?.[2]
    if (digits !== undefined) {
      parts.push(String.fromCharCode(Number.parseInt(digits, 16)))
      at += digits.length
    } else parts.push(escapes[input[at] as string] ?? (input[at] === '\n' ? '' : (input[at] ?? '')))
    begin = at + 1
  }
}
