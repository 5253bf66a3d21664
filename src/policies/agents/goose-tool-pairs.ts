/**
 * `goose-tool-pairs`: goose summarises old calls of tools one by one, each with its result. When a prompt is sent and
 * there are more calls in front of it than a cutoff and ten, the oldest ten are each read by the model, and a line in
 * the user's role takes their place, from the next prompt on. The cutoff is three calls for each 20,000 tokens up to
 * the threshold of `goose-auto`, from 10 to 500.
 *
 * Operators: acts at `>`. A response that makes several calls leaves with all of them and with what it says; calls that
 * were not answered, or whose results stand among others, stay. The model writes in the background, while the turn
 * runs; its tokens are priced like the large model's. It goes by the number of calls, so there is no native counter.
 *
 * What was read (2026-11-23): aaif-goose/goose at 006bd233, crates/goose/src/context_mgmt/mod.rs, where it is on by
 * default; that it acts once a turn, and on the next one, in a copy of the loop that calls it (crates/goose/src/agents;
 * the state machine that is to replace the loop acts at once). It was asked to remove it (aaif-goose/goose#11764,
 * #11817, both closed in 2026-09). Second-hand, of somebody's notes: 1.50.0 has it on by default, 1.52.0 off
 * (3952f64e7).
 *
 * Law: whole pairs, sticky; nothing of the newest exchange leaves. Worked example: a window of 100,000 has a cutoff of
 * 12: behind 23 calls a prompt has ten of them summarised, and the next prompt is sent with ten lines and 13 calls.
 */
import { integer, number } from '../../base/param.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import type { Entry, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'
import { wholeRange } from '../primitives/keep-pairs.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'

/** Calls that are summarised together. */
const batch = 10

/** Three calls may stay per 20,000 tokens, between these bounds. */
const [calls, perTokens, fewest, mostCalls] = [3, 20_000, 10, 500]

/** How many calls may stay before any is summarised. */
export function cutoffOf(budget: number, threshold: number): number {
  const room = Math.floor(budget * threshold)
  return Math.min(mostCalls, Math.max(fewest, Math.floor((calls * room) / perTokens)))
}

/** A response that calls tools, with the last of its results. */
interface Step {
  readonly from: Entry
  readonly to: Entry
}

/** The steps in front of an entry, and how many calls they make. */
function stepsBefore(window: Window, end: Entry): { readonly steps: readonly Step[]; readonly count: number } {
  const steps: Step[] = []
  let count = 0
  let from: Entry | null = null
  for (const entry of entriesFrom(window.first)) {
    if (entry === end) break
    if (entry.role === 'tool' && from) steps[steps.length - 1] = { from, to: entry }
    else {
      from = entry.role === 'assistant' && entry.calls > 0 ? entry : null
      if (from) steps.push({ from, to: entry })
      count += entry.calls
    }
  }
  return { steps, count }
}

export default definePolicy({
  name: 'goose-tool-pairs',
  version: '1.50.0',
  summary: 'summarise the oldest ten calls with their results, each by itself, when there are many',
  source:
    'aaif-goose/goose at 006bd233, crates/goose/src/context_mgmt/mod.rs (read 2026-11); on by default up to 1.50.0, off since 1.52.0 (second-hand)',
  ownBudget: 'window',
  trigger: 'the window; acts when there are ten calls more than three for each 20,000 tokens up to `threshold` of it',
  unlike: '`goose-auto` acts when the window is full; `anthropic-clear-tool-uses` leaves the calls, and writes nothing',
  params: {
    threshold: number({ default: 0.8, min: 0, max: 1, help: 'share of the window that the cutoff is computed from' }),
    cutoff: integer({ default: 0, min: 0, help: "most calls that stay; 0 = from the window's size: 10 to 500" }),
    summaryTokens: integer({ default: 50, min: 1, help: 'tokens of the line that replaces one call; an estimate' }),
  },
  wholePairs: true,
  inserts: true,
  availableIn: ['goose'],
  turnOn: ({ threshold, cutoff }, budget) => ({
    file: 'the environment',
    text: `export GOOSE_TOOL_PAIR_SUMMARIZATION=true GOOSE_TOOL_CALL_CUTOFF=${cutoff || cutoffOf(budget, threshold)}`,
    note: 'on by default up to 1.50.0, off since 1.52.0',
  }),
  start({ threshold, cutoff, summaryTokens }) {
    /** What the model has summarised while the latest turn ran. */
    let written: Step[] = []
    /** The prompt of a turn that has not begun yet. */
    let prompt: Entry | null = null

    function apply(window: Window): void {
      for (const { from, to } of written) {
        if (!from.inside || !to.inside) continue
        const range = wholeRange(from, to)
        if (range?.from === from && range.to === to)
          summariseRange(window, from, to, { role: 'user', tokens: summaryTokens })
      }
      written = []
    }

    return {
      message(_window, entry) {
        if (entry.isPrompt) prompt = entry
      },
      request(window) {
        if (!prompt) return
        apply(window)
        const { steps, count } = stepsBefore(window, prompt)
        prompt = null
        if (count <= (cutoff || cutoffOf(window.budget, threshold)) + batch) return
        let left = batch
        for (const step of steps) {
          if (left <= 0) break
          left -= step.from.calls
          written.push(step)
        }
      },
    }
  },
})
