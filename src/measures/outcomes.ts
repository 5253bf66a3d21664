/**
 * What became of each call of a transcript, and what the user said to it: told by the flag that a format records, and
 * by the words with which programs answer. docs/quality.md has these rules by program.
 */
import { Column } from '../base/column.ts'
import { fingerprint } from '../base/fingerprint.ts'
import { jsonText } from '../base/json-text.ts'
import type { Message } from '../model/message.ts'
import type { ToolNames } from './tool-names.ts'

/** Facts of a message, one bit each. */
export const became = {
  /** A call failed; the user had no part in it. */
  failed: 1,
  /**
   * An edit failed because its old text was not there, or not once; because the file had not been read; or had changed
   * since.
   */
  missed: 2,
  /** The user did not allow the call. */
  rejected: 4,
  /** The call never came to an end: the user stopped the agent, or another call of the same response failed. */
  undone: 8,
  /** The user stopped the agent. */
  interrupted: 16,
  /** What the user typed begins like a correction. */
  corrected: 32,
} as const

/** How many characters of a message are searched: results begin with what became of the call. */
const head = 400

/**
 * Of a call that the user did not allow, by Claude Code, Codex, opencode, Gemini CLI, and Cline and those made of it.
 */
const rejections =
  /^(?:The user doesn't want to proceed with this tool use|[^\n]{0,40}\brejected by (?:the )?user|The user rejected permission|\[Operation Cancelled\]|The user denied this operation)/

/** Of a call that the user stopped, by Codex, opencode and pi. */
const stops = /^(?:aborted by user|Tool execution aborted|Operation aborted|Command aborted)/

/** Of a call that was given up because another one failed, by Claude Code. */
const siblings = /^(?:<tool_use_error>)?(?:Sibling tool call errored|Cancelled: parallel tool call)/

/**
 * Written into the history when the user stops the agent, by Claude Code and Codex. Where a call is rejected, Claude
 * Code adds another.
 */
const interruptions = /^(?:\[Request interrupted by user\]|<turn_aborted>)/

/** Of a failed call where the format has no flag for it: Codex, for commands, patches, and scripts that call both. */
const failures =
  /^(?:(?:Chunk ID:.*\n)?(?:Wall time:.*\n)?Process exited with code [1-9]|Exit code: [1-9]|Script failed|Script completed\n[\s\S]{0,200}?"exit_code":[1-9]|(?:\{"output":")?apply_patch verification failed)/

/** The end of the JSON in which Codex once wrote the result of a failed command. */
const failedEnd = /"exit_code":[1-9]\d*(?:,"duration_seconds":[\d.]+)?\}+$/

/** Of an edit whose old text is not there, or more than once; whose file was not read; or has changed since. */
const misses =
  /String to replace not found|matches of the string to replace|Failed to find expected lines|Failed to find context|Could not find (?:the exact text|edits\[|oldString)|Found \d+ (?:occurrences|matches) of|oldString not found|old_str(?:ing)? (?:was )?not found|0 occurrences found|No replacement was performed|SEARCH block|has not been read yet|must read (?:the )?file|been modified since|has changed since/

/** With which a person begins who corrects; in English. */
const corrections =
  /^(?:no\b(?! problem)|nope\b|wrong\b|stop\b|undo\b|revert\b|that(?:['’]s| is| was) (?:not|wrong)|this is (?:not|wrong)|not what i\b|i (?:said|told you|asked|did ?n['’o]t ask)|you (?:forgot|missed|broke|did ?n['’o]t|ignored)|why did you\b|don['’]t\b|do not\b|it still\b|still (?:not|does|fail|broken|the same)|it (?:does|did) ?n['’o]t\b|does ?n['’o]t work|not working|same (?:error|problem|issue))/i

const editors =
  /^(?:edit|multi_?edit|notebook_?edit|write|write_?file|write_to_file|create_?file|edit_?file|apply_?patch|apply_?diff|patch|replace|replace_in_file|search_?(?:and_)?replace|str_?replace(?:_editor|_based_edit_tool)?|insert_content)$/i

/** Tools that are called again with the same words to wait for something. */
const waiting =
  /^(?:wait|wait_agent|write_stdin|sleep|BashOutput|TaskOutput|AgentOutputTool|Monitor|TaskList|get_?command_?status|read_terminal)$/i

export interface PlainOutcomes {
  readonly facts: Int32Array
  readonly inputs: Float64Array
  readonly edits: Int32Array
}

/** Of each message its facts; of each call, by the trace's number, its tool, its input and whether it edits. */
export class Outcomes {
  readonly tools: ToolNames
  readonly #facts: Column<Int32Array>
  readonly #inputs: Column
  readonly #edits: Column<Int32Array>

  /** @param tools of the same messages: whoever adds one adds it there first, and takes it back there last */
  constructor(tools: ToolNames, plain?: PlainOutcomes) {
    this.tools = tools
    this.#facts = plain ? Column.of(plain.facts) : Column.int32()
    this.#inputs = plain ? Column.of(plain.inputs) : Column.float64()
    this.#edits = plain ? Column.of(plain.edits) : Column.int32()
  }

  add(message: Message): void {
    this.#facts.push(factsOf(message))
    if (message.role === 'assistant') {
      for (const block of message.blocks) {
        if (block.type !== 'call') continue
        const words = wordsOf(block.input)
        this.#inputs.push(fingerprint([block.name, ...words.flatMap((one) => ['\0', shortened(one)])]))
        this.#edits.push(Number(editors.test(block.name) || words.some((one) => one.includes('*** Begin Patch'))))
      }
    }
  }

  rewind(length: number): void {
    if (length >= this.#facts.length) return
    for (const column of [this.#inputs, this.#edits]) column.truncate(this.tools.callsBefore(length))
    this.#facts.truncate(length)
  }

  plain(): PlainOutcomes {
    return { facts: this.#facts.values(), inputs: this.#inputs.values(), edits: this.#edits.values() }
  }

  /** Bits of `became`. */
  facts(message: number): number {
    return this.#facts.at(message)
  }

  /** Equal where two calls are to the same tool with the same input. */
  input(call: number): number {
    return this.#inputs.at(call)
  }

  isEdit(call: number): boolean {
    return this.#edits.at(call) === 1
  }

  /** Whether the call is to a tool that waits, which is called again without a fault. */
  isWaiting(call: number): boolean {
    return waiting.test(this.tools.name(call) ?? '')
  }
}

/** The texts of an input, with the keys that they stand under. */
function wordsOf(input: unknown): string[] {
  if (typeof input === 'string') return [input]
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [jsonText(input)]
  return Object.entries(input).flatMap(([key, value]) => [key, typeof value === 'string' ? value : jsonText(value)])
}

/**
 * In characters: of what is longer, two inputs are told apart by its length and so much at both ends. All of it would
 * take too long.
 */
const end = 100

const shortened = (text: string): string =>
  text.length <= 2 * end ? text : `${text.length} ${text.slice(0, end)}${text.slice(-end)}`

/** How a message begins, without white space in front. */
function beginningOf({ blocks }: Message): string {
  let text = ''
  for (const block of blocks) {
    if (block.type !== 'text') continue
    const more = block.text.slice(0, 2 * head)
    text = text === '' ? more.trimStart() : `${text}\n${more}`
    if (text.length >= head) break
  }
  return text.slice(0, head)
}

function endOf({ blocks }: Message): string {
  const last = blocks.findLast((block) => block.type === 'text')
  return last?.type === 'text' ? last.text.slice(-head) : ''
}

/** Bits of `became`. */
export function factsOf(message: Message): number {
  if (message.role === 'tool') return ofResult(message)
  if (message.role !== 'user') return 0
  const text = beginningOf(message)
  if (interruptions.test(text)) return became.interrupted
  return message.origin !== 'injected' && corrections.test(text) ? became.corrected : 0
}

function ofResult(message: Message): number {
  const text = beginningOf(message)
  if (rejections.test(text)) return became.rejected
  if (stops.test(text)) return became.undone | became.interrupted
  if (siblings.test(text)) return became.undone
  const failed = failures.test(text) || (text.startsWith('{"output":') && failedEnd.test(endOf(message)))
  if (message.isError !== true && !failed) return 0
  return became.failed | (misses.test(text) ? became.missed : 0)
}
