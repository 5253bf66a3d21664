/**
 * Turns ikigai's debug log, which is text, into lines of JSON, each line one:
 *
 *     [2026-01-31 10:30:00] apps/ikigai/client.c:34:main: [llm_request_body] {"model":…}
 *
 * becomes what older versions wrote, which was JSON: `{"level":"debug","timestamp":…,"logline":{"event":"llm_request_body",
 * "body":{"model":…}}}`. A message that is no JSON is `text`, and a line of another form, which continues the one before it,
 * has nothing.
 */
import { StringDecoder } from 'node:string_decoder'
import { CtxwinError } from '../../base/errors.ts'
import { longestText } from './csv.ts'

const title = '=== IKIGAI DEBUG LOG ==='
const entry = /^\[(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d)\] [^\s:]+:\d+:\w+: (?:\[(\w+)\] )?/

/** Whether a text begins like the log. */
export function isDebugLog(text: string): boolean {
  return text.startsWith(title) || entry.test(text)
}

/** @throws CtxwinError for a line that is too long to be held */
export async function* debugLogLines(name: string, text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new StringDecoder('utf8')
  /** The line so far, in parts: a request is a line of megabytes. */
  let begun: string[] = []
  let length = 0
  for await (const chunk of text) {
    const [first = '', ...lines] = decoder.write(chunk).split('\n')
    begun.push(first)
    length += first.length
    if (length > longestText) throw new CtxwinError('damaged', name, 'a line of it has more than 256 MB')
    if (lines.length === 0) continue
    const last = lines.pop() as string
    const ended = [begun.join(''), ...lines]
    begun = [last]
    length = last.length
    yield Buffer.from(ended.map((line) => `${jsonOf(line)}\n`).join(''))
  }
  const rest = `${begun.join('')}${decoder.end()}`
  if (rest !== '') yield Buffer.from(jsonOf(rest))
}

function jsonOf(line: string): string {
  const [found, time = '', event = ''] = entry.exec(line) ?? []
  const message = found === undefined ? '' : line.slice(found.length).trimEnd()
  const about = `"level":"debug","timestamp":${JSON.stringify(time)}`
  // JSON that was cut off stays invalid, so it is reported like any torn line.
  const said = message.startsWith('{') ? `"body":${message}` : `"text":${JSON.stringify(message)}`
  return `{${about},"logline":{"event":${JSON.stringify(event)},${said}}}`
}
