/** Shortens a text to its first words, for lists. */

/** The most characters to keep: longer than a line of a terminal. */
const most = 300

/** The first words of a text on one line, with runs of white space reduced to one space. */
export function firstWords(text: string): string {
  const line = asTyped(withoutNotices(text).slice(0, most * 4))
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > most ? `${line.slice(0, most).replace(/[\ud800-\udbff]$/, '')}…` : line
}

/**
 * The text behind what Copilot's CLI puts in front of a prompt: the time, and which tools have changed, at any length. A
 * text that is nothing else stays.
 */
function withoutNotices(text: string): string {
  const whole = text.trimStart()
  return whole.replace(/^(?:<(current_datetime|tools_changed_notice)>.*?<\/\1>\s*)+/s, '') || whole
}

/** A command of Claude Code as the user typed it: it is recorded in tags, with what it expands to behind them. */
function asTyped(text: string): string {
  if (!/^<command-(name|message)>/.test(text)) return text
  const [, name] = /<command-name>([^<]*)/.exec(text) ?? []
  const [, given] = /<command-args>([^<]*)/.exec(text) ?? []
  return name === undefined ? text : `${name.trim()} ${given ?? ''}`
}
