/**
 * `cline-basic`: the strategy of Cline's SDK that asks no model. At nine tenths of the largest input (itself nine tenths of
 * the window) the work of older exchanges leaves, oldest first: calls, results, and what the model said between them. What
 * the user typed stays, and the last answer of each exchange; a notice behind the prompt names the files and commands that
 * left. If that is not enough, steps of the current exchange leave in the same way, but never the newest. The aim is seven
 * tenths of the trigger, or, with five exchanges or more, half of the largest input.
 *
 * Operators: acts at `>=`. Not simulated: that the notice also quotes the last three texts of the model, and `agentic`,
 * which summarises with a model.
 *
 * Law: whole pairs, sticky; every word of the user stays. Worked example: largest input 1,500, two exchanges, each with a
 * read of 600 tokens and an answer, and a third that is at work: the two reads leave, and the first two prompts each have a
 * notice that names the file.
 */

import { jsonText } from '../../base/json-text.ts'
import { integer } from '../../base/param.ts'
import { Calls } from '../calls.ts'
import { definePolicy, type Entry, type Window } from '../policy.ts'
import { entriesFrom, stepsOf } from '../primitives/drop-steps.ts'

/** Shares of the largest input and of the trigger. */
const [triggerShare, targetShare, manyShare] = [0.9, 0.7, 0.5]
const many = 5

/** What a call worked on, for the notice: a file, a command, else the tool's name. */
function subjectOf(name: string, input: unknown): string {
  const { path, file_path, command } = (input ?? {}) as Readonly<Record<string, unknown>>
  const subject = path ?? file_path ?? command
  return subject === undefined ? name : typeof subject === 'string' ? subject : jsonText(subject)
}

export default definePolicy({
  name: 'cline-basic',
  version: '0.0.86',
  summary: 'near the end of the window, drop the work of older exchanges and note its files and commands',
  source: '@cline/core 0.0.86 and cline/cline 21cb8d2525 (2026)',
  trigger: 'the window; acts at nine tenths of `maxInput`, which is nine tenths of it',
  unlike: '`cline-truncate` drops what the user said, too; `drop-steps` leaves no notice',
  params: {
    maxInput: integer({ default: 0, min: 0, help: 'tokens of the largest input; 0 = nine tenths of the budget' }),
  },
  kind: 'sticky',
  wholePairs: true,
  inserts: true,
  text: true,
  turnOn: () => 'Cline SDK: compaction: { enabled: true, strategy: "basic" }',
  start({ maxInput }) {
    const calls = new Calls()
    /** What left of each exchange, and the notice that names it. */
    const left = new Map<number, { readonly subjects: Set<string>; notice: Entry | null }>()

    /** Drops steps, oldest first, while there are more tokens than `goal`. */
    function dropWork(window: Window, steps: readonly Entry[][], goal: number): void {
      for (const step of steps) {
        if (window.tokens <= goal) return
        const exchange = step[0]?.exchange ?? -1
        const gone = left.get(exchange) ?? { subjects: new Set<string>(), notice: null }
        left.set(exchange, gone)
        for (const entry of step) {
          const call = entry.role === 'tool' ? calls.of(entry) : null
          if (call) gone.subjects.add(subjectOf(call.name, call.input))
          window.drop(entry, entry)
        }
        note(window, exchange, gone)
      }
    }

    function note(
      window: Window,
      exchange: number,
      gone: { readonly subjects: Set<string>; notice: Entry | null },
    ): void {
      if (gone.notice?.inside) window.drop(gone.notice, gone.notice)
      let place = window.first
      while (place && (place.exchange < exchange || (place.exchange === exchange && place.isPrompt))) place = place.next
      const text = `[SYSTEM NOTICE] Work left the context: ${[...gone.subjects].join(', ')}`
      gone.notice = window.insert(place, { role: 'user', blocks: [{ type: 'text', text }] })
    }

    return {
      message: (_window, entry) => calls.message(entry),
      request(window) {
        const largest = maxInput || Math.floor(0.9 * window.budget)
        const trigger = triggerShare * largest
        if (window.tokens < trigger) return
        const goal = window.exchangeCount >= many ? manyShare * largest : targetShare * trigger
        const steps = stepsOf(entriesFrom(window.first))
        const current = window.newestExchange?.index ?? -1
        const older = steps.filter((step) => step[0]?.exchange !== current)
        const ours = steps.filter((step) => step[0]?.exchange === current)
        dropWork(window, older, goal)
        dropWork(window, ours.slice(0, -1), goal)
      },
      reset() {
        calls.reset()
        left.clear()
      },
    }
  },
})
