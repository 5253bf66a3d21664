/**
 * Names and texts come from transcripts, and a transcript may be hostile: an ANSI escape repaints the terminal, a bidi
 * override turns a name around, a newline forges a row, and on GitHub Actions a line that begins with `::`, or has `##[`
 * anywhere, is a command to the runner. Everything invisible is shown as the escape a programmer would write. Joiners
 * stay, because scripts and emoji need them; of a pile of combining marks the first eight stay.
 */
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}|(?<=\p{M}{8})\p{M}|(?<!\S):(?=:)|#(?=#\[)/gu

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** The text with everything that is not plainly visible written as an escape: one line, whatever it was. */
export function safe(text: string): string {
  return text.replace(unsafe, (character) => short[character] ?? escapeOf(character))
}

function escapeOf(character: string): string {
  const code = character.codePointAt(0) as number
  const hex = code.toString(16)
  if (code < 0x100) return `\\x${hex.padStart(2, '0')}`
  return code < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`
}

/** JSON text whose strings are harmless on a terminal and in a job's log, and still the same strings once parsed. */
export function safeJson(json: string): string {
  // JSON escapes controls below U+0020 itself; those that are left are the line breaks of the layout.
  return json.replace(/[\u007f-\u009f\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}|#(?=#\[)/gu, escapeInJson)
}

/**
 * Whole output, lines and our own colours kept: the last guard before a screen, for text that somebody forgot to make
 * safe. What it escapes is still the same string where it stands in JSON.
 */
export function safeScreen(text: string): string {
  return text.replace(
    /\u001b\[(?:1|2|22|31|32|39)m|(?!\n)[\p{Cc}\p{Zl}\p{Zp}\p{Cs}]|(?![\u200c\u200d])\p{Cf}/gu,
    (found) => (found.length > 2 ? found : escapeInJson(found)),
  )
}

function escapeInJson(character: string): string {
  return Array.from(
    { length: character.length },
    (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`,
  ).join('')
}
