/** The requests that a policy would send: what `history --request` prints of one, and `export` writes of all. */
import { CtxwinError } from '../base/errors.ts'
import { type ApiName, isEmpty, type Message, type ProviderName } from '../model/message.ts'
import type { Trace } from '../model/trace.ts'
import { lookupModel } from '../models/lookup.ts'
import type { ModelTable } from '../models/table.ts'
import { fewestMaxTokens, type LeftOut, type RequestParts } from '../providers/apis/api.ts'
import { apis } from '../providers/apis/index.ts'
import { several } from '../reports/numbers.ts'
import { type Captured, captureAt, captureEach } from '../simulator/capture.ts'
import type { Case } from '../simulator/case.ts'
import { sentModel } from '../simulator/claims.ts'
import { planFor } from './doors.ts'
import { firstCell, type Plan } from './plan.ts'

type OpenAiApi = 'chat' | 'responses'

export interface WindowRequest {
  /** As the API takes it. */
  readonly body: Record<string, unknown>
  /** The part of the body that the model reads. */
  readonly input: Record<string, unknown>
  readonly api: ApiName
  readonly provider: ProviderName
  readonly model: string | null
  /** What the transcript does not tell of this request, and why a provider would refuse it: a sentence each. */
  readonly doubts: readonly string[]
  readonly left: LeftOut
}

/**
 * The body of request `request` under the first policy, estimator and budget of the plan, as the provider's API takes it.
 * @param trace read for this plan, with its messages kept
 * @param request index from 0; the number of requests means the one after the last response
 */
export function requestBodyAt(trace: Trace, plan: Plan, request: number): Record<string, unknown> {
  return windowRequest(trace, planFor(trace, plan, request), request).body
}

/** What stands in a request besides its messages, where it is not as recorded. */
export type Instead = Partial<Pick<RequestParts, 'system' | 'tools'>>

/** @param api of OpenAI; null: the one that the transcript was recorded with */
export function windowRequest(trace: Trace, plan: Plan, request: number, api: OpenAiApi | null = null): WindowRequest {
  const cell = firstCell(trace, plan)
  const name = apiFor(cell.facts, api)
  return requestOf(cell.facts, request, name, captureAt(cell, request))
}

/**
 * The requests of `windowRequest`, from the first to the one after the last response, of one replay.
 * @param api as for `windowRequest`
 */
export function* windowRequests(trace: Trace, plan: Plan, api: OpenAiApi | null): Generator<WindowRequest> {
  const cell = firstCell(trace, plan)
  const name = apiFor(cell.facts, api)
  let request = 0
  for (const captured of captureEach(cell)) yield requestOf(cell.facts, request++, name, captured)
}

export function requestOf(
  facts: Case,
  request: number,
  name: ApiName,
  { messages, tokens, headless }: Omit<Captured, 'unwritten'>,
  instead: Instead = {},
): WindowRequest {
  const { trace, inputs } = facts
  const { provider } = facts.context
  const placed = uniqueIds(messages)
  const model = sentModel(trace, inputs, request)
  const room = roomOf(inputs.prices, model, tokens)
  const parts: RequestParts = {
    model,
    maxTokens: room ?? fewestMaxTokens,
    system: trace.preamble.system,
    tools: trace.preamble.tools,
    ...instead,
    messages: placed,
  }
  const left: LeftOut = { media: 0, tools: 0 }
  const { body: build, settings } = apis[name]
  const body = build(parts, left)
  return {
    // The trace is redacted already, its model's name included.
    body: { ...trace.redaction.json(body), ...(body.model !== undefined && { model: body.model }) },
    input: Object.fromEntries(Object.entries(body).filter(([key]) => !settings.includes(key))),
    api: name,
    provider,
    model,
    left,
    doubts: [
      ...modelDoubts(name, model, room),
      ...preambleDoubts(trace, parts),
      ...(headless ? ['what came before the file is not recorded: a sentence stands for it'] : []),
      ...(left.media > 0 ? [`images or documents left out, with a word in the place of each: ${left.media}`] : []),
      ...(left.tools > 0 ? [`${several(left.tools, 'tool')} left out: this API has no form for them`] : []),
      ...refusals(placed, turnsOf(body), name),
    ],
  }
}

/** Why the API would refuse a request with these messages: a sentence each; none where it takes it. */
export function refusalsOf(messages: readonly Message[], name: ApiName): string[] {
  const turns = messages.filter((one) => one.role !== 'system' && !isEmpty(one)).map(({ role }) => role)
  return refusals(uniqueIds(messages), turns, name)
}

/** Programs that count their calls anew reuse ids; results belong to the latest call before them. */
function uniqueIds(messages: readonly Message[]): Message[] {
  const used = new Map<string, number>()
  const latest = new Map<string, string>()
  return messages.map((message) => {
    const { callId, blocks, wire: _, ...rest } = message
    const repeated = blocks.some((block) => block.type === 'call' && used.has(block.id))
    const renamed = blocks.map((block) => {
      if (block.type !== 'call') return block
      const times = (used.get(block.id) ?? 0) + 1
      used.set(block.id, times)
      const id = times === 1 ? block.id : `${block.id}_${times}`
      latest.set(block.id, id)
      return { ...block, id }
    })
    const answered = callId === undefined ? undefined : (latest.get(callId) ?? callId)
    if (!repeated && answered === callId) return message
    return { ...rest, blocks: renamed, ...(answered === undefined ? {} : { callId: answered }) }
  })
}

function apiFor({ context }: Case, asked: OpenAiApi | null): ApiName {
  if (asked === null) return context.api
  if (context.provider === 'openai') return asked
  throw new CtxwinError(
    'usage',
    `--api ${asked} is for OpenAI, and the body for ${context.provider}: set --provider openai`,
  )
}

/** The most tokens that the model could write after so many; null if its limit is not known. */
function roomOf(prices: ModelTable, model: string | null, tokens: number): number | null {
  const { maxOutput, contextWindow } = (model === null ? undefined : lookupModel(model, prices)) ?? {}
  if (maxOutput === undefined) return null
  return Math.max(1, Math.min(maxOutput, (contextWindow ?? Infinity) - tokens))
}

function modelDoubts(api: ApiName, model: string | null, room: number | null): string[] {
  if (api === 'google') {
    return [`the model is in the address, not in the body: models/${model ?? '<model>'}:generateContent`]
  }
  const unnamed = model === null ? ['the model is not known: name it with --model'] : []
  if (api !== 'anthropic') return unnamed
  const most = room === null ? `${fewestMaxTokens} is what any model can write` : `${room} is the most that fits`
  return [...unnamed, `max_tokens is not recorded: ${most}`]
}

function preambleDoubts({ preamble, redaction }: Trace, { system, tools, messages }: RequestParts): string[] {
  if (preamble.complete) return []
  const called = [...new Set(callsOf(messages).map(({ name }) => redaction.tool(name)))].sort()
  const names =
    called.length > 12 ? `${called.slice(0, 12).join(', ')} and ${called.length - 12} more` : called.join(', ')
  return [
    ...(system.length === 0 ? ['the system prompt is not recorded'] : []),
    ...(tools === undefined && called.length > 0 ? [`the tools are not recorded; these are called: ${names}`] : []),
  ]
}

/** Who speaks, by turn: what of the messages is left in the body. */
function turnsOf(body: Record<string, unknown>): readonly unknown[] {
  const list = (body.messages ?? body.contents ?? body.input) as readonly { readonly role?: unknown }[]
  return list.map(({ role }) => role).filter((role) => role !== 'system' && role !== 'developer')
}

function refusals(messages: readonly Message[], turns: readonly unknown[], api: ApiName): string[] {
  const made = new Set(callsOf(messages).map(({ id }) => id))
  const answered = new Set(messages.flatMap(({ role, callId }) => (role === 'tool' ? [callId ?? ''] : [])))
  const orphans = [...answered].filter((id) => !made.has(id)).length
  const open = [...made].filter((id) => !answered.has(id)).length
  const needsUser = api === 'anthropic' || api === 'google'
  return [
    ...(turns.length === 0 ? ['it would be refused: it has no message'] : []),
    ...(orphans > 0 ? [`it would be refused: ${several(orphans, 'result')} without a call`] : []),
    ...(open > 0 ? [`it would be refused: ${several(open, 'call')} without a result`] : []),
    ...(needsUser && (turns[0] === 'assistant' || turns[0] === 'model')
      ? ['it would be refused: the assistant speaks first']
      : []),
    ...(open === 0 && ['assistant', 'model'].includes(String(turns.at(-1)))
      ? ["it ends with the assistant's answer: the user's next message is missing"]
      : []),
  ]
}

function callsOf(messages: readonly Message[]): { readonly id: string; readonly name: string }[] {
  return messages.flatMap(({ blocks }) => blocks.flatMap((block) => (block.type === 'call' ? [block] : [])))
}
