/**
 * `swe-agent-last-n`: the history processor `last_n_observations` of SWE-agent. Of all observations but the newest `n`
 * only the number of lines stays. The first observation is the task itself, and is never taken. With `polling` the
 * boundary moves only every so many observations, so the prompt cache holds in between. The program looks at the whole
 * history each time; as the boundary never moves back, a mask stays, and this is the same.
 *
 * With O observations, those from the second to number ⌊O / polling⌋ · polling − n are taken. Not simulated: tags that
 * keep or remove single observations.
 *
 * Law: whole pairs, sticky. Worked example: the task and seven results are eight observations; `n` 5: the second and
 * third are taken. With `polling` 4 too; the next results change nothing until there are twelve.
 */
import { integer } from '../../base/param.ts'
import { type Message, textOf } from '../../model/message.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry } from '../policy.ts'

export default definePolicy({
  name: 'swe-agent-last-n',
  version: '1.1.0',
  summary: 'keep the newest tool results, of older ones only the number of lines',
  source: 'SWE-agent/SWE-agent 3ea751c0, sweagent/agent/history_processors.py (2026)',
  trigger: 'not used; acts at each request',
  unlike: '`openhands-mask` counts events; `claude-code-microcompact` waits until the window is nearly full',
  params: {
    n: integer({ default: 5, min: 1, help: 'newest results that stay' }),
    polling: integer({ default: 1, min: 1, help: 'move the boundary only every so many results' }),
  },
  wholePairs: true,
  budgetless: true,
  text: true,
  availableIn: ['swe-agent'],
  turnOn: ({ n, polling }) => ({
    file: 'the config of the run (YAML)',
    text: `agent: { history_processors: [{ type: last_n_observations, n: ${n}, polling: ${polling} }] }`,
  }),
  start({ n, polling }) {
    const results: Entry[] = []
    let next = 0
    return {
      message(_window, entry) {
        if (entry.role === 'tool') results.push(entry)
      },
      request(window) {
        // The task is an observation, too, the first.
        const end = Math.floor((results.length + 1) / polling) * polling - n - 1
        for (; next < end; next++) {
          const entry = results[next] as Entry
          if (!entry.inside) continue
          const lines = textOf(entry.message as Message).split('\n').length
          window.replace(entry, `Old environment output: (${lines} lines omitted)`)
        }
      },
    }
  },
})
