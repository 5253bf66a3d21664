/**
 * `cline-basic`: the strategy of Cline's SDK that asks no model. At nine tenths of the largest input (itself nine
 * tenths of the window) it folds the history. What the user typed stays. Of the current turn the newest messages stay
 * that the aim has room for, from a message of the model on; of earlier turns the last answer, newest turns first, as
 * far as there is room. Everything else leaves, and a notice behind each prompt names the files and commands of the
 * work that left behind it, and quotes those of the model's last three texts that left. All reasoning leaves.
 *
 * The aim is seven tenths of the trigger, or, where the user and the model have taken turns five times (tool results
 * count as the user's), half of the largest input.
 *
 * Fault: what was kept once stays for good and takes up room, so in a long turn the newest step leaves for an older
 * one, its results with it that the model has not seen.
 *
 * Operators: acts at `>=`; the tail fits at `<=`. Not simulated: that texts are cut where the prompts alone are over
 * the trigger, that images leave all but the latest prompt, and `agentic`, which summarises with a model. The program
 * names only work of its own tools; this names that of any.
 *
 * Law: whole pairs, sticky; every word of the user stays. Worked example: largest input 1,500, so the aim is 945. Two
 * turns, each with a read of 600 tokens and an answer, and a third with one: the third read stays, the first two leave.
 */

import { jsonText } from '../../base/json-text.ts'
import { integer, type Values } from '../../base/param.ts'
import { type Block, textOf } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { type LibraryMessage, libraryMessages } from '../libraries/library-messages.ts'
import type { Entry, PolicyRun, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'
import { dropBrokenPairs } from '../primitives/keep-pairs.ts'

/** Shares of the largest input and of the trigger. */
const [triggerShare, targetShare, manyShare] = [0.9, 0.7, 0.5]
const many = 5
const quoted = 3

const isReasoning = ({ type }: Block) => type === 'thinking' || type === 'opaque'
const isTyped = ({ role, index }: Entry) => role === 'user' && index >= 0

/** How often the model has answered the user or a tool: the messages are told one by one. */
class Turns {
  readonly count: number
  readonly #isAsked: boolean

  constructor(count = 0, isAsked = false) {
    this.count = count
    this.#isAsked = isAsked
  }

  after({ role }: Entry): Turns {
    if (role === 'assistant') return new Turns(this.count + (this.#isAsked ? 1 : 0))
    return role === 'system' ? this : new Turns(this.count, true)
  }
}

/** What a call worked on, for the notice: files, commands, else the tool's name. */
function subjectOf(name: string, input: unknown): string {
  const { path, file_path, command } = (input ?? {}) as Readonly<Record<string, unknown>>
  const subject = path ?? file_path ?? command
  return subject === undefined ? name : typeof subject === 'string' ? subject : jsonText(subject)
}

const params = {
  maxInput: integer({ default: 0, min: 0, help: 'most tokens of input; 0 = nine tenths of the budget' }),
} as const

export default definePolicy({
  name: 'cline-basic',
  version: '0.0.86',
  summary: 'near the end of the window, keep prompts, last answers and a tail, and note what the rest did',
  source: '@cline/core 0.0.86, extensions/context, and cline/cline 21cb8d2525; npm (2026-11)',
  package: { name: '@cline/core', version: '0.0.86', on: '2026-11' },
  ownBudget: 'window',
  trigger: 'the window; acts at nine tenths of `maxInput`, which is nine tenths of it',
  unlike: '`cline-truncate` drops what the user said, too; `drop-steps` leaves no notice',
  params,
  wholePairs: true,
  inserts: true,
  text: true,
  turnOn: () => ({ file: 'your code, with the Cline SDK', text: 'compaction: { enabled: true, strategy: "basic" }' }),
  start: (values) => new ClineBasicRun(values),
})

class ClineBasicRun implements PolicyRun {
  readonly #values: Values<typeof params>
  readonly #answered = new Set<number>()
  /** What has been folded, up to this message, stays for good: nothing of it is looked at again. */
  #folded: Entry | null = null
  #turns = new Turns()
  readonly #calls = new Set<number>()

  constructor(values: Values<typeof params>) {
    this.#values = values
  }

  message(_window: Window, entry: Entry): void {
    if (entry.role === 'tool') this.#answered.add(entry.call)
  }

  request(window: Window): void {
    const largest = this.#values.maxInput || 0.9 * window.budget
    const trigger = triggerShare * largest
    if (window.tokens < trigger || window.users === 0) return
    const entries = [...entriesFrom(this.#folded ? this.#folded.next : window.first)]
    const { count } = entries.reduce((before, entry) => before.after(entry), this.#turns)
    const aim = count >= many ? manyShare * largest : targetShare * trigger
    this.#fold(window, entries, Math.max(1, Math.floor(aim) - window.preambleTokens))
  }

  /** The newest messages of the current turn that there is room for. @returns their tokens */
  #keepTail(window: Window, messages: readonly LibraryMessage[], room: number, kept: Set<Entry>): number {
    let [from, size, sum] = [messages.length, 0, 0]
    for (let at = messages.length - 1; at >= 0; at--) {
      const message = messages[at] as LibraryMessage
      if (isTyped(message[0])) break
      size += sizeOf(window, message)
      if (size > room) break
      from = at
    }
    while (from < messages.length && messages[from]?.[0].role !== 'assistant') from++
    for (const message of messages.slice(from)) {
      for (const entry of message) kept.add(entry)
      sum += sizeOf(window, message)
    }
    return sum
  }

  /** The last answers of earlier turns, newest first. */
  #keepAnswers(window: Window, entries: readonly Entry[], room: number, kept: Set<Entry>): void {
    let left = room
    let isDone = true
    for (const entry of entries.toReversed()) {
      if (isTyped(entry)) isDone = false
      else if (!isDone && entry.role === 'assistant' && entry.calls === 0) {
        isDone = true
        if (textIn(entry) === '') continue
        dropReasoning(window, entry)
        const size = window.tokensOf(entry, entry)
        if (size > left) continue
        left -= size
        kept.add(entry)
      }
    }
  }

  /** Notes behind each prompt what the messages that are about to leave did. */
  #note(window: Window, entries: readonly Entry[], kept: ReadonlySet<Entry>): void {
    const texts = entries.filter((entry) => textIn(entry) !== '').slice(-quoted)
    const insert = (before: Entry, gone: readonly Entry[]): void => {
      const subjects = new Set(gone.flatMap(subjectsOf))
      const work = subjects.size > 0 ? [`Work left the context: ${[...subjects].join(', ')}`] : []
      const lines = [...work, ...gone.filter((entry) => texts.includes(entry)).map(textIn)]
      const text = `[SYSTEM NOTICE] ${lines.join('\n')}`
      if (lines.length > 0) window.insert(before, { role: 'user', blocks: [{ type: 'text', text }] })
    }
    let isBehindPrompt = this.#folded?.role === 'user'
    for (let at = 0; at < entries.length; at++) {
      const from = at
      while (entries[at] && !kept.has(entries[at] as Entry)) at++
      if (isBehindPrompt && at > from) insert(entries[from] as Entry, entries.slice(from, at))
      const next = entries[at]
      isBehindPrompt = next !== undefined && isTyped(next)
    }
  }

  #fold(window: Window, entries: readonly Entry[], goal: number): void {
    const kept = new Set(entries.filter(isTyped))
    let used = window.messageTokens
    for (const entry of entries) if (!kept.has(entry)) used -= window.tokensOf(entry, entry)
    used += this.#keepTail(window, libraryMessages(entries[0] ?? null), goal - used, kept)
    this.#keepAnswers(window, entries, goal - used, kept)
    this.#note(window, entries, kept)
    let isParted = false
    for (const entry of entries) {
      for (let call = entry.call; kept.has(entry) && call < entry.call + entry.calls; call++) this.#calls.add(call)
      // A late result may stay without its call, or leave without it.
      isParted ||= entry.role === 'tool' && kept.has(entry) !== this.#calls.has(entry.call)
      if (!kept.has(entry)) window.drop(entry, entry)
      else if (entry.role === 'assistant') dropReasoning(window, entry)
      if (entry.inside) this.#turns = this.#turns.after(entry)
    }
    if (isParted) dropBrokenPairs(window, this.#answered)
    this.#folded = window.last
  }
}

const sizeOf = (window: Window, message: LibraryMessage): number => window.tokensOf(message[0], message.at(-1) as Entry)

/** What the model says in a message; '' for messages of others. */
const textIn = ({ role, message }: Entry): string => (role === 'assistant' && message ? textOf(message).trim() : '')

const subjectsOf = ({ message }: Entry): string[] =>
  (message?.blocks ?? []).flatMap((block) => (block.type === 'call' ? [subjectOf(block.name, block.input)] : []))

/** Drops a message that is reasoning alone. */
function dropReasoning(window: Window, entry: Entry): void {
  const blocks = entry.message?.blocks ?? []
  const rest = blocks.filter((block) => !isReasoning(block))
  if (rest.length === blocks.length) return
  if (rest.length > 0) window.replace(entry, rest)
  else window.drop(entry, entry)
}
