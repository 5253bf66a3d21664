/**
 * `vercel-prune`: `pruneMessages` of Vercel's AI SDK, which takes parts out of the whole history before each request:
 * tool calls with their results, reasoning, and messages that are empty then. It counts no tokens and knows no trigger.
 *
 * The last N messages stay as they are, and so does every call and result elsewhere whose id occurs in them: pairs stay
 * or leave together. The results of parallel calls that were sent as one message are one message. Where a message loses
 * all parts that follow a piece of reasoning (up to the next), that reasoning leaves too. `before-last-0-messages`
 * takes everything in version 7 and nothing in version 6 (`slice(-0)` is the whole list). A text of no characters is no
 * part.
 *
 * Faults: `toolCalls=all` also takes the results that the next request is made for. `reasoning` may leave an assistant
 * message empty; with `emptyMessages=keep` such messages are sent, and providers refuse them (tool messages without
 * their result count as results without a call here). Not simulated: approvals of tools. An id that was used before is
 * of another call, as everywhere here: the library, whose ids are unique, would take the two for one.
 *
 * Law: view, monotone (it ignores the budget); with `emptyMessages=remove` whole pairs. A part that has left comes back
 * only where its result is late. Worked example: of [user, call a, result a, call b, result b] with
 * `before-last-message` the user's message, call b and result b stay: b's id is in the last message.
 */
import { choice, type Param, type Values, words, wordsOf } from '../../base/param.ts'
import { javascriptString } from '../../base/quoting.ts'
import type { Block } from '../../model/message.ts'
import { Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, PolicyRun, Window } from '../policy.ts'

const lastMessages = /^before-last-(\d+)-messages$/

const toolCallsParam: Param<string> = {
  default: 'before-last-2-messages',
  help: 'which tool calls leave, with their results',
  expected: 'none, all, before-last-message or before-last-N-messages',
  parse: (value) =>
    typeof value === 'string' && (['none', 'all', 'before-last-message'].includes(value) || lastMessages.test(value))
      ? value
      : undefined,
}

/** How many of the last messages protect their calls; null for a setting that takes nothing. */
function protectedMessages(toolCalls: string, version: string): number | null {
  if (toolCalls === 'none') return null
  if (toolCalls === 'all') return 0
  if (toolCalls === 'before-last-message') return 1
  const count = Number(lastMessages.exec(toolCalls)?.[1])
  return count === 0 && version === '6' ? null : count
}

const isReasoning = ({ type }: Block) => type === 'thinking' || type === 'opaque'

/** Number of a call, or the id of one that is not recorded. */
type Key = number | string

/** Without the calls that do not stay, and without reasoning that all parts behind it have left. */
function withoutCalls(blocks: readonly Block[], first: number, stays: (key: Key, tool: string) => boolean): Block[] {
  let call = first
  const left = blocks.map((block) => block.type !== 'call' || stays(call++, block.name))
  let end = blocks.length
  for (let index = blocks.length - 1; index >= 0; index--) {
    if (!isReasoning(blocks[index] as Block)) continue
    const behind = left.slice(index + 1, end)
    let from = index
    while (from > 0 && isReasoning(blocks[from - 1] as Block)) from--
    if (behind.length > 0 && !behind.includes(true)) left.fill(false, from, index + 1)
    end = from
    index = from
  }
  return blocks.filter((_, index) => left[index])
}

/** A message as it came, in the order of messages as the library counts them. */
interface Item {
  readonly entry: Entry
  readonly blocks: readonly Block[]
  /** Of the calls that it makes, or answers. */
  readonly keys: readonly Key[]
  readonly tool: string
  readonly group: readonly Item[]
  /** Of its group among all. */
  readonly place: number
  /** How many parts it has left; of a result that has left, 0. */
  parts: number
}

const params = {
  toolCalls: toolCallsParam,
  tools: words({ help: 'only calls of these tools; none = of all tools' }),
  reasoning: choice({
    default: 'none',
    of: ['none', 'all', 'before-last-message'],
    help: 'which reasoning leaves',
  }),
  emptyMessages: choice({
    default: 'remove',
    of: ['remove', 'keep'],
    help: 'what happens to messages that are left empty',
  }),
  version: choice({ default: '7', of: ['7', '6'], help: 'the major version of the SDK' }),
} as const

export default definePolicy({
  name: 'vercel-prune',
  version: '7.0.173',
  summary: 'take tool calls, their results and reasoning out of all but the last messages',
  source: 'ai 7.0.173 and 6.0.326, generate-text/prune-messages; npm (2026-11)',
  package: { name: 'ai', version: '7.0.173', on: '2026-11' },
  trigger: 'no budget; acts at every request',
  unlike:
    '`anthropic-clear-tool-uses` leaves the calls and a line for each result; this leaves nothing, and no trigger waits',
  params,
  kind: 'view',
  monotone: true,
  budgetless: true,
  text: true,
  turnOn({ toolCalls, tools, reasoning, emptyMessages }) {
    const names = wordsOf(tools).map(javascriptString)
    if (names.length > 0 && toolCalls === 'none') return null
    const which = javascriptString(toolCalls)
    const calls = names.length > 0 ? `[{ type: ${which}, tools: [${names}] }]` : which
    return {
      file: 'your code, with the AI SDK',
      text: `messages = pruneMessages({ messages, toolCalls: ${calls}, reasoning: ${javascriptString(reasoning)}, emptyMessages: ${javascriptString(emptyMessages)} })`,
    }
  },
  start: (values) => new VercelPruneRun(values),
})

class VercelPruneRun implements PolicyRun {
  readonly #values: Values<typeof params>
  readonly #last: number | null
  readonly #onlyTools: Set<string> | null
  readonly #calls = new Calls()
  readonly #groups: Item[][] = []
  /** How many of the groups are behind the protected ones. */
  #open = 0
  /** How often each call occurs in the protected messages. */
  readonly #kept = new Map<Key, number>()
  /** Where a call that has left first occurred. */
  #gone = new Map<Key, number>()
  /** The message from which the history must be restored. */
  #back = Infinity
  /** Items to look at again before the next request. */
  #due: Item[] = []

  constructor(values: Values<typeof params>) {
    this.#values = values
    this.#last = protectedMessages(values.toolCalls, values.version)
    this.#onlyTools = values.tools === 'none' ? null : new Set(wordsOf(values.tools))
  }

  message(_window: Window, entry: Entry): void {
    this.#calls.message(entry)
    const blocks = (entry.message?.blocks ?? []).filter((block) => block.type !== 'text' || block.text !== '')
    const made = Array.from({ length: entry.calls }, (_, call) => entry.call + call)
    const keys = entry.role === 'tool' ? [entry.call < 0 ? (entry.message?.callId ?? '') : entry.call] : made
    const previous = this.#groups.at(-1)
    const joins = entry.role === 'tool' && entry.message?.continues && previous?.[0]?.entry.role === 'tool'
    const group = joins && previous ? previous : []
    const parts = entry.role === 'tool' ? 1 : blocks.length
    if (group !== previous) {
      // It is not the last message any more.
      for (const item of previous ?? []) this.#due.push(item)
      this.#groups.push(group)
    }
    const item = { entry, blocks, keys, tool: this.#calls.toolOf(entry), group, place: this.#groups.length - 1, parts }
    group.push(item)
    this.#due.push(item)
    this.#count(keys, 1)
    for (const key of keys) this.#back = Math.min(this.#back, this.#gone.get(key) ?? Infinity)
  }

  request(window: Window): void {
    const to = this.#last === null ? 0 : Math.max(this.#open, this.#groups.length - this.#last)
    for (; this.#open < to; this.#open++) {
      for (const item of this.#groups[this.#open] ?? []) {
        this.#count(item.keys, -1)
        this.#due.push(item)
      }
    }
    if (this.#back < Infinity) {
      window.restore(this.#back)
      for (const item of this.#groups.flat()) {
        if (item.entry.index < this.#back) continue
        item.parts = item.entry.role === 'tool' ? 1 : item.blocks.length
        this.#due.push(item)
      }
      this.#gone = new Map([...this.#gone].filter(([, index]) => index < this.#back))
      this.#back = Infinity
    }
    const looked = this.#due
    this.#due = []
    for (const item of looked) {
      this.#prune(window, item)
      const isHeld =
        item.place < this.#open && item.entry.inside && item.keys.some((key) => (this.#kept.get(key) ?? 0) > 0)
      if (isHeld) this.#due.push(item)
    }
  }

  #count(keys: readonly Key[], by: 1 | -1) {
    for (const key of keys) this.#kept.set(key, (this.#kept.get(key) ?? 0) + by)
  }

  #stays(key: Key, tool: string): boolean {
    return (this.#kept.get(key) ?? 0) > 0 || (this.#onlyTools !== null && !this.#onlyTools.has(tool))
  }

  /** The parts that the item keeps; the result of a tool message is one. */
  #partsOf({ entry, blocks, keys, tool, place }: Item): { readonly blocks: readonly Block[]; parts: number } {
    const isOpen = place < this.#open
    if (entry.role === 'tool') return { blocks: [], parts: !isOpen || this.#stays(keys[0] ?? '', tool) ? 1 : 0 }
    if (entry.role !== 'assistant') return { blocks, parts: blocks.length }
    const thinks =
      this.#values.reasoning === 'none' ||
      (this.#values.reasoning === 'before-last-message' && place === this.#groups.length - 1)
    const thought = thinks ? blocks : blocks.filter((block) => !isReasoning(block))
    const left = isOpen ? withoutCalls(thought, entry.call, (key, tool) => this.#stays(key, tool)) : thought
    return { blocks: left, parts: left.length }
  }

  #prune(window: Window, item: Item): void {
    const { entry, keys, group } = item
    const { blocks, parts } = this.#partsOf(item)
    if (parts === item.parts && parts > 0) return
    item.parts = parts
    if (!entry.inside) return
    for (const key of keys) this.#gone.set(key, Math.min(this.#gone.get(key) ?? Infinity, entry.index))
    if (parts > 0) window.replace(entry, blocks)
    else if (this.#values.emptyMessages === 'remove' || group.some((other) => other !== item && other.entry.inside))
      window.drop(entry, entry)
    else if (entry.message?.blocks.length !== 0) window.replace(entry, [])
  }
}
