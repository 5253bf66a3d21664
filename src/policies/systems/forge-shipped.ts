/**
 * `forge-shipped`: what forge does today (tailcallhq/forgecode at 6ed5d37). After each response it checks the context
 * that was sent. When a threshold is reached, it replaces everything from the first assistant message up to the newest
 * `retentionWindow` messages by one summary. No model writes the summary: a template renders the messages and the tools
 * that ran, so its tokens are exact. It never drops messages without a summary.
 *
 * Its faults are kept:
 * - The index at which a fifth of the tokens is reached is used as a number of messages to *retain*, and the smaller of
 *   this and `retentionWindow` applies: with its default of 0 everything leaves, even the current question.
 * - Summaries are user messages in front of the first assistant message, and pile up there.
 * - A range may end between a call and its results.
 *
 * Attachments (messages that the program added in the user's name) leave wherever they are.
 *
 * Law: sticky.
 */

import { flag, integer, number, type Values } from '../../base/param.ts'
import type { Message } from '../../model/message.ts'
import { windowByName } from '../../models/lookup.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry, PolicyContext, PolicyRun, Window } from '../policy.ts'
import { counter, ForgeContext, isUser, kindOf, shouldCompact } from '../upstream/forge.ts'
import {
  compress,
  contextTokens,
  effectiveThreshold,
  evictionRange,
  retainByEviction,
  summaryUsage,
} from '../upstream/forge-head.ts'
import { summaryOf } from '../upstream/forge-summary.ts'

const params = {
  messageThreshold: integer({ default: 200, min: 0, help: 'compact at this many messages; 0 = off' }),
  turnThreshold: integer({ default: 0, min: 0, help: 'compact at this many user messages; 0 = off' }),
  onTurnEnd: flag({ default: false, help: 'compact whenever the last message is the user’s' }),
  retentionWindow: integer({ default: 0, min: 0, help: 'newest messages that are never summarised' }),
  evictionWindow: number({
    default: 0.2,
    min: 0,
    max: 1,
    help: 'share of the tokens to evict (the program uses it as a count to retain)',
  }),
  windowShare: number({
    default: 0.7,
    min: 0,
    max: 1,
    help: "act at this share of the model's window at the latest",
  }),
} as const

export default definePolicy({
  name: 'forge-shipped',
  summary: 'after a response, replace everything from the first assistant message on by a template summary',
  source: 'tailcallhq/forgecode 6ed5d37, crates/forge_app/src/compact.rs',
  ownBudget: 100_000,
  params,
  inserts: true,
  text: true,
  native: counter,
  availableIn: ['forge'],
  turnOn({ messageThreshold, turnThreshold, onTurnEnd, retentionWindow, evictionWindow, windowShare }, budget) {
    // The program overwrites these two with its agents' defaults, whatever the file says.
    if (retentionWindow !== 0 || evictionWindow !== 0.2) return null
    const keys = [
      `token_threshold = ${budget}`,
      `token_threshold_percentage = ${windowShare}`,
      ...(messageThreshold > 0 ? [`message_threshold = ${messageThreshold}`] : []),
      ...(turnThreshold > 0 ? [`turn_threshold = ${turnThreshold}`] : []),
      ...(onTurnEnd ? ['on_turn_end = true'] : []),
    ]
    const note = `compacts at ${thousands(budget)}; stands above the first [table]`
    return { file: '.forge.toml', text: `compact = { ${keys.join(', ')} }`, note }
  },
  start: (values, context) => new ForgeShippedRun(values, context),
})

class ForgeShippedRun implements PolicyRun {
  readonly #values: Values<typeof params>
  readonly #context: PolicyContext
  readonly #modelWindow: number | null
  readonly #summaryUsages = new Map<Entry, number>()
  // Only user messages and older summaries stand in front of the newest summary, and are never touched again. So only
  // what came after it is examined; examining all of it each time would be quadratic.
  #newest: Entry | null = null

  constructor(values: Values<typeof params>, context: PolicyContext) {
    this.#values = values
    this.#context = context
    this.#modelWindow = context.model === null ? null : windowByName(context.model).window
  }

  message(window: Window, entry: Entry): void {
    const last = entry.previous
    if (!entry.isResponse || !last) return
    const { tokens } = contextTokens(this.#usageOf(last), () => window.tokens - window.tokensOf(entry, entry))
    const thresholds = {
      tokens: effectiveThreshold(window.budget, this.#values.windowShare, this.#modelWindow),
      turns: this.#values.turnThreshold,
      messages: this.#values.messageThreshold,
      onTurnEnd: this.#values.onTurnEnd,
    }
    const load = {
      tokens,
      turns: window.users,
      messages: window.count - 1 + this.#context.systemMessages,
      lastIsUser: isUser(kindOf(last)),
    }
    if (shouldCompact(thresholds, load)) this.#compact(window, last, tokens)
  }

  #usageOf(entry: Entry): number {
    const usage = entry.message?.usage
    return this.#summaryUsages.get(entry) ?? (usage ? usage.input + usage.output : 0)
  }

  #retained(window: Window, last: Entry, total: number): number {
    const head = new ForgeContext(window, this.#context.systemMessages, {
      last,
      most: this.#values.retentionWindow + 1,
    })
    const tokens = head.kinds.map((_, index) => {
      const entry = head.at(index)
      return entry ? window.tokensOf(entry, entry) : 0
    })
    return Math.min(
      retainByEviction(head.kinds, tokens, this.#values.evictionWindow, total),
      this.#values.retentionWindow,
    )
  }

  #compact(window: Window, last: Entry, total: number): void {
    const retain = this.#values.retentionWindow === 0 ? 0 : this.#retained(window, last, total)
    const context = this.#newest?.inside
      ? new ForgeContext(window, 0, { first: this.#newest, last })
      : new ForgeContext(window, this.#context.systemMessages, { last })
    const range = evictionRange(context.kinds, retain)
    if (!range) return
    const stays = compress(context.kinds, range)
    const kept = new Set([...stays.before, ...stays.after].map((index) => context.at(index)))
    const replaced: Entry[] = []
    for (let index = range.start; index <= range.end; index++) replaced.push(context.at(index) as Entry)
    const summary = window.insert(replaced[0] as Entry, {
      role: 'user',
      blocks: [
        {
          type: 'text',
          text: summaryOf(
            replaced.filter((entry) => kindOf(entry) !== 'd').map((entry) => entry.message as Message),
            this.#context.cwd,
          ),
        },
      ],
    })
    this.#newest = summary
    this.#summaryUsages.set(summary, summaryUsage(replaced.map((entry) => this.#usageOf(entry))))
    for (let index = 0; index < context.kinds.length; index++) {
      const entry = context.at(index)
      if (entry && !kept.has(entry)) window.drop(entry, entry)
    }
  }
}
