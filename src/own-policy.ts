/**
 * A policy from a user's own module, before it meets a transcript: its shape is checked, what it leaves out is filled in,
 * and it is tried on a small conversation, so that a mistake is one sentence and not a stack in the middle of a run.
 */
import { CtxwinError } from './errors.ts'
import type { Message } from './model/message.ts'
import { Trace } from './model/trace.ts'
import { type Param, type Params, resolveParams } from './params.ts'
import type { Policy, PolicyRun } from './policies/policy.ts'
import type { Sizes } from './simulator/sizes.ts'
import { EditableWindow } from './simulator/window.ts'

const occasions = ['message', 'request', 'exchangeEnd', 'reset'] as const

/**
 * The policy that a module exports, ready to run.
 * @param value what the module exports as its default
 * @param from the module, as the user named it
 * @throws CtxwinError `bad-policy` saying what is missing, or what happened when it was tried
 */
export function checkPolicy(value: unknown, from: string): Policy {
  const fail = (what: string): never => {
    throw new CtxwinError('bad-policy', from, what)
  }
  if (value === null || typeof value !== 'object') return fail('its default export is no policy: see definePolicy')
  const given = value as Partial<Policy>
  if (typeof given.name !== 'string' || !/^[a-z][a-z0-9-]*$/.test(given.name)) {
    return fail('it needs a `name` of lower-case letters, digits and dashes')
  }
  if (typeof given.start !== 'function') return fail('it needs `start(values, context)`, which returns its occasions')
  if (given.kind !== undefined && given.kind !== 'sticky' && given.kind !== 'view') {
    return fail('its `kind` is neither "sticky" nor "view"')
  }
  const { params = {} } = given
  for (const [key, param] of Object.entries(params as Record<string, Partial<Param<unknown>> | null>)) {
    if (typeof param?.parse !== 'function' || typeof param.expected !== 'string') {
      return fail(`its setting "${key}" is none: make it with integer, number, choice, flag or text`)
    }
  }
  const policy: Policy = {
    ...given,
    name: given.name,
    summary: given.summary ?? '',
    source: given.source ?? from,
    params: params as Params,
    kind: given.kind ?? 'sticky',
    monotone: given.monotone === true,
    wholePairs: given.wholePairs === true,
    text: given.text === true,
    start: given.start.bind(given),
  }
  for (const budget of [1, 20, 1000]) {
    try {
      tryOn(policy, budget)
    } catch (error) {
      if (error instanceof CtxwinError) throw error
      fail(`it failed on a small conversation with a budget of ${budget}: ${messageOf(error)}`)
    }
  }
  return policy

  function tryOn(policy: Policy, budget: number): void {
    const trace = conversation()
    const window = new EditableWindow(trace, {
      budget,
      sent: sizes,
      believed: null,
      keepsDropped: policy.kind === 'view',
    })
    const context = { model: 'gpt-5', cwd: null, systemMessages: 0, compactions: [] }
    const run: PolicyRun = policy.start(resolveParams(policy.name, policy.params, {}), context)
    if (run === null || typeof run !== 'object') fail('its `start` returns no object of occasions')
    for (const key of Object.keys(run)) {
      const known = occasions.find((occasion) => occasion === key)
      if (known && typeof run[known] !== 'function') fail(`its occasion "${key}" is no function`)
    }
    if (!occasions.some((occasion) => run[occasion])) {
      fail(`its \`start\` returns none of the occasions ${occasions.slice(0, 3).join(', ')}`)
    }
    for (let index = 0; index < trace.length; index++) {
      const moment = { messages: index, answered: true, recordedInput: null }
      if (trace.isPrompt(index) && index > 0) run.exchangeEnd?.(window, moment)
      if (trace.isResponse(index)) run.request?.(window, moment)
      // Not inside the call: a policy without the occasion would skip it.
      const entry = window.append(index)
      run.message?.(window, entry)
    }
  }
}

function messageOf(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? ''
}

/** Four units a message: what counts is that something leaves. */
const sizes: Sizes = {
  preamble: 2,
  joins: { first: 0, next: 0, continued: 0 },
  of: () => 4,
  message: () => 4,
  tokens: (units) => units,
  units: (tokens) => tokens,
}

/** Three exchanges: an answer, two calls at once, and a message typed while the agent works. */
function conversation(): Trace {
  const trace = new Trace(
    {
      file: 'a small conversation',
      conversation: null,
      format: 'none',
      provider: 'openai',
      model: null,
      cwd: null,
      parent: null,
      forkMessage: null,
    },
    [],
    true,
  )
  const say = (message: Omit<Message, 'line' | 'blocks'>, text: string, ...calls: string[]) =>
    trace.add({
      ...message,
      line: trace.length + 1,
      blocks: [
        { type: 'text', text },
        ...calls.map((id) => ({ type: 'call', id, name: 'read', input: { path: 'a.ts' } }) as const),
      ],
    })
  say({ role: 'user' }, 'hello')
  say({ role: 'assistant' }, 'hi')
  say({ role: 'user' }, 'read both')
  say({ role: 'assistant' }, '', 'call_1', 'call_2')
  say({ role: 'tool', callId: 'call_1' }, 'one')
  say({ role: 'tool', callId: 'call_2' }, 'two')
  say({ role: 'assistant' }, 'done')
  say({ role: 'user' }, 'again')
  say({ role: 'assistant' }, '', 'call_3')
  say({ role: 'user', origin: 'queued' }, 'quickly')
  say({ role: 'tool', callId: 'call_3' }, 'three')
  say({ role: 'assistant' }, 'done again')
  return trace
}
