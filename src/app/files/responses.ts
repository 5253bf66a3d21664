/**
 * Which responses were found before: a response that two files have (a copy, a resumed session, a fork) was billed once and
 * counts once. The first file in which it stands has it.
 */
import { fingerprint } from '../../base/fingerprint.ts'
import type { Usage } from '../../model/message.ts'
import type { Trace } from '../../model/trace.ts'

/**
 * By request, and behind the requests by side call, what its response is known by: above 0 where it has an id, below 0 where
 * it has none, and null where nothing tells it from others.
 */
export type ResponseKeys = readonly (number | null)[]

/** Responses that files are known to have. */
export type Earlier = readonly (readonly [file: string, keys: readonly number[]])[]

export class Responses {
  /** The number of the file that has each. */
  readonly #earlier = new Map<number, number>()
  readonly #files: string[] = []
  #own = new Set<number>()

  constructor(earlier: Earlier = []) {
    for (const [file, keys] of earlier) {
      this.#own = new Set(keys)
      this.end(file)
    }
  }

  /**
   * The requests of a transcript whose responses are known already, from another file or another transcript of this one.
   * @returns each with its file; null for the one that is being read
   */
  found(keys: ResponseKeys): Map<number, string | null> {
    return this.#foundIn(keys, this.#own)
  }

  /** @param own of the file so far: the transcript's own are added */
  #foundIn(keys: ResponseKeys, own: Set<number>): Map<number, string | null> {
    const found = new Map<number, string | null>()
    for (const [request, key] of keys.entries()) {
      if (key === null) continue
      const file = this.fileOf(key)
      if (file !== undefined) found.set(request, file)
      // Within one file only an id shows that a response is recorded twice.
      else if (key > 0 && own.has(key)) found.set(request, null)
      else own.add(key)
    }
    return found
  }

  /** How many of them there are, where none of the transcript counts yet. */
  known(keys: ResponseKeys): number {
    return this.#foundIn(keys, new Set(this.#own)).size
  }

  /** The file before this one that has the response. */
  fileOf(key: number): string | undefined {
    const file = this.#earlier.get(key)
    return file === undefined ? undefined : this.#files[file]
  }

  /** The file is at its end. @param file null if it does not count: what it has is forgotten */
  end(file: string | null): void {
    if (file !== null && this.#own.size > 0) {
      const number = this.#files.push(file) - 1
      for (const key of this.#own) this.#earlier.set(key, number)
    }
    this.#own = new Set()
  }
}

export function keysOf(trace: Trace): ResponseKeys {
  const requests = Array.from({ length: trace.requests }, (_, request) => keyOf(trace, request))
  return [...requests, ...trace.sideCalls.map(({ response, time, usage }) => keyOfUsage(trace, response, time, usage))]
}

/**
 * A response is known by its id and what its request came to; its output is left out, for it may still grow. Without an id it
 * is known by its time and all counts. Where no usage is recorded, the conversation has to have an id and be the same, too, and
 * so has the place in it.
 */
function keyOf(trace: Trace, request: number): number | null {
  const id = trace.response(request)
  const time = trace.requestTime(request)
  const usage = trace.usage(request)
  if (usage) return keyOfUsage(trace, id, time, usage)
  if (id === 0 && Number.isNaN(time)) return null
  const { format, conversation } = trace.head
  if (conversation === null) return null
  return signed(id !== 0, JSON.stringify([format, conversation, id, time, trace.requestAt(request)]))
}

function keyOfUsage({ head: { format } }: Trace, id: number, time: number, usage: Usage): number | null {
  const hasId = id !== 0
  if (!hasId && Number.isNaN(time)) return null
  const { input, cacheRead, cacheWrite, output } = usage
  const known = hasId ? [id] : [format, time, output]
  return signed(hasId, JSON.stringify([...known, input, cacheRead, cacheWrite]))
}

function signed(hasId: boolean, text: string): number {
  const key = fingerprint([text]) + 1
  return hasId ? key : -key
}
