/**
 * `openai-tool-trimmer`: `ToolOutputTrimmer` of OpenAI's Agents SDK for Python. Tool results in front of the last
 * `recentTurns` user messages that have more than `maxChars` characters (`>`) become a line with their length and the
 * first `previewChars`. With fewer user messages nothing happens, and a result that would not become shorter stays.
 *
 * The SDK looks at the whole history each time; as the boundary never moves back, what is trimmed stays trimmed.
 *
 * Law: whole pairs, sticky, monotone (it ignores the budget). Worked example: user, a result of 501 characters, user,
 * and nothing is trimmed; after the next user message the result is.
 */
import { integer, words, wordsOf } from '../../base/param.ts'
import { pythonString } from '../../base/quoting.ts'
import { type Message, textOf } from '../../model/message.ts'
import { Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry } from '../policy.ts'

export default definePolicy({
  name: 'openai-tool-trimmer',
  version: '204b71a7',
  summary: 'cut large tool results in front of the last user messages down to a preview',
  source: 'openai/openai-agents-python 204b71a7, src/agents/extensions/tool_output_trimmer.py (2026)',
  trigger: 'no budget; acts at every request',
  unlike: '`truncate-tool-results` cuts when a result comes; `mask-tool-results` keeps nothing of it',
  params: {
    recentTurns: integer({
      default: 2,
      min: 1,
      help: 'how many of the last user messages are left alone, with all that follows them',
    }),
    maxChars: integer({ default: 500, min: 1, help: 'most characters of a result; longer ones are trimmed' }),
    previewChars: integer({ default: 200, min: 0, help: 'characters that stay of a trimmed result' }),
    tools: words({ help: 'only results of these tools; none = of all tools' }),
  },
  monotone: true,
  wholePairs: true,
  budgetless: true,
  text: true,
  turnOn({ recentTurns, maxChars, previewChars, tools }) {
    const names = wordsOf(tools).map(pythonString)
    const only = names.length > 0 ? `, trimmable_tools={${names.join(', ')}}` : ''
    return {
      file: 'your code, with the Agents SDK',
      text: `RunConfig(call_model_input_filter=ToolOutputTrimmer(recent_turns=${recentTurns}, max_output_chars=${maxChars}, preview_chars=${previewChars}${only}))`,
    }
  },
  start({ recentTurns, maxChars, previewChars, tools }) {
    const only = tools === 'none' ? null : new Set(wordsOf(tools))
    const calls = new Calls()
    const results: Entry[] = []
    /** How many results came before each of the last user messages, and how many are done. */
    const before: number[] = []
    let done = 0
    return {
      message(_window, entry) {
        calls.message(entry)
        if (entry.role === 'tool') results.push(entry)
        if (entry.role === 'user') before.push(results.length)
        if (before.length > recentTurns) before.shift()
      },
      request(window) {
        const end = before.length < recentTurns ? 0 : (before[0] as number)
        for (; done < end; done++) {
          const entry = results[done] as Entry
          const tool = calls.toolOf(entry)
          const text = textOf(entry.message as Message)
          if (!entry.inside || text.length <= maxChars || (only && !only.has(tool))) continue
          // The SDK counts code points, as Python does.
          const characters = [...text]
          const { length } = characters
          if (length <= maxChars) continue
          const preview = characters.slice(0, previewChars).join('')
          const line = `[Trimmed: ${tool || 'unknown_tool'} output — ${length} chars → ${previewChars} char preview]\n${preview}...`
          if ([...line].length < length) window.replace(entry, line)
        }
      },
    }
  },
})
