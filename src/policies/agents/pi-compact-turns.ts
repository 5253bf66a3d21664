/**
 * `pi-compact-turns`: what pi did before it looked between the steps of a turn (0.84.4): it compacts when a turn has
 * ended, or before a prompt is sent, and the latest response left less than 16,384 tokens of the window. Walking back
 * from the newest message it collects 20,000 tokens; the cut is in front of the first message of the user or the model
 * from there on, never in front of a result. What is in front is replaced by a summary. If the cut is inside a turn,
 * the turn's beginning gets a summary of its own. Inside a turn it compacts only when the window is full, which here is
 * a request over the budget.
 *
 * Operators: acts at `>`; the tail ends at `>=`. Two faults are kept. If a result alone has 20,000 tokens and nothing
 * comes behind it, there is no cut, and nothing leaves (the program asks for a summary of nothing then, and sends that
 * in front, which is not simulated). If the cut is in the turn that follows an earlier summary, that summary is lost.
 * Not simulated: the lists of files read and changed in the summary.
 *
 * It was `pi-compact@0.74.2` here until 2026-11, and answers to that name.
 *
 * Law: whole pairs, sticky. Worked example, keeping 45, of messages u10 a3 R100 a3 R100 a10 u10 a10 u10: walking back,
 * 40 tokens stand behind the second R100, which crosses the 45; the cut is in front of the a10 behind it, and 40 stay.
 */
import { definePolicy } from '../catalogue/define-policy.ts'
import { charsOverFour } from '../counters.ts'
import { piParams, piRun } from './pi.ts'

export default definePolicy({
  name: 'pi-compact-turns',
  version: '0.74.2',
  aliases: ['pi-compact@0.74.2'],
  summary: 'after a turn, near the end of the window, replace all but the newest 20,000 tokens by a summary',
  source:
    'badlogic/pi-mono 83378aad and @earendil-works/pi-coding-agent 0.74.2, packages/coding-agent/src/core/compaction (2026)',
  ownBudget: 'window',
  trigger: 'the window; acts after a turn when less than `reserve` of it is left',
  unlike: '`pi-compact` acts between the steps of a turn, too, and loses no earlier summary',
  params: piParams,
  part: true,
  wholePairs: true,
  inserts: true,
  native: charsOverFour,
  availableIn: ['pi'],
  start: (values) =>
    piRun(values, { isFull: (window, _reserve, _isAsked, reported) => window.tokens > window.budget && reported > 0 }),
})
