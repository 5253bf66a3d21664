/**
 * `claude-code-microcompact`: Claude Code clears old tool results before it thinks of a summary. The calls stay; of the
 * results of Read, Bash, Grep, Glob, WebFetch, WebSearch, Edit and Write a line stays that says so. Three programs went
 * by this name, and `when` chooses:
 *
 * - `tokens`: oldest first, until at most 40,000 tokens of these results are left (characters / 4); never the last
 *   three; only if that frees 20,000 tokens, and only within 20,000 tokens of where `claude-code-auto` would summarise.
 *   Measured: the four `microcompact_boundary` lines of recorded sessions (2.1.12 to 2.1.22), with their numbers of
 *   tokens.
 * - `idle`: after an hour without a request, when the prompt cache has expired anyway, all but the newest five.
 *   Described by people who read 2.1.88; switched on by the vendor, not by the user.
 * - `count`: once more than twelve results are there, all but the newest five. The program asks the server to forget
 *   them without breaking the cache; here they are cleared in place, which breaks it: an upper bound of what that
 *   costs.
 *
 * Law: whole pairs, sticky; what is cleared stays cleared. Worked example (`tokens`, 33 results of 2,000 tokens, over
 * the threshold): 66,000 tokens; the oldest thirteen leave 40,000 and free 26,000, so they are cleared. With 29 results
 * only 18,000 would be freed, and nothing happens.
 */
import { choice, integer } from '../../base/param.ts'
import { type Message, textOf } from '../../model/message.ts'
import { Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Moment, Window } from '../policy.ts'
import { threshold } from './claude-code.ts'

/** The tools whose results are cleared. */
const compactable = new Set(['Read', 'Bash', 'Grep', 'Glob', 'WebFetch', 'WebSearch', 'Edit', 'Write'])

const cleared = [{ type: 'text', text: '[Old tool result content cleared]' }] as const

export type When = 'idle' | 'count' | 'tokens'

const rules = {
  tokens: { keepLast: 3, left: 40_000, least: 20_000, near: 20_000 },
  idle: { keepLast: 5, seconds: 3600 },
  count: { keepLast: 5, most: 12 },
} as const

/** The tool results of a conversation that may be cleared, and have not been. */
export class Microcompact {
  readonly #when: When
  readonly #calls = new Calls()
  readonly #results: Entry[] = []
  /** Tokens of each, and of all: a quarter of the characters, as the program counts them. */
  readonly #sizes: number[] = []
  #tokens = 0

  constructor(when: When) {
    this.#when = when
  }

  message(entry: Entry): void {
    this.#calls.message(entry)
    if (entry.role !== 'tool' || !compactable.has(this.#calls.toolOf(entry))) return
    const size = Math.round(textOf(entry.message as Message).length / 4)
    this.#results.push(entry)
    this.#sizes.push(size)
    this.#tokens += size
  }

  /** @param limit where Claude Code would summarise */
  request(window: Window, { idleSeconds }: Moment, limit: number): void {
    const most = this.#results.length - rules[this.#when].keepLast
    if (this.#when === 'idle') this.#clear(window, (idleSeconds ?? 0) > rules.idle.seconds ? most : 0)
    else if (this.#when === 'count') this.#clear(window, this.#results.length > rules.count.most ? most : 0)
    else {
      const { left, least, near } = rules.tokens
      if (window.tokens < limit - near) return
      let count = 0
      let freed = 0
      while (count < most && this.#tokens - freed > left) freed += this.#sizes[count++] as number
      if (freed >= least) this.#clear(window, count)
    }
  }

  #clear(window: Window, count: number): void {
    if (count <= 0) return
    for (const entry of this.#results.splice(0, count)) if (entry.inside) window.replace(entry, cleared)
    for (const size of this.#sizes.splice(0, count)) this.#tokens -= size
  }
}

export default definePolicy({
  name: 'claude-code-microcompact',
  version: '2.1.22',
  summary: 'clear old tool results when the window is nearly full, or the cache is cold',
  source:
    'Claude Code, closed source: `when=tokens` measured in recorded sessions of 2.1.12 to 2.1.22 (January 2026); the others as described by readers of 2.1.88 (2026-04)',
  ownBudget: 'window',
  trigger:
    'the window; acts 20,000 tokens before `claude-code-auto` would (`tokens`), after an idle hour, or by number of results',
  unlike:
    '`anthropic-clear-tool-uses` is done by the server and keeps three; `gemini-mask` and `opencode-prune` keep the newest tokens of results, this the newest results',
  params: {
    when: choice({
      default: 'tokens',
      of: ['tokens', 'idle', 'count'],
      help: 'which rule it follows: nearly full (tokens), idle for an hour, or number of results',
    }),
    reserve: integer({ default: 32_000, min: 0, help: 'tokens of the window that are kept for the answer (`tokens`)' }),
  },
  wholePairs: true,
  text: true,
  availableIn: ['claude-code'],
  start({ when, reserve }) {
    const microcompact = new Microcompact(when)
    return {
      message: (_window, entry) => microcompact.message(entry),
      request(window, moment) {
        microcompact.request(window, moment, threshold({ window: window.budget, reserve, pct: 0 }))
      },
    }
  },
})
