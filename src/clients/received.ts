/** The text of a response, which may be of any length, come at any pace and end anywhere. */
import { NoAnswer } from './retries.ts'

/** In bytes. Responses repeats the request in its answer up to three times, and a streamed token takes some 200 bytes. */
const longest = 1 << 26

export interface Received {
  readonly text: string
  /** Why there is no more of it: it is all there, the connection broke off, or time ran out. */
  readonly end: 'whole' | 'cut' | 'late'
}

/**
 * @param timeout milliseconds from here to its end
 * @throws NoAnswer if it is longer than anybody's answer
 */
export async function receive(response: Response, timeout: number): Promise<Received> {
  const reader = response.body?.getReader()
  if (!reader) return { text: '', end: 'whole' }
  const chunks: Uint8Array[] = []
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
      if (length > longest) break
      chunks.push(read.value)
    }
  } catch {
    if (end === 'whole') end = 'cut'
  } finally {
    clearTimeout(timer)
  }
  if (length > longest) {
    leave('cut')
    throw new NoAnswer(`its answer is longer than ${longest >> 20} MB`, { isPassing: false })
  }
  return { text: Buffer.concat(chunks).toString('utf8'), end }
}
