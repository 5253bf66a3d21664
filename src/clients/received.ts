/** The text of a response, which may be of any length, come at any pace and end anywhere. */
import { deepest, nestsTooDeep } from '../base/json-depth.ts'
import { NoAnswer } from './retries.ts'

/** In bytes, besides the request: a streamed token takes some 200 bytes, and answers end after some thousands. */
const longest = 1 << 23

/** Responses repeats the request in its answer up to so many times. */
const repeats = 4

export interface Received {
  readonly text: string
  /** Why there is no more of it: it is all there, the connection broke off, or time ran out. */
  readonly end: 'whole' | 'cut' | 'late'
}

/**
 * @param sent the text of the request
 * @param timeout milliseconds from here to its end
 * @throws NoAnswer if it is longer than anybody's answer, or nests deeper
 */
export async function receive(response: Response, sent: string, timeout: number): Promise<Received> {
  const reader = response.body?.getReader()
  if (!reader) return { text: '', end: 'whole' }
  const chunks: Uint8Array[] = []
  const most = longest + repeats * Buffer.byteLength(sent)
  let length = 0
  let end: Received['end'] = 'whole'
  const leave = (why: Received['end']): void => {
    end = why
    // It rejects where the connection is broken already.
    reader.cancel().catch(() => {})
  }
  const timer = setTimeout(() => leave('late'), timeout)
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      length += read.value.length
      if (length > most) break
      chunks.push(read.value)
    }
  } catch {
    if (end === 'whole') end = 'cut'
  } finally {
    clearTimeout(timer)
  }
  if (length > most) {
    leave('cut')
    throw new NoAnswer(`its answer is longer than ${Math.round(most / 2 ** 20)} MB`, { isPassing: false })
  }
  const text = Buffer.concat(chunks).toString('utf8')
  if (nestsTooDeep(text)) throw new NoAnswer(`its answer nests deeper than ${deepest} levels`, { isPassing: false })
  return { text, end }
}
