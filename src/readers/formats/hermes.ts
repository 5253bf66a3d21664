/**
 * Sessions of Hermes Agent, as the rows of its database: messages are OpenAI's.
 *
 * - A row that was rewound is neither active nor compacted, and is not read. A compaction leaves the rows, and writes its summary and
 *   once more what stays behind them: it becomes a recorded compaction.
 * - Usage is summed up by session, in newer versions by model and task; the input is counted beside what the cache had of it.
 * - A session that goes on as another is its parent, as that of a sub-agent is. Tools are not recorded.
 */

import { itemsOf, type JsonObject, objectOf } from '../../base/json.ts'
import type { Block, Message, Usage } from '../../model/message.ts'
import { recordReader } from '../frames.ts'
import { bad, type Outcome, type ReaderContext } from '../reader.ts'
import { callBlock, thinkingBlocks } from '../wire/blocks.ts'
import { timeOf } from '../wire/bodies.ts'
import { chatShape, contentBlocks } from '../wire/chat.ts'
import { injected, type Mark, Session, textIn } from '../wire/session.ts'
import { both, keys, listOf, optional, which } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'
import { costIn, tokens, usageAt } from '../wire/usage.ts'

const countsShape = keys({
  input_tokens: 'number',
  output_tokens: 'number',
  cache_read_tokens: 'amount?',
  cache_write_tokens: 'amount?',
  api_call_count: 'amount?',
  actual_cost_usd: 'amount?',
  estimated_cost_usd: 'amount?',
})

const headShape = both(
  countsShape,
  keys({ system_prompt: 'text?', usage: optional(listOf(both(countsShape, keys({ task: 'string' })))) }),
)

const flag = 'number|null'
const messageShape = both(chatShape, keys({ _compressed_summary: flag, active: flag, compacted: flag }))

export default recordReader({
  name: 'hermes',
  program: 'hermes-agent',
  summary: "Hermes Agent's databases",
  source: '~/.hermes/state.db, and profiles/*/state.db beside it',
  places: ['state.db', 'profiles/*/state.db'].map((files) => ({ directories: ['$HERMES_HOME', '~/.hermes'], files })),
  shapes: [['source', 'started_at', 'system_prompt', 'input_tokens', 'output_tokens', 'usage', 'api_call_count']],
  recognise: (row) =>
    isHead(row) || ('compacted' in row && 'timestamp' in row && typeof row.role === 'string' ? 0.9 : 0),
  shape: which((row) => (isHead(row as JsonObject) ? headShape : messageShape), [headShape, messageShape]),
  begin: () => new Rows(),
  begins: (row, rows) => isHead(row) && rows.hasBegun,
  record: (row, mark, rows) => rows.add(row, mark),
  end: (rows, context) => rows.write(context),
})

function isHead(row: JsonObject): boolean {
  return 'source' in row && 'started_at' in row && 'input_tokens' in row
}

/** How many tasks beside the conversation are called that write summaries. */
const summing = /compress|summar/

class Rows {
  #head: JsonObject | null = null
  readonly #session = new Session()
  #responses = 0
  /** The messages so far, by what they say, and by when as well. */
  readonly #places = new Map<string, number>()
  /** Of a compaction whose copies come now. */
  #summary: Message[] = []
  #keptFrom: number | undefined

  get hasBegun(): boolean {
    return this.#head !== null || this.#session.length > 0
  }

  add(row: JsonObject, mark: Mark): Outcome {
    if (isHead(row)) {
      this.#head = row
      return 'used'
    }
    if (row.active === 0 && row.compacted !== 1) return 'no-context'
    if (row._compressed_summary === 1) {
      this.#summary.push(injected(saidIn(row.content), mark.line))
      return 'used'
    }
    const said = JSON.stringify([row.role, row.content, row.tool_call_id, row.tool_calls])
    const copied =
      this.#places.get(`${row.timestamp} ${said}`) ?? (this.#summary.length > 0 ? this.#places.get(said) : undefined)
    if (copied !== undefined) {
      if (this.#summary.length > 0) this.#keptFrom ??= copied
      return 'no-context'
    }
    this.#endSummary()
    for (const key of [said, `${row.timestamp} ${said}`]) this.#places.set(key, this.#session.length)
    return this.#say(row, mark)
  }

  #say(row: JsonObject, mark: Mark): Outcome {
    const session = this.#session
    const blocks = saidIn(row.content)
    if (row.role === 'assistant') {
      const calls = itemsOf(row.tool_calls).map((value) => {
        const { id, function: made } = objectOf(value) ?? {}
        return callBlock(id, objectOf(made)?.name, objectOf(made)?.arguments ?? '')
      })
      session.response([...thinkingBlocks(row.reasoning_content ?? row.reasoning), ...blocks, ...calls], mark)
      this.#responses++
    } else if (row.role === 'tool') {
      session.result(blocks, { ...mark, id: row.tool_call_id, name: textIn(row, 'name') })
    } else if (row.role === 'user') session.prompt(blocks, mark)
    else if (row.role === 'system') session.instruct(blocks, mark)
    else return bad
    return 'used'
  }

  #endSummary(): void {
    const [first] = this.#summary
    if (first) this.#session.compaction(this.#summary, first.line, this.#keptFrom)
    this.#summary = []
    this.#keptFrom = undefined
  }

  write(context: ReaderContext): void {
    const [row, session] = [this.#head ?? {}, this.#session]
    this.#endSummary()
    const model = textIn(row, 'model')
    const time = timeOf(row.started_at)
    const sums = itemsOf(row.usage).length > 0 ? itemsOf(row.usage) : [row]
    for (const sum of sums.map((value) => objectOf(value) ?? {})) {
      const usage = usageIn(sum)
      if (!usage) continue
      const task = textIn(sum, 'task')
      const calls = tokens(sum.api_call_count) || (task === undefined ? this.#responses : 1)
      const ownModel = textIn(sum, 'model') ?? model
      if (calls === 1 && task === undefined && this.#responses === 1) session.continueResponse([], usage)
      else {
        const kind = task === undefined ? 'summed' : summing.test(task) ? 'summary' : 'aside'
        session.sideCall(sideCallOf({ kind, usage, model: ownModel, time, line: 1, calls }))
      }
    }
    const system = saidIn(row.system_prompt)
    session.write(context, {
      conversation: row.id,
      parent: textIn(row, 'parent_session_id'),
      cwd: textIn(row, 'cwd'),
      model,
      preamble: { system: system.length > 0 ? [{ role: 'system', line: 1, blocks: system }] : [], complete: false },
    })
  }
}

function saidIn(content: unknown): Block[] {
  return contentBlocks(content).filter((block) => block.type !== 'text' || block.text !== '')
}

function usageIn(counts: JsonObject): Usage | undefined {
  const usage = usageAt(counts, {
    input: 'input_tokens',
    cacheRead: 'cache_read_tokens',
    cacheWrite: 'cache_write_tokens',
    output: 'output_tokens',
    isBeside: true,
  })
  const cost = counts.actual_cost_usd || counts.estimated_cost_usd
  return usage.input + usage.output === 0 ? undefined : { ...usage, ...costIn(cost || undefined) }
}
