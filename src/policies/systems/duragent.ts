/**
 * `duragent`: the three layers of duragent's "Context Window Management". The session actor keeps a limited number of
 * messages (1). When an agentic loop starts, a token budget is filled with the history from the newest message
 * backwards, and a notice says how much is missing (2). Inside the loop, a long tool result is truncated when it comes
 * (3a), the results between the first and the last few are masked (3b), and if that is not enough, the oldest steps of
 * the loop leave (3c).
 *
 * Layer 3c compares its budget with the messages alone: system prompt and tool definitions are the margin's, which it
 * takes off. What has been dropped is no result any more, so it is not among those that 3b counts.
 *
 * What is masked and dropped in a loop comes back after it: the next loop starts from the history again, with only the
 * truncations of 3a. The budget is `max_input_tokens`: where none is given, the window that duragent assumes for the
 * model.
 *
 * Law: view. The newest user message can leave (layer 2 has no minimum). Layer 1 separates calls from their results;
 * results at the front then leave too, as in the program.
 */
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, PolicyRun, Window } from '../policy.ts'
import { dropOldestSteps, stepsOf } from '../primitives/drop-steps.ts'
import { fillNewest, skipLeadingResults } from '../primitives/fill-newest.ts'
import { Notice } from '../primitives/insert-notice.ts'
import { maskedRange, maskParams, maskResult } from '../primitives/mask-tool-results.ts'
import { type Kept, truncateParams, truncateResult } from '../primitives/truncate-tool-results.ts'
import {
  ActorWindow,
  actorMessageLimit,
  documentCounter,
  dropFirst,
  historyBudget,
  historyParams,
  Loop,
  loopBudget,
  truncationNotice,
} from '../upstream/duragent.ts'

export const duragentParams = {
  ...historyParams,
  maxToolResultTokens: truncateParams.max,
  truncation: truncateParams.keep,
  ...maskParams,
} as const

export interface DuragentValues {
  readonly maxHistoryTokens: number
  readonly maxOutputTokens: number
  readonly maxToolResultTokens: number
  readonly truncation: Kept
  readonly keepFirst: number
  readonly keepLast: number
}

/** What document and program do otherwise. */
export interface Variant {
  /** Masks `results[from..to)`; those before index `done` need no more masking. @returns the new `done` */
  mask(window: Window, results: readonly Entry[], range: { from: number; to: number }, done: number): number
  /** The tokens that the budget of layer 3c is for. */
  counted(window: Window): number
  dropSteps(window: Window, loop: readonly Entry[], goal: number): void
}

export function startDuragent(values: DuragentValues, variant: Variant): PolicyRun {
  const notice = new Notice()
  let actor: ActorWindow | null = null
  const loop = new Loop()
  // The current loop: its messages, the results of them that are inside, and the index up to which those are masked.
  let messages: Entry[] = []
  let results: Entry[] = []
  let masked = 0

  const truncate = (window: Window, entry: Entry) =>
    truncateResult(window, entry, values.maxToolResultTokens, values.truncation)

  const reservesIn = (window: Window) => ({ maxInput: window.budget, maxOutput: values.maxOutputTokens })

  const undoLoop = (window: Window): void => {
    const first = messages[0]
    if (!first) return
    if (messages.some((entry) => !entry.inside || entry.replaced)) {
      window.restore(first.index)
      for (const entry of messages) truncate(window, entry)
    }
  }

  const startLoop = (window: Window, dropped: number): void => {
    undoLoop(window)
    notice.set(window, null)
    messages = []
    results = []
    masked = 0
    dropFirst(window, dropped)
    fillNewest(window, historyBudget(reservesIn(window), window.preambleTokens, values.maxHistoryTokens))
    skipLeadingResults(window)
    notice.set(window, truncationNotice(window.omitted - dropped))
  }

  return {
    message(window, entry) {
      actor ??= new ActorWindow(actorMessageLimit(window.budget))
      actor.add(entry.role)
      loop.message(entry)
      messages.push(entry)
      if (entry.role !== 'tool') return
      results.push(entry)
      truncate(window, entry)
    },
    request(window) {
      if (loop.starts) startLoop(window, actor?.dropped ?? 0)
      else {
        const range = maskedRange(results.length, values.keepFirst, values.keepLast)
        masked = variant.mask(window, results, range, masked)
      }
      const goal = loopBudget(reservesIn(window))
      if (variant.counted(window) <= goal) return
      const isInside = (entry: Entry) => entry.inside
      variant.dropSteps(window, messages.filter(isInside), goal)
      masked = results.slice(0, masked).filter(isInside).length
      results = results.filter(isInside)
    },
  }
}

export default definePolicy({
  name: 'duragent',
  summary: 'three layers: a bounded history, a history budget with a notice, and a loop that cuts, masks and drops',
  source: 'duragent, Context Window Management (2026-02-08)',
  differs: [
    { matter: '`maxHistoryTokens`', document: '20000', program: '40000' },
    {
      matter: 'tool definitions',
      document: 'reserved in layer 2',
      program: 'never passed, so never counted (`--measure native`)',
    },
    {
      matter: 'masking (3b)',
      document: 'a result is masked once',
      program: 'masked again at each iteration: the number in the line shrinks',
    },
    {
      matter: 'the number in a mask',
      document: 'the tokens of the text',
      program: 'those of the message: its id and four more',
    },
    {
      matter: 'the budget of a loop (3c)',
      document: 'compared with the messages: neither system prompt nor tool definitions are subtracted',
      program: 'compared with its list of messages, in which the system prompt stands',
    },
    {
      matter: 'a step to drop (3c)',
      document: 'the calls and all their results',
      program:
        'the calls, the results right after them, and one `[steering]` message: results after a queued message lose their call',
    },
    {
      matter: 'results at the front of the history, without their call',
      document: 'not mentioned',
      program: 'left out (`duragent` here does so too)',
    },
  ],
  ownBudget: 'named-window',
  params: duragentParams,
  kind: 'view',
  inserts: true,
  text: true,
  native: documentCounter,
  start: (values) =>
    startDuragent(values, {
      mask(window, results, { from, to }, done) {
        const start = Math.max(done, from)
        for (const entry of results.slice(start, to)) maskResult(window, entry)
        return Math.max(start, to)
      },
      counted: (window) => window.messageTokens,
      dropSteps: (window, loop, goal) => dropOldestSteps(window, stepsOf(loop), () => window.messageTokens > goal, 1),
    }),
})
