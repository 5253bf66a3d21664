/**
 * `langchain-clear-tool-uses`: LangChain's `ClearToolUsesEdit` of `contextEditingMiddleware`. When the messages reach
 * the trigger, all tool results but the last `keep` become `[cleared]`; `clearInputs` takes the arguments of their
 * calls too. An excluded tool's result is not cleared, but takes one of the `keep` places. The system prompt and the
 * tools are not counted.
 *
 * - `language=js`: acts at `>=` the trigger. It edits the agent's own list, so what is cleared stays cleared, and it
 *   acts again only when the rest has grown to the trigger. Before that it always drops results without a call before
 *   them.
 * - `language=python`: acts at `>` the trigger, on a copy of the whole history: once that is over, every request clears
 *   all but the last `keep`. It only clears a result whose call is in the last assistant message before it.
 *
 * Not simulated: triggers by messages or by a share of the window, `keep` in tokens, and `clearAtLeast`, which
 * JavaScript has deprecated (it clears the results that `keep` protects, the newest first); that a call whose arguments
 * are no JSON is no call to the library, which drops its result.
 *
 * Law: whole pairs, sticky: python's view of a history that only grows equals it. Worked example, six results of 100
 * characters, a token each, 601 in all, `keep=3`: budget 601 clears the first three, 602 nothing.
 */
import { choice, flag, integer, words, wordsOf } from '../../base/param.ts'
import { javascriptString, pythonString } from '../../base/quoting.ts'
import { Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { approximately } from './langchain.ts'
import { clearInput, Makers } from './tool-uses.ts'

const cleared = [{ type: 'text', text: '[cleared]' }] as const

/** A result, and the assistant message that calls for it. */
interface Answer {
  readonly result: Entry
  readonly maker: Entry
}

export default definePolicy({
  name: 'langchain-clear-tool-uses',
  version: '1.5.14',
  summary: 'clear all tool results but the newest few once the messages reach the trigger',
  source: 'langchain 1.5.14, agents/middleware/contextEditing; npm (2026-11); langchain for Python, context_editing.py',
  package: { name: 'langchain', version: '1.5.14', on: '2026-11' },
  ownBudget: 100_000,
  trigger: '`trigger: { tokens }`, of the messages; acts at it (`js`) or above it (`python`)',
  unlike: '`anthropic-clear-tool-uses` skips excluded tools when it counts the newest, and can ask for a least gain',
  params: {
    keep: integer({ default: 3, min: 0, help: 'newest tool results that stay' }),
    clearInputs: flag({ default: false, help: 'clear the arguments of the calls, too' }),
    exclude: words({ help: 'tools whose results are never cleared' }),
    language: choice({
      default: 'js',
      of: ['js', 'python'],
      help: 'follow the library for JavaScript or the one for Python',
    }),
  },
  wholePairs: true,
  text: true,
  native: approximately,
  turnOn({ keep, clearInputs, exclude, language }, budget) {
    const isJs = language === 'js'
    const names = wordsOf(exclude).map(isJs ? javascriptString : pythonString)
    const [inputs, tools] = isJs
      ? ['clearToolInputs: true', 'excludeTools: ']
      : ['clear_tool_inputs=True', 'exclude_tools=']
    const more = `${clearInputs ? `, ${inputs}` : ''}${names.length > 0 ? `, ${tools}[${names}]` : ''}`
    const text = isJs
      ? `contextEditingMiddleware({ edits: [new ClearToolUsesEdit({ trigger: { tokens: ${budget} }, keep: { messages: ${keep} }${more} })] })`
      : `ContextEditingMiddleware(edits=[ClearToolUsesEdit(trigger=${budget}, keep=${keep}${more})])`
    return { file: 'your code, with LangChain', text }
  },
  start({ keep, clearInputs, exclude, language }) {
    const excluded = new Set(wordsOf(exclude))
    const calls = new Calls()
    const makers = new Makers()
    let latest: Entry | null = null
    const answers: (Answer | null)[] = []
    const orphans: Entry[] = []
    let done = 0
    let isOver = false

    function clear(window: Window, { result, maker }: Answer): void {
      window.replace(result, cleared)
      if (clearInputs && maker.inside) clearInput(window, maker, result.message?.callId ?? '')
    }

    return {
      message(_window, entry) {
        calls.message(entry)
        makers.message(entry)
        if (entry.role === 'assistant') latest = entry
        if (entry.role !== 'tool') return
        const maker = makers.of(entry)
        if (!maker && language === 'js') orphans.push(entry)
        else {
          const clears = maker && (language === 'js' || maker === latest) && !excluded.has(calls.toolOf(entry))
          answers.push(clears ? { result: entry, maker } : null)
        }
      },
      request(window) {
        for (const entry of orphans.splice(0)) if (entry.inside) window.drop(entry, entry)
        if (language === 'js') isOver = window.messageTokens >= window.budget
        else isOver ||= window.messageTokens > window.budget
        for (; isOver && done < answers.length - keep; done++) {
          const answer = answers[done]
          if (answer?.result.inside) clear(window, answer)
        }
      },
    }
  },
})
