/** When the knobs act: at each occasion held against everything that has come since they last did, counted anew. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { cacheBehaviour } from '../../../src/measures/cache-behaviour.ts'
import { builtinModels } from '../../../src/models/lookup.ts'
import { pricingOf } from '../../../src/models/pricing.ts'
import { composed } from '../../../src/policies/knobs/knobs.ts'
import type { PolicyRun, Window } from '../../../src/policies/policy.ts'
import { replay } from '../../../src/simulator/replay.ts'
import type { EditableWindow } from '../../../src/simulator/window.ts'
import { transcriptsUpTo } from '../../laws/transcripts.ts'
import { measured } from '../../simulator/check-window.ts'

type Occasion = 'request' | 'ingest' | 'end'

/** What has come, since the history last began. */
interface Come {
  /** Responses: the tokens of each request, and how many occasions had been when it came. */
  readonly sent: { readonly tokens: number; readonly at: number }[]
  /** Tokens of the window behind each message of the assistant. */
  readonly answered: { readonly tokens: number; readonly at: number }[]
  /** Messages that have come. */
  messages: number
}

/** What a trigger is told. */
interface Facts {
  readonly tokens: number
  readonly requests: number
  readonly work: number
  readonly window: Window
  readonly isAnswer: boolean
}

const measures = ['request', 'messages', 'usage', 'latest'] as const

const triggers: readonly (readonly [word: string, Occasion, (facts: Facts, budget: number) => boolean])[] = [
  ['over', 'request', ({ tokens }, budget) => tokens > budget],
  ['at', 'request', ({ tokens }, budget) => tokens >= budget],
  ['over:0.5+every:2', 'request', ({ tokens, requests }, budget) => tokens > budget / 2 && requests >= 2],
  ['messages:4', 'request', ({ window }) => window.count > 4],
  ['users:2', 'request', ({ window }) => window.users > 2],
  ['every:2', 'request', ({ requests }) => requests >= 2],
  ['work:150', 'request', ({ work }) => work > 150],
  ['answered', 'request', ({ requests }) => requests > 0],
  ['ingest+over', 'ingest', ({ tokens }, budget) => tokens > budget],
  ['ingest+work:150', 'ingest', ({ work }) => work > 150],
  ['answer', 'ingest', ({ isAnswer }) => isAnswer],
  ['end+over', 'end', ({ tokens }, budget) => tokens > budget],
  ['end+every:2', 'end', ({ requests }) => requests >= 2],
]

const pricing = pricingOf(measured([], 'openai').trace, null, 'openai', builtinModels)

it.each(triggers)('they act when %s says so, and never else', (word, on, isDue) => {
  const budgets = fc.constantFrom(30, 80, 150, 300)
  fc.assert(
    fc.property(transcriptsUpTo(4), fc.constantFrom(...measures), budgets, (list, measure, budget) => {
      const { trace, sizes } = measured(list, 'openai')
      const run = composed({ measure, trigger: word, protect: 'nothing', target: 'keep:2' } as never)
      const come: Come = { sent: [], answered: [], messages: 0 }
      /** Occasions so far, and that at which it last acted. */
      let [now, acted] = [0, 0]
      let isNew = false
      const wrong: string[] = []
      const at = (occasion: Occasion, window: Window, act: () => void): void => {
        now++
        const since = come.sent.filter((one) => one.at > acted)
        const usage = come.answered.at(-1)
        const tokens = {
          request: window.tokens,
          messages: window.messageTokens,
          usage: usage && usage.at > acted ? usage.tokens : 0,
          latest: come.sent.at(-1)?.tokens ?? window.tokens,
        }[measure]
        const work = since.reduce((sum, one) => sum + one.tokens, 0)
        const isAnswer = window.last?.role === 'assistant' && window.last.calls === 0
        const facts = { tokens, work, window, isAnswer, requests: since.length }
        const due = occasion === on && (on !== 'request' || isNew) && window.count > 2 && isDue(facts, budget)
        const { edits } = window as EditableWindow
        act()
        const did = (window as EditableWindow).edits > edits
        if (did !== due) wrong.push(`${occasion} behind ${come.messages} messages: ${did}`)
        if (!did) return
        acted = now
        isNew = false
      }
      const policy: PolicyRun = {
        message(window, entry) {
          come.messages++
          isNew = true
          // It came at the occasion that is next.
          if (entry.isResponse) come.sent.push({ tokens: window.tokens - window.tokensOf(entry, entry), at: now + 1 })
          if (entry.role === 'assistant') come.answered.push({ tokens: window.tokens, at: now + 1 })
          at('ingest', window, () => run.message?.(window, entry))
        },
        request: (window, moment) => at('request', window, () => run.request?.(window, moment)),
        exchangeEnd: (window, moment) => at('end', window, () => run.exchangeEnd?.(window, moment)),
      }
      const cache = cacheBehaviour(trace, sizes, pricing, 'ideal', 'openai')
      replay(trace, { policy, kind: 'sticky', budget, sizes, modelWindow: null, pricing, cache })
      expect(wrong).toEqual([])
    }),
    { numRuns: 30 },
  )
})
