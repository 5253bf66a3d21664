/**
 * `deepagents-summarize`: what LangChain's deepagents does by itself. A result of more than 20,000 tokens of four
 * characters goes to a file when it comes, and its first and last five lines stay; so does a prompt of more than
 * 50,000. Results of its own tools for files never do. From 85 % of the window on, each request first cuts arguments of
 * more than 2,000 characters of `write_file` and `edit_file` to 20, in front of the newest tenth of the window. If that
 * leaves 85 % or more, what is in front of that tenth is replaced by a summary, which names the file that has it all. A
 * cut at a result moves back to the message with its call, or behind the results where that is nearer to the beginning
 * than half of the way.
 *
 * Where nothing would stay (the newest message alone has more than the tenth), the results are shortened first, each to
 * an equal share of seven tenths of the window, for this one request; only if none of them is longer than that,
 * everything is summarised, the newest prompt too.
 *
 * Operators: acts at `>=`, on the whole request; the tail has at most a tenth, each message rounded up. Arguments, once
 * cut, stay cut until the summary, as the history in front of it only grows.
 *
 * Not simulated: models whose window LangChain does not know (170,000 tokens, six messages stay); that a request the
 * provider refuses is summarised, too; answers made up for calls without one. The words in front of the lines that stay
 * are not the library's, but about as many.
 *
 * What was read: dist of deepagents 1.14.1 (npm, 2026-11-23), createSummarizationMiddleware and
 * createFilesystemMiddleware; its changelog, by which a middleware of one's own takes the place of that of the same
 * name since 1.11.0 (langchain-ai/deepagentsjs 01ec7a31). The library for Python has the same shares by the comments
 * there, which were not read in its source.
 *
 * Law: sticky, but for results that were shortened for one request. Late results may be parted from their calls. Worked
 * example, a token for each message, a window of 20: the request of 17 messages has the newest two, behind the summary.
 */
import { jsonText } from '../../base/json-text.ts'
import { integer, number, type Values, words, wordsOf } from '../../base/param.ts'
import { type Block, textOf } from '../../model/message.ts'
import { Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry, NativeCounter, PolicyRun, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { approximately } from './langchain.ts'

/** The program's own values, which need not be set. */
const usualTrigger = 0.85
const usualKeep = 0.1
const usualArguments = 2_000
const usualResults = 20_000
const usualPrompts = 50_000

const charactersPerToken = 4

/** Tools whose results stay however long they are, and those whose arguments are cut. */
const ownTools = new Set(['ls', 'read_file', 'write_file', 'edit_file', 'delete', 'glob', 'grep'])
const writers = ['write_file', 'edit_file']

/** What is left of an argument, and the mark behind it. */
const argumentHead = 20
const argumentMark = '...(argument truncated)'

/** Lines at each end of what went to a file, and the most characters of one. */
const previewLines = 5
const previewWidth = 1_000

/** The share of the window that a request has whose results are shortened, and the least that they have together. */
const shortenedShare = 0.7
const leastForResults = 1_000
const resultMark = '\n...(result truncated)'

/** Of what went to a file. */
export function previewOf(text: string): string {
  const lines = text.split('\n')
  const numbered = (from: number, to: number) =>
    lines
      .slice(from, to)
      .map((line, index) => `${String(from + index + 1).padStart(6)}\t${line.slice(0, previewWidth)}`)
      .join('\n')
  const omitted = lines.length - 2 * previewLines
  if (omitted <= 0) return numbered(0, lines.length)
  const tail = numbered(lines.length - previewLines, lines.length)
  return `${numbered(0, previewLines)}\n... [${omitted} lines truncated] ...\n${tail}`
}

/** The library's is of twelve random characters. */
const promptFile = '/conversation_history/0123456789ab'

const noteOf = (path: string) =>
  `This was too long for the conversation and is in the file ${path}. Use read_file with an offset and a limit to see the parts of it that matter. Below are its first and its last lines.`

const native: NativeCounter = {
  ...approximately,
  summary:
    'ceil(characters / 4) of texts, calls as JSON and ids of answered calls; the system prompt, and tools as JSON',
  preamble: (preamble, file) =>
    (preamble.tools ?? []).reduce<number>(
      (sum, tool) => sum + jsonText(tool).length,
      approximately.preamble(preamble, file),
    ),
}

/** The cut, moved in front of the calls of the results that it stands before, or behind these. */
function besidePairs(entries: readonly Entry[], cut: number): number {
  let end = cut
  while (entries[end]?.role === 'tool') end++
  if (end === cut) return cut
  const calls = entries.slice(cut, end).map(({ call }) => call)
  const before = entries
    .slice(0, cut)
    .findLastIndex((entry) => calls.some((call) => call >= entry.call && call < entry.call + entry.calls))
  return before < 0 || (cut > 2 && cut - before > cut / 2) ? end : before
}

/** Where the newest messages of at most `most` tokens begin; the number of entries if none is left. */
function tailFrom(window: Window, entries: readonly Entry[], most: number): number {
  let kept = 0
  for (let at = entries.length - 1; at >= 0; at--) {
    const entry = entries[at] as Entry
    kept += window.tokensOf(entry, entry)
    if (kept > most) return besidePairs(entries, at + 1)
  }
  return besidePairs(entries, 0)
}

/**
 * The call with long arguments cut, or the call itself if none are long. The library ignores arguments that are not
 * JSON.
 */
function cutArguments(block: Block, tools: ReadonlySet<string>, most: number): Block {
  if (block.type !== 'call' || !tools.has(block.name)) return block
  let given = block.input
  if (typeof given === 'string') {
    try {
      given = JSON.parse(given)
    } catch {
      return block
    }
  }
  if (typeof given !== 'object' || given === null) return block
  const long = Object.entries(given).filter(([, value]) => typeof value === 'string' && value.length > most)
  if (long.length === 0) return block
  const cut = long.map(([key, value]) => [key, `${value.slice(0, argumentHead)}${argumentMark}`])
  const input = { ...given, ...Object.fromEntries(cut) }
  return { ...block, input: typeof block.input === 'string' ? jsonText(input) : input }
}

const params = {
  trigger: number({ default: usualTrigger, min: 0, max: 1, help: 'share of the window at which it acts' }),
  keep: number({ default: usualKeep, min: 0, max: 1, help: 'share of the window that stays' }),
  arguments: integer({
    default: usualArguments,
    min: 0,
    help: 'most characters of an old argument; the rest is cut',
  }),
  tools: words({ help: 'tools whose arguments are cut, besides write_file and edit_file' }),
  results: integer({
    default: usualResults,
    min: 0,
    help: 'most tokens of a result; a larger one goes to a file; 0 = no limit',
  }),
  prompts: integer({
    default: usualPrompts,
    min: 0,
    help: 'most tokens of a prompt; a larger one goes to a file; 0 = no limit',
  }),
  summaryTokens: integer({ default: 1_000, min: 1, help: 'tokens of the summary' }),
} as const

export default definePolicy({
  name: 'deepagents-summarize',
  version: '1.14.1',
  summary: 'at 85 % of the window, cut long arguments of old calls, else replace all but the newest tenth by a summary',
  source: 'deepagents 1.14.1, middleware/summarization and middleware/fs; npm (2026-11)',
  package: { name: 'deepagents', version: '1.14.1', on: '2026-11' },
  ownBudget: 'window',
  trigger: 'the window; acts at `trigger` of it',
  unlike: '`langchain-summarize` keeps a number of messages, cuts no arguments and reads only the last 4,000 tokens',
  params,
  inserts: true,
  text: true,
  native,
  turnOn({ trigger, keep, tools, ...most }, budget) {
    // The set of writing tools is fixed; what goes to a file is set in another middleware.
    if (tools !== 'none' || most.results !== usualResults || most.prompts !== usualPrompts) return null
    const length = most.arguments === usualArguments ? '' : `, maxLength: ${most.arguments}`
    const at = (share: number) => `{ type: 'tokens', value: ${Math.floor(share * budget)} }`
    const shares = `trigger: ${at(trigger)}, keep: ${at(keep)}`
    return {
      file: 'your code, with deepagents',
      text: `createDeepAgent({ model, backend, middleware: [createSummarizationMiddleware({ backend, ${shares}, truncateArgsSettings: { ${shares}${length} } })] })`,
      since: '1.11.0',
      note: `summarises at ${thousands(trigger * budget)}; takes the place of its own`,
    }
  },
  start: (values) => new DeepAgentsRun(values),
})

class DeepAgentsRun implements PolicyRun {
  readonly #values: Values<typeof params>
  readonly #tools: Set<string>
  readonly #calls = new Calls()
  /** Messages whose arguments are cut. */
  readonly #cut = new WeakSet<Entry>()
  /** Arguments are cut at each request until the next summary. */
  #cutsArguments = false
  /** Results that were shortened for the latest request, with what they were. */
  #shortened: { readonly entry: Entry; readonly blocks: readonly Block[] }[] = []
  #isNew = false

  constructor(values: Values<typeof params>) {
    this.#values = values
    this.#tools = new Set([...writers, ...wordsOf(values.tools)])
  }

  message(window: Window, entry: Entry): void {
    this.#isNew = true
    this.#calls.message(entry)
    if (entry.role === 'tool') {
      if (!ownTools.has(this.#calls.toolOf(entry)))
        this.#offload(window, entry, this.#values.results, `/large_tool_results/${entry.message?.callId ?? ''}.txt`)
    } else if (entry.isPrompt) this.#offload(window, entry, this.#values.prompts, promptFile)
  }

  request(window: Window): void {
    if (!this.#isNew) return
    this.#isNew = false
    for (const { entry, blocks } of this.#shortened) if (entry.inside) window.replace(entry, blocks)
    this.#shortened = []
    const most = Math.floor(window.budget * this.#values.trigger)
    const tail = Math.floor(window.budget * this.#values.keep)
    this.#cutsArguments ||= window.tokens >= most
    if (!this.#cutsArguments) return
    const entries = [...entriesFrom(window.first)]
    this.#cutOld(window, entries, tail)
    if (window.tokens < most) return
    const from = tailFrom(window, entries, tail)
    const [first, last] = [entries[0], entries[from - 1]]
    if (!first || !last || (from === entries.length && this.#shorten(window, entries))) return
    summariseRange(window, first, last, { role: 'user', tokens: this.#values.summaryTokens })
    this.#cutsArguments = false
  }

  #offload(window: Window, entry: Entry, most: number, path: string): void {
    const text = entry.message ? textOf(entry.message) : ''
    if (most > 0 && text.length > most * charactersPerToken)
      window.replace(entry, `${noteOf(path)}\n\n${previewOf(text)}`)
  }

  #cutOld(window: Window, entries: readonly Entry[], most: number): void {
    for (const entry of entries.slice(0, tailFrom(window, entries, most))) {
      if (entry.role !== 'assistant' || entry.index < 0 || this.#cut.has(entry) || !entry.message) continue
      this.#cut.add(entry)
      const { blocks } = entry.message
      const left = blocks.map((block) => cutArguments(block, this.#tools, this.#values.arguments))
      if (left.some((block, index) => block !== blocks[index])) window.replace(entry, left)
    }
  }

  /** @returns whether there was anything to shorten */
  #shorten(window: Window, entries: readonly Entry[]): boolean {
    const results = entries.filter(({ role }) => role === 'tool')
    const others = entries.reduce(
      (sum, entry) => (entry.role === 'tool' ? sum : sum + window.tokensOf(entry, entry)),
      window.preambleTokens,
    )
    const forResults = Math.max(shortenedShare * window.budget - others, leastForResults)
    const most = charactersPerToken * Math.floor(forResults / results.length)
    for (const entry of results) {
      const text = entry.message ? textOf(entry.message) : ''
      if (text.length <= most) continue
      this.#shortened.push({ entry, blocks: entry.message?.blocks ?? [] })
      window.replace(entry, text.slice(0, most) + resultMark)
    }
    return this.#shortened.length > 0
  }
}
