/**
 * The usage that Cline, Roo and Kilo record beside a conversation: their `ui_messages.json` holds what the screen shows, with
 * a message for each request (`api_req_started`) whose text counts its tokens.
 */

import { itemsOf, objectOf, stringOf } from '../../base/json.ts'
import type { Usage } from '../../model/message.ts'
import type { SideCall } from '../../model/trace.ts'
import { parsedObject, timeOf } from './bodies.ts'
import { sideCallOf } from './side-calls.ts'
import { usageBy, withInput } from './usage.ts'
import { usageKeys } from './usage-keys.ts'

/** What the screen counts by itself. */
export const billedBeside: ReadonlyMap<unknown, 'taken-back' | 'aside'> = new Map([
  ['deleted_api_reqs', 'taken-back'],
  ['subagent_usage', 'aside'],
])

interface Counted {
  readonly time: number | undefined
  readonly usage: Usage
}

export class ScreenUsage {
  /** In the order of requests. Requests that the provider never counted are left out. */
  readonly #requests: readonly Counted[]
  #next = 0
  /** What was billed and is of no response: requests in vain, messages that the user took back, sub-agents. */
  readonly #beside: (Counted & { readonly kind: 'taken-back' | 'aside' })[] = []

  /** @param messages the document; anything else counts as empty */
  constructor(messages: unknown) {
    this.#requests = (Array.isArray(messages) ? itemsOf(messages) : []).flatMap((value) => {
      const message = objectOf(value)
      const usage = message?.type === 'say' ? usageIn(stringOf(message.text)) : undefined
      if (!message || !usage) return []
      const counted = { time: timeOf(message.ts), usage }
      if (message.say === 'api_req_started') return [counted]
      const kind = billedBeside.get(message.say)
      if (kind !== undefined) this.#beside.push({ ...counted, kind })
      return []
    })
  }

  /**
   * The usage of the next response.
   * @param time of the response: its request is the last one before; requests between were tried in vain. Without times they
   * follow one another.
   */
  next(time: number | undefined): Usage | undefined {
    let found: Counted | undefined
    while (this.#next < this.#requests.length) {
      const request = this.#requests[this.#next] as Counted
      const isLater = time !== undefined && request.time !== undefined && request.time > time
      if (isLater || (found && (time === undefined || request.time === undefined))) break
      if (found) this.#beside.push({ ...found, kind: 'taken-back' })
      found = request
      this.#next++
    }
    return found?.usage
  }

  /** To be asked behind the last response. @param line where the history ends */
  beside(line: number): SideCall[] {
    const unanswered = this.#requests.slice(this.#next).map((request) => ({ ...request, kind: 'taken-back' as const }))
    return [...this.#beside, ...unanswered].map((call) => sideCallOf({ ...call, model: undefined, line }))
  }
}

/**
 * The counts in the text of one of these messages. Roo names the protocol, and counts cached tokens into `tokensIn`; Cline counts
 * them beside it.
 */
export function usageIn(text: string | undefined): Usage | undefined {
  const counts = parsedObject(text)
  return withInput(usageBy(counts?.apiProtocol === undefined ? usageKeys.cline : usageKeys.roo, counts))
}
