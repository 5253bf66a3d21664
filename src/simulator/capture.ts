/** The window as it stood when one request went out: what `window` prints. */
import type { Trace } from '../model/trace.ts'
import type { Placed } from '../providers/provider.ts'
import type { Item } from './item.ts'
import { type Plan, replayOne } from './simulate.ts'
import type { EditableWindow } from './window.ts'

/**
 * The messages of request `at` under the first policy, estimator and budget of the plan. `at` may be the number of
 * requests: then it is the request that would follow the last response. Needs a trace that kept its messages.
 */
export function messagesAt(trace: Trace, plan: Plan, at: number): Placed[] {
  let placed: Placed[] | null = null
  const capture = (window: EditableWindow | null, length: number): void => {
    placed = window ? placedIn(window) : wholeHistory(trace, length)
  }
  replayOne(trace, plan, [
    {
      request: (request, window) => {
        if (request.index === at) capture(window, request.message)
      },
      end: (window) => {
        if (at === trace.requests) capture(window, trace.length)
      },
    },
  ])
  return placed ?? []
}

function placedIn(window: EditableWindow): Placed[] {
  const placed: Placed[] = []
  for (let item = window.first; item; item = item.next) {
    if (item.message) placed.push({ message: item.message, joined: isJoined(item) })
  }
  return placed
}

function isJoined(item: Item): boolean {
  return item.group >= 0 && item.previous?.group === item.group
}

function wholeHistory(trace: Trace, length: number): Placed[] {
  let from = 0
  for (let index = 0; index < length; index++) if (trace.isReset(index)) from = index
  const messages = trace.messages?.slice(from, length) ?? []
  return messages.map((message, index) => ({ message, joined: index > 0 && message.continues === true }))
}
