import { Readable } from 'node:stream'
import { aiderLines, isAiderHistory } from '../../src/readers/lines/aider-history.ts'
import { debugLogLines, isDebugLog } from '../../src/readers/lines/debug-log.ts'

/** A log that is text is put into JSON lines before a reader sees it. */
export async function jsonLinesOf(text: string): Promise<string> {
  const made = isDebugLog(text) ? debugLogLines : isAiderHistory(text) ? aiderLines : null
  if (!made) return text
  const parts: Buffer[] = []
  for await (const part of made('a log', Readable.from([Buffer.from(text)]))) parts.push(part)
  return Buffer.concat(parts).toString()
}
