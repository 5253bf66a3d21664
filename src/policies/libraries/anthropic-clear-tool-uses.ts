/**
 * `anthropic-clear-tool-uses`: context editing of Anthropic's API (`clear_tool_uses_20250919`). When the input has more
 * tokens than the trigger ("exceeds"), the oldest tool results become a placeholder, all but the last `keep`;
 * `clearInputs` takes the arguments of their calls, too. Results of excluded tools are no candidates. If that would
 * free less than `clearAtLeast` tokens, nothing happens. The client keeps sending the whole history.
 *
 * Whether the server remembers what it has cleared is not documented, so both are here:
 * - `state=view`: each request is judged as the client sent it. Once that exceeds the trigger, every further result
 *   moves the boundary, which breaks the prompt cache each time, and `clearAtLeast` is soon met for good by what is
 *   cleared anyway.
 * - `state=sticky`: what is cleared stays cleared and is not counted again, and `clearAtLeast` holds for each time.
 *
 * `trigger=tool_uses` goes by the number of tool uses instead: it acts at more than `uses` of them, whatever the
 * budget.
 *
 * The placeholder's text is not published, nor whether excluded tools take places of `keep`; here they do not. What
 * would be freed is counted without the placeholders.
 *
 * The header that turns it on is that of the page (platform.claude.com/docs, context editing, 2026-11).
 *
 * Law: whole pairs, sticky: a view of a history that only grows equals it. Worked example, five results of 100 tokens
 * and a prompt of 1, `keep=3`: a trigger of 501 clears nothing, 500 the first two; with `clearAtLeast` 201 nothing.
 */
import { choice, flag, integer, words, wordsOf } from '../../base/param.ts'
import { jsonString } from '../../base/quoting.ts'
import { Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry } from '../policy.ts'
import { clearInput, Makers } from './tool-uses.ts'

const cleared = [{ type: 'text', text: '[tool result cleared]' }] as const

export default definePolicy({
  name: 'anthropic-clear-tool-uses',
  version: '20250919',
  summary: 'the API clears the oldest tool results when the input exceeds the trigger',
  source: 'platform.claude.com/docs, context editing, clear_tool_uses_20250919 (2026-11)',
  ownBudget: 100_000,
  trigger: '`trigger`, of the whole input or of the tool uses; acts above it',
  unlike: '`langchain-clear-tool-uses` lets excluded tools take places, and knows no least gain',
  params: {
    trigger: choice({
      default: 'input_tokens',
      of: ['input_tokens', 'tool_uses'],
      help: 'what it goes by: input tokens (then the budget is the trigger), or the number of tool uses',
    }),
    uses: integer({ default: 10, min: 0, help: 'tool uses above which it acts (`trigger=tool_uses`)' }),
    keep: integer({ default: 3, min: 0, help: 'newest tool results that stay' }),
    clearAtLeast: integer({ default: 0, min: 0, help: 'fewest tokens to free; with less, nothing is cleared' }),
    exclude: words({ help: 'tools whose results are never cleared' }),
    clearInputs: flag({ default: false, help: 'clear the arguments of the calls, too' }),
    state: choice({
      default: 'view',
      of: ['view', 'sticky'],
      help: 'whether the server remembers what it has cleared',
    }),
  },
  wholePairs: true,
  serverSide: true,
  text: true,
  availableIn: ['anthropic'],
  turnOn({ trigger, uses, keep, clearAtLeast, exclude, clearInputs }, budget) {
    const tokens = (value: number) => `{"type":"input_tokens","value":${value}}`
    const above = trigger === 'tool_uses' ? `{"type":"tool_uses","value":${uses}}` : tokens(budget)
    const parts = [
      '"type":"clear_tool_uses_20250919"',
      `"trigger":${above}`,
      `"keep":{"type":"tool_uses","value":${keep}}`,
      ...(clearAtLeast > 0 ? [`"clear_at_least":${tokens(clearAtLeast)}`] : []),
      ...(exclude === 'none' ? [] : [`"exclude_tools":[${wordsOf(exclude).map(jsonString)}]`]),
      ...(clearInputs ? ['"clear_tool_inputs":true'] : []),
    ]
    return {
      file: 'the request',
      text: `"context_management": {"edits":[{${parts.join(',')}}]}`,
      note: 'with the header anthropic-beta: context-management-2025-06-27',
    }
  },
  start({ trigger, uses: most, keep, clearAtLeast, exclude, clearInputs, state }) {
    const excluded = new Set(wordsOf(exclude))
    const calls = new Calls()
    const makers = new Makers()
    const results: { readonly entry: Entry; readonly tokens: number }[] = []
    /** How many of the results are cleared, how many may be, and what clearing those would free. */
    let done = 0
    let open = 0
    let gain = 0
    let isOver = false
    /** Results so far, those of excluded tools too. */
    let uses = 0
    return {
      message(window, entry) {
        calls.message(entry)
        makers.message(entry)
        if (entry.role !== 'tool') return
        uses++
        if (excluded.has(calls.toolOf(entry))) return
        results.push({ entry, tokens: window.tokensOf(entry, entry) })
      },
      request(window) {
        const over =
          trigger === 'tool_uses' ? uses - (state === 'sticky' ? done : 0) > most : window.tokens > window.budget
        isOver = over || (state === 'view' && isOver)
        for (; open < results.length - keep; open++) gain += results[open]?.tokens ?? 0
        if (!isOver || gain < clearAtLeast) return
        for (; done < open; done++) {
          const entry = results[done]?.entry as Entry
          if (!entry.inside) continue
          window.replace(entry, cleared)
          const maker = clearInputs ? makers.of(entry) : null
          if (maker?.inside) clearInput(window, maker, entry.message?.callId ?? '')
        }
        if (state === 'sticky') gain = 0
      },
    }
  },
})
