/** Replays messages under a policy, as the simulator does, with tokens that a test can add up by hand. */
import { type Params, resolveParams } from '../../src/base/param.ts'
import { type Block, type Message, textOf } from '../../src/model/message.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Compaction } from '../../src/model/trace.ts'
import { policies } from '../../src/policies/index.ts'
import {
  keepsPairs,
  type NativeCounter,
  type Policy,
  type PolicyContext,
  type RestartableRun,
  started,
} from '../../src/policies/policy.ts'
import { Steps } from '../../src/simulator/step.ts'
import type { EditableWindow, WindowSummary } from '../../src/simulator/window.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { itemsOf } from '../simulator/check-window.ts'

export interface Setting {
  readonly budget: number
  /** Of a message, in units. Default: the characters of its text. */
  readonly tokens?: (message: Message) => number
  /** Units to a token, which is rounded up. Default 1. */
  readonly perToken?: number
  /** Units of the preamble. Default 0. */
  readonly preamble?: number
  readonly given?: Readonly<Record<string, unknown>>
  readonly compactions?: readonly Compaction[]
  readonly model?: string
  readonly users?: PolicyContext['users']
  readonly usersByName?: PolicyContext['usersByName']
}

/** How the policy's program counts, where no estimator does. */
export function counterOf(name: string): NativeCounter {
  const { native } = policies.get(name)
  if (!native || !('message' in native)) throw new Error(`${name} has no counter`)
  return native
}

/** The requests that go out, as role and text of each message. Joins have no tokens. */
export function requests(name: string | Policy, list: readonly Message[], setting: Setting): string[][] {
  return atRequests(name, list, setting, (window) => itemsOf(window).map(({ message }) => shown(message as Message)))
}

/** What `look` sees of the window at each request, and of the summaries that were written for it. */
export function atRequests<T>(
  name: string | Policy,
  list: readonly Message[],
  {
    budget,
    tokens = (message) => textOf(message).length,
    perToken = 1,
    preamble = 0,
    given = {},
    compactions = [],
    model,
    users,
    usersByName,
  }: Setting,
  look: (window: EditableWindow, summaries: readonly WindowSummary[]) => T,
): T[] {
  const policy = typeof name === 'string' ? policies.get(name) : name
  const trace = traceOf(list, [])
  const sizes: Sizes = {
    preamble,
    joins: () => 0,
    of: (index) => tokens(list[index] as Message),
    message: tokens,
    tokens: (units) => Math.ceil(units / perToken),
    units: (tokens) => tokens * perToken,
  }
  const context = {
    model: model ?? null,
    cwd: '/home/me',
    systemMessages: 0,
    compactions,
    clearings: [],
    recounts: [],
    ...(users && { users }),
    ...(usersByName && { usersByName }),
  }
  const values = resolveParams<Params>(policy.name, policy.params, given)
  const run = started({ plugin: policy, values }, context)
  // With the occasion of a request there is a window even where the policy never acts.
  const shown: RestartableRun = {
    message: (window, entry) => run.message?.(window, entry),
    request: (window, moment) => run.request?.(window, moment),
    exchangeEnd: (window, moment) => run.exchangeEnd?.(window, moment),
    restart: () => run.restart?.(),
  }
  const settings = { policy: shown, kind: policy.kind, keepsPairs: keepsPairs(policy, values), budget, sizes }
  const steps = new Steps(trace, settings)
  const sent: T[] = []
  const summaries: WindowSummary[] = []
  for (const occasion of steps.occasions()) {
    if (occasion.kind === 'summary') summaries.push(occasion.call)
    if (occasion.kind === 'request') sent.push(look(steps.window as EditableWindow, summaries.splice(0)))
  }
  return sent
}

export const shown = (message: Message) => `${message.role}: ${textOf(message)}`

/** A conversation in short: `user: …`, `assistant: …`, and tool calls with their results, by name, input and text. */
export class Talk {
  readonly messages: Message[] = []

  user(text: string): this {
    return this.#say({ role: 'user', blocks: [{ type: 'text', text }] })
  }

  /** @param time seconds */
  assistant(text: string, time?: number): this {
    return this.#say({
      role: 'assistant',
      blocks: [{ type: 'text', text }],
      ...(time !== undefined && { time: 1000 * time }),
    })
  }

  /** A response that calls tools, and their results. The calls themselves have no text. */
  calls(...calls: readonly { readonly name: string; readonly input?: unknown; readonly result: string }[]): this {
    const ids = calls.map((_, index) => `call ${this.messages.length} ${index}`)
    const blocks = calls.map(
      ({ name, input }, index): Block => ({ type: 'call', id: ids[index] as string, name, input: input ?? {} }),
    )
    this.#say({ role: 'assistant', blocks })
    calls.forEach(({ result }, index) => {
      this.#say({ role: 'tool', callId: ids[index] as string, blocks: [{ type: 'text', text: result }] })
    })
    return this
  }

  #say(message: Omit<Message, 'line'>): this {
    this.messages.push({ ...message, line: this.messages.length + 1 })
    return this
  }
}
