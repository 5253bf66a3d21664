/**
 * Makes text harmless. Names and texts come from transcripts, which may be hostile: an ANSI escape repaints the terminal, a
 * bidi override reverses a name, a newline forges a row, and on GitHub Actions a line that begins with `::`, or has `##[`
 * anywhere, is a command to the runner. Invisible characters are shown as escapes. Joiners stay, because scripts and emoji
 * need them; of a sequence of combining marks the first eight stay.
 */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}|(?<=\p{M}{8})\p{M}|(?<!\S):(?=:)|#(?=#\[)/gu

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The text on one line, with everything that is not visible as an escape. */
export function safe(text: string): string {
  return text.replace(unsafe, (character) => short[character] ?? escapeOf(character))
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) as number
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
}

/** JSON text that is harmless on a terminal and in a CI log, and parses to the same values. */
export function safeJson(json: string): string {
  // JSON escapes control characters below U+0020 itself; the line breaks of the layout stay.
  return json.replace(/[\u007f-\u009f\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}|#(?=#\[)/gu, escapeInJson)
}

/**
 * A whole output, keeping line breaks and ctxwin's own colours: the last guard before a terminal, for text that was not
 * made safe before. Inside JSON, what it escapes still parses to the same string.
 */
export function safeScreen(text: string): string {
  return text.replace(
    /\u001b\[(?:1|2|4|22|24|31|32|33|39)m|(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu,
    (found) => (found.length > 2 ? found : escapeInJson(found)),
  )
}

function escapeInJson(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')
}
