/** The APIs in whose form an agent has its messages: how a transcript is written for them. */
import { windowRequests } from '../../src/app/window.ts'
import type { Trace } from '../../src/model/trace.ts'
import { planFor } from './tried.ts'

export type Element = Readonly<Record<string, unknown>>

export interface Wire {
  readonly api: 'anthropic' | 'chat' | 'responses'
  readonly provider: 'anthropic' | 'openai'
  readonly model: string
  readonly format: string
  readonly listIn: (body: Element) => readonly Element[]
  readonly bodyOf: (list: readonly Element[]) => Element
  readonly isAnswer: (element: Element) => boolean
}

export const wires: readonly Wire[] = [
  {
    ...{ api: 'anthropic', provider: 'anthropic', model: 'claude-opus-4-5', format: 'anthropic-messages' },
    listIn: (body) => body.messages as Element[],
    bodyOf: (messages) => ({ model: 'claude-opus-4-5', max_tokens: 1, messages }),
    isAnswer: ({ role }) => role === 'assistant',
  },
  {
    ...{ api: 'chat', provider: 'openai', model: 'gpt-4.1', format: 'openai-chat' },
    listIn: (body) => body.messages as Element[],
    bodyOf: (messages) => ({ model: 'gpt-4.1', messages }),
    isAnswer: ({ role }) => role === 'assistant',
  },
  {
    ...{ api: 'responses', provider: 'openai', model: 'gpt-4.1', format: 'openai-responses' },
    listIn: (body) => body.input as Element[],
    bodyOf: (input) => ({ model: 'gpt-4.1', store: false, input }),
    isAnswer: ({ role, type }) => role === 'assistant' || type === 'function_call',
  },
]

/** As `windowRequests` asks for it. */
export const api = ({ api }: Wire) => (api === 'anthropic' ? null : api)

/** The last request of a random transcript, as it would be sent. */
export function historyOf(wire: Wire, trace: Trace): readonly Element[] {
  return wire.listIn(
    [...windowRequests(trace, { ...planFor('keep-all', 0), provider: wire.provider }, api(wire))].at(-1)
      ?.body as Element,
  )
}

/** How many elements stand before each response, and at the end. */
export function placesIn(wire: Wire, list: readonly Element[]): number[] {
  const places = list.flatMap((one, at) =>
    wire.isAnswer(one) && !(at > 0 && wire.isAnswer(list[at - 1] as Element)) ? [at] : [],
  )
  return [...places, list.length]
}
