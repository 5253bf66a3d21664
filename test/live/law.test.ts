/** What is simulated is what is shipped, in small: policies on a few conversations, with times at which an agent is idle. */
import fc from 'fast-check'
import { it } from 'vitest'
import { subjects } from '../laws/subjects.ts'
import { transcriptsUpTo } from '../laws/transcripts.ts'
import { canRunLive, expectAsShown, models } from './replayed.ts'

const gaps = [1_000, 70_000, 400_000, 4_000_000] as const

const timed = fc.tuple(transcriptsUpTo(4), fc.infiniteStream(fc.constantFrom(...gaps))).map(([list, waits]) => {
  let time = 1_700_000_000_000
  return list.map((message) => {
    time += waits.next().value
    return { ...message, time }
  })
})

const running = subjects.filter(({ policy }) => canRunLive(policy))

it('an agent is given what a replay shows', () => {
  fc.assert(fc.property(fc.constantFrom(...running), timed, fc.integer({ min: 20, max: 700 }), models, expectAsShown), {
    numRuns: 200,
  })
})
