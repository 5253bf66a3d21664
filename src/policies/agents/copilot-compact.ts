/**
 * `copilot-compact`: GitHub Copilot's CLI starts a summary of everything so far when a request reaches 80 % of the
 * prompt that the model allows, and sends that request as it is. The summary is written in the background. Before a
 * later request, once it is there, it takes the place of what was there when it began; what came since stays behind it.
 * A request of 95 % waits for it, and one over the window, which the provider refuses, is sent again with a summary of
 * all of it. In front of the summary stands what the user said: all of it, or of more than 20 messages or 30,000
 * characters the first three within a fifth of the characters and the newest sixteen within the rest (a fifth of 20 is
 * a little less than four as the program computes it, and so it is here). The first or the newest that is longer than
 * its share alone is cut at its end.
 *
 * Operators: acts at `>=`, waits at `>=`, and not with fewer than four messages, the system prompt among them. How long
 * the model takes is not known: `seconds` of recorded time between responses, or until the next request where no times
 * are recorded. Two recorded ones took 47 and 66 seconds.
 *
 * Not simulated: the plan, the list of tasks, the skills and running agents that are written behind the summary; that
 * the first response behind it is given older reasoning; and that of a request over the limit old results are left out
 * first. The program counts with the model's tokenizer of its own table, which is no count that can be had here, so
 * there is no native counter.
 *
 * What was read: app.js of @github/copilot 1.0.40 (npm, 2026-11), the last one of those read that is JavaScript;
 * 1.0.102 is a binary. Held against two recorded sessions of 1.0.74 and 1.0.79, which began at 160,540 of 200,000
 * tokens and at 217,952 of 272,000, 80.3 and 80.1 %. How it is turned on: the environment variables stand in the same
 * file, in 0.0.394 and not in 0.0.376. They are shares of the model's limit, so the limit goes into them.
 *
 * Law: whole pairs, sticky; what the user said last survives if it has at most 24,001 characters. Worked example: a
 * window of 1,000: the request of 800 tokens goes out, and so does the next of 900; the one of 950 has the summary, and
 * behind it what came after the 800.
 */
import { integer, number } from '../../base/param.ts'
import { textOf } from '../../model/message.ts'
import { lookupModel } from '../../models/lookup.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry, Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

/** The program's own values, which need not be set. */
const usualBackground = 0.8
const usualExhausted = 0.95

/** Messages of the conversation, without the system prompt, below which it does not act. */
const fewest = 3

/** Of what the user said. */
const mostCharacters = 30_000
const mostMessages = 20
/** The share of both that the newest have. */
const newestShare = 0.8

const mark = '...<truncated>...'

/** Tokens of a text that was not kept, in characters. */
const charactersPerToken = 4

/** One message that the user wrote. */
interface Said {
  readonly entry: Entry
  readonly length: number
}

/** Which messages stay, by their index, and how many characters of each; what was said begins with the oldest. */
export function keptOf(lengths: readonly number[]): Map<number, number> {
  const kept = new Map<number, number>()
  if (lengths.length === 1) return kept.set(0, Math.min(lengths[0] as number, mostCharacters))
  const most = mostCharacters
  const oldest = Math.floor(most * (1 - newestShare))
  const newest = most - oldest
  if (lengths.length <= mostMessages && lengths.reduce((sum, length) => sum + length, 0) <= most)
    return new Map(lengths.entries())
  let at = lengths.length - 1
  for (let left = newest; at >= 0 && kept.size < Math.floor(mostMessages * newestShare); at--) {
    const length = lengths[at] as number
    if (length > left) break
    kept.set(at, length)
    left -= length
  }
  // Not even the newest one fits.
  if (kept.size === 0 && at >= 0) kept.set(at--, newest)
  const end = at
  const few = Math.max(1, Math.floor(mostMessages * (1 - newestShare)))
  let first = 0
  for (let left = oldest; first <= end && first < few; first++) {
    const length = lengths[first] as number
    if (length > left) break
    kept.set(first, length)
    left -= length
  }
  if (first === 0 && end >= 0) kept.set(0, oldest)
  return kept
}

/** A summary that is being written. */
interface Pending {
  /** The last message that it is of. */
  readonly to: Entry
  /** Seconds since it began; null where no times are recorded. */
  seconds: number | null
}

export default definePolicy({
  name: 'copilot-compact',
  version: '1.0.40',
  summary: 'at 80 % of the window, replace all but what the user said by a summary written in the background',
  source:
    '@github/copilot 1.0.40 (npm, read 2026-11), app.js; held against recorded sessions of 1.0.74 and 1.0.79 (2026-07, 2026-08)',
  package: { name: '@github/copilot', version: '1.0.40', on: '2026-11' },
  ownBudget: 'window',
  trigger: 'the window; begins at `background` of it, waits at `exhausted`',
  unlike: '`codex-compact` acts at once, and cuts the message in its middle; `goose-auto` keeps only the latest prompt',
  params: {
    background: number({
      default: usualBackground,
      min: 0,
      max: 1,
      help: 'share of the window at which it begins to write the summary',
    }),
    exhausted: number({
      default: usualExhausted,
      min: 0,
      max: 1,
      help: 'share of the window at which it stops and waits for the summary',
    }),
    seconds: integer({ default: 56, min: 0, help: 'seconds that the summary takes; 56 is between two recorded ones' }),
    summaryTokens: integer({
      default: 2_500,
      min: 1,
      help: 'tokens of the summary; two recorded ones have 9,282 and 11,221 characters',
    }),
  },
  wholePairs: true,
  inserts: true,
  text: true,
  withoutText: true,
  compacts: true,
  summariesShareThePrompt: true,
  availableIn: ['copilot-cli'],
  budgetFor: (tokens) => Math.ceil(tokens / usualBackground),
  turnOn({ background, exhausted }, budget, of) {
    const begins = background * budget
    const window = (of?.model && lookupModel(of.model)?.contextWindow) || null
    const share = (tokens: number): string =>
      window === null
        ? `<${Math.floor(tokens)} / the model's limit>`
        : `${Math.min(1, Number((tokens / window).toFixed(3)))}`
    return {
      file: 'the environment',
      text: `export COPILOT_BACKGROUND_COMPACTION_THRESHOLD=${share(begins)} COPILOT_BUFFER_EXHAUSTION_THRESHOLD=${share(exhausted * budget)}`,
      since: '0.0.394',
      note: `begins at ${thousands(begins)}${window === null ? '' : ` of a window of ${thousands(window)}`}`,
    }
  },
  start({ background, exhausted, seconds, summaryTokens }) {
    const said: Said[] = []
    let pending: Pending | null = null
    /** A message came since the last look; asking the same request again is not a new request. */
    let isNew = false

    /** The user's messages up to an entry that stay; long ones are cut. */
    function kept(window: Window, last: Entry): Set<Entry> {
      const own = said.filter(({ entry }) => entry.index <= last.index)
      const stay = new Set<Entry>()
      for (const [index, length] of keptOf(own.map(({ length }) => length))) {
        const { entry, length: whole } = own[index] as Said
        if (!entry.inside) continue
        if (length === whole) stay.add(entry)
        else if (entry.message) {
          const text = textOf(entry.message)
          if (text.length > length) window.replace(entry, text.slice(0, length - mark.length) + mark)
          stay.add(entry)
        } else {
          // A stand-in of the size that is left takes its place.
          const tokens = Math.ceil(length / charactersPerToken)
          stay.add(window.insert(entry, { role: 'user', blocks: [] }, tokens))
        }
      }
      return stay
    }

    function apply(window: Window, { to }: Pending): void {
      pending = null
      const range = window.first && to.inside ? wholeRange(window.first, to) : null
      if (!range || range.from !== window.first) return
      const stay = kept(window, range.to)
      // A stand-in may be the first now.
      const from = window.first ?? range.from
      summariseRange(window, from, range.to, { role: 'user', tokens: summaryTokens, keeps: (entry) => stay.has(entry) })
    }

    return {
      message(window, entry) {
        isNew = true
        if (entry.role !== 'user' || entry.index < 0 || entry.isInjected) return
        const length = entry.message ? textOf(entry.message).length : window.tokensOf(entry, entry) * charactersPerToken
        said.push({ entry, length })
      },
      request(window, { idleSeconds }) {
        if (!isNew) return
        isNew = false
        const share = window.budget > 0 ? window.tokens / window.budget : 0
        if (pending) {
          if (pending.seconds !== null) pending.seconds = idleSeconds === null ? null : pending.seconds + idleSeconds
          if (pending.seconds === null || pending.seconds >= seconds || share >= exhausted) apply(window, pending)
          return
        }
        if (share < background || window.count < fewest || !window.last) return
        pending = { to: window.last, seconds: 0 }
        if (share > 1) apply(window, pending)
      },
    }
  },
})
