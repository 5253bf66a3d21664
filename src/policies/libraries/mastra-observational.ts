/**
 * `mastra-observational`: Mastra's observational memory. A second model notes what happened, a chunk of messages at a
 * time, in the background: when the messages that are no notes pass a multiple of a fifth of the threshold (near it, of
 * a tenth), and at least a tenth of it is new. At the threshold the chunks become notes at once and their messages
 * leave, as many chunks as bring the messages down to a fifth of the threshold: the first that reach it, unless they go
 * below a twentieth of that fifth, or below 1,000 tokens; then one fewer. If there is no chunk, or its leaving was not
 * enough at a prompt, all messages are noted while the agent waits. Of what is noted so, or within a turn, the newest
 * fifth stays for this one request, and so does a prompt that is not answered. Notes stay in front of the messages
 * until they have 40,000 tokens; then the older half of that is condensed.
 *
 * How long notes are is not known: `compression` is between the 5 and 40 times that its page names. What is condensed
 * keeps three quarters, which is what the model is asked for at most.
 *
 * Operators: acts at `>=`, on the messages without system prompt, tools and notes. Faults: how many chunks go is
 * decided by how many messages there were at the request before; behind a chunk the library goes on from the chunk's
 * own tokens, as if nothing had been before it, so that from the third on a tenth is enough; and what stays though it
 * is noted leaves at the next request, however little is left. Law: whole pairs, sticky.
 *
 * Not simulated: that a chunk takes time; notes of chunks that are never needed; that the second model is a cheaper one
 * (by default gemini-2.5-flash) and is shown earlier notes, too; the task and the next answer that it may suggest;
 * `shareTokenBudget`; activation by time and by resource. Of the steps of a turn the library makes one message, until a
 * chunk is noted; here each step leaves by itself; and a note is written once more when what stayed behind it leaves,
 * so that it stands for it. The library counts by a table of its own (tokenx), which is no count that can be had here,
 * so there is no native counter.
 *
 * What was read: @mastra/memory 1.31.0 (npm, 2026-11-23), dist/src-zTE4189S.js (thresholds, buffering, step, reflector)
 * and dist/docs/references/docs-memory-observational-memory.md, with swapBufferedToActive of @mastra/core 1.71.0,
 * dist/storage. Its windows are those of that code where each turn has one step: of each of 100 random conversations.
 * Since 1.1.0, by its page.
 *
 * Worked example: a threshold of 30,000 and requests that grow by 3,000: chunks of 6,000 at 6,000 and 12,000, of 3,000
 * from then on. At 30,000 there were 27,000 at the request before, of which 21,000 are to leave: five chunks do, and
 * 9,000 stay.
 */
import { integer, number, type Values } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, PolicyRun, Window } from '../policy.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

/** The library's own values, which need not be set. */
const usualNotes = 40_000
const usualKeep = 0.2

/** Growth after which a chunk is noted, as a share of the threshold, and how near to it half of that is enough. */
const chunkShare = 0.2
const rampOfChunk = 1.1

/** By how much of what shall stay the chunks may exceed what shall leave, and the least tokens that stay. */
const mostOvershoot = 0.95
const leastRest = 1_000
/** Of the threshold: from here on chunks go however much they exceed it. */
const blockShare = 1.2

const condensedShare = 0.5
const condensedTo = 0.75

/** Characters of the words around the notes, and of those between them and the messages. */
const words = Math.ceil((1_735 + 455) / 4)

/** Messages that are noted, but still inside. */
interface Chunk {
  readonly to: Entry
  readonly tokens: number
}

/**
 * How many chunks become notes, at least one.
 * @param sizes of the chunks, in tokens
 * @param pending tokens of all messages that are no notes
 * @param rest tokens that shall stay
 */
export function chunksToNote(sizes: readonly number[], pending: number, rest: number, isBlocked = false): number {
  const wanted = Math.max(0, pending - rest)
  let [sum, over, overSum, under, underSum] = [0, 0, 0, 0, 0]
  for (const [index, size] of sizes.entries()) {
    sum += size
    if (sum < wanted) [under, underSum] = [index + 1, sum]
    else if (over === 0) [over, overSum] = [index + 1, sum]
  }
  const least = Math.min(leastRest, rest)
  const isEnough = pending - overSum >= least && (isBlocked || overSum - wanted <= rest * mostOvershoot)
  if (over > 0 && isEnough) return over
  if (under > 0 && pending - underSum >= least) return under
  return Math.max(1, over)
}

const params = {
  keep: number({ default: usualKeep, min: 0, max: 1, help: 'share of the budget that stays as messages' }),
  notes: integer({
    default: usualNotes,
    min: 1,
    help: 'when notes have this many tokens, the older half is condensed',
  }),
  compression: number({ default: 10, min: 1, help: 'how many times shorter a note is than its messages' }),
} as const

export default definePolicy({
  name: 'mastra-observational',
  version: '1.31.0',
  summary:
    'note old messages in the background, and let the notes take their place once the messages reach the trigger',
  source: '@mastra/memory 1.31.0, processors/observational-memory; npm (2026-11)',
  package: { name: '@mastra/memory', version: '1.31.0', on: '2026-11' },
  ownBudget: 30_000,
  trigger: '`messageTokens`, of the messages without the notes; acts at it',
  unlike: '`langchain-summarize` writes one summary anew each time; `mastra-limiter` writes nothing',
  params,
  wholePairs: true,
  inserts: true,
  turnOn({ keep, notes }, budget) {
    const kept = keep === usualKeep ? '' : `, bufferActivation: ${Number((1 - keep).toFixed(3))}`
    const reflection = notes === usualNotes ? '' : `, reflection: { observationTokens: ${notes} }`
    return {
      file: 'your code, with Mastra',
      text: `new Memory({ options: { observationalMemory: { observation: { messageTokens: ${budget}${kept} }${reflection} } } })`,
      since: '1.1.0',
    }
  },
  start: (values) => new MastraRun(values),
})

class MastraRun implements PolicyRun {
  readonly #values: Values<typeof params>
  readonly #chunks: Chunk[] = []
  /** The notes, oldest first, and the words in front of them. */
  readonly #log: { readonly entry: Entry; readonly tokens: number }[] = []
  #preface: Entry | null = null
  /** Messages that are noted already and stay for one more request. */
  #noted: Entry[] = []
  /** Tokens at which the latest chunk was noted, or tried. */
  #boundary = 0
  /** Tokens of the messages in the latest request. */
  #before = 0
  #isNew = false

  constructor(values: Values<typeof params>) {
    this.#values = values
  }

  message(): void {
    this.#isNew = true
  }

  request(window: Window): void {
    if (!this.#isNew) return
    this.#isNew = false
    this.#leaveNoted(window)
    const size = this.#sizeOf(window)
    if (size < window.budget) this.#noteInBackground(window, size)
    else this.#act(window)
    this.#before = this.#sizeOf(window)
  }

  #firstMessage(window: Window): Entry | null {
    return this.#noted.length > 0 || this.#preface
      ? ((this.#noted.at(-1) ?? this.#log.at(-1)?.entry ?? this.#preface)?.next ?? null)
      : window.first
  }

  #sizeOf(window: Window): number {
    const first = this.#firstMessage(window)
    return first && window.last ? window.tokensOf(first, window.last) : 0
  }

  #noteInBackground(window: Window, size: number): void {
    const chunk = Math.round(window.budget * chunkShare)
    const step = size >= window.budget - chunk * rampOfChunk ? chunk / 2 : chunk
    if (Math.floor(size / step) <= Math.floor(this.#boundary / step)) return
    this.#boundary = size
    const from = this.#chunks.at(-1)?.to.next ?? (this.#chunks.length > 0 ? null : this.#firstMessage(window))
    if (!from || !window.last) return
    const tokens = window.tokensOf(from, window.last)
    if (tokens < chunk / 2) return
    this.#chunks.push({ to: window.last, tokens })
    this.#boundary = tokens
  }

  /**
   * The newest of the messages up to `to` that leaves, if `rest` tokens of messages are to stay; so does a prompt that
   * is the newest.
   */
  #newestLeaving(window: Window, first: Entry, to: Entry, rest: number): Entry | null {
    let left = to.next && window.last ? window.tokensOf(to.next, window.last) : 0
    let entry: Entry | null = to
    while (entry && (left < rest || (entry === window.last && entry.isPrompt))) {
      left += window.tokensOf(entry, entry)
      entry = entry === first ? null : entry.previous
    }
    return entry
  }

  /** Takes messages up to `to` into a note; of them, those after `leaves` stay for this request. */
  #note(window: Window, to: Entry, leaves: Entry | null): void {
    const first = this.#firstMessage(window)
    const range = first && wholeRange(first, to)
    if (!range || range.from !== first) return
    const out = leaves && wholeRange(first, leaves)
    const tokens = Math.max(1, Math.ceil(window.tokensOf(first, range.to) / this.#values.compression))
    const stays = out ? out.to.next : first
    for (let entry = stays; entry && entry !== range.to.next; entry = entry.next) this.#noted.push(entry)
    const blocks = [{ type: 'text', text: `[summary, ${tokens} tokens]` }] as const
    const entry = out
      ? summariseRange(window, first, out.to, { role: 'user', tokens })
      : window.insert(first, { role: 'user', blocks }, tokens)
    this.#preface ??= window.insert(window.first, { role: 'user', blocks: [{ type: 'text', text: '[notes]' }] }, words)
    this.#log.push({ entry, tokens })
    this.#condense(window)
    this.#boundary = 0
  }

  /** The messages that stayed for one request leave, and the newest note stands for them. */
  #leaveNoted(window: Window): void {
    const [last, newest] = [this.#noted.at(-1), this.#log.at(-1)]
    this.#noted = []
    if (!last || !newest) return
    // A call that was answered since stays, and what is behind it.
    const range = wholeRange(newest.entry, last)
    if (range?.from !== newest.entry || range.to === newest.entry) return
    const { tokens } = newest
    this.#log.splice(-1, 1, { entry: summariseRange(window, newest.entry, range.to, { role: 'user', tokens }), tokens })
  }

  #condense(window: Window): void {
    if (this.#log.reduce((sum, { tokens }) => sum + tokens, 0) < this.#values.notes) return
    let [count, sum] = [0, 0]
    while (count < this.#log.length && sum < this.#values.notes * condensedShare) sum += this.#log[count++]?.tokens ?? 0
    const [first, last] = [this.#log[0], this.#log[count - 1]]
    if (!first || !last) return
    const tokens = Math.ceil(sum * condensedTo)
    const entry = summariseRange(window, first.entry, last.entry, { role: 'user', tokens })
    this.#log.splice(0, count, { entry, tokens })
  }

  /** At the threshold, turns as many chunks into notes as needed. */
  #useChunks(window: Window, isStart: boolean): void {
    const rest = window.budget * this.#values.keep
    const sizes = this.#chunks.map(({ tokens }) => tokens)
    const pending = this.#before || sizes.reduce((sum, tokens) => sum + tokens, 0)
    const used = this.#chunks.splice(0, chunksToNote(sizes, pending, rest, pending >= window.budget * blockShare))
    const to = used.at(-1)?.to
    const first = this.#firstMessage(window)
    if (!to || !first) return
    this.#before = Math.max(0, pending - used.reduce((sum, { tokens }) => sum + tokens, 0))
    this.#note(window, to, isStart ? to : this.#newestLeaving(window, first, to, rest))
  }

  #act(window: Window): void {
    if (this.#chunks.length > 0 && window.last?.isPrompt) {
      this.#useChunks(window, true)
      const size = this.#sizeOf(window)
      if (size < window.budget) this.#noteInBackground(window, size)
    }
    const first = this.#firstMessage(window)
    if (!first || !window.last || this.#sizeOf(window) < window.budget) return
    if (this.#chunks.length > 0) this.#useChunks(window, false)
    else
      this.#note(
        window,
        window.last,
        this.#newestLeaving(window, first, window.last, window.budget * this.#values.keep),
      )
  }
}
