/** `ctxwin`: canonical conversations as NDJSON, which the reader of this name reads back to the same runs. */
import type { Message } from '../../../model/message.ts'
import { plainly } from '../../../model/redaction.ts'
import { OwnSizes } from '../../../simulator/own-sizes.ts'
import { casesOf } from '../../plan.ts'
import type { Form } from './form.ts'

const ctxwin: Form = {
  name: 'ctxwin',
  summary: 'ctxwin’s own form, with everything that a replay depends on: it is read back to the same runs',
  *lines(trace, plan) {
    const { head, preamble, compactions, clearings, sideCalls } = trace.whole
    // Pseudonyms have other sizes than the words they replace, so the sizes of the words are written along.
    const own =
      trace.redaction === plainly || head.sizedBy ? null : new OwnSizes(trace.whole, casesOf(trace.whole, plan))
    const { file: _, format, provider, conversation, ...about } = head
    const { json } = trace.redaction
    const sizedBy = own && { sizedBy: own.sizedBy }
    yield { transcript: { ctxwin: 1, format, provider, conversation, ...about, ...sizedBy, preamble: json(preamble) } }
    const [compacted, cleared] = [[...compactions], [...clearings]]
    function* before(index: number) {
      for (let next = compacted[0]; next && next.at <= index; next = compacted[0]) {
        compacted.shift()
        const { line: _, ...compaction } = own?.compaction(next) ?? next
        yield { compaction: json(compaction) }
      }
      for (let next = cleared[0]; next && next.at <= index; next = cleared[0]) {
        cleared.shift()
        const { line: _, left, sizes, ...clearing } = own?.clearing(next) ?? next
        yield { clearing: json({ ...clearing, left: [...left], ...(sizes && { sizes: [...sizes] }) }) }
      }
    }
    for (const [index, message] of trace.messages.entries()) {
      yield* before(index)
      if (trace.isReset(index)) yield { reset: true }
      if (trace.isResumed(index)) yield { resumed: true }
      const sizes = own && { sizes: own.of(index) }
      const thoughtSizes = own?.ofThoughts(message, index)
      yield { message: json({ ...withoutLine(message), ...sizes, ...(thoughtSizes && { thoughtSizes }) }) }
    }
    yield* before(Infinity)
    for (const { line: _, time, ...call } of sideCalls) {
      yield { sideCall: { ...call, ...(!Number.isNaN(time) && { time }) } }
    }
  },
}

export default ctxwin

/** Without what no replay depends on. */
function withoutLine({ line: _, agent: __, ...message }: Message): Omit<Message, 'line' | 'agent'> {
  return message
}
