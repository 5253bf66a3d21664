/** Replays messages under a policy, as the simulator does, with tokens that a test can add up by hand. */
import { type Params, resolveParams } from '../../src/base/param.ts'
import { type Block, type Message, textOf } from '../../src/model/message.ts'
import type { Sizes } from '../../src/model/sizes.ts'
import type { Compaction } from '../../src/model/trace.ts'
import { policies } from '../../src/policies/index.ts'
import type { NativeCounter, Policy, PolicyContext } from '../../src/policies/policy.ts'
import { EditableWindow } from '../../src/simulator/window.ts'
import { traceOf } from '../simulator/arbitrary.ts'
import { itemsOf } from '../simulator/check-window.ts'

export interface Setting {
  readonly budget: number
  /** Of a message, whole. Default: the characters of its text. */
  readonly tokens?: (message: Message) => number
  /** Tokens of the preamble. Default 0. */
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

/** What `look` sees of the window at each request. */
export function atRequests<T>(
  name: string | Policy,
  list: readonly Message[],
  {
    budget,
    tokens = (message) => textOf(message).length,
    preamble = 0,
    given = {},
    compactions = [],
    model,
    users,
    usersByName,
  }: Setting,
  look: (window: EditableWindow) => T,
): T[] {
  const policy = typeof name === 'string' ? policies.get(name) : name
  const trace = traceOf(list, [])
  const sizes: Sizes = {
    preamble,
    joins: () => 0,
    of: (index) => tokens(list[index] as Message),
    message: tokens,
    tokens: (units) => units,
    units: (tokens) => tokens,
  }
  const keepsDropped = policy.kind === 'view'
  const window = new EditableWindow(trace, { budget, sent: sizes, believed: null, keepsDropped })
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
  const run = policy.start(resolveParams<Params>(policy.name, policy.params, given), context)
  const sent: T[] = []
  for (let index = 0; index < trace.length; index++) {
    const recordedInput = sent.length === 0 ? null : (trace.usage(sent.length - 1)?.input ?? null)
    const seconds = (trace.requestTime(sent.length) - trace.requestTime(sent.length - 1)) / 1000
    const idleSeconds = Number.isNaN(seconds) ? null : seconds
    if (trace.isPrompt(index))
      run.exchangeEnd?.(window, { messages: index, answered: true, recordedInput, idleSeconds })
    if (trace.isResponse(index)) {
      run.request?.(window, { messages: index, answered: false, recordedInput, idleSeconds })
      sent.push(look(window))
    }
    const entry = window.append(index)
    run.message?.(window, entry)
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
