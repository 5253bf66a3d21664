/**
 * `anthropic-compact`: compaction by Anthropic's API (`compact_20260112`). When the input has more tokens than the
 * trigger, the model first writes a summary, as an iteration of its own that is billed and reads the same prompt, and
 * then answers. Later requests carry the summary as a `compaction` block; the API drops everything in front of it.
 *
 * Not simulated: `pause_after_compaction`, with which a client can keep messages behind the block; compaction on demand
 * (`compact-2026-09-04`).
 *
 * The header that turns it on is the one with which published clients send it (2026-11).
 *
 * Law: whole pairs, sticky; a request that acted has at most the summary and the preamble. Worked example: a trigger of
 * 150,000: an input of 150,000 goes out as it is, one of 150,001 is compacted.
 */
import { integer } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import { compaction } from './compaction.ts'

export default definePolicy({
  name: 'anthropic-compact',
  version: '20260112',
  summary: 'the API replaces everything by a summary when the input exceeds the trigger',
  source: 'platform.claude.com/docs, compaction, compact_20260112 (2026-11)',
  ownBudget: 150_000,
  trigger: '`trigger`, of the whole input, at least 50,000; acts above it',
  unlike: '`claude-code-auto` acts below the window by a reserve and attaches files again',
  params: { summaryTokens: integer({ default: 4_000, min: 1, help: 'tokens of the summary' }) },
  wholePairs: true,
  serverSide: true,
  inserts: true,
  summariesShareThePrompt: true,
  availableIn: ['anthropic'],
  turnOn: (_, budget) =>
    budget < 50_000
      ? null
      : {
          file: 'the request',
          text: `"context_management": {"edits":[{"type":"compact_20260112","trigger":{"type":"input_tokens","value":${budget}}}]}`,
          note: `with the header anthropic-beta: compact-2026-01-12; compacts above ${thousands(budget)}`,
        },
  start: ({ summaryTokens }) => compaction(summaryTokens),
})
