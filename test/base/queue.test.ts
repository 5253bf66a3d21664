import fc from 'fast-check'
import { expect, it } from 'vitest'
import { Queue } from '../../src/base/queue.ts'

it('gives back what an array would', () => {
  fc.assert(
    fc.property(fc.array(fc.option(fc.nat())), (steps) => {
      const queue = new Queue<number>()
      const model: number[] = []
      for (const step of steps) {
        if (step === null) expect(queue.shift()).toBe(model.shift())
        else {
          queue.push(step)
          model.push(step)
        }
        expect(queue.length).toBe(model.length)
      }
    }),
  )
})
