/**
 * `gemini-compress`: Gemini CLI compresses once the latest request had half of the window. It cuts in front of the
 * first prompt of the user behind 70 % of the history; what is in front is replaced by a snapshot in the user's role
 * and a line of the model that acknowledges it. A second call checks the snapshot against the same messages; it is paid
 * here, too. Without such a prompt (one long loop of tools) it takes the last one there is, and does nothing if that is
 * the first message; if the loop has ended with an answer, it compresses everything. What would not get smaller is left
 * alone.
 *
 * What the model has not answered yet is no part of the history: it stays behind the cut, whatever that takes.
 *
 * Operators: acts at `>=`; cuts at `>=` 70 %. The share is of tokens here, of the characters of JSON in the program.
 * Not simulated: that tool results beyond the newest 50,000 tokens are cut to their last 40,000 characters first, and
 * that it stops trying once a snapshot was larger.
 *
 * How it is turned on: `model.compressionThreshold` is in @google/gemini-cli 0.11.3, and not in 0.10.0 (npm, read
 * 2026-11).
 *
 * Law: whole pairs, sticky; the first message after it acted is the snapshot. Worked example: window 1,000, a request
 * of 500 tokens in five exchanges of 100: the prompt of the fifth stands behind 400 tokens (80 %), that of the fourth
 * behind 300 (60 %), so four leave and one stays.
 */
import { integer, number } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry, Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { geminiCounter } from './gemini.ts'

/** The window of every model but Gemini 1.5 Pro, which the program takes from the model's name. */
const modelWindow = 1_048_576

/** The share of the window at which it acts. */
const usualThreshold = 0.5

const acknowledgement = 'Got it. Thanks for the additional context!'

/** The first entry that stays: null if everything leaves, the first of all if nothing does. */
function splitAt(window: Window, first: Entry, last: Entry, share: number): Entry | null {
  const goal = window.tokensOf(first, last) * share
  let before = 0
  let latest = first
  for (let entry: Entry | null = first; entry && entry !== last.next; entry = entry.next) {
    if (entry.role === 'user') {
      if (before >= goal) return entry
      latest = entry
    }
    before += window.tokensOf(entry, entry)
  }
  return last.role === 'assistant' && last.calls === 0 ? null : latest
}

export default definePolicy({
  name: 'gemini-compress',
  version: '0.61.0',
  summary: 'at half of the window, replace the older 70 % by a snapshot',
  source:
    'google-gemini/gemini-cli 5411f113ca and @google/gemini-cli-core 0.61.0, packages/core/src/context/chatCompressionService (2026-08)',
  package: { name: '@google/gemini-cli-core', version: '0.61.0', on: '2026-08' },
  ownBudget: 'window',
  trigger: 'the window; acts when the latest request had `threshold` of it',
  unlike:
    '`pi-compact` keeps a tail of so many tokens and may cut inside an exchange; this keeps a share and cuts at prompts',
  params: {
    threshold: number({ default: usualThreshold, min: 0, max: 1, help: 'share of the window at which it acts' }),
    keep: number({ default: 0.3, min: 0, max: 1, help: 'share of the history that stays, at most' }),
    summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the snapshot' }),
  },
  wholePairs: true,
  inserts: true,
  native: geminiCounter,
  compacts: true,
  availableIn: ['gemini-cli'],
  budgetFor: (tokens) => Math.ceil(tokens / usualThreshold),
  turnOn({ threshold, keep }, budget) {
    if (keep !== 0.3 || threshold === 0 || budget > modelWindow) return null
    const share = Number(((threshold * budget) / modelWindow).toFixed(3))
    return {
      file: '~/.gemini/settings.json',
      text: `"model": { "compressionThreshold": ${share} }`,
      since: '0.11.0',
      note: `compresses at ${thousands(share * modelWindow)}; takes a restart`,
    }
  },
  start({ threshold, keep, summaryTokens }) {
    /** Tokens of the latest request, without its answer; 0 after a cut. */
    let latest = 0
    /**
     * There was nothing to cut, and inside a loop of tools that stays so: a long one must not be searched at each step.
     */
    let isVain = false
    /** A prompt has come that the model has not answered yet. */
    let isAsked = false
    return {
      message(window, entry) {
        if (entry.role === 'user') isAsked = true
        if (entry.role === 'assistant') {
          if (isAsked || entry.calls === 0) isVain = false
          isAsked = false
        }
        if (entry.isResponse) latest = window.tokens - window.tokensOf(entry, entry)
      },
      request(window) {
        const { first } = window
        let last = window.last
        while (last && last.role !== 'assistant') last = last.previous
        if (!first || !last || latest < threshold * window.budget || latest === 0 || isVain) return
        latest = 0
        const split = splitAt(window, first, last, 1 - keep)
        const to = split ? split.previous : last
        const range = to && wholeRange(first, to)
        isVain = !range || range.from !== first || window.tokensOf(first, range.to) <= summaryTokens
        if (!range || isVain) return
        // The second call reads the same, and the first snapshot.
        const drafted = summariseRange(window, first, range.to, {
          role: 'user',
          tokens: summaryTokens,
          keeps: () => true,
        })
        const snapshot = summariseRange(window, first, drafted, { role: 'user', tokens: summaryTokens })
        const blocks = [{ type: 'text', text: acknowledgement }] as const
        window.insert(snapshot.next, { role: 'assistant', blocks })
      },
    }
  },
})
