/**
 * `openhands-mask`: the ObservationMaskingCondenser of OpenHands. Every tool result that is not among the newest
 * `attentionWindow` events reads `<MASKED>`. The window counts events, not results: each call is one, and so is each
 * result and message. The program looks at the whole history each time; as events are only added, a mask stays, and
 * this is the same.
 *
 * Law: whole pairs, sticky. It changes the middle of nearly every request, which breaks the prompt cache each time.
 * Worked example: `attentionWindow` 2 and the events call, result, call, result: the first result is masked.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { composed } from '../knobs/knobs.ts'

export default definePolicy({
  name: 'openhands-mask',
  version: '0.62',
  summary: 'mask each tool result that is not among the newest events',
  source:
    'All-Hands-AI/OpenHands 156d0686c4, openhands/memory/condenser/impl/observation_masking_condenser.py (2025-11-28)',
  trigger: 'not used; acts at each request',
  unlike:
    '`swe-agent-last-n` counts results and says how long they were; `mask-tool-results` keeps the first ones, too',
  params: {
    attentionWindow: integer({
      default: 100,
      min: 0,
      help: 'newest events in which no result is masked; the class itself has 5',
    }),
  },
  wholePairs: true,
  budgetless: true,
  availableIn: ['openhands'],
  turnOn: ({ attentionWindow }) => ({
    file: 'config.toml',
    text: `condenser = { type = "observation_masking", attention_window = ${attentionWindow} }`,
    note: 'OpenHands 0.x; stands above the first [table]',
  }),
  start: ({ attentionWindow }) =>
    composed({
      trigger: 'always',
      unit: 'result',
      protect: `events:${attentionWindow}`,
      operation: 'mask',
      target: 'all',
      text: '<MASKED>',
    }),
})
