/**
 * `pi-compact`: pi compacts when a turn has ended, or before the next step of one, and less than 16,384 tokens of the
 * window are left. Walking back from the newest message it collects 20,000 tokens; the cut is in front of the first
 * message of the user or the model from there on, never in front of a result, or where there is none, in front of the
 * last one. What is in front is replaced by a summary. If the cut is inside a turn, the turn's beginning gets a summary
 * of its own, and an earlier summary right in front of the turn stays. The first request of a turn is compacted only
 * where the window is full.
 *
 * Operators: acts at `>`; the tail ends at `>=`. At the end of a turn it goes by what the latest response reported, so
 * it needs one since the last cut. Not simulated: the lists of files read and changed in the summary; that a request
 * refused as too long loses its last attempt, too; and that both summaries are one message.
 *
 * What was read: dist/core/compaction/compaction.js and dist/core/agent-session.js of @earendil-works/pi-coding-agent
 * 1.5.2 (npm, 2026-11), its docs/compaction.md and its changelog. Between steps since 0.84.4; a result that alone has
 * the tokens that stay is cut in front of its call.
 *
 * Held against the package's own code, which answers the same to random sessions (tools/oracles/large/pi-of-today.mjs).
 *
 * How it is turned on: `compaction.reserveTokens` and `keepRecentTokens` of the settings, from 0.12.7 on by the
 * program's changelog, and by model below `compaction.modelOverrides` since 0.86.0; the same in 1.5.2 (npm, read
 * 2026-11). Only the reserve moves the threshold, so the model's window goes into it.
 *
 * Law: whole pairs, sticky. Worked example, keeping 45, of messages u10 a3 R100 a3 R100 a10 u10 a10 u10: walking back,
 * 40 tokens stand behind the second R100, which crosses the 45; the cut is in front of the a10 behind it, and 40 stay.
 */
import { lookupModel } from '../../models/lookup.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import { charsOverFour } from '../counters.ts'
import { piParams, piRun, usualKeep, usualReserve } from './pi.ts'

export default definePolicy({
  name: 'pi-compact',
  version: '1.5.2',
  summary: 'near the end of the window, replace all but the newest 20,000 tokens by a summary',
  source:
    '@earendil-works/pi-coding-agent 1.5.2 (npm, read 2026-11), dist/core/compaction/compaction.js and dist/core/agent-session.js',
  package: { name: '@earendil-works/pi-coding-agent', version: '1.5.2', on: '2026-11' },
  ownBudget: 'window',
  trigger: 'the window; acts after a turn and between its steps, when less than `reserve` of it is left',
  unlike:
    '`opencode-compact` keeps at most 15,000 tokens; `gemini-compress` cuts only at prompts; `pi-compact-turns` waits for the end of a turn',
  params: piParams,
  wholePairs: true,
  inserts: true,
  native: charsOverFour,
  compacts: true,
  availableIn: ['pi'],
  budgetFor: (tokens) => tokens + usualReserve,
  turnOn({ reserve, keep }, budget, of) {
    // The program takes the window from the model, and only the reserve can be set.
    const most = Math.max(0, budget - reserve)
    const window = (of?.model && lookupModel(of.model)?.contextWindow) || null
    const spare = window === null ? `<the model's window - ${most}>` : Math.max(0, window - most)
    const kept = keep === usualKeep ? '' : `, "keepRecentTokens": ${keep}`
    return {
      file: '~/.pi/agent/settings.json',
      text: `"compaction": { "reserveTokens": ${spare}${kept} }`,
      since: '0.12.7',
      note: `compacts at ${thousands(most)}${window === null ? '' : ` of a window of ${thousands(window)}`}`,
    }
  },
  start: (values) =>
    piRun(values, {
      isFull: (window, reserve, isAsked) => window.tokens > window.budget - (isAsked ? 0 : reserve),
      cutsInFront: true,
      keepsSummary: true,
    }),
})
