/**
 * `claude-code-auto`: Claude Code's auto-compact. Before a request of `window - reserve - 13,000` tokens or more,
 * everything is replaced by a summary in the user's role, and the files that were read last are attached again: at most
 * five, each with at most 5,000 tokens; of a larger one only its name. Behind them stand the skills that were invoked,
 * the latest first: the first 5,000 tokens of each, and 25,000 of all together; and behind these what the program
 * announces: tools that are loaded when they are searched for, agents, instructions of MCP servers, all of them once
 * more. Measured in recorded sessions: 155,000 of a window of 200,000 up to 2.1.20 (`reserve=32000`, the largest
 * answer), 167,000 since 2.1.25 (at most 20,000 of it). See docs/policies.md.
 *
 * A window above the model's is the model's, as far as the model is known; but where a recorded request was larger than
 * that, the session had a larger one.
 *
 * How skills come back is from code.claude.com/docs (skills, context-window; excerpts read 2026-11) and readers of the
 * program, not measured. That announcements come back, and stand behind the summary, is so in all seven recorded
 * compactions that have any, of 2.1.112 to 2.1.232 (2026); they are written to the cache anew each time
 * (anthropics/claude-code#94197, second-hand). Skills and announcements are known by their text, so without the text
 * none comes back; the list of skills came back in some sessions only, and does not here.
 *
 * Not simulated: the plan and the list of tasks that come back too; what `/compact` does; the memory of a
 * session that newer versions may take instead of a summary; and that it gives up after some attempts that gain nothing
 * ("Autocompact is thrashing").
 *
 * How it is turned on: by names that stand in the published package (@anthropic-ai/claude-code, npm, read 2026-11).
 * CLAUDE_CODE_AUTO_COMPACT_WINDOW is in 2.1.75 and not in 2.1.74, `autoCompactWindow` of the settings in 2.1.89 and not
 * in 2.1.88, with 100,000 to 1,000,000; /autocompact, which writes it, is in 2.1.110; all are in 2.1.330. The settings
 * can have it by model since 2.1.311 (Astro-Han/claude-pace v0.9.6). CLAUDE_AUTOCOMPACT_PCT_OVERRIDE is in 2.0.30; from
 * `env` of the settings it does nothing (anthropics/claude-code#63186, 2026-05), and in 2.1.220 it is said to do
 * nothing at all (#82761).
 *
 * Law: whole pairs, sticky; a request that acted has at most the summary, what comes back, and the preamble. Worked
 * example: window 200,000, reserve 20,000: a request of 166,999 tokens goes out as it is, one of 167,000 is compacted.
 */
import { choice, flag, integer, type Values } from '../../base/param.ts'
import { type Message, textOf } from '../../model/message.ts'
import { lookupModel } from '../../models/lookup.ts'
import { type Call, Calls } from '../calls.ts'
import { definePolicy } from '../catalogue/define-policy.ts'
import { thousands } from '../catalogue/thousands.ts'
import type { Entry, Moment, PolicyContext, PolicyRun, Window } from '../policy.ts'
import { summariseRange } from '../primitives/summarise-oldest.ts'
import { buffer, threshold } from './claude-code.ts'
import { Microcompact } from './claude-code-microcompact.ts'

/** Tokens that newer versions keep free for the answer. */
const usualReserve = 20_000

/** Tokens of a file that is attached again; a larger one is only named. */
const largestFile = 5_000

/** Tokens of a skill that comes back; of a larger one its beginning. */
const largestSkill = 5_000

/** Tokens of all skills that come back. */
export const usualSkills = 25_000

/** How the result of reading a file begins that has not changed since it was read. */
const unchanged = /^(?:Wasted call|File unchanged since)/

/** What the program says in the user's role when a skill is invoked begins with it. */
const skillMark = 'Base directory for this skill: '

/**
 * The pieces of what the program announces, by kind: names of tools, a line for each agent, a section for each MCP
 * server. Null for what announces nothing. All 69 in recorded sessions are told so from 545 other attachments
 * (2026-11).
 */
export function announced(text: string): { readonly kind: string; readonly pieces: readonly string[] } | null {
  const isName = (line: string) => /^[\w.:-]+$/.test(line)
  // Most texts are none of these, which their first line tells.
  const end = text.indexOf('\n')
  if (end > 0 && isName(text.slice(0, end))) {
    const lines = text.split('\n')
    if (lines.every(isName)) return { kind: 'tools', pieces: lines }
  }
  if (/^- .*\(Tools: /.test(text)) return { kind: 'agents', pieces: text.split('\n') }
  return text.startsWith('## ') ? { kind: 'servers', pieces: text.split(/\n(?=## )/) } : null
}

const pathOf = (call: Call | null): unknown =>
  call?.name === 'Read' ? (call.input as { readonly file_path?: unknown } | null)?.file_path : undefined

const params = {
  window: integer({ default: 0, min: 0, help: 'tokens of the window; 0 = the budget' }),
  reserve: integer({ default: usualReserve, min: 0, help: 'tokens of the window that are kept for the answer' }),
  pct: integer({
    default: 0,
    min: 0,
    max: 100,
    help: 'act at this percentage of (window - reserve) if that comes earlier; 0 = off',
  }),
  summaryTokens: integer({
    default: 2_700,
    min: 1,
    help: 'tokens of the summary; 2,700 is the median of 22 recorded ones',
  }),
  files: integer({ default: 5, min: 0, help: 'how many of the files read last are attached again' }),
  skills: integer({ default: usualSkills, min: 0, help: 'most tokens of skills that are attached again' }),
  announcements: flag({ default: true, help: 'what the program announces (tools, agents) is attached again, too' }),
  microcompact: choice({
    default: 'none',
    of: ['none', 'idle', 'count', 'tokens'],
    help: 'whether `claude-code-microcompact` acts before it, and by which rule',
  }),
} as const

export default definePolicy({
  name: 'claude-code-auto',
  version: '2.1.330',
  summary: 'near the end of the window, replace everything by a summary and the files read last',
  source:
    'Claude Code, closed source: thresholds measured in recorded sessions of 2.0.76 to 2.1.38; settings from code.claude.com/docs and @anthropic-ai/claude-code 2.1.330 (npm, 2026-11)',
  package: { name: '@anthropic-ai/claude-code', version: '2.1.330', on: '2026-11' },
  ownBudget: 'window',
  trigger: 'the window (`autoCompactWindow`); acts at `reserve` + 13,000 tokens below it, or at `pct` of it',
  unlike:
    '`codex-compact` keeps what the user said; `pi-compact` and `gemini-compress` keep a tail of messages; this keeps files',
  params,
  wholePairs: true,
  inserts: true,
  text: true,
  withoutText: true,
  compacts: true,
  summariesShareThePrompt: true,
  availableIn: ['claude-code'],
  budgetFor: (tokens) => tokens + usualReserve + buffer,
  turnOn({ window, reserve, pct, microcompact, files, skills, announcements }, budget) {
    const tokens = window || budget
    // The program refuses other windows, and has no setting for the other params.
    if (tokens < 100_000 || tokens > 1_000_000) return null
    const bringsBackAll = files === 5 && skills === usualSkills && announcements
    if (reserve !== usualReserve || microcompact !== 'none' || !bringsBackAll) return null
    const note = `compacts at ${thousands(threshold({ window: tokens, reserve, pct }))}`
    if (pct === 0) {
      const text = `"autoCompactWindow": ${tokens}`
      return {
        file: '~/.claude/settings.json',
        text,
        since: '2.1.89',
        note: `${note}; /autocompact ${tokens} writes it`,
      }
    }
    // There is no key for the percentage.
    const text = `export CLAUDE_CODE_AUTO_COMPACT_WINDOW=${tokens} CLAUDE_AUTOCOMPACT_PCT_OVERRIDE=${pct}`
    return { file: 'the environment', text, since: '2.1.75', note }
  },
  start: (values, context) => new ClaudeCodeAutoRun(values, context),
})

class ClaudeCodeAutoRun implements PolicyRun {
  readonly #values: Values<typeof params>
  readonly #context: PolicyContext
  /** Tokens of the model's window, as far as the model is known. */
  readonly #known: number
  #clearing: Microcompact | null
  readonly #calls = new Calls()
  /** What was read of each file, in the order of the latest reads. */
  readonly #read = new Map<string, { readonly blocks: Message['blocks'] | null; readonly tokens: number }>()
  /** The text and the tokens of each skill, by its directory, in the order of the latest invocations. */
  readonly #invoked = new Map<string, { readonly text: string; readonly tokens: number }>()
  /** What was announced so far, by kind. */
  readonly #announcedSoFar = new Map<string, Set<string>>()
  #isNew = false

  constructor(values: Values<typeof params>, context: PolicyContext) {
    this.#values = values
    this.#context = context
    this.#known = (context.model !== null && lookupModel(context.model)?.contextWindow) || Infinity
    this.#clearing = this.#newClearing()
  }

  message(window: Window, entry: Entry): void {
    this.#isNew = true
    this.#clearing?.message(entry)
    this.#calls.message(entry)
    if (entry.role === 'user') this.#note(window, entry)
    if (entry.role !== 'tool') return
    const path = entry.message ? pathOf(this.#calls.of(entry)) : this.#context.fileOf?.(entry.call)
    if (typeof path !== 'string') return
    const before = this.#read.get(path)
    const isSame = before !== undefined && entry.message !== null && unchanged.test(textOf(entry.message))
    this.#read.delete(path)
    this.#read.set(
      path,
      isSame ? before : { blocks: entry.message?.blocks ?? null, tokens: window.tokensOf(entry, entry) },
    )
  }

  request(window: Window, moment: Moment): void {
    const most = (moment.largestInput ?? 0) > this.#known ? Infinity : this.#known
    const { window: size, reserve, pct, summaryTokens } = this.#values
    const limit = threshold({ window: Math.min(size || window.budget, most), reserve, pct })
    this.#clearing?.request(window, moment, limit)
    if (!this.#isNew || window.tokens < limit || !window.first || !window.last) return
    summariseRange(window, window.first, window.last, { role: 'user', tokens: summaryTokens })
    this.#attach(window)
    this.#bringBack(window)
    if (this.#values.announcements) this.#announce(window)
    this.#clearing = this.#newClearing()
    this.#isNew = false
  }

  #newClearing() {
    return this.#values.microcompact === 'none' ? null : new Microcompact(this.#values.microcompact)
  }

  #note(window: Window, entry: Entry): void {
    const text = entry.message && entry.index >= 0 ? textOf(entry.message) : ''
    const { kind = '', pieces = [] } = (entry.isInjected && announced(text)) || {}
    if (pieces.length > 0)
      this.#announcedSoFar.set(kind, new Set([...(this.#announcedSoFar.get(kind) ?? []), ...pieces]))
    if (!text.startsWith(skillMark)) return
    const directory = text.split('\n', 1)[0] as string
    this.#invoked.delete(directory)
    this.#invoked.set(directory, { text, tokens: window.tokensOf(entry, entry) })
  }

  #bringBack(window: Window): void {
    let left = this.#values.skills
    for (const { text, tokens } of [...this.#invoked.values()].reverse()) {
      const most = Math.min(tokens, largestSkill, left)
      if (most <= 0) break
      const shown = most === tokens ? text : text.slice(0, Math.floor((text.length * most) / tokens))
      const blocks = [{ type: 'text', text: shown }] as const
      if (most === tokens) window.insert(null, { role: 'user', blocks })
      else window.insert(null, { role: 'user', blocks }, most)
      left -= most
    }
  }

  #announce(window: Window): void {
    for (const pieces of this.#announcedSoFar.values())
      window.insert(null, { role: 'user', blocks: [{ type: 'text', text: [...pieces].join('\n') }] })
  }

  #attach(window: Window): void {
    for (const [path, { blocks, tokens }] of this.#values.files > 0
      ? [...this.#read].slice(-this.#values.files).reverse()
      : []) {
      const name = [{ type: 'text', text: `[${path} was read before; read it again]` }] as const
      if (tokens > largestFile) window.insert(null, { role: 'user', blocks: name })
      else if (blocks) window.insert(null, { role: 'user', blocks })
      else window.insert(null, { role: 'user', blocks: [] }, tokens)
    }
  }
}
