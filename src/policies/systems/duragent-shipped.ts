/**
 * `duragent-shipped`: what duragent 0.5.4 does. The layers are those of `duragent`, with 40000 tokens of history.
 *
 * Its faults, kept: each iteration masks the results between again, the masks of the iteration before included, so the
 * number in them dwindles to that of the line itself; a group to drop is an assistant's calls, the results right behind
 * them and one user message that starts with `[steering]`, so what the user typed into a step leaves its later results
 * without their call. A loop of more than ten iterations ends in an error there; a transcript goes on.
 *
 * It counts no tool definitions; the run's estimator does. `--measure native` counts as it does.
 * Law: view.
 */

import { integer } from '../../base/param.ts'
import { textOf } from '../../model/message.ts'
import { definePolicy, type Entry, type Window } from '../policy.ts'
import { maskText } from '../primitives/mask-tool-results.ts'
import { groupsToDrop, iterationGroups, type LoopKind, programCounter } from '../upstream/duragent.ts'
import { duragentParams, startDuragent } from './duragent.ts'

function loopKind(entry: Entry): LoopKind {
  if (entry.role === 'assistant') return entry.calls > 0 ? 'calls' : 'other'
  if (entry.role === 'tool') return 'result'
  const steers = entry.role === 'user' && entry.isPrompt && entry.message !== null
  return steers && textOf(entry.message).startsWith('[steering]') ? 'steering' : 'other'
}

/** Masks a result again while that changes it. @returns whether the line has settled */
export function maskAgain(window: Window, entry: Entry): boolean {
  if (!entry.inside || !entry.message) return true
  const text = maskText(window.tokensOf(entry, entry))
  if (textOf(entry.message) === text) return true
  window.replace(entry, text)
  return false
}

export default definePolicy({
  name: 'duragent-shipped',
  summary: "duragent's layers as its program has them",
  source: 'giosakti/duragent c39a858 (0.5.4), crates/duragent/src/context and session',
  params: {
    ...duragentParams,
    maxHistoryTokens: integer({
      default: 40_000,
      min: 0,
      help: 'most tokens of history at the start of a loop; 0 = no cap',
    }),
  },
  kind: 'view',
  monotone: false,
  wholePairs: false,
  inserts: true,
  text: true,
  native: programCounter,
  start: (values, context) =>
    startDuragent(values, context, {
      // `done` is up to where the lines have settled: masking those again would change nothing.
      mask(window, results, { from, to }, done) {
        let settled = Math.max(done, from)
        for (let index = settled; index < to; index++) {
          if (maskAgain(window, results[index] as Entry) && index === settled) settled++
        }
        return settled
      },
      dropSteps(window, loop, goal) {
        const groups = iterationGroups(loop.map(loopKind))
        const tokens = groups.map(({ from, to }) => window.tokensOf(loop[from] as Entry, loop[to] as Entry))
        for (const { from, to } of groups.slice(0, groupsToDrop(tokens, window.tokens, goal))) {
          for (const entry of loop.slice(from, to + 1)) window.drop(entry, entry)
        }
      },
    }),
})
