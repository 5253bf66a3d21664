/**
 * `openai-compact`: compaction by OpenAI's Responses API. When the input has more tokens than `compact_threshold`, the
 * server puts an encrypted item in the place of what was before. `keep=user` is the endpoint `/responses/compact`,
 * which a client calls itself; the Agents SDK counts the user's messages as not compacted by it. How large the item is
 * nobody publishes: `summaryTokens`. The documents say "crosses" of the threshold, taken here for more than it.
 *
 * Law: whole pairs, sticky. Worked example: a threshold of 200,000: an input of 200,000 goes out as it is, one of
 * 200,001 is compacted.
 */
import { choice, integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import { compaction } from './compaction.ts'

export default definePolicy({
  name: 'openai-compact',
  version: '1',
  summary: 'above a threshold, the API replaces all that came before by an encrypted item',
  source: 'developers.openai.com, Responses API, context_management and /responses/compact (2026-11)',
  trigger: '`compact_threshold`, of the whole input; acts above it',
  unlike:
    '`codex-compact` keeps 64,000 tokens of user messages, `codex-compact-local` summarises in words; `openai-truncation` writes nothing',
  params: {
    keep: choice({ default: 'none', of: ['none', 'user'], help: 'what stays beside the compaction item' }),
    summaryTokens: integer({ default: 4_000, min: 1, help: 'tokens of the compaction item' }),
  },
  wholePairs: true,
  serverSide: true,
  inserts: true,
  summariesShareThePrompt: true,
  availableIn: ['openai'],
  turnOn: ({ keep }, budget) =>
    keep === 'user'
      ? {
          file: 'your code, with the OpenAI SDK',
          text: 'input = (await client.responses.compact({ model, input })).output',
          note: `above ${thousands(budget)} input tokens`,
        }
      : { file: 'the request', text: `"context_management": [{"type":"compaction","compact_threshold":${budget}}]` },
  start: ({ keep, summaryTokens }) =>
    compaction(summaryTokens, keep === 'user' ? ({ role, index }) => role === 'user' && index >= 0 : undefined),
})
