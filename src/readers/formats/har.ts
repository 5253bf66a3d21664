/**
 * HAR: what a browser or a proxy (mitmproxy, Charles, Proxyman) recorded of the providers' APIs.
 *
 * - Each entry is a request with its response, in whatever API it speaks: it goes to the reader of that API. What speaks
 *   none (the page's other requests) is counted and left out.
 * - Everything that was sent is recorded; a streamed response is recorded as its events.
 */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { ApiReadings } from '../apis.ts'
import { documentReader } from '../frames.ts'
import { bad, type LeftOut } from '../reader.ts'
import { parsedObject } from '../wire/bodies.ts'
import { keys, oddIn } from '../wire/shape.ts'

export default documentReader({
  name: 'har',
  summary: 'HAR recordings of API requests, by browsers and proxies',
  source: '`*.har` of browsers, mitmproxy, Charles, Proxyman',
  shapes: [['log', 'log.version', 'log.creator', 'log.entries']],
  recognise({ log }) {
    const recording = objectOf(log)
    return recording !== undefined && Array.isArray(recording.entries) && 'creator' in recording
  },
  record({ log }, _, context) {
    const entries = objectOf(log)?.entries
    if (!Array.isArray(entries)) return bad
    const apis = new ApiReadings(context)
    for (const [index, entry] of entries.entries()) {
      const exchange = exchangeIn(objectOf(entry))
      const found = (exchange && apis.record(exchange, index + 1)) ?? oddEntry(entry)
      if (typeof found === 'object' && found) context.finding({ ...found, line: index + 1 })
    }
    apis.end()
  },
})

/** The entry in the form of other recordings of requests and responses. */
function exchangeIn(entry: JsonObject | undefined): JsonObject | null {
  const body = parsedObject(objectOf(objectOf(entry?.request)?.postData)?.text)
  if (!body) return null
  return {
    url: objectOf(entry?.request)?.url,
    request: body,
    response: { body: textOf(objectOf(objectOf(entry?.response)?.content)) },
    timestamp: entry?.startedDateTime,
  }
}

const apiAddress =
  /\/(?:v1\/messages|v1\/responses|chat\/completions|model\/[^/?]+\/converse(?:-stream)?)(?:\?|$)|:(?:stream)?generateContent/i

const entryShape = keys({ request: keys({ method: 'string', url: 'string' }) })
const callShape = keys({ request: keys({ postData: keys({ text: 'string' }) }) })

/** What is wrong with an entry that no reader took. Other requests of a page are no fault; a call of a known API is one. */
function oddEntry(entry: unknown): LeftOut | null {
  const odd = oddIn(entryShape, entry)
  if (odd) return odd
  const { method, url } = (entry as { request: { method: string; url: string } }).request
  if (method !== 'POST' || !apiAddress.test(url)) return null
  return oddIn(callShape, entry) ?? { code: 'no-message' }
}

function textOf(content: JsonObject | undefined): string | undefined {
  const text = stringOf(content?.text)
  return text !== undefined && content?.encoding === 'base64' ? Buffer.from(text, 'base64').toString('utf8') : text
}
