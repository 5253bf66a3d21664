/** What each form makes of a window, on random conversations: what a replay shows, and the agent's own objects where nothing was done. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anthropic, chat } from '../../src/live/core.ts'
import type { Form } from '../../src/live/forms/form.ts'
import { responses } from '../../src/live/forms/responses.ts'
import { live } from '../../src/live/index.ts'
import type { Message } from '../../src/model/message.ts'
import { transcriptsUpTo } from '../laws/transcripts.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { expectAsReplayed, models } from './as-replayed.ts'
import { type Library, libraries } from './libraries.ts'
import { tried } from './tried.ts'
import { historyOf, wires } from './wires.ts'

const apis = { anthropic, chat, responses }
const spoken: readonly Library[] = wires.map((wire) => ({
  name: wire.api,
  form: apis[wire.api] as Form<unknown>,
  elementsOf: (messages) => [...historyOf(wire, traceOf(messages, [() => 1], wire.provider))],
  isAnswer: (element) => wire.isAnswer(element as never),
  joins: true,
}))

const more = [
  'knobs:trigger=always,operation=drop-thinking,target=all,protect=last:1',
  'vercel-prune:reasoning=all,toolCalls=all',
]

/** Some responses begin with a thought, some results say that the call failed, and some words are added by the program. */
const conversations = fc
  .tuple(transcriptsUpTo(3), fc.infiniteStream(fc.integer({ min: 0, max: 3 })))
  .map(([list, draws]) =>
    list.map((message): Message => {
      if (draws.next().value !== 0) return message
      if (message.role === 'tool') return { ...message, isError: true }
      if (message.role !== 'assistant') return message
      return { ...message, blocks: [{ type: 'thinking', text: `Hm ${message.line}.` }, ...message.blocks] }
    }),
  )

it.each([...libraries, ...spoken].map((library) => [library.name, library] as const))('%s', (_, library) => {
  fc.assert(
    fc.property(
      conversations,
      fc.constantFrom(...tried, ...more),
      fc.integer({ min: 20, max: 500 }),
      fc.constantFrom(...models),
      (messages, policy, budget, model) => {
        expectAsReplayed(library, messages, policy, budget, model)
        const history = library.elementsOf(messages)
        const { messages: sent } = live('drop-oldest', { api: library.form, budget: '10M' }).next(history)
        expect(sent.length).toBe(history.length)
        for (const [at, one] of sent.entries()) expect(one).toBe(history[at])
      },
    ),
    { numRuns: 12 },
  )
})
