/** The windows of requests: what `history --request` prints of one, and what `export` writes of all of them. */
import type { Message } from '../model/message.ts'
import type { Trace } from '../model/trace.ts'
import type { CopyingRequest } from '../references/copied/lost-copies.ts'
import type { Loss } from '../references/lost.ts'
import type { Contents } from './contents.ts'
import type { Observer } from './replay.ts'
import { type Cell, simulateOne } from './simulate.ts'

export interface Captured {
  readonly messages: readonly Message[]
  /** Of the whole request. */
  readonly tokens: number
  /** The transcript does not show what came before its first message, which stands for it. */
  readonly headless: boolean
  /** See `Contents`. */
  readonly unwritten: Contents['unwritten']
}

/**
 * The window at request `at`. If `at` equals the number of requests, it is
 * the request that would follow the last response. Needs a trace with its messages.
 */
export function captureAt(cell: Cell, at: number): Captured {
  const { trace } = cell.facts
  let captured: Captured = { messages: [], tokens: 0, headless: false, unwritten: new Map() }
  simulateOne(cell, [
    {
      request: ({ index }, window) => {
        if (index === at) captured = capturedFrom(trace, window)
      },
      next: (window) => {
        if (at === trace.requests) captured = capturedFrom(trace, window)
      },
    },
  ])
  return captured
}

/** Of the same replay: see `simulateOne`. */
interface Watching {
  readonly observers?: readonly Observer[]
  readonly tell?: (use: Loss) => void
  readonly tellCopy?: (one: CopyingRequest) => void
}

/** How a window differs from the one before it. */
interface Change extends Omit<Captured, 'messages'> {
  /** How many messages both begin with. */
  readonly kept: number
  readonly added: readonly Message[]
}

/**
 * The windows that `captureAt` gives from the first request to the one after the last response, of one replay. All
 * windows together would be the square of the transcript, so each is kept as its difference from the one before it.
 * @param beside who else watches the replay
 */
export function* captureEach(cell: Cell, { observers = [], tell, tellCopy }: Watching = {}): Generator<Captured> {
  const { trace } = cell.facts
  const changes: Change[] = []
  let before: readonly Message[] = []
  const take = (window: Contents) => {
    const { messages, ...figures } = capturedFrom(trace, window)
    let kept = 0
    while (kept < messages.length && messages[kept] === before[kept]) kept++
    changes.push({ ...figures, kept, added: messages.slice(kept) })
    before = messages
  }
  const takes: Observer = { request: (_, window) => take(window), next: take }
  simulateOne(cell, [takes, ...observers], tell ?? null, 'lost', tellCopy ?? null)
  let messages: readonly Message[] = []
  for (const { kept, added, ...figures } of changes) {
    messages = [...messages.slice(0, kept), ...added]
    yield { ...figures, messages }
  }
}

function capturedFrom(trace: Trace, window: Contents): Captured {
  const inside = window.messages()
  return {
    messages: inside.map(({ message }) => message),
    tokens: window.sentTokens,
    headless: trace.head.headless === true && inside[0]?.index === 0,
    unwritten: window.unwritten,
  }
}
