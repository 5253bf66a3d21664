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

/** Shares of the largest input and of the trigger. */
const [triggerShare, targetShare, manyShare] = [0.9, 0.7, 0.5]
const many = 5

/** What a call worked on, for the notice: a file, a command, else the tool's name. */
function subjectOf(name: string, input: unknown): string {
  const { path, file_path, command } = (input ?? {}) as Readonly<Record<string, unknown>>
  const subject = path ?? file_path ?? command
  return subject === undefined ? name : typeof subject === 'string' ? subject : jsonText(subject)
}

/** What left of an exchange: its files and commands, and the notice that names them. */
interface Gone {
  readonly exchange: number
  readonly subjects: Set<string>
  notice: Entry | null
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
    const prompts = new Map<number, Entry>()
    const left = new Map<number, Gone>()
    /** The steps so far, oldest first; those before `next` have left. */
    let steps: Entry[][] = []
    let next = 0
    let stepOfCall = new Map<number, Entry[]>()
    let response: Entry[] = []

    /** @returns what has left of its exchange */
    function drop(window: Window, step: readonly Entry[]): Gone {
      const exchange = step[0]?.exchange ?? -1
      const gone = left.get(exchange) ?? { exchange, subjects: new Set<string>(), notice: null }
      left.set(exchange, gone)
      for (const entry of step) {
        const call = entry.role === 'tool' ? calls.of(entry) : null
        if (call) gone.subjects.add(subjectOf(call.name, call.input))
        window.drop(entry, entry)
      }
      return gone
    }

    function note(window: Window, gone: Gone): void {
      if (gone.notice) window.drop(gone.notice, gone.notice)
      const prompt = prompts.get(gone.exchange)
      const text = `[SYSTEM NOTICE] Work left the context: ${[...gone.subjects].join(', ')}`
      gone.notice = window.insert(prompt ? prompt.next : window.first, {
        role: 'user',
        blocks: [{ type: 'text', text }],
      })
    }

    return {
      message(_window, entry) {
        calls.message(entry)
        if (entry.isPrompt) prompts.set(entry.exchange, entry)
        if (entry.role === 'tool') stepOfCall.get(entry.call)?.push(entry)
        if (entry.role !== 'assistant') return
        if (entry.isResponse) response = []
        response.push(entry)
        if (entry.calls > 0 && steps.at(-1) !== response) steps.push(response)
        for (let call = entry.call; call < entry.call + entry.calls; call++) stepOfCall.set(call, response)
      },
      request(window) {
        const largest = maxInput || Math.floor(0.9 * window.budget)
        const trigger = triggerShare * largest
        if (window.tokens < trigger) return
        const goal = window.exchangeCount >= many ? manyShare * largest : targetShare * trigger
        const current = window.newestExchange?.index ?? -1
        const changed = new Set<Gone>()
        for (; next < steps.length && window.tokens > goal; next++) {
          const step = steps[next] as Entry[]
          if (next === steps.length - 1 && step[0]?.exchange === current) break
          changed.add(drop(window, step))
        }
        for (const gone of changed) note(window, gone)
      },
      reset() {
        calls.reset()
        prompts.clear()
        left.clear()
        steps = []
        next = 0
        stepOfCall = new Map()
        response = []
      },
    }
  },
})
