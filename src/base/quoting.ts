/**
 * Where words of others are put that something interprets: a terminal, the log of a CI runner, a language, a shell. Names and
 * texts come from transcripts, checkouts and settings, which may be hostile. There is one function for each place, and nothing
 * is written there but through it; only cells of CSV are made where their package is (`src/reports/csv.ts`). What these
 * functions give is read by each language itself in `test/laws/quoting.test.ts`.
 */
import { withoutSecrets } from './addresses.ts'

/** What is not seen. Joiners are, because scripts and emoji need them. */
const invisible = /[\u007f-\u009f\p{Zl}\p{Zp}]|(?![\u200c\u200d])\p{Cf}/u.source

/** GitHub's `##[`, Azure's `##vso[` and TeamCity's `##teamcity[` command a runner wherever in a line they stand. */
const command = /#(?=#\w{0,20}\[)/.source

// --- a terminal, and the log of a CI runner ---

/** GitHub takes a line for a command, too, that begins with `::`. Of a sequence of combining marks the first eight stay. */
const unsafe = new RegExp(`${invisible}|[\\p{Cc}\\p{Cs}]|(?<=\\p{M}{8})\\p{M}|(?<!\\S):(?=:)|${command}`, 'gu')

const short: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * The text on one line, with everything as an escape that is not visible or commands something: an ANSI escape repaints the
 * terminal, a bidi override reverses a name, a newline forges a row.
 */
export function safe(text: string): string {
  return text.replace(unsafe, (character) => short[character] ?? escapeOf(character))
}

/** As bash, zsh and Python read it. */
function escapeOf(character: string): string {
  const code = character.codePointAt(0) as number
  return code < 0x80 ? `\\x${hexOf(code, 2)}` : code < 0x10000 ? `\\u${hexOf(code, 4)}` : `\\U${hexOf(code, 8)}`
}

const hexOf = (code: number, digits: number): string => code.toString(16).padStart(digits, '0')

const onScreen = new RegExp(
  `\\u001b\\[(?:1|2|4|22|24|31|32|33|39)m|(?!\\n)[\\p{Cc}\\p{Cs}]|${invisible}|${command}`,
  'gu',
)

/**
 * A whole output, keeping line breaks and ctxwin's own colours: the last guard before a terminal, for text that was not
 * made safe before. Inside JSON, what it escapes still parses to the same string.
 */
export function safeScreen(text: string): string {
  return text.replace(onScreen, (found) => (found.length > 2 ? found : escapeInJson(found)))
}

/** Lines as the text of a command of a GitHub workflow, as GitHub's toolkit escapes it (packages/core/src/command.ts). */
export function workflowData(lines: readonly string[]): string {
  return lines.map((line) => safe(line).replaceAll('%', '%25')).join('%0A')
}

/** The value of a property of one. */
export function workflowProperty(text: string): string {
  return workflowData([text]).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

// --- data and code ---

// JSON escapes control characters below U+0020 itself; the line breaks of a layout stay.
const inJson = new RegExp(`${invisible}|${command}`, 'gu')

/** JSON text that is harmless on a terminal and in a CI log, and parses to the same values. */
export function safeJson(json: string): string {
  return json.replace(inJson, escapeInJson)
}

function escapeInJson(character: string): string {
  return Array.from({ length: character.length }, (_, at) => `\\u${hexOf(character.charCodeAt(at), 4)}`).join('')
}

/** Data in an element of a page: of JSON only `<` could end it, or begin a comment. */
export function scriptJson(value: unknown): string {
  return safeJson(JSON.stringify(value)).replaceAll('<', '\\u003c')
}

/** A string of JSON. */
export const jsonString = (text: string): string => safeJson(JSON.stringify(text))

/** A string of JavaScript, in single quotes where nothing in it has to be escaped. */
export function javascriptString(text: string): string {
  const string = jsonString(text)
  return /['\\]/.test(string) ? string : `'${text}'`
}

/** A string of Python, where a surrogate pair that is escaped in halves would be two characters. */
export const pythonString = (text: string): string => JSON.stringify(text).replace(inJson, escapeOf)

/** A comment of Python, on one line. In the first two lines of a file a comment can say how that is encoded (PEP 263). */
export function pythonComment(words: string): string {
  return `# ${safe(words).replace(/(?<=coding)[:=]/g, escapeOf)}`
}

const entities: Readonly<Record<string, string>> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

/** Text or the value of an attribute of XML, which has no U+FFFE and U+FFFF, not even as references. */
export const xml = (text: string): string =>
  safe(text)
    .replace(/[&<>"']/g, (character) => `&${entities[character]};`)
    .replace(/[\ufffe\uffff]/g, '\ufffd')

/** The name of a table or a column. */
export const sqlName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A value in the text form of PostgreSQL's COPY. */
export const copyText = (text: string): string => text.replace(/[\\\t\n\r]/g, (character) => short[character] ?? '\\\\')

/** A part of the path in a URI, which has no half of a surrogate pair. */
export const uriPart = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Cs}/gu, '\ufffd'))

// --- Markdown ---

/**
 * Text without any markup: what could be markup, HTML, a link or the mention of a user goes into a code span, where none
 * of these has an effect.
 */
export function markdownText(words: string): string {
  const text = safe(words)
  const isPlain = /^(?![ =]|-(?!\w)|\d+[.)](?: |$))[\w (),.:;%·→…='/-]*$/.test(text) && !/_|\bwww\.|:\/\//.test(text)
  return isPlain ? text : markdownCode(text)
}

export function markdownCode(words: string): string {
  const text = safe(words)
  const longest = (text.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0)
  const fence = '`'.repeat(longest + 1)
  const pad = /^`|`$|^ .* $/.test(text) ? ' ' : ''
  return `${fence}${pad}${text}${pad}${fence}`
}

/** @param cells Markdown. GitHub splits a row at its pipes first, even inside code, but where a backslash escapes one. */
export function markdownRow(cells: readonly string[]): string {
  return `| ${cells.map((cell) => cell.replace(/\\(?=\|)/g, escapeOf).replaceAll('|', '\\|')).join(' | ')} |\n`
}

// --- shells ---

/** What some shell takes for more than itself inside single quotes, or in spite of them. */
const inShell = new RegExp(`[\\\\'"‘’‚‛<>&|^]|${unsafe.source}`, 'gu')

/**
 * A word of a command line that is there to be pasted: this word in bash, zsh and BusyBox. In other shells it may be another
 * word, and nothing in it is a command: the single quotes of PowerShell are of five kinds, cmd.exe knows none, and fish ends no
 * string at a quote behind a backslash.
 */
export function shellWord(word: string): string {
  if (/^[\w./%+-][\w@./%+=:,-]*$/.test(word)) return word
  if (safe(word) === word && !/['"‘’‚‛<>&|^]|\\$/.test(word)) return `'${word}'`
  return `$'${word.replace(inShell, escapeOf)}'`
}

export const shellCommand = (words: readonly string[]): string => words.map(shellWord).join(' ')

/** A path for a command line, where it is no flag. What was an address is told as one. */
export const pathWord = (path: string): string =>
  withoutSecrets(path.startsWith('-') && path !== '-' ? `./${path}` : path)
