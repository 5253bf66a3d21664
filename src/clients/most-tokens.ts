/**
 * How many input tokens a request can have at most, before anybody has counted them: a token has at least one byte, and a request that
 * begins as one that was answered has no more than that had, and what comes behind.
 */
import { jsonText } from '../base/json-text.ts'

type Body = Readonly<Record<string, unknown>>

/** What providers put in front of a request that has tools, in tokens, and more. */
const mostHidden = 2000

/** So many are remembered: both windows of each session that is asked about at the same time. */
const remembered = 8

/** Providers leave out thoughts of earlier turns, so that those of a longer request can be fewer. */
const thought = /"type":"(?:redacted_)?(?:thinking|reasoning)"/

interface Counted {
  readonly parts: Parts
  readonly tokens: number
}

/** A request as texts: what stands in front of its messages, and each of these. */
interface Parts {
  readonly front: string
  readonly messages: readonly string[]
}

export class MostTokens {
  #known: Counted[] = []

  of(body: Body): number {
    return this.#of(partsOf(body))
  }

  #of(parts: Parts): number {
    const most = this.#known.reduce((least, { parts: before, tokens }) => {
      const rest = restOf(before, parts)
      return rest === null ? least : Math.min(least, tokens + rest)
    }, bytesOf(parts))
    return most + mostHidden
  }

  /** @param tokens of this request, as it was billed; more than it can have tell nothing */
  counted(body: Body, tokens: number): void {
    const parts = partsOf(body)
    if (tokens > this.#of(parts)) return
    this.#known = [...this.#known.slice(1 - remembered), { parts, tokens }]
  }
}

function partsOf(body: Body): Parts {
  const { messages, input, ...front } = body
  const list = messages ?? input
  return { front: jsonText(front), messages: (Array.isArray(list) ? list : [list]).map((one) => jsonText(one ?? null)) }
}

const bytesIn = (texts: readonly string[]): number => texts.reduce((bytes, text) => bytes + Buffer.byteLength(text), 0)
const bytesOf = ({ front, messages }: Parts): number => bytesIn([front, ...messages])

/** Bytes of a request that another does not begin with; null where that says nothing of it. */
function restOf(before: Parts, { front, messages }: Parts): number | null {
  if (before.front !== front) return null
  let same = 0
  while (same < messages.length && messages[same] === before.messages[same]) same++
  if (same === messages.length && same === before.messages.length) return 0
  if (messages.slice(0, same).some((message) => thought.test(message))) return null
  return bytesIn(messages.slice(same))
}
