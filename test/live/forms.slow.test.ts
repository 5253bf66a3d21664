/** The messages of an API go in and come out as `window` shows them; what a policy leaves alone comes out as the very objects that went in. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { windowRequests } from '../../src/app/window.ts'
import { live } from '../../src/live/index.ts'
import type { ApiName } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { transcripts } from '../laws/transcripts.ts'
import { problemsOf } from '../providers/apis/rules.ts'
import { readRecords } from '../readers/reading.ts'
import { seed } from '../seed.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { cases } from '../whole.ts'
import { planFor, tried } from './tried.ts'
import { api, type Element, historyOf, placesIn, type Wire, wires } from './wires.ts'

async function traceFrom(wire: Wire, list: readonly Element[]): Promise<Trace> {
  const { traces } = await readRecords([wire.bodyOf(list)], wire.format)
  return traces[0] as Trace
}

/** What an API would make of a list: neighbours of one role as one, and so on. */
async function normal(wire: Wire, list: readonly Element[]): Promise<unknown> {
  // A list of one is no conversation to a reader, so a prompt stands in front of each.
  const whole = [...wire.listIn(bodyFor(wire, [])), ...list]
  const trace = await traceFrom(wire, [
    { role: 'user', content: 'Hello.' },
    ...whole,
    { role: 'user', content: 'Bye.' },
  ])
  return wire.listIn([...windowRequests(trace, planFor('keep-all', 0), api(wire))].at(-1)?.body as Element)
}

const bodyFor = (wire: Wire, list: readonly Element[]): Element => wire.bodyOf(list)

for (const wire of wires) {
  describe(`messages of ${wire.api}`, () => {
    for (const [turn, policy] of tried.entries()) {
      it(`go out under ${policy} as they do in a replay`, async () => {
        await fc.assert(
          fc.asyncProperty(transcripts, fc.integer({ min: 100, max: 900 }), async (messages, budget) => {
            const history = historyOf(wire, traceOf(messages, [() => 1], wire.provider))
            const trace = await traceFrom(wire, history)
            const shown = [...windowRequests(trace, planFor(policy, budget), api(wire))]
            const window = live(policy, { api: wire.api, budget, model: wire.model, estimator: 'bytes' })
            const places = placesIn(wire, history)
            expect(places.length).toBe(shown.length)
            for (const [nth, { body, api: name }] of shown.entries()) {
              // Behind a final answer comes a prompt, and no request.
              if (nth === shown.length - 1 && wire.isAnswer(history.at(-1) as Element)) continue
              const given = history.slice(0, places[nth])
              const { messages: sent } = window.next(given as never, { at: Number.NaN }) as { messages: Element[] }
              expect(await normal(wire, sent)).toEqual(await normal(wire, wire.listIn(body)))
              expectNoNewProblem(name, [body, wire.bodyOf(given)], wire.bodyOf(sent))
            }
          }),
          // Of one seed all would have the same two.
          { numRuns: cases(2), seed: seed + turn },
        )
      })
    }
  })
}

/** Where the API takes what `window` prints, and the history itself, it takes what goes out. */
function expectNoNewProblem(name: ApiName, others: readonly Element[], sent: Element): void {
  if (others.every((other) => problemsOf(name, other).length === 0)) expect(problemsOf(name, sent)).toEqual([])
}
