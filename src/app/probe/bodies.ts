/** The requests of a probe as they are sent: what `window --at` builds of the same windows, for the model that is asked. */
import { calledWith } from '../../base/called-with.ts'
import { jsonText } from '../../base/json-text.ts'
import type { Message, Preamble } from '../../model/message.ts'
import type { NextAction, ProbeApi } from '../../model/probe.ts'
import type { AskedProbe, PlannedProbe, SessionPlan } from '../../model/probed.ts'
import { plainly } from '../../model/redaction.ts'
import type { Case } from '../../simulator/case.ts'
import type { FullTrace } from '../analyse.ts'
import type { ReadFiles } from '../analysis.ts'
import { caseOf, type Plan } from '../plan.ts'
import { type Instead, requestOf } from '../window.ts'
import { commonOf, keyOfSession, responseOf } from './plan.ts'
import { preambleFor } from './preamble.ts'
import { summaryRequest, writtenSummary } from './summary.ts'
import { mostOutput, type ProbedRequest, placeholdersIn, probedPlan, probedRequests } from './windows.ts'

export type Body = Readonly<Record<string, unknown>>

export interface BodySettings {
  readonly api: ProbeApi
  readonly model: string
  /** A server of the user's own: many know only the older name of a setting of Chat Completions. */
  readonly isOwnServer: boolean
  /** Of a request that was captured; null where none is given. */
  readonly preamble: Preamble | null
  readonly summaryPrompt?: string
}

/** By placeholder: what a model wrote for it. */
export type Written = ReadonlyMap<Message, string>

/** A request of a session that is asked about, with all that its bodies are made of. */
export interface ReadyProbe {
  readonly planned: PlannedProbe
  readonly about: Omit<AskedProbe, 'keys'>
  /** In the order in which they are to be written: what is written for one is read for another. */
  readonly placeholders: readonly Message[]
  /** Tokens of the bodies as they are sent, estimated, with what stands for summaries. */
  readonly tokens: { readonly full: number; readonly policy: number }
  full(): Body
  policy(written: Written): Body
  /**
   * What is asked of the model that writes the summary.
   * @param mayCall a tool: to forbid it makes another request of it, for which the provider's cache has nothing
   */
  summary(placeholder: Message, written: Written, mayCall: boolean): Body
}

export interface ReadySession {
  readonly plan: SessionPlan
  readonly probes: readonly ReadyProbe[]
}

/**
 * Reads the sessions of a plan once more, one after the other.
 * @param read only the files that they are in
 */
export async function* readySessions(
  read: ReadFiles,
  plan: Plan,
  sessions: readonly SessionPlan[],
  settings: BodySettings,
): AsyncGenerator<ReadySession> {
  const wanted = new Map(sessions.map((session) => [session.key, session]))
  const files = read({
    plan: probedPlan(plan, settings.api),
    reads: { keepMessages: true },
    measure: ({ whole }) => {
      const session = wanted.get(keyOfSession(whole, whole.length === 0 ? 0 : whole.line(0)))
      return session ? readySession(whole as FullTrace, plan, session, settings) : null
    },
    copied: (session) => session,
    start: (): (ReadySession | null)[] => [],
    add: (part, piece) => part.push(piece),
  })
  for await (const { part } of files) {
    for (const session of part) if (session) yield session
  }
}

function readySession(trace: FullTrace, asked: Plan, session: SessionPlan, settings: BodySettings): ReadySession {
  const plan = probedPlan(asked, settings.api)
  const facts = caseOf(trace, plan)
  const { kind, instead } = preambleFor(trace, settings.preamble)
  const planned = new Map(session.probes.map((probe) => [probe.request, probe]))
  const bodies = new Bodies(facts, instead, settings)
  const probes: ReadyProbe[] = []
  for (const one of probedRequests(trace, plan)) {
    const probe = planned.get(one.request)
    if (!probe) continue
    const { request, loss, age, tool, weight } = probe
    const { redaction } = trace
    const kept = new Set(one.policy.messages)
    probes.push({
      planned: probe,
      about: {
        ...{ request, loss, age, tool, weight },
        session: session.key,
        file: trace.head.file,
        line: trace.line(trace.requestAt(request)),
        cwd: trace.head.cwd,
        preamble: kind,
        recorded: recordedAction(trace, request),
        left: one.full.messages.filter((message) => !kept.has(message)).length,
        used: one.used.map((index) => ({
          line: trace.line(index),
          text: redaction.text(beginning(wordsOf(trace.messages[index] as Message))),
        })),
      },
      placeholders: [...placeholdersIn(one.policy.messages, one.policy.unwritten)],
      tokens: { full: bodies.tokens(one.full.messages), policy: bodies.tokens(one.policy.messages) },
      full: () => bodies.of(one, one.full.messages),
      policy: (written) => bodies.of(one, withWritten(one.policy.messages, written)),
      summary(placeholder, written, mayCall) {
        const read = withWritten(one.policy.unwritten.get(placeholder) ?? [], written)
        const body = bodies.of(one, summaryRequest(read, settings.summaryPrompt))
        return mayCall || body.tools === undefined ? body : { ...body, tool_choice: noCall[settings.api] }
      },
    })
  }
  return { plan: session, probes }
}

class Bodies {
  readonly #facts: Case
  readonly #instead: Instead
  readonly #settings: BodySettings
  readonly #keepsThoughts: boolean

  constructor(facts: Case, instead: Instead, settings: BodySettings) {
    this.#facts = facts
    this.#instead = instead
    this.#settings = settings
    const { trace } = facts
    const models = Array.from({ length: trace.requests }, (_, request) => trace.requestModel(request))
    // The signature of a thought is of its words and of one model, and another refuses it.
    this.#keepsThoughts = trace.redaction === plainly && models.every((model) => model === settings.model)
  }

  tokens(messages: readonly Message[]): number {
    const { sizes, counted, trace } = this.#facts
    const { system, tools } = { ...trace.preamble, ...this.#instead }
    const preamble = counted.meter.preamble({ system, ...(tools && { tools }), complete: true })
    return sizes.tokens(messages.reduce((units, message) => units + sizes.message(message), preamble))
  }

  of({ request, full }: Pick<ProbedRequest, 'request' | 'full'>, messages: readonly Message[]): Body {
    const { api, model, isOwnServer } = this.#settings
    const kept = this.#keepsThoughts ? messages : messages.map(withoutThoughts)
    const window = { messages: kept, tokens: full.tokens, headless: false }
    const { model: _, max_tokens: __, ...body } = requestOf(this.#facts, request, api, window, this.#instead).body
    return { model, [limitOf(api, isOwnServer)]: mostOutput, ...body }
  }
}

/** How an API is told that no tool may be called. */
const noCall: Readonly<Record<ProbeApi, unknown>> = { anthropic: { type: 'none' }, chat: 'none', responses: 'none' }

/** What an API calls the most that a model may write. */
function limitOf(api: ProbeApi, isOwnServer: boolean): string {
  if (api === 'responses') return 'max_output_tokens'
  return api === 'chat' && !isOwnServer ? 'max_completion_tokens' : 'max_tokens'
}

function withoutThoughts(message: Message): Message {
  const isThought = ({ type }: { readonly type?: unknown }) =>
    type === 'thinking' || type === 'redacted_thinking' || type === 'opaque'
  if (message.role !== 'assistant' || !message.blocks.some(isThought)) return message
  const { wire } = message
  const blocks = message.blocks.filter((block) => !isThought(block))
  // In what was recorded of OpenAI's APIs no thought is sent anyway.
  if (wire?.provider !== 'anthropic' || !Array.isArray(wire.value)) return { ...message, blocks }
  return { ...message, blocks, wire: { ...wire, value: wire.value.filter((part) => !isThought(part ?? {})) } }
}

function withWritten(messages: readonly Message[], written: Written): Message[] {
  return messages.map((message) => {
    const text = written.get(message)
    return text === undefined ? message : writtenSummary(message, text)
  })
}

/** What the recorded agent did next. */
export function recordedAction(trace: FullTrace, request: number): NextAction {
  const { redaction } = trace
  const blocks = responseOf(trace, request).flatMap((message) => message.blocks)
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  return {
    calls: blocks.flatMap((block) =>
      block.type === 'call' ? [redaction.json({ name: block.name, input: calledWith(block.input) })] : [],
    ),
    text: redaction.text(texts.join('\n')),
  }
}

/** In characters: what a person is shown of what had left. */
const shown = 600

const beginning = (text: string): string => (text.length <= shown ? text : `${text.slice(0, shown)}…`)

function wordsOf({ blocks }: Message): string {
  return blocks
    .map((block) =>
      block.type === 'text' ? block.text : block.type === 'call' ? `${block.name} ${jsonText(block.input)}` : '',
    )
    .filter((text) => text !== '')
    .join('\n')
}

/**
 * A body with marks for Anthropic's prompt cache: behind what the request before it of the same session and arm begins with, too, and
 * at its end, as it is asked twice. Writing costs a quarter more than reading plainly and saves nine tenths each time it is served.
 */
export function marked(body: Body, before: Body | null): Body {
  const messages = body.messages as readonly { readonly role: string; readonly content: readonly object[] }[]
  const places = new Set([messages.length - 1])
  if (before !== null) {
    const words = (one: Body) => (one.messages as readonly unknown[]).map((message) => jsonText(message))
    places.add(commonOf(words(before), words(body)).length - 1)
  }
  return {
    ...body,
    messages: messages.map((message, at) => {
      const last = message.content.length - 1
      if (!places.has(at) || last < 0) return message
      const content = message.content.map((part, nth) =>
        nth === last && takesMark(part) ? { ...part, ...mark } : part,
      )
      return { ...message, content }
    }),
  }
}

const mark = { cache_control: { type: 'ephemeral' } }

/** A thought cannot be marked. */
const takesMark = (part: object): boolean => !/thinking$/.test(String((part as { readonly type?: unknown }).type))
