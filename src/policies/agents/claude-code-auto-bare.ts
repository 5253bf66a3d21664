/**
 * `claude-code-auto-bare`: `claude-code-auto` as it was measured up to 2.1.38: no skills come back behind the summary.
 * It was `claude-code-auto@2.1.33` here until 2026-11, and answers to that name.
 *
 * Law: whole pairs, sticky; a request that acted has at most the summary and the attached files, and the preamble.
 * Worked example: window 200,000, reserve 20,000: a request of 166,999 tokens goes out as it is, one of 167,000 is
 * compacted.
 */
import { definePolicy } from '../catalogue/define-policy.ts'
import auto from './claude-code-auto.ts'

const { skills: _, announcements: __, ...params } = auto.params

export default definePolicy({
  name: 'claude-code-auto-bare',
  version: '2.1.33',
  aliases: ['claude-code-auto@2.1.33'],
  summary: 'near the end of the window, replace everything by a summary and the files read last, without the skills',
  source: 'Claude Code, closed source: thresholds measured in recorded sessions of 2.0.76 to 2.1.38',
  ownBudget: 'window',
  trigger: auto.trigger as string,
  unlike: '`claude-code-auto` brings skills and announcements back, too',
  params,
  part: true,
  wholePairs: true,
  inserts: true,
  text: true,
  withoutText: true,
  summariesShareThePrompt: true,
  availableIn: ['claude-code'],
  start: (values, context) => auto.start({ ...values, skills: 0, announcements: false }, context),
})
