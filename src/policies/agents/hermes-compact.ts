/**
 * `hermes-compact`: Hermes Agent compacts at a share of the window, half of it, or three quarters of one below 512,000
 * tokens, and never later than at 256,000. First it shortens, in all that is there but the newest 2.5 % of the window
 * (10,000 to 25,000 tokens, and at most a fifth of it): a result of more than 200 characters becomes one line, and in
 * arguments of more than 500 each string is cut to 200. Of equal results only the newest stays whole. If the newest
 * messages have more than one and a half times that share, their results are shortened, too, oldest first, the last
 * three messages last.
 *
 * Then a summary replaces the middle. In front of it stay the first three messages, the first time only; behind it the
 * newest that fit one and a half times that share, whole steps, with the newest prompt and the newest answer in words,
 * however far back these are. Where steps of the current prompt alone are too much, the prompt goes into the summary,
 * and is said again at the end. Of the results behind the summary those of the newest six steps stay whole. The summary
 * quotes what the user said in the middle, the newest first, up to 24,000 characters. If the request has not become
 * smaller than the threshold twice in a row, nothing happens for five minutes, or until the window is full.
 *
 * Operators: acts at `>=`. The summary has as many tokens as the program asks for: a fifth of the middle, from 2,000 to
 * a twentieth of the window or 10,000, and 4,000 for a log.
 *
 * Not simulated: the note in the system prompt, which breaks the cache once; up to 7,000 characters of names and
 * numbers behind the summary; that of a long middle only 160,000 characters are read for it; skills; what OpenAI's own
 * compaction takes over; the sweep at 85 % before a message of a chat app; that it looks again only after five minutes
 * where there was nothing to compact. Where it goes by what the provider counted and an estimate of what is new, this
 * goes by the request.
 *
 * What was read (2026-11-23): agent/context_compressor.py and
 * website/docs/developer-guide/context-compression-and-caching.md of NousResearch/hermes-agent at 042431a7,
 * agent/model_metadata.py at 00067189 (0.21.3). `threshold_tokens` came on 2026-07-22 (#69335), the small share as the
 * default on 2026-08-26 (#95571). The first versions kept a fifth of the threshold (0.5.0, 2026-03).
 *
 * Law: whole pairs, sticky. Worked example: of a window of 200,000 the request of 150,000 is compacted; 5,000 are
 * 2.5 %, so the newest 10,000 stay as they are, and up to 15,000 behind the summary.
 */
import { integer, number } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry, Moment, PolicyRun, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'
import { dropBrokenPairs } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { Cut, fewest, tailOf, textIn, thresholdOf } from './hermes-cut.ts'
import { hermesCounter, Shortener } from './hermes-shorten.ts'

/** The program's own values, which need not be set. */
const usualThreshold = 0.5
const usualLimit = 256_000

/** Messages in front of the summary. */
const firstMessages = 3

const quotedInAll = 24_000
const quotedOfOne = 4_000

const summaryShare = 0.2
const leastSummary = 2_000
const [summaryOfWindow, mostSummary] = [0.05, 10_000]
const logTokens = 4_000

const mostStrikes = 2
const pauseSeconds = 300

export default definePolicy({
  name: 'hermes-compact',
  version: '042431a7',
  summary: 'at three quarters of the window, or half of a large one, replace all but the first and newest by a summary',
  source: 'NousResearch/hermes-agent at 042431a7, agent/context_compressor.py and its page in website/docs (2026-11)',
  ownBudget: 'window',
  trigger: 'the window; acts at `threshold` of it (at least three quarters of one below 512,000), or at `limit`',
  unlike:
    '`pi-compact` keeps a fixed tail and no beginning; `openhands-condense` keeps a beginning for good, and whole results',
  params: {
    threshold: number({ default: usualThreshold, min: 0, max: 1, help: 'share of the window at which it acts' }),
    limit: integer({ default: usualLimit, min: 1, help: 'act at this many tokens at the latest' }),
    summaryTokens: integer({
      default: 0,
      min: 0,
      help: 'tokens of the summary; 0 = as many as the program asks the model for',
    }),
  },
  wholePairs: true,
  inserts: true,
  text: true,
  native: hermesCounter,
  availableIn: ['hermes-agent'],
  turnOn({ threshold, limit }, budget) {
    const at = thresholdOf(budget, threshold, limit)
    const share = threshold === usualThreshold ? '' : `threshold: ${threshold}, `
    return {
      file: '~/.hermes/config.yaml',
      text: `compression: { ${share}threshold_tokens: ${at} }`,
      note: `compacts at ${thousands(at)}; since 2026-07-22`,
    }
  },
  start: (values) => new HermesRun(values),
})

interface Values {
  readonly threshold: number
  readonly limit: number
  readonly summaryTokens: number
}

class HermesRun implements PolicyRun {
  readonly #values: Values
  readonly #shortener = new Shortener()
  readonly #answered = new Set<number>()
  /** Prompts that were said again. */
  readonly #repeated = new WeakSet<Entry>()
  #compacted = false
  /** Compactions in a row that left the threshold reached, and seconds since it gave up. */
  #strikes = 0
  #paused = 0
  #isNew = false

  constructor(values: Values) {
    this.#values = values
  }

  message(_window: Window, entry: Entry): void {
    this.#isNew = true
    this.#shortener.message(entry)
    if (entry.role === 'tool' && entry.call >= 0) this.#answered.add(entry.call)
  }

  request(window: Window, { idleSeconds }: Moment): void {
    if (!this.#isNew) return
    this.#isNew = false
    const at = thresholdOf(window.budget, this.#values.threshold, this.#values.limit)
    if (window.tokens < at) this.#strikes = 0
    else if (!this.#rests(window, idleSeconds ?? 0)) {
      const isDone = this.#compact(window)
      if (window.tokens < at) this.#strikes = 0
      else if (isDone) this.#strikes++
    }
  }

  /** After some attempts that gained nothing it rests for a while, unless the window is full. */
  #rests(window: Window, idleSeconds: number): boolean {
    if (this.#strikes >= mostStrikes && window.tokens <= window.budget) {
      this.#paused += idleSeconds
      if (this.#paused < pauseSeconds) return true
      this.#strikes = mostStrikes - 1
    }
    this.#paused = 0
    return false
  }

  /** @returns whether there was anything to compact */
  #compact(window: Window): boolean {
    const entries = [...entriesFrom(window.first)]
    const head = this.#compacted ? 0 : Math.min(firstMessages, entries.length)
    if (entries.length <= head + fewest) return false
    const tail = tailOf(window.budget)
    this.#shortener.shortenAll(window, entries, tail)
    const cut = new Cut(window, entries, head, this.#isPrompt)
    const { start } = cut
    const end = cut.end(tail)
    if (end <= start) return false
    this.#shortener.shortenOldSteps(window, entries.slice(end))
    const middle = entries.slice(start, end)
    if (middle.every(({ index }) => index < 0)) return false
    this.#summarise(window, middle, this.#askedIn(entries, end))
    this.#compacted = true
    return true
  }

  /** The prompt in front of `end` that is not answered yet, as it is said again; '' where there is none. */
  #askedIn(entries: readonly Entry[], end: number): string {
    const newest = entries.slice(0, end).findLast(this.#isPrompt)
    const isAsked = newest && !entries.slice(end).some(this.#isPrompt) && entries.at(-1)?.role !== 'assistant'
    return isAsked ? textIn(newest) : ''
  }

  #summarise(window: Window, middle: readonly Entry[], again: string): void {
    const [first, last] = [middle[0] as Entry, middle.at(-1) as Entry]
    const asked = Math.floor(window.tokensOf(first, last) * summaryShare)
    const most = Math.min(Math.floor(window.budget * summaryOfWindow), mostSummary)
    const tokens = this.#values.summaryTokens || Math.max(leastSummary, Math.min(asked, most)) + logTokens
    const said = this.#quotes(middle)
    const summary = summariseRange(window, first, last, { role: 'user', tokens })
    if (said !== '') window.insert(summary.next, { role: 'user', blocks: [{ type: 'text', text: said }] })
    dropBrokenPairs(window, this.#answered)
    if (again !== '') this.#repeated.add(window.insert(null, { role: 'user', blocks: [{ type: 'text', text: again }] }))
  }

  /** What the user said, the newest first. */
  #quotes(entries: readonly Entry[]): string {
    const said: string[] = []
    let left = quotedInAll
    for (const entry of entries.filter(this.#isPrompt).reverse()) {
      if (left <= 0) break
      const text = textIn(entry).trim().slice(0, Math.min(quotedOfOne, left))
      said.push(`> ${text.replaceAll('\n', '\n> ')}`)
      left -= text.length
    }
    return said.join('\n\n')
  }

  readonly #isPrompt = (entry: Entry): boolean =>
    entry.role === 'user' &&
    (entry.index >= 0 ? !entry.isInjected : this.#repeated.has(entry)) &&
    textIn(entry).trim() !== ''
}
