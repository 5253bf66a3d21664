import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Message } from '../../src/model/message.ts'
import type { Trace } from '../../src/model/trace.ts'
import { TraceBuilder } from '../../src/readers/trace-builder.ts'
import { ReferenceDigest } from '../../src/references/digest.ts'
import { head, messagesOf, type Said, takenBack } from './transcripts.ts'

const builder = () => new TraceBuilder(head, [(message) => message.line], true, new ReferenceDigest(head))

/** With usage, times and models, of which each response has its own. */
function recorded(message: Message, place: number): Message {
  if (message.role !== 'assistant') return message
  const index = Number(message.responseId?.slice(1) ?? place)
  const usage = { input: 100 + index, cacheRead: index, cacheWrite: 2 * index, cacheWrite1h: index, output: 3 * index }
  return { ...message, time: 1000 * index, model: `model-${index % 3}`, ...(index % 4 > 0 && { usage }) }
}

/** Everything that was said, and what was taken back. */
function spoken(list: readonly Said[]): Trace {
  const trace = builder()
  for (const [index, message] of messagesOf(list).entries()) {
    const { back, reset } = list[index] as Said
    if (back > 0) trace.rewind(Math.max(0, trace.length - back))
    if (index % 5 === 4) trace.compactions.push({ at: trace.length, keptFrom: trace.length, summary: [], line: index })
    if (index % 7 === 6) trace.clearings.push({ at: trace.length, left: new Map(), restored: false, line: index })
    if (reset) trace.reset()
    if (index % 6 === 5) trace.resumed()
    trace.add(recorded(message, index))
  }
  return trace.build()
}

/** Only what was not taken back. */
function left(list: readonly Said[]): Trace {
  const kept: { readonly message: Message; readonly index: number }[] = []
  for (const [index, message] of messagesOf(list).entries()) {
    kept.splice(Math.max(0, kept.length - (list[index] as Said).back))
    kept.push({ message: recorded(message, index), index })
  }
  const trace = builder()
  for (const { message, index } of kept) {
    const at = trace.length
    if (index % 5 === 4) trace.compactions.push({ at, keptFrom: at, summary: [], line: index })
    if (index % 7 === 6) trace.clearings.push({ at, left: new Map(), restored: false, line: index })
    if (list[index]?.reset) trace.reset()
    if (index % 6 === 5) trace.resumed()
    trace.add(message)
  }
  return trace.build()
}

/** What a trace and its digest say, with the names of what they number. */
function told(trace: Trace) {
  const digest = trace.digest as ReferenceDigest
  const { content } = digest
  const named = (targets: Iterable<number>) => Array.from(targets, (target) => digest.targets[target])
  const between = (from: number, to: number) => Array.from({ length: to - from }, (_, offset) => from + offset)
  const results = between(0, trace.length).map((index) => digest.resultOf(index))
  return {
    title: trace.title,
    calls: trace.calls,
    compactions: trace.compactions,
    clearings: trace.clearings,
    identity: trace.identity,
    messages: between(0, trace.length).map((index) => ({
      message: trace.messages?.[index],
      units: trace.units(index, 0),
      flags: [trace.isPrompt(index), trace.isResponse(index), trace.isReset(index), trace.isResumed(index)],
      calls: [trace.call(index), trace.callCount(index)],
      terms: between(digest.start(index), digest.start(index + 1)).map((at) => digest.keys[digest.occurrences.at(at)]),
      fetched: between(0, trace.callCount(index)).map((nth) => named(digest.targetsOf(digest.fetchOf(index, nth)))),
      files: between(0, trace.callCount(index)).map((nth) => named(digest.filesOf(digest.fetchOf(index, nth)))),
      written: between(0, trace.callCount(index)).map((nth) => named(digest.writesOf(index, nth))),
      about:
        trace.role(index) !== 'tool' || trace.call(index) < 0 ? [] : named(digest.targetsOfCall(trace.call(index))),
      result: results.indexOf(results[index] as number),
      stands: between(content.start(index), content.start(index + 1)).map((at) => content.standing.low(at)),
      taken: [...content.takesOf(index)].map(({ target, from, to }) => ({
        target: digest.targets[target],
        pieces: between(from, to).map((at) => content.taken.low(at)),
      })),
    })),
    requests: between(0, trace.requests).map((request) => ({
      at: trace.requestAt(request),
      time: trace.requestTime(request),
      model: trace.requestModel(request),
      response: trace.response(request),
      usage: trace.usage(request),
    })),
  }
}

const say = (kind: Said['kind'], back = 0): Said => ({ kind, back, words: [], path: 0, tool: 'Read', reset: false })

it('what was taken back leaves nothing behind', () => {
  fc.assert(
    fc.property(takenBack, (list) => {
      expect(told(spoken(list))).toEqual(told(left(list)))
    }),
    {
      numRuns: 150,
      // The first answer has no usage, and the second is taken back.
      examples: [[[say('answer'), say('answer'), say('queued', 1)]]],
    },
  )
})
