/**
 * What the versions of pi share: when the window counts as full, and how the history in front of a cut is summarised.
 */
import { integer } from '../../base/param.ts'
import { LatestUsage } from '../latest-usage.ts'
import type { Entry, PolicyRun, Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { canLead, startOfExchange, tailOf } from './tail.ts'

/** The program's own values, which need not be set. */
export const usualKeep = 20_000
export const usualReserve = 16_384

export const piParams = {
  reserve: integer({ default: usualReserve, min: 0, help: 'tokens of the window that must stay free' }),
  keep: integer({ default: usualKeep, min: 0, help: 'newest tokens that stay' }),
  summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of a summary' }),
} as const

/** What a version does before a request; after a turn all do the same. */
export interface PiVersion {
  /**
   * Whether a request is too large.
   * @param isAsked the prompt has not been answered yet
   * @param reported tokens of the latest response with its request; 0 before one, and behind a cut
   */
  isFull(window: Window, reserve: number, isAsked: boolean, reported: number): boolean
  /**
   * Where no message from the tail on can lead, the cut is in front of the last one that can; without it there is no
   * cut.
   */
  readonly cutsInFront?: true
  /** An earlier summary right in front of the turn that is cut stays; without it, it is lost. */
  readonly keepsSummary?: true
}

export function piRun(
  { reserve, keep, summaryTokens }: Readonly<Record<keyof typeof piParams, number>>,
  version: PiVersion,
): PolicyRun {
  const usage = new LatestUsage()
  let isAsked = false

  function cutOf(window: Window): Entry | null {
    let cut = tailOf(window, keep)
    // An earlier summary is no part of what is cut.
    if (!cut || cut.index < 0) return null
    while (cut && !canLead(cut)) cut = cut.next
    if (!version.cutsInFront) return cut
    cut ??= window.last
    while (cut && !canLead(cut)) cut = cut.previous
    return cut
  }

  function compact(window: Window): void {
    usage.reset()
    const cut = cutOf(window)
    const before = cut?.previous
    const range = window.first && before && before.index >= 0 ? wholeRange(window.first, before) : null
    if (!cut || !range || range.from !== window.first) return
    const placeholder = { role: 'user', tokens: summaryTokens } as const
    const turn = cut.role === 'user' ? null : startOfExchange(range.to)
    const history = turn?.isPrompt && turn.exchange === cut.exchange ? turn.previous : null
    const isSummary = history !== null && history.index < 0
    if (!turn || !history || (isSummary && !version.keepsSummary)) {
      summariseRange(window, range.from, range.to, placeholder)
    } else if (isSummary) summariseRange(window, turn, range.to, placeholder)
    else {
      const summary = summariseRange(window, range.from, history, placeholder)
      summariseRange(window, summary.next as Entry, range.to, placeholder)
    }
  }

  return {
    message(window, entry) {
      usage.message(window, entry)
      if (entry.isPrompt) isAsked = true
      else if (entry.role === 'assistant') isAsked = false
    },
    request(window) {
      if (version.isFull(window, reserve, isAsked, usage.tokens)) compact(window)
    },
    exchangeEnd(window) {
      if (usage.tokens > window.budget - reserve) compact(window)
    },
  }
}
