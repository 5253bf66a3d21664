/** The two windows of each request of a session: what the agent really had, and what a policy would have left. */
import { type Chosen, choose } from '../../base/chosen.ts'
import type { Message } from '../../model/message.ts'
import type { ProbeApi } from '../../model/probe.ts'
import type { PreambleKind, UnprobedReason } from '../../model/probed.ts'
import { plainly } from '../../model/redaction.ts'
import { lookupModel } from '../../models/lookup.ts'
import asRecorded from '../../policies/as-recorded.ts'
import type { Policy } from '../../policies/policy.ts'
import { isLost } from '../../references/copied/lost-copies.ts'
import { type Captured, captureEach } from '../../simulator/capture.ts'
import type { Case } from '../../simulator/case.ts'
import type { FullTrace } from '../analyse.ts'
import { firstCell, type Plan } from '../plan.ts'
import { refusalsOf } from '../window.ts'
import { summaryRequest } from './summary.ts'

/** What any model is let write: a next action is rarely longer, and what is longer is cut off and counted as such. */
export const mostOutput = 8192

export interface ProbedRequest {
  readonly request: number
  readonly full: Captured
  readonly policy: Captured
  /** The request before which the policy last moved its cutoff; null if it never did. */
  readonly cut: number | null
  /** The recorded response uses content that had left, or copied at least a quarter from what had left. */
  readonly lostContent: boolean
  readonly lostCopies: boolean
  /** Messages that had left and that the recorded response used, by index. */
  readonly used: readonly number[]
}

/** The plan by which both windows are made: the policy's is what `window --at` prints of it. */
export function probedPlan(plan: Plan, api: ProbeApi): Plan {
  return { ...plan, references: true, copies: true, provider: api === 'anthropic' ? 'anthropic' : 'openai' }
}

/** The requests whose windows differ, in their order. @param plan of one policy and budget, as `probedPlan` gives it */
export function* probedRequests(trace: FullTrace, plan: Plan): Generator<ProbedRequest> {
  const cell = firstCell(trace, plan)
  const cuts: number[] = []
  const [content, copies] = [new Set<number>(), new Set<number>()]
  const used = new Map<number, Set<number>>()
  const use = (request: number, source: number) => {
    if (source < 0) return
    const known = used.get(request) ?? new Set()
    used.set(request, known.add(source))
  }
  const beside = {
    observers: [{ cut: ({ request }: { readonly request: number }) => void cuts.push(request) }],
    tell: ({ request, termClass, sourceLost, source }: Parameters<NonNullable<Tell>>[0]) => {
      if (!sourceLost || termClass !== 'content') return
      content.add(request)
      use(request, source)
    },
    tellCopy: (one: Parameters<NonNullable<TellCopy>>[0]) => {
      if (one.kind !== null || !isLost(one)) return
      copies.add(one.request)
      use(one.request, one.source)
    },
  }
  const windows = captureEach(cell, beside)
  const asIs = captureEach({ policy: recorded, facts: cell.facts, budget: 0 })
  let cut: number | null = null
  for (let request = 0, at = 0; request < trace.requests; request++) {
    const [policy, full] = [windows.next().value, asIs.next().value] as [Captured, Captured]
    for (; (cuts[at] ?? Infinity) <= request; at++) cut = cuts[at] as number
    if (areSame(full.messages, policy.messages)) continue
    yield {
      request,
      full,
      policy,
      cut,
      lostContent: content.has(request),
      lostCopies: copies.has(request),
      used: [...(used.get(request) ?? [])].sort((one, other) => one - other),
    }
  }
}

type Beside = NonNullable<Parameters<typeof captureEach>[1]>
type Tell = Beside['tell']
type TellCopy = Beside['tellCopy']

const recorded: Chosen<Policy> = choose(asRecorded)

function areSame(one: readonly Message[], other: readonly Message[]): boolean {
  return one.length === other.length && one.every((message, at) => message === other[at])
}

/** Looks for what keeps requests of one session from being asked about. */
export class Obstacles {
  readonly #facts: Case
  readonly #api: ProbeApi
  readonly #isUnknown: boolean
  /** The data of an image is no word that a pseudonym could stand for. */
  readonly #isRedacted: boolean
  readonly #most: number
  /** The blocks of summaries of which no word can be read. */
  readonly #sealed: ReadonlySet<unknown>
  readonly #media = new WeakMap<Message, boolean>()

  /** @param model the one that is asked. @param withoutTools it is asked even where nothing is known of system prompt and tools */
  constructor(facts: Case, api: ProbeApi, model: string, preamble: PreambleKind, withoutTools: boolean) {
    this.#facts = facts
    this.#api = api
    this.#isRedacted = facts.trace.redaction !== plainly
    this.#isUnknown = preamble === 'none' && !withoutTools
    this.#most = (lookupModel(model, facts.inputs.prices)?.contextWindow ?? Infinity) - mostOutput
    const { compactions } = facts.trace
    const sealed = compactions.filter(({ sealed }) => sealed).flatMap(({ summary }) => summary)
    this.#sealed = new Set(sealed.map(({ blocks }) => blocks))
  }

  /** The first reason; null where it can be asked about. */
  of({ full, policy }: ProbedRequest): UnprobedReason | null {
    if (this.#isUnknown) return 'preamble'
    if (full.headless || policy.headless) return 'headless'
    const summaries = summariesIn(policy).map((read) => ({
      ...policy,
      messages: summaryRequest(read),
      tokens: this.tokens(read),
    }))
    const windows = [full, policy, ...summaries]
    const messages = windows.flatMap((window) => window.messages)
    if (messages.some(({ blocks }) => this.#sealed.has(blocks))) return 'sealed'
    // A summary that a model has to write is written; of anything else that is not known nobody can tell the words.
    if (windows.some((window) => window.messages.some((message) => window.unwritten.get(message) === null)))
      return 'unwritten'
    if (messages.some((message) => this.#lacksMedia(message))) return 'media'
    if (windows.some((window) => refusalsOf(window.messages, this.#api).length > 0)) return 'refused'
    return windows.some(({ tokens }) => tokens > this.#most) ? 'large' : null
  }

  #lacksMedia(message: Message): boolean {
    const known = this.#media.get(message)
    if (known !== undefined) return known
    const isLacking = message.blocks.some(
      (block) =>
        (block.type === 'image' || block.type === 'document') &&
        ((block.data ?? '') === '' || this.#isRedacted || (this.#api !== 'anthropic' && message.role === 'tool')),
    )
    this.#media.set(message, isLacking)
    return isLacking
  }

  /** Tokens of some messages with what stands in front of all. */
  tokens(messages: readonly Message[]): number {
    const { sizes } = this.#facts
    return sizes.tokens(messages.reduce((units, message) => units + sizes.message(message), sizes.preamble))
  }
}

/** What is read for each summary that a model has to write for the window, those that others are written from first. */
export function summariesIn({ messages, unwritten }: Pick<Captured, 'messages' | 'unwritten'>): (readonly Message[])[] {
  return [...placeholdersIn(messages, unwritten)].map((message) => unwritten.get(message) as readonly Message[])
}

/** The placeholders of these summaries, in the same order. */
export function placeholdersIn(
  messages: readonly Message[],
  unwritten: Captured['unwritten'],
  found = new Set<Message>(),
): Set<Message> {
  for (const message of messages) {
    const read = unwritten.get(message)
    if (!read || found.has(message)) continue
    placeholdersIn(read, unwritten, found)
    found.add(message)
  }
  return found
}
