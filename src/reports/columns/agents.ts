/** The columns of sub-agents. */
import type { AgentSpending } from '../../model/spending.ts'
import { type Column, type Field, nullable, own, withValues } from '../column.ts'
import { percentOfAll } from './spending.ts'

export const agentColumns: readonly Field<AgentSpending>[] = [
  own(
    'of',
    'of',
    'text',
    '`agent`; `call`: a call of which no sub-agent was read; `rest`: all that was spent on anything else',
    { values: ['agent', 'call', 'rest'] },
  ),
  own('transcript', 'transcript', 'text', "the sub-agent's own file", {
    ...nullable,
    rank: 3,
    path: true,
    quiet: true,
  }),
  own('conversation', 'conversation', 'text', 'the id the format gives it, else null', nullable),
  own('format', 'program', 'text', 'the format it was recorded in', { ...nullable, rank: 5, quiet: true }),
  own('model', 'model', 'text', 'the first one that answered', { ...nullable, rank: 4 }),
  own('caller', 'called in', 'text', 'the file of the call that started it; null where it is not known', {
    ...nullable,
    rank: 0,
    path: true,
    quiet: true,
  }),
  own('callLine', 'line', 'count', 'of the response that makes it', { ...nullable, rank: 0 }),
  own('joinedBy', 'joined by', 'text', 'an id that both have, or the prompt; null where it is not joined', {
    ...nullable,
    values: ['id', 'prompt'],
    rank: 6,
  }),
  own('calls', 'calls', 'count', 'that it answered: several where it was taken up again'),
  own('requests', 'requests', 'count', 'with recorded usage', { rank: 0 }),
  own('usd', 'USD', 'money', 'what they cost; null where no request has a price', { ...nullable, rank: 0 }),
  { ...percentOfAll, rank: 3 } as Field<AgentSpending>,
  own('workTokens', 'work', 'tokens', 'all that it said and was told behind its prompt, as estimated', {
    ...nullable,
    rank: 1,
  }),
  own(
    'returnedTokens',
    'returned',
    'tokens',
    'what its caller was given of that, as estimated; null where it came later, or is not recorded',
    { ...nullable, rank: 1 },
  ),
  own('contextTokens', 'window', 'tokens', "what the caller's window held at the call", { ...nullable, rank: 2 }),
  own('behindRequests', 'behind', 'count', "the caller's requests that carried the result", { ...nullable, rank: 4 }),
  own('inlineUsd', 'inline USD', 'money', "what the same steps would have cost in the caller's window: an estimate", {
    ...nullable,
    rank: 1,
  }),
]

/**
 * What a table shows of sub-agents: the last row is named in the column of lines, and a sub-agent of which no call is
 * known by its own file, in brackets.
 */
export const shownAgentColumns: readonly Column<AgentSpending>[] = withValues<AgentSpending>(agentColumns, {
  caller: ({ caller, transcript }) => caller ?? (transcript && `(${transcript})`),
  callLine: ({ of, callLine }) => (of === 'rest' ? 'all else' : (callLine ?? 'not known')),
  requests: ({ of, requests }) => (of === 'agent' ? requests : null),
})
