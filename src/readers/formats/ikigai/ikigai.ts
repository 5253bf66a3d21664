/**
 * ikigai's `messages` table as JSON: one row per line, or an array of rows. Rows of `agents` may be among them.
 *
 * - Rows are replayed as the program does on a restart: ordered by `created_at`, then `id`. So all of them are kept.
 * - `clear` starts a new history, `rewind` removes everything after its target row, `usage` belongs to the response before
 *   it. The text of a result is `data.output`; `content` is what the screen showed.
 * - An exchange is interrupted where a row `interrupted` ends it, or a row of it has that flag. It is kept: it was sent with
 *   every request until the next restart. (On a restart the program leaves it out.)
 * - Every agent is a transcript. A child stores only what came after its fork, so it begins with the rows it inherited:
 *   from each ancestor, the rows since its last `clear` and up to the fork.
 * - Tool definitions, skills, pinned documents and summaries are not recorded. The debug log has them: see `ikigai-log`.
 */

import { type JsonObject, stringOf } from '../../../base/json.ts'
import { setOf } from '../../../base/words.ts'
import type { ProviderName } from '../../../model/message.ts'
import { recordReader, Underway } from '../../frames.ts'
import { bad, type LeftOut, type Outcome, tell, unknown, unlinked } from '../../reader.ts'
import { keys, oddIn, where } from '../../wire/shape.ts'
import { spokenBy } from '../../wire/spoken.ts'
import { Conversation } from './conversation.ts'
import { idShape, inOrder, numberOf, type Row, recordShape, rowOf, rowShape } from './rows.ts'

/** Kinds that the model never sees. */
const unseen = setOf('agent_killed bang_command command fork interrupted mark skill_load skill_unload skillset')

/** With those that hold context or change it. */
const kinds = setOf('system user assistant tool_call tool_result tool clear rewind usage', unseen)

export default recordReader({
  name: 'ikigai',
  program: 'ikigai',
  summary: "ikigai's message rows, with forks",
  source: 'the messages and agents tables, one row per line (row_to_json) or as one array (json_agg)',
  shapes: [['id', 'kind', 'content', 'data']],
  recognise: (record) =>
    isAgent(record) || (kinds.has(record.kind) && 'id' in record && ('content' in record || 'data' in record)),
  begin: (context) => new Tables(context),
  record: (record, { line }, tables) => tables.add(record, line),
  end: (tables) => tables.write(),
})

/** Only the first agent has no parent. */
const agentShape = where(
  ({ fork_message_id }) => fork_message_id !== null,
  keys({ parent_uuid: 'string', fork_message_id: idShape }),
)

interface Agent {
  readonly line: number
  readonly parent: string | null
  readonly fork: number | null
  readonly provider: unknown
  readonly model: string | undefined
}

class Tables extends Underway {
  readonly #rows: Row[] = []
  readonly #agents = new Map<string, Agent>()

  add(record: JsonObject, line: number): Outcome {
    const { kind } = record
    if (isAgent(record)) {
      this.#find(oddIn(agentShape, record), line)
      this.#agents.set(record.uuid as string, {
        line,
        parent: stringOf(record.parent_uuid) ?? null,
        fork: numberOf(record.fork_message_id),
        provider: record.provider,
        model: stringOf(record.model),
      })
      return 'used'
    }
    if (typeof kind !== 'string' || !kinds.has(kind)) return unknown(kind)
    const row = rowOf(record, kind, line)
    this.#rows.push(row)
    this.#find(oddIn(recordShape, record) ?? oddIn(rowShape, row), line)
    return unseen.has(kind) ? 'no-context' : 'used'
  }

  write(): void {
    const byAgent = new Map<string | null, Row[]>()
    for (const row of inOrder(this.#rows)) {
      const rows = byAgent.get(row.agent)
      if (rows) rows.push(row)
      else byAgent.set(row.agent, [row])
    }
    this.#askOwners(byAgent)
    const agents = [...byAgent].sort(([, a], [, b]) => firstLine(a) - firstLine(b))
    for (const [agent, rows] of agents) this.#play(agent, rows, byAgent)
  }

  #find(odd: LeftOut | null, line: number): void {
    tell(this.context, odd, line)
  }

  #play(name: string | null, rows: readonly Row[], byAgent: ReadonlyMap<string | null, readonly Row[]>): void {
    const agent = this.#agents.get(name ?? '')
    const inherited = this.#inherited(name, byAgent)
    const conversation = new Conversation()
    // Problems in inherited rows are reported for the parent's transcript.
    conversation.play(inherited, () => {})
    if (agent && agent.parent !== null) conversation.fork()
    conversation.play(rows, (line) => this.context.notUsed({ ...bad, line }))
    const writer = this.context.open({ conversation: name, provider: providerOf([...inherited, ...rows], agent) })
    writer.describe({ parent: agent?.parent ?? null, model: agent?.model ?? null })
    conversation.write(writer)
    writer.close()
  }

  /**
   * Reports what cannot be put in its place: rows without an agent among those of agents, and rows inherited from a parent
   * that is not in the file.
   */
  #askOwners(byAgent: ReadonlyMap<string | null, readonly Row[]>): void {
    if (byAgent.size > 1) {
      for (const { line } of byAgent.get(null) ?? []) this.#find(unlinked, line)
    }
    for (const [uuid, { parent, line }] of this.#agents) {
      const isHere = parent === null || this.#agents.has(parent) || byAgent.has(parent)
      if (!isHere && byAgent.has(uuid)) this.#find(unlinked, line)
    }
  }

  /** The rows that an agent inherited from its ancestors, in order. */
  #inherited(name: string | null, byAgent: ReadonlyMap<string | null, readonly Row[]>): Row[] {
    const ranges: (readonly Row[])[] = []
    const seen = new Set([name])
    for (let agent = this.#agents.get(name ?? ''); agent; agent = this.#agents.get(agent.parent ?? '')) {
      const { parent, fork } = agent
      if (parent === null || seen.has(parent)) break
      seen.add(parent)
      const rows = (byAgent.get(parent) ?? []).filter(({ id }) => fork === null || (id !== null && id <= fork))
      const clear = rows.findLastIndex(({ kind }) => kind === 'clear')
      ranges.unshift(rows.slice(clear + 1))
      if (clear !== -1) break
    }
    return ranges.flat()
  }
}

function isAgent(record: JsonObject): boolean {
  return typeof record.uuid === 'string' && 'fork_message_id' in record && record.kind === undefined
}

function firstLine(rows: readonly Row[]): number {
  return rows.reduce((first, { line }) => Math.min(first, line), Infinity)
}

function providerOf(rows: readonly Row[], agent: Agent | undefined): ProviderName {
  const named = [...rows.map(({ data }) => data.provider), agent?.provider].find(isProvider)
  return named ?? spokenBy(agent?.model ?? rows.map(({ data }) => stringOf(data.model)).find(Boolean))
}

function isProvider(value: unknown): value is ProviderName {
  return value === 'anthropic' || value === 'openai' || value === 'google'
}
