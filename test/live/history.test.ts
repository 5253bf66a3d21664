/**
 * A window that is asked again and again, of histories that grow and are taken back, gives what a new one gives that is asked only
 * what still counts: the requests of what the history began with before.
 */
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { live, type Told } from '../../src/live/index.ts'
import { transcriptsUpTo } from '../laws/transcripts.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { type Element, historyOf, wires } from './wires.ts'

const [anthropic] = wires as [(typeof wires)[0]]
const policies = [
  'drop-oldest',
  'insert-notice',
  'mask-tool-results:keepFirst=0,keepLast=1,scope=all',
  'summarise-oldest:tokens=20',
  'pi-compact:reserve=20,keep=60,summaryTokens=20',
  'knobs:trigger=idle:60,unit=exchange,protect=last:1,target=all',
]

interface Ask {
  /** Of the history, for a thousand of its whole length. */
  readonly share: number
  /** What the agent has in its place behind that; null where nothing. */
  readonly instead: string | null
  readonly isCopy: boolean
  readonly told: Told
}

const ask: fc.Arbitrary<Ask> = fc.record({
  share: fc.integer({ min: 1, max: 1000 }),
  instead: fc.constantFrom(null, null, 'Rather this.', 'Or that.'),
  isCopy: fc.boolean(),
  told: fc.record(
    {
      at: fc.constantFrom(0, 1_000, 70_000, 900_000),
      usage: fc.record({ input_tokens: fc.integer({ min: 1, max: 900 }), output_tokens: fc.constant(1) }),
    },
    { requiredKeys: ['at'] },
  ),
})

const elementsOf = (list: readonly Element[], { share, instead }: Ask): Element[] => [
  ...list.slice(0, Math.ceil((list.length * share) / 1000)),
  ...(instead === null ? [] : [{ role: 'user', content: instead }]),
]

/** Which requests still count when the last is made. */
function counting(histories: readonly (readonly Element[])[]): number[] {
  return histories.flatMap((one, at) => {
    const isLeft = histories.slice(at).every((later) => beginsWith(later, one))
    // Asked twice, the first counts.
    const isNew = at === 0 || !isDeepStrictEqual(histories[at - 1], one)
    return isLeft && isNew ? [at] : []
  })
}

const beginsWith = (one: readonly Element[], start: readonly Element[]) =>
  isDeepStrictEqual(one.slice(0, start.length), start)

it('asks of a history what still counts, and in another process the same', async () => {
  await fc.assert(
    fc.asyncProperty(
      transcriptsUpTo(3),
      fc.array(ask, { minLength: 2, maxLength: 6 }),
      fc.constantFrom(...policies),
      fc.integer({ min: 60, max: 500 }),
      async (messages, asks, policy, budget) => {
        const list = historyOf(anthropic, traceOf(messages, [() => 1], 'anthropic'))
        const histories = asks.map((one) => elementsOf(list, one))
        const summarise = ({ messages, tokens }: { messages: readonly unknown[]; tokens: number }) =>
          `Summary of ${JSON.stringify(messages).length} in ${tokens}.`
        const options = { api: 'anthropic', budget, model: anthropic.model, estimator: 'bytes', summarise } as const
        const window = live(policy, options)
        const askFor = (one: typeof window, at: number, isCopy = false) => {
          const history = histories[at] as Element[]
          return one.next((isCopy ? structuredClone(history) : history) as never, asks[at]?.told)
        }
        let sent: unknown
        for (const [at, { isCopy }] of asks.entries()) sent = await askFor(window, at, isCopy)
        const anew = live(policy, options)
        let again: unknown
        for (const at of [...counting(histories), asks.length - 1]) again = await askFor(anew, at)
        expect(sent).toEqual(again)
        expect(window.state).toEqual(anew.state)
        const state = JSON.parse(JSON.stringify(window.state))
        expect(await askFor(live(policy, { ...options, state }), asks.length - 1)).toEqual(again)
      },
    ),
    { numRuns: 40 },
  )
})
