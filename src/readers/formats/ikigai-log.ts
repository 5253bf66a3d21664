/**
 * ikigai's logs, which hold the requests as they were sent, each of them whole: `debug.log` is text, which
 * `lines/debug-log.ts` puts into the form of the older `current.log`, which is JSON lines.
 *
 * - A request goes to the reader of the API that it speaks. ikigai prunes its own context: a request without the oldest
 *   messages of the one before it begins a transcript of its own.
 * - A response is logged with its counts only, and its text is in the next request. The counts belong to the request that
 *   was under way; if there were several, nothing tells whose they are, and they are left out.
 * - Of tokens that came from a cache there are no counts: where a request marks what to cache, they are left out, too.
 */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { ApiReadings } from '../apis.ts'
import { recordReader } from '../frames.ts'
import { bad, type Outcome, type ReaderContext } from '../reader.ts'
import { keys, kinds, where } from '../wire/shape.ts'

const eventShape = kinds('event', {
  // The reader of its API checks a request. A response that failed has no counts.
  provider_response: where(({ type }) => type !== 'error', keys({ input_tokens: 'number', output_tokens: 'number' })),
  llm_response: (event) => {
    const text = stringOf(objectOf(event)?.text) ?? ''
    return /\bsuccess=false\b/.test(text) || /\binput_tokens=\d+ output_tokens=\d/.test(text) ? null : 'text'
  },
})

export default recordReader({
  name: 'ikigai-log',
  program: 'ikigai',
  summary: "ikigai's logs of its requests, as text or JSONL",
  source: '.ikigai/logs/*.log',
  shapes: [['level', 'timestamp', 'logline.event', 'logline.body']],
  recognise: ({ level, logline }) => typeof level === 'string' && typeof objectOf(logline)?.event === 'string',
  shape: keys({ logline: eventShape }),
  begin: (context) => new Log(context),
  record: (record, { line }, log) => log.add(eventOf(record), line),
  end: (log) => log.end(),
})

/** A request whose response has not come. */
interface Open {
  readonly exchange: JsonObject
  readonly line: number
}

/** How many requests can be under way: more of them never got a response. */
const mostOpen = 16

class Log {
  readonly #context: ReaderContext
  readonly #apis: ApiReadings
  #open: Open[] = []

  constructor(context: ReaderContext) {
    this.#context = context
    this.#apis = new ApiReadings(context)
  }

  add(found: JsonObject | undefined, line: number): Outcome {
    if (!found) return bad
    if ('request' in found) {
      if (this.#open.length === mostOpen) this.#close()
      this.#open.push({ exchange: found, line })
      return 'used'
    }
    if (!('usage' in found)) return 'no-context'
    this.#close(found.usage)
    return 'used'
  }

  end(): void {
    this.#close()
    this.#apis.end()
  }

  /** Hands over the open request. @param usage of the response that came */
  #close(usage?: unknown): void {
    const known = this.#open.length === 1 && !marksCache(this.#open[0]?.exchange.request) ? { usage } : {}
    for (const { exchange, line } of this.#open) {
      const outcome = this.#apis.record({ ...exchange, ...known }, line) ?? bad
      if (typeof outcome === 'object') this.#context.notUsed({ ...outcome, line })
    }
    this.#open = []
  }
}

/** The request, or the counts of a response, that a line tells of; an empty object for all else. */
function eventOf({ logline, timestamp }: JsonObject): JsonObject | undefined {
  const event = objectOf(logline)
  switch (event?.event) {
    case 'http_request':
    case 'llm_request_body':
      return { request: event.body, url: event.url, timestamp }
    case 'provider_response':
      // A request that failed has no counts.
      return { usage: event.type === 'error' ? undefined : event }
    case 'llm_response':
      return { usage: countsIn(stringOf(event.text) ?? '') }
    default:
      return event && {}
  }
}

/** `success=true finish=0 input_tokens=12 output_tokens=3`; nothing for a response that failed. */
function countsIn(text: string): JsonObject {
  if (!text.includes('success=true')) return {}
  const count = (name: string) => new RegExp(`${name}=(\\d+)`).exec(text)?.[1]
  const [input, output] = [count('input_tokens'), count('output_tokens')]
  return input === undefined ? {} : { input_tokens: Number(input), output_tokens: Number(output ?? 0) }
}

function marksCache(request: unknown): boolean {
  return JSON.stringify(request)?.includes('"cache_control"') === true
}
