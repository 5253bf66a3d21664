/**
 * `opencode-prune`: opencode clears old tool results when a turn has ended. Behind the newest two prompts of the user
 * nothing is touched; in front of them the newest 40,000 tokens of results stay, and the older ones are cleared if that
 * frees more than 20,000 tokens. Results of the tool `skill` stay. It looks no further back than what it cleared
 * before.
 *
 * Operators: a result is cleared if the sum with it is `>` 40,000; all are, if they sum to `>` 20,000. The program
 * counts round(characters / 4). Off by default (`compaction.prune`); it was on in earlier versions. It ignores the
 * window.
 *
 * Law: whole pairs, sticky. Worked example: results of 15,000 tokens in front of the newest two prompts. Two stay
 * (30,000); with four, the oldest two (30,000) are cleared; with three, 15,000 is too little.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { charsOverFour } from '../counters.ts'
import { composed } from '../knobs/knobs.ts'

export default definePolicy({
  name: 'opencode-prune',
  version: '1.18.33',
  summary: 'when a turn has ended, clear tool results in front of the newest 40,000 tokens of them',
  source:
    'anomalyco/opencode, packages/opencode/src/session/compaction.ts at 001aa6cc (2026); the same in opencode-ai 1.18.33 (npm, 2026-11)',
  package: { name: 'opencode-ai', version: '1.18.33', on: '2026-11' },
  trigger: 'not used; acts after a turn, when more than 20,000 tokens of results can go',
  unlike: '`gemini-mask` protects no exchanges, leaves a preview and acts inside a turn, too',
  params: {
    protect: integer({ default: 40_000, min: 0, help: 'newest tokens of older tool results that stay' }),
    least: integer({ default: 20_000, min: 0, help: 'nothing is cleared unless more tokens than this are' }),
    exchanges: integer({ default: 2, min: 0, help: 'newest exchanges in which nothing is cleared' }),
  },
  wholePairs: true,
  budgetless: true,
  text: true,
  native: charsOverFour,
  availableIn: ['opencode'],
  turnOn: ({ protect, least, exchanges }) =>
    protect === 40_000 && least === 20_000 && exchanges === 2
      ? { file: 'opencode.json', text: '"compaction": { "prune": true }', note: 'off by default' }
      : null,
  start: ({ protect, least, exchanges }) =>
    composed({
      trigger: `end+prunable:${least + 1}`,
      unit: 'result',
      protect: `tool:skill+exchanges:${exchanges}+tail:${protect}`,
      operation: 'mask',
      target: 'all',
      text: '[Old tool result content cleared]',
    }),
})
