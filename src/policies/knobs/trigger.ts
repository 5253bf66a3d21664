/**
 * The knob `trigger`: when the policy acts. Words joined by `+` must all be true; `/` parts alternatives. Before each
 * request, unless a word says otherwise (`end`, `ingest`).
 */
import { type Amount, amountOf } from './amount.ts'
import type { Asked } from './value/worth.ts'
import { counted, knob, plain, type Word } from './words.ts'

export type Occasion = 'request' | 'end' | 'ingest'

/** What a trigger may look at; each costs O(1) unless it says otherwise. */
export interface State {
  /** By the knob `measure`. */
  readonly tokens: number
  of(amount: Amount): number
  readonly messages: number
  readonly users: number
  /** Number of units that are not taken. Costs O(units) after other policies have dropped some. */
  readonly units: number
  /** Tokens of what may be touched. */
  readonly prunable: number
  /** Requests, and their tokens, since it last acted. */
  readonly requests: number
  readonly work: number
  readonly idleSeconds: number
  /** Whether taking some units pays. Costs O(messages in the window). */
  pays(asked: Asked): boolean
  /** The newest message is the assistant's, without calls. */
  readonly isAnswer: boolean
}

interface Condition {
  /** It asks what the messages are worth. */
  readonly pays?: true
  readonly holds: (state: State) => boolean
  readonly on?: Occasion
  /** Once true of a history, it stays true as that grows. */
  readonly lasts?: true
}

export interface Trigger {
  readonly occasions: ReadonlySet<Occasion>
  readonly fires: (occasion: Occasion, state: State) => boolean
  readonly lasts: boolean
  /** It asks what the messages are worth. */
  readonly pays: boolean
}

function amount(help: string, holds: (tokens: number, limit: number) => boolean): Word<Condition> {
  return {
    help,
    of([word, ...more]) {
      const limit = amountOf(word)
      if (!limit || more.length > 0) return undefined
      return { holds: (state) => holds(state.tokens, state.of(limit)), lasts: true }
    },
  }
}

const more = (help: string, of: (state: State) => number, rest: { readonly lasts?: true } = {}) =>
  counted<Condition>(help, 0, (count) => ({ holds: (state) => of(state) > count, ...rest }))

export const trigger = knob<Condition, Trigger>({
  default: 'over',
  help: 'when it acts',
  or: '/',
  words: {
    always: plain('at each request', { holds: () => true, lasts: true }),
    never: plain('never', { holds: () => false, lasts: true }),
    'over[:AMOUNT]': amount('more tokens than that', (tokens, limit) => tokens > limit),
    'at[:AMOUNT]': amount('that many tokens or more', (tokens, limit) => tokens >= limit),
    'messages:N': more('more than N messages', ({ messages }) => messages, { lasts: true }),
    'users:N': more('more than N user messages', ({ users }) => users, { lasts: true }),
    'units:N': more(
      'more than N units, without those that are protected by the name of their tool',
      ({ units }) => units,
    ),
    'prunable:N': counted('N tokens or more that may be touched', 0, (count) => ({
      holds: ({ prunable }) => prunable >= count,
    })),
    'every:N': counted('N requests since it last acted', 1, (count) => ({
      holds: ({ requests }) => requests >= count,
    })),
    'work:N': more('more than N tokens in the requests since it last acted', ({ work }) => work),
    'idle:SECONDS': more(
      'longer than that without a request, so that the prompt cache is cold',
      (state) => state.idleSeconds,
    ),
    'pays[:REQUESTS[:TIMES]]': {
      help: 'what it saves to take some in so many requests to come (40) is TIMES (2) what it costs the cache; with target=value',
      of([word = '40', times = '2', ...more]) {
        const asked = { requests: Number(word), times: Number(times) }
        if (!(asked.requests > 0 && asked.times >= 1 && Number.isFinite(asked.requests * asked.times))) return undefined
        return more.length > 0 ? undefined : { holds: (state) => state.pays(asked), pays: true }
      },
    },
    answered: plain('a response has come since it last acted', { holds: ({ requests }) => requests > 0 }),
    answer: plain('when the assistant has answered without calling a tool', {
      holds: ({ isAnswer }) => isAnswer,
      on: 'ingest',
    }),
    end: plain('when an exchange has ended', { holds: () => true, on: 'end' }),
    ingest: plain('when a message has come', { holds: () => true, on: 'ingest' }),
  },
  together(alternatives) {
    const clauses = alternatives.map((conditions) => ({
      conditions,
      occasion: conditions.find(({ on }) => on)?.on ?? 'request',
    }))
    if (clauses.some(({ conditions, occasion }) => conditions.some(({ on }) => on && on !== occasion))) return undefined
    if (clauses.some(({ conditions, occasion }) => conditions.some(({ pays }) => pays) && occasion !== 'request')) {
      return undefined
    }
    return {
      occasions: new Set(clauses.map(({ occasion }) => occasion)),
      fires: (now, state) =>
        clauses.some(({ conditions, occasion }) => occasion === now && conditions.every(({ holds }) => holds(state))),
      lasts: alternatives.flat().every(({ lasts, on }) => lasts || on),
      pays: alternatives.flat().some(({ pays }) => pays),
    }
  },
})
