/**
 * What Cline, Roo and Kilo show of a task on the screen: `ui_messages.json`, an array. Beside the messages that were sent
 * (`api_conversation_history.json`, which `anthropic-messages` reads together with the counts of this file) it says nothing more,
 * and is not read again; by itself it is all that people publish of many a task. Read from cline/cline
 * (src/shared/ExtensionMessage.ts@0014234a2d) on 2026-11-23.
 *
 * - `api_req_started` has, as JSON in its text, what was new in a request, as one text, and its counts; what follows until the next
 *   one is the response.
 * - A call stands as what the screen shows of it. Its result is a part of the next request, behind `[read_file for '…'] Result:`.
 * - What the user says to a result stands in it, in `<feedback>`.
 */

import { type JsonObject, objectOf, stringOf } from '../../base/json.ts'
import { setOf } from '../../base/words.ts'
import type { Block, Usage } from '../../model/message.ts'
import { recordReader } from '../frames.ts'
import { bad, type Outcome, type ReaderContext, type Shape, unknown } from '../reader.ts'
import { callBlock, jsonBlock, textBlocks, thinkingBlocks } from '../wire/blocks.ts'
import { parsedObject } from '../wire/bodies.ts'
import { type Cut, cutIn, cutShape } from '../wire/screen-cuts.ts'
import { billedBeside, usageIn } from '../wire/screen-usage.ts'
import { type Mark, Session } from '../wire/session.ts'
import { both, keys, kinds, optional, under, where } from '../wire/shape.ts'
import { sideCallOf } from '../wire/side-calls.ts'

const historyFile = 'api_conversation_history.json'

/** What only the screen shows, or what comes back in the next request. */
const shown = setOf(`
  act_mode_respond api_req_failed api_req_finished api_req_rate_limit_wait api_req_retried api_req_retry_delayed
  auto_approval_max_req_reached browser_action_result browser_session_status checkpoint_created checkpoint_saved
  clineignore_error codebase_search_result command_output command_permission_denied conditional_rules_applied
  diff_error error error_retry generate_explanation hook_output_stream hook_status image info load_mcp_documentation
  mcp_notification mcp_server_request_started mcp_server_response mistake_limit_reached report_bug
  resume_completed_task resume_task shell_integration_warning shell_integration_warning_with_suggestion subagent
  subtask_result task_progress user_edit_todos user_feedback_diff
`)

/** Calls whose text is JSON, with the name of the tool where the text does not say it. */
const calls = new Map([
  ['browser_action', 'browser_action'],
  ['followup', 'ask_followup_question'],
  ['plan_mode_respond', 'plan_mode_respond'],
  ['tool', ''],
  ['use_mcp_server', 'use_mcp_tool'],
  ['use_subagents', 'use_subagents'],
])

/** Calls whose text is the value of one argument. */
const texts = new Map<string, readonly [tool: string, argument: string]>([
  ['browser_action_launch', ['browser_action', 'url']],
  ['command', ['execute_command', 'command']],
  ['completion_result', ['attempt_completion', 'result']],
  ['condense', ['condense', 'context']],
  ['new_task', ['new_task', 'context']],
  ['summarize_task', ['summarize_task', 'context']],
])

/** Calls that leave the word to the user. */
const handsOver = new Set(['attempt_completion', 'ask_followup_question', 'plan_mode_respond'])

const said = new Set(['task', 'text', 'user_feedback', 'reasoning'])

const started = 'api_req_started'

/** Where the result of a call begins. */
const resultHead = /^(?=\[\w+(?: for [^\n]*)?\] Result:)/m

const countsShape = keys({
  request: 'string?',
  tokensIn: 'number?',
  tokensOut: 'number?',
  cacheReads: 'number?',
  cacheWrites: 'number?',
})

const isKnown = (kind: string): boolean =>
  [said, billedBeside, calls, texts, shown].some((kinds) => kinds.has(kind)) || kind === started

const contentShape: Shape = both(
  keys({ ts: 'number', partial: 'boolean?' }),
  cutShape,
  where(
    (message) => !shown.has(kindOf(message) ?? '') && message.partial !== true,
    keys({ text: 'string', modelInfo: optional(keys({ modelId: 'string' })) }),
  ),
  where(
    (message) => kindOf(message) === started,
    (message) => {
      const counts = parsedObject(objectOf(message)?.text)
      const odd = counts ? countsShape(counts) : ''
      return odd === null ? null : under('text', odd)
    },
  ),
)

export default recordReader({
  name: 'cline-ui',
  program: 'cline',
  summary: "What Cline's, Roo's and Kilo's screens show",
  source: 'ui_messages.json of a task, without the messages beside it',
  shapes: [['ts', 'type', 'say', 'ask', 'text', 'modelInfo', 'conversationHistoryIndex', 'partial']],
  shape: kinds('type', { say: contentShape, ask: contentShape }),
  recognise: (message) => typeof message.ts === 'number' && isKnown(kindOf(message) ?? ''),
  isElsewhere({ elements, beside }) {
    const history = elements ? beside(historyFile) : undefined
    return Array.isArray(history) && history.length > 0
  },
  time: 'ts',
  begin: () => new Screen(),
  record: (message, mark, screen) => screen.show(message, mark),
  end: (screen, context) => screen.write(context),
})

function kindOf({ type, say, ask }: JsonObject): string | undefined {
  return stringOf(type === 'say' ? say : type === 'ask' ? ask : undefined)
}

interface Response {
  readonly line: number
  readonly text: string
  readonly model: string | undefined
  /** Of the history: the element that it is. */
  readonly element: number
  time: number | undefined
  /** What was not sent of the history. */
  cut: Cut | undefined
  blocks: readonly Block[]
  /** Keys of the blocks: the screen shows some things twice. */
  readonly known: Set<string>
}

class Screen {
  readonly #session = new Session()
  #response: Response | null = null
  /** What the user said since the last request. */
  #said: string[] = []
  /** The tools that the last response called. */
  #called: readonly string[] = []
  /** Where each element of the history begins here. */
  readonly #places = new Map<number, number>()
  #cutTo = 0

  show(message: JsonObject, { line, time }: Mark): Outcome {
    const kind = kindOf(message)
    if (kind === undefined) return bad
    if (!isKnown(kind)) return unknown(kind)
    const text = stringOf(message.text) ?? ''
    const model = stringOf(objectOf(message.modelInfo)?.modelId)
    if (kind === started) {
      this.#endResponse()
      const before = this.#session.length
      this.#ask(text, line, time)
      // The request is an element of the history, too, which is not there yet when it starts.
      const element = Number(message.conversationHistoryIndex ?? Number.NaN) + 2
      this.#places.set(element - 1, before)
      this.#places.set(element, this.#session.length)
      this.#response = { line, text, model, element, time, cut: undefined, blocks: [], known: new Set() }
      return 'used'
    }
    if (this.#response) this.#response.cut = cutIn(message) ?? this.#response.cut
    const billed = billedBeside.get(kind)
    if (billed) return this.#bill(billed, usageIn(text), { line, time }, model)
    if (kind === 'user_feedback' || kind === 'task' || (kind === 'text' && !this.#response)) {
      if (text !== '') this.#said.push(text)
      return 'used'
    }
    const block = blockOf(kind, text)
    if (!block || !this.#response) return 'no-context'
    const key = JSON.stringify(block)
    if (this.#response.known.has(key)) return 'no-context'
    this.#response.known.add(key)
    this.#response.blocks = [...this.#response.blocks, block]
    this.#response.time = time ?? this.#response.time
    return 'used'
  }

  write(context: ReaderContext): void {
    this.#endResponse()
    if (this.#session.length > 0) this.#session.write(context, { conversation: null })
  }

  #endResponse(): void {
    if (!this.#response) return
    const { line, text, model, time, cut, blocks } = this.#response
    this.#leaveOut(cut, line)
    this.#session.response(blocks, { line, time, model, usage: usageIn(text) })
    this.#called = blocks.flatMap((block) => (block.type === 'call' ? [block.name] : []))
    this.#response = null
  }

  /** What was cut from a request. Only the history counts all its messages, so what is not found here is not followed. */
  #leaveOut(cut: Cut | undefined, line: number): void {
    if (!cut || cut.to <= this.#cutTo) return
    const [from, to] = [this.#places.get(cut.from), this.#places.get(cut.to)]
    if (from === undefined || to === undefined) return
    this.#cutTo = cut.to
    this.#session.cut(from, to, line)
  }

  /** Adds what was new in a request: results, what the user said to them, or the task. */
  #ask(text: string, line: number, time: number | undefined): void {
    const mark = { line, time }
    const request = stringOf(parsedObject(text)?.request) ?? this.#said.join('\n\n')
    const feedback = this.#feedbackIn(request)
    const parts = request.slice(0, feedback).split(resultHead)
    const isAnswered = this.#called.length > 0
    const answers = isAnswered ? parts.filter((part) => part.search(resultHead) === 0) : []
    const rest = isAnswered ? parts.filter((part) => part.search(resultHead) !== 0) : [request.slice(0, feedback)]
    const isFree = !isAnswered || this.#called.some((name) => handsOver.has(name))
    const isSaid = this.#said.length > 0 || this.#session.length === 0
    for (const part of rest) {
      if (part.trim() !== '') this.#session.prompt(textBlocks(part), mark, isSaid ? undefined : 'injected')
    }
    for (const answer of answers) this.#session.result(textBlocks(answer), { ...mark, id: '' })
    this.#session.prompt(textBlocks(request.slice(feedback)), mark, isFree ? undefined : 'queued')
    this.#said = []
  }

  /** Where the user's words begin behind results; the end, if there are none. */
  #feedbackIn(request: string): number {
    const [words] = this.#said
    const at = words === undefined ? -1 : request.indexOf(`<feedback>\n${words.slice(0, 20)}`)
    return at === -1 ? request.length : at
  }

  #bill(
    kind: 'taken-back' | 'aside',
    usage: Usage | undefined,
    { line, time }: Mark,
    model: string | undefined,
  ): Outcome {
    if (!usage) return 'no-context'
    this.#session.sideCall(sideCallOf({ kind, usage, model, time, line }))
    return 'used'
  }
}

/** What the screen shows of a response; undefined for what is no part of it. */
function blockOf(kind: string, text: string): Block | undefined {
  if (text === '') return undefined
  if (kind === 'text') return textBlocks(text)[0]
  if (kind === 'reasoning') return thinkingBlocks(text)[0]
  const argument = texts.get(kind)
  if (argument) return callBlock('', argument[0], { [argument[1]]: text })
  const name = calls.get(kind)
  if (name === undefined) return undefined
  const shownCall = parsedObject(text)
  if (!shownCall) return jsonBlock({ [kind]: text })
  const { tool, ...input } = shownCall
  return callBlock('', name === '' ? tool : name, input)
}
