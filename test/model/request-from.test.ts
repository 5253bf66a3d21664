import fc from 'fast-check'
import { expect, it } from 'vitest'
import { messages, traceOf } from '../simulator/arbitrary.ts'

it('finds the first request that a message or a later one answers', () => {
  fc.assert(
    fc.property(messages, (list) => {
      const trace = traceOf(list, [() => 1])
      for (let index = 0; index <= trace.length; index++) {
        let request = 0
        while (request < trace.requests && trace.requestAt(request) < index) request++
        expect(trace.requestFrom(index)).toBe(request)
      }
    }),
  )
})
