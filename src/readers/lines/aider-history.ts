/**
 * Turns aider's chat history, which is Markdown, into lines of JSON, each line one, so that lines keep their numbers:
 *
 *     # aider chat started at 2026-01-31 10:30:00     {"aider":"started","text":"2026-01-31 10:30:00"}
 *     #### Mend the lamp.                             {"aider":"user","text":"Mend the lamp."}
 *     > Applied edit to lamp.py                       {"aider":"tool","text":"Applied edit to lamp.py"}
 *     I mend it.                                      {"aider":"assistant","text":"I mend it."}
 */
import { StringDecoder } from 'node:string_decoder'
import { CtxwinError } from '../../base/errors.ts'
import { longestText } from './csv.ts'

const started = '# aider chat started at '

/** Whether a text begins like the history: aider writes an empty line in front of each chat. */
export function isAiderHistory(text: string): boolean {
  return text.trimStart().startsWith(started)
}

/** @throws CtxwinError for a line that is too long to be held */
export async function* aiderLines(name: string, text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder('utf8')
  let begun = ''
  for await (const chunk of text) {
    const lines = (begun + decoder.write(chunk)).split('\n')
    begun = lines.pop() as string
    if (begun.length > longestText) throw new CtxwinError('damaged', name, 'a line of it has more than 256 MB')
    if (lines.length > 0) yield Buffer.from(lines.map((line) => `${jsonOf(line)}\n`).join(''))
  }
  const rest = begun + decoder.end()
  if (rest !== '') yield Buffer.from(jsonOf(rest))
}

function jsonOf(line: string): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line
  // Aider ends the lines of a prompt with two spaces, which is how Markdown breaks a line.
  if (text.startsWith(started)) return recordOf('started', text.slice(started.length).trim())
  if (text.startsWith('#### ')) return recordOf('user', text.slice('#### '.length).trimEnd())
  if (text.startsWith('> ')) return recordOf('tool', text.slice('> '.length).trimEnd())
  return recordOf('assistant', text)
}

function recordOf(aider: string, text: string): string {
  return JSON.stringify({ aider, text })
}
