/**
 * What Cline cut from the window of a task: each message of its screen says how many messages of the history there were when it
 * was shown (`conversationHistoryIndex`), and which of them are not sent any more (`conversationHistoryDeletedRange`). Read from
 * cline/cline (ContextManager.ts@01cfde0d52, ExtensionMessage.ts) on 2026-11-23, and held against a recorded task whose requests
 * shrink from 174,433 to 63,908 tokens where the first range appears.
 *
 * A request is cut behind the message that says that it started: what is shown of its response has the range. Roo marks the
 * messages themselves.
 */

import { itemsOf, type JsonObject, objectOf } from '../../base/json.ts'
import type { Shape } from '../reader.ts'
import { both, keys, listOf, where } from './shape.ts'

/** Elements of the history that are not sent, by their index; those in front of them are. */
export interface Cut {
  readonly from: number
  /** The first element behind them. */
  readonly to: number
}

/** Older versions do not count elements, but where there is a range, they must. */
export const cutShape: Shape = both(
  keys({ conversationHistoryIndex: 'number?' }),
  where(
    ({ conversationHistoryDeletedRange: range }) => range !== undefined && range !== null,
    keys({ conversationHistoryIndex: 'number', conversationHistoryDeletedRange: listOf(elementShape) }),
  ),
)

function elementShape(index: unknown): string | null {
  return typeof index === 'number' ? null : ''
}

/** What was not sent when this was shown; undefined if all was. */
export function cutIn({ conversationHistoryDeletedRange: range }: JsonObject): Cut | undefined {
  const [from, last] = itemsOf(range)
  const isRange =
    Number.isInteger(from) && Number.isInteger(last) && (from as number) > 0 && (last as number) >= (from as number)
  return isRange ? { from: from as number, to: (last as number) + 1 } : undefined
}

/** The cuts of a task, by its responses. */
export class ScreenCuts {
  /** Of what was shown last, and first, with so many elements in front of the newest. */
  readonly #last = new Map<unknown, Cut | undefined>()
  readonly #first = new Map<unknown, Cut | undefined>()

  /** @param messages the document; anything else counts as empty */
  constructor(messages: unknown) {
    for (const value of Array.isArray(messages) ? messages : []) {
      const message = objectOf(value)
      const index = message?.conversationHistoryIndex
      if (!message || typeof index !== 'number') continue
      const cut = cutIn(message)
      this.#last.set(index, cut)
      if (!this.#first.has(index)) this.#first.set(index, cut)
    }
  }

  /** What was cut from the request that element `index` answers. Where nothing of it was shown, what comes next says it. */
  of(index: number): Cut | undefined {
    return this.#last.has(index - 1) ? this.#last.get(index - 1) : this.#first.get(index)
  }
}
