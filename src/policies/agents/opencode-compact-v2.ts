/**
 * `opencode-compact-v2`: what the next opencode does (V2, packages/core): before a request that leaves less than
 * `reserve` of the window, results that came since included, the history becomes one checkpoint. It has a summary of
 * what is older, and what is newer as text: who said what, calls with their input, results cut to 2,000 characters. Of
 * the newest messages, as many as have 15,000 tokens, and at least one; the text begins with the message of the user
 * that the oldest of them is or belongs to. Where that would be all since the latest checkpoint, it begins with the
 * newest of the user; and if that is the first message or there is none, the text has all where the latest checkpoint
 * had text, which is summarised now, and else there is no text.
 *
 * Operators: acts at `>=`; the text may have exactly 15,000 tokens, and more where the user's message in front is
 * further back. It is counted as the program counts it, round(characters / 4) of each message. Not simulated: that the
 * summary is asked for again where it does not keep to its template; that summary and text are one message; and the
 * attachments of a message.
 *
 * What was read (2026-11-23): anomalyco/opencode at 031a4a9c, packages/core/src/session/compaction.ts. No published
 * version has it: opencode-ai 1.18.33 (npm) runs what `opencode-compact` does, and has an earlier V2 besides, for
 * sessions of its new API, with 8,000 tokens of text that begin anywhere. So nobody is told how to turn it on.
 *
 * Law: whole pairs, sticky; what stays of a result has at most 2,000 characters. Worked example: window 100,000,
 * reserve 20,000: at 80,000 tokens, of prompts in front of 9,000, 12,000 and 5,000 tokens, the text begins with the
 * second.
 */
import { jsonText } from '../../base/json-text.ts'
import { integer } from '../../base/param.ts'
import { type Message, textOf } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { charsOverFour } from '../counters.ts'
import type { Entry, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { usualReserve } from './opencode.ts'

/** Characters that stay of a result. */
const longestResult = 2_000

/** A message as the program has it: what the user said, or a response with its results. */
export interface Said {
  /** Of its text. */
  readonly tokens: number
  readonly isUsers: boolean
}

/**
 * With which message the text begins; their number if there is none.
 * @param keep tokens that it may have
 * @param hasText the checkpoint before has text, too
 */
export function startOf(said: readonly Said[], keep: number, hasText: boolean): number {
  let start = said.length - 1
  let total = said[start]?.tokens ?? 0
  while (start > 0 && total + (said[start - 1] as Said).tokens <= keep) total += (said[--start] as Said).tokens
  while (start > 0 && !said[start]?.isUsers) start--
  if (start > 0) return start
  const newest = said.findLastIndex(({ isUsers }) => isUsers)
  if (newest > 0) return newest
  return hasText ? 0 : said.length
}

function cut(text: string): string {
  if (text.length <= longestResult) return text
  // A character has at most two units.
  const kept = [...text.slice(0, 2 * longestResult)].slice(0, longestResult).join('')
  return kept.length === text.length ? text : `${kept}\n[truncated]`
}

const resultText = (result: Message): string =>
  result.isError ? `[Tool error]: ${textOf(result)}` : `[Tool result]: ${cut(textOf(result))}`

/** A message as text, with the results of its calls behind them; '' for one that is not written down. */
function textFor({ role, origin, blocks }: Message, results: readonly Message[]): string {
  if (role === 'system') return ''
  const lines: string[] = []
  const left = [...results]
  const speaker = origin === 'injected' ? 'Synthetic context' : 'User'
  for (const block of blocks) {
    if (block.type === 'text') lines.push(`[${role === 'user' ? speaker : 'Assistant'}]: ${block.text}`)
    else if (block.type === 'thinking' && block.text !== '') lines.push(`[Assistant reasoning]: ${block.text}`)
    else if (block.type === 'call') {
      const input = typeof block.input === 'string' ? block.input : jsonText(block.input ?? {})
      lines.push(`[Assistant tool call]: ${block.name}(${input})`)
      const at = left.findIndex(({ callId }) => callId === block.id)
      if (at >= 0) for (const result of left.splice(at, 1)) lines.push(resultText(result))
    }
  }
  return [...lines, ...left.map(resultText)].join('\n')
}

/**
 * What came since the latest checkpoint, by the program's messages; those that are not written down are no part of it.
 */
function saidFrom(first: Entry | null): (Said & { readonly first: Entry; readonly text: string })[] {
  const groups: { readonly first: Entry; readonly message: Message; readonly results: Message[] }[] = []
  for (const entry of entriesFrom(first)) {
    if (!entry.message) continue
    const last = groups.at(-1)
    if (entry.role === 'tool' && last) last.results.push(entry.message)
    else groups.push({ first: entry, message: entry.message, results: [] })
  }
  return groups.flatMap(({ first, message, results }) => {
    const text = textFor(message, results)
    const isUsers = message.role === 'user' && !first.isInjected
    return text === '' ? [] : [{ first, text, tokens: Math.round(text.length / 4), isUsers }]
  })
}

export default definePolicy({
  name: 'opencode-compact-v2',
  version: '031a4a9c',
  summary: 'near the end of the window, replace all by a summary and the newest messages as text',
  source: 'anomalyco/opencode at 031a4a9c, packages/core/src/session/compaction.ts (2026-11)',
  ownBudget: 'window',
  trigger: 'the window; acts at a request that leaves less than `reserve` of it',
  unlike: '`opencode-compact` goes by the latest response, keeps messages as they are, and begins anywhere',
  params: {
    reserve: integer({ default: usualReserve, min: 0, help: 'tokens of the window that are kept for the answer' }),
    keep: integer({ default: 15_000, min: 0, help: 'newest tokens that stay as text' }),
    summaryTokens: integer({ default: 2_000, min: 1, help: 'tokens of the summary' }),
  },
  wholePairs: true,
  inserts: true,
  text: true,
  native: charsOverFour,
  availableIn: ['opencode'],
  start({ reserve, keep, summaryTokens }) {
    /** The end of the latest checkpoint. */
    let checkpoint: Entry | null = null
    let hasText = false
    let prompt: Entry | null = null
    let isNew = false

    function compact(window: Window): void {
      const said = saidFrom(checkpoint?.inside ? checkpoint.next : window.first)
      if (said.length === 0 || !window.first || !window.last) return
      const kept = said.slice(startOf(said, keep, hasText))
      const tail = kept[0]?.first ?? null
      const head = tail ? tail.previous : window.last
      if (!head) return
      checkpoint = summariseRange(window, window.first, head, { role: 'user', tokens: summaryTokens })
      hasText = tail !== null
      if (!tail) return
      const text = kept.map(({ text }) => text).join('\n\n')
      // It takes the place of the newest prompt, which then still counts as asked.
      const carrier = prompt && kept.some(({ first }) => first === prompt) ? prompt : null
      for (const entry of [...entriesFrom(tail)]) if (entry !== carrier) window.drop(entry, entry)
      if (carrier) window.replace(carrier, text)
      checkpoint = carrier ?? window.insert(null, { role: 'user', blocks: [{ type: 'text', text }] })
    }

    return {
      message(_window, entry) {
        isNew = true
        if (entry.isPrompt) prompt = entry
      },
      request(window) {
        // Right behind a checkpoint it does not look again.
        if (isNew && window.tokens >= window.budget - reserve) compact(window)
        isNew = false
      },
    }
  },
})
