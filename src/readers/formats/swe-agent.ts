/**
 * SWE-agent's trajectories (`.traj`): `history` has every message of the run, `trajectory` every step.
 *
 * - The history is what counts. A step records its exact request (`query`; `messages`, of before 1.1, is that of the step
 *   after it): where its history processors had shortened a message, that is a recorded clearing.
 * - Tools without function calling answer in the user's role: after the first response such a message is a tool's answer.
 * - A demonstration was not answered in this run: its messages are inherited.
 * - Answers that were asked for again, after an error of form, are only in the steps, and are not counted.
 * - Each attempt of a run with several is a transcript, and so is each agent of a history with several.
 * - The tools' definitions are not recorded, nor is usage: `model_stats` are sums. Messages are numbered 1, 2, ….
 */

import { itemsOf, type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import { documentReader } from '../frames.ts'
import { bad, type ReaderContext, tell } from '../reader.ts'
import { Asked } from '../wire/asked.ts'
import { parsedObject } from '../wire/bodies.ts'
import { ChatMapping, chatShape, contentBlocks } from '../wire/chat.ts'
import { Edits } from '../wire/edits.ts'
import type { Entry } from '../wire/growing.ts'
import { both, keys, listLike, listOf, oddIn, optional } from '../wire/shape.ts'

export default documentReader({
  name: 'swe-agent',
  program: 'swe-agent',
  summary: 'SWE-agent trajectories',
  source: '`trajectories/**/*.traj` of SWE-agent',
  shapes: [['trajectory', 'history', 'history.role', 'history.content', 'info', 'trajectory.observation']],
  recognise: (run) => runsOf(run).some(isRun),
  record(record, { line }, context) {
    const runs = runsOf(record)
    if (runs.length === 0) return bad
    tell(context, oddIn(runShape, record), line)
    for (const [index, run] of runs.entries()) {
      const history = run.history ?? historyOf(run.trajectory ?? [])
      const agents = new Set(history.map(agentOf))
      for (const agent of agents) {
        const parts = [problemOf(run), runs.length > 1 ? `attempt:${index + 1}` : '', agents.size > 1 ? agent : '']
        write(context, run, history, agent, parts.filter((part) => part !== '').join('/') || null)
      }
    }
  },
})

const entryShape = both(
  chatShape,
  keys({ tool_calls: 'list?', tool_call_ids: 'list?', thinking_blocks: 'list?', is_demo: 'boolean?' }),
)

/** What an entry must hold in a history whose entries name their agent. */
const namedShape = both(entryShape, keys({ agent: 'string' }))

const historyShape = keys({
  history: optional(listLike(keys({ role: 'string', content: 'any' }))),
  trajectory: 'list?',
})

const runShape = both(historyShape, keys({ attempts: optional(listOf(historyShape)) }))

function write(
  context: ReaderContext,
  { trajectory, config, version }: Run,
  history: readonly unknown[],
  agent: string,
  conversation: string | null,
): void {
  const writer = context.open({ conversation, provider: 'openai' })
  const model = stringOf(objectOf(objectOf(config?.agent)?.model)?.name)
  writer.describe({ model: standIns.has(model) ? undefined : model, version })
  const entries = [...history.entries()].filter(([, entry]) => agentOf(entry) === agent)
  const inherited = entries.findLastIndex(([, entry]) => objectOf(entry)?.is_demo === true)
  const isCalling = entries.some(([, entry]) => itemsOf(objectOf(entry)?.tool_calls).length > 0)
  const shape = history.some((entry) => agentOf(entry) !== '') ? namedShape : entryShape
  const asked = new Asked(context)
  const mapping = new ChatMapping({ complete: !isCalling }, writer, asked.bad)
  const edits = new Edits(writer, contentBlocks)
  const requests = requestsOf(trajectory ?? [])
  let answered = false
  // The number of inherited messages is known only behind the last of them, so until then all count as inherited.
  if (inherited !== -1) writer.describe({ forkMessage: Number.MAX_SAFE_INTEGER })
  for (const [at, [index, value]] of entries.entries()) {
    const line = index + 1
    const entry = objectOf(value)
    for (const request of requests.get(at) ?? []) edits.request(request, line)
    const before = writer.length
    asked.ask(shape, entry, line, () =>
      mapping.add({ value: entry && sent(entry), line, ...(entry?.role === 'user' && kindOf(entry, answered)) }),
    )
    if (entry?.role === 'assistant' && entry.is_demo !== true) answered = true
    edits.add(value, writer.length > before ? before : null)
    if (at === inherited) writer.describe({ forkMessage: writer.length })
  }
  mapping.end()
  writer.close()
}

/** Names of what answers in a model's place. */
const standIns = setOf('human human_thought instant_empty_submit replay')

interface Run {
  readonly history: readonly unknown[] | undefined
  readonly trajectory: readonly unknown[] | undefined
  readonly config: JsonObject | undefined
  readonly version: string | undefined
}

/** A run with several attempts repeats the one that it chose. */
function runsOf(record: JsonObject): Run[] {
  const attempts = itemsOf(record.attempts)
    .map(objectOf)
    .filter((attempt) => attempt !== undefined)
  return (attempts.length > 0 ? attempts : [record]).flatMap((run) => {
    const { history, trajectory, replay_config, info } = run
    if (!Array.isArray(history) && !Array.isArray(trajectory)) return []
    return {
      history: Array.isArray(history) ? history : undefined,
      trajectory: Array.isArray(trajectory) ? trajectory : undefined,
      config: parsedObject(replay_config ?? record.replay_config),
      version: stringOf(objectOf(info ?? record.info)?.swe_agent_version),
    }
  })
}

/** A run that has failed before its first step has neither. */
function isRun({ history, trajectory }: Run): boolean {
  if (trajectory?.some(isStep) || history?.some(isEntry)) return true
  return trajectory?.length === 0 && history?.length === 0
}

function isStep(value: unknown): boolean {
  const step = objectOf(value)
  return step !== undefined && ['action', 'observation', 'response'].every((key) => typeof step[key] === 'string')
}

function isEntry(value: unknown): boolean {
  const entry = objectOf(value)
  return typeof entry?.role === 'string' && typeof entry.agent === 'string' && 'content' in entry
}

function agentOf(entry: unknown): string {
  return stringOf(objectOf(entry)?.agent) ?? ''
}

/** The messages of the request for each step, by how many messages of the history stand before it. */
function requestsOf(trajectory: readonly unknown[]): Map<number, readonly unknown[][]> {
  const requests = new Map<number, unknown[][]>()
  for (const step of trajectory) {
    const { query, messages } = objectOf(step) ?? {}
    const request = Array.isArray(query) ? query : Array.isArray(messages) ? messages : []
    const same = requests.get(request.length)
    if (same) same.push(request)
    else requests.set(request.length, [request])
  }
  return requests
}

/** A file that was cut off has steps, but no history. */
function historyOf(trajectory: readonly unknown[]): readonly unknown[] {
  const first = itemsOf(objectOf(trajectory[0])?.query)
  const agent = agentOf(first[0])
  const steps = trajectory.flatMap((value): unknown[] => {
    const step = objectOf(value)
    if (!step || !isStep(step)) return [value]
    return [
      { role: 'assistant', content: step.response, agent },
      { role: 'user', content: step.observation, agent },
    ]
  })
  return [...first, ...steps]
}

/** The message as SWE-agent sends it, without what an entry notes about its author and its handling. */
function sent({ role, content, tool_calls, tool_call_ids, thinking_blocks, cache_control }: JsonObject): JsonObject {
  return {
    role,
    content,
    ...(role === 'tool' && { tool_call_id: itemsOf(tool_call_ids)[0] }),
    ...(itemsOf(tool_calls).length > 0 && { tool_calls }),
    ...(itemsOf(thinking_blocks).length > 0 && { thinking_blocks }),
    ...(cache_control != null && { cache_control }),
  }
}

function kindOf({ is_demo }: JsonObject, answered: boolean): Pick<Entry, 'as'> {
  if (is_demo === true) return { as: 'injected' }
  return answered ? { as: 'tool' } : {}
}

function problemOf({ config }: Run): string {
  return stringOf(objectOf(config?.problem_statement)?.id) ?? ''
}
