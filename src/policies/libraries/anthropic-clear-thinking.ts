/**
 * `anthropic-clear-thinking`: context editing of Anthropic's API (`clear_thinking_20251015`). Only the newest `keep`
 * turns that have thinking keep it. A turn is what the assistant says between two prompts: results of tools do not end
 * it. The current turn counts as soon as it has thinking. Clearing breaks the prompt cache where it happens; `keep=0`
 * stands for "all", which never does.
 *
 * Without this edit the API keeps all thinking of Opus 4.5, Sonnet 4.6 and later models, and one turn of older ones and
 * of Haiku.
 *
 * The header that turns it on is that of the page (platform.claude.com/docs, context editing, 2026-11).
 *
 * Law: whole pairs, monotone (it ignores the budget), sticky: the boundary never moves back. A message of thinking
 * alone leaves. Worked example, `keep=1`: of prompt, thought + answer, prompt, thought + call, result, the first
 * thought is gone.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry } from '../policy.ts'

export default definePolicy({
  name: 'anthropic-clear-thinking',
  version: '20251015',
  summary: 'the API takes the thinking out of all but the newest turns',
  source: 'platform.claude.com/docs, context editing, clear_thinking_20251015 (2026-11)',
  trigger: 'no budget; acts at every request',
  unlike: '`vercel-prune:reasoning=all` takes the reasoning of the current turn, too',
  params: { keep: integer({ default: 1, min: 0, help: 'newest turns whose thinking stays; 0 = all' }) },
  monotone: true,
  wholePairs: true,
  serverSide: true,
  budgetless: true,
  text: true,
  availableIn: ['anthropic'],
  turnOn: ({ keep }) => ({
    file: 'the request',
    text: `"context_management": {"edits":[{"type":"clear_thinking_20251015","keep":${keep === 0 ? '"all"' : `{"type":"thinking_turns","value":${keep}}`}}]}`,
    note: 'with the header anthropic-beta: context-management-2025-06-27',
  }),
  start({ keep }) {
    /** The messages with thinking, by turn. */
    const turns: { readonly exchange: number; readonly entries: Entry[] }[] = []
    return {
      message(_window, entry) {
        const thinks = entry.message?.blocks.some(({ type }) => type === 'thinking' || type === 'opaque')
        if (entry.role !== 'assistant' || !thinks) return
        const turn = turns.at(-1)
        if (turn?.exchange === entry.exchange) turn.entries.push(entry)
        else turns.push({ exchange: entry.exchange, entries: [entry] })
      },
      request(window) {
        while (keep > 0 && turns.length > keep) {
          for (const entry of turns.shift()?.entries ?? []) {
            const blocks = entry.message?.blocks.filter(({ type }) => type !== 'thinking' && type !== 'opaque') ?? []
            if (!entry.inside) continue
            if (blocks.length > 0) window.replace(entry, blocks)
            else window.drop(entry, entry)
          }
        }
      },
    }
  },
})
