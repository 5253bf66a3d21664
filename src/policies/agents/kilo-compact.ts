/**
 * `kilo-compact`: what Kilo Code does, which is opencode's way (`opencode-compact`) with a tail of at most two turns,
 * and, with `percent`, a second look before a prompt is sent: what the latest response reported, and an estimate of
 * what came since, of the system prompt and of the tools, times 1.3, is held against that share of the window. Then all
 * in front of the prompt is summarised but for a tail, and the prompt is sent behind it. Inside a loop of tools the
 * share is not looked at.
 *
 * Operators: acts at `>=`. System prompt and tools are counted twice then, as the report has them already: so the
 * program does, and it acts that much earlier. Before the first response, and behind a summary, the estimate alone
 * decides. Not simulated: what `opencode-compact` leaves out, and summaries by parts of what is too large for one.
 *
 * What was read (2026-11-23): Kilo-Org/kilocode, packages/opencode/src/kilocode/session/overflow.ts at 030412ea (the
 * percentage is from pull request 10218, 2026-05; what it is of, from 13340, 2026-08), and the program of
 * @kilocode/cli-linux-x64 7.7.9, the newest of that platform that npm has. In 7.7.9 the share decides before prompts
 * alone; in the repository's session/overflow.ts at 89415151 behind each response, too.
 *
 * Law: whole pairs, sticky. Worked example: window 100,000, reserve 20,000, `percent` 50, no system prompt: behind a
 * response that ended at 40,000 tokens a prompt of 7,692 is sent as it is (9,999.6 more), one of 7,693 behind a
 * summary.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import { charsOverFour } from '../counters.ts'
import { LatestUsage } from '../latest-usage.ts'
import type { Entry, Window } from '../policy.ts'
import { compactionParams, limitIn, summariseBeforeTail } from './opencode.ts'

/** The factor by which the program corrects its own estimates. */
const factor = 1.3

export default definePolicy({
  name: 'kilo-compact',
  version: '7.7.9',
  summary: 'near the end of the window, or at a share of it before a prompt, replace all but two turns by a summary',
  source:
    'Kilo-Org/kilocode at 030412ea, packages/opencode/src/kilocode/session/overflow.ts; @kilocode/cli-linux-x64 7.7.9 (npm, 2026-11)',
  package: { name: '@kilocode/cli', version: '7.7.9', on: '2026-11' },
  ownBudget: 'window',
  trigger:
    'the window; acts when the latest response leaves less than `reserve` of it, and before a prompt at `percent`',
  unlike: '`opencode-compact` keeps more than two turns, and has no share',
  params: {
    ...compactionParams,
    percent: integer({
      default: 0,
      min: 0,
      max: 100,
      help: 'act before a prompt at this percentage of the window, if that is earlier; 0 = off, as the program has it',
    }),
  },
  wholePairs: true,
  inserts: true,
  native: charsOverFour,
  turnOn({ reserve, percent, tail }, budget, of) {
    const usable = Math.max(0, budget - reserve)
    const share = Math.floor((budget * percent) / 100)
    const earlier = percent > 0 && share < usable ? `, and before a prompt at ${thousands(share)}` : ''
    const compaction = [
      ...(percent > 0 ? [`"threshold_percent": ${percent}`] : []),
      ...(tail > 0 ? [`"preserve_recent_tokens": ${tail}`] : []),
    ]
    return {
      file: 'kilo.json',
      text: limitIn(budget, reserve, of?.model ?? null, compaction),
      note: `compacts at ${thousands(usable)}${earlier}`,
    }
  },
  start({ reserve, percent, tail, summaryTokens }) {
    const usage = new LatestUsage()
    const kept = { tokens: tail, turns: 2, summaryTokens }
    /** The latest message of the user that no result follows. */
    let prompt: Entry | null = null
    let isNew = false

    function projected(window: Window): number {
      if (usage.tokens === 0) return factor * window.tokens
      let first = window.last
      while (first?.previous && first.previous.role !== 'assistant') first = first.previous
      const pending = first && window.last ? window.tokensOf(first, window.last) : 0
      return usage.tokens + factor * (pending + window.preambleTokens)
    }

    return {
      message(window, entry) {
        isNew = true
        usage.message(window, entry)
        if (entry.role === 'user') prompt = entry
        else if (entry.role === 'tool') prompt = null
      },
      request(window) {
        if (!isNew) return
        isNew = false
        const usable = Math.max(0, window.budget - reserve)
        if (usage.tokens > 0 && usage.tokens >= usable) {
          usage.reset()
          summariseBeforeTail(window, window.last, usable, kept)
        } else if (percent > 0 && prompt?.inside) {
          if (projected(window) < Math.min(usable, Math.floor((window.budget * percent) / 100))) return
          usage.reset()
          summariseBeforeTail(window, prompt.previous, usable, kept)
        }
      },
    }
  },
})
