/**
 * Whether lost references are true: a test that needs no labels and none of the code it judges. What an edit replaces is
 * copied from something that the agent had read or written. Each edit's old text is looked up, line by line and as plain
 * strings, in every message before it and in every message of the window that went out; where no line of it stood in the
 * window, the agent depended on what had left. Slow on purpose: it shares neither scanner nor hashes with src/references.
 */
import { choose } from '../../base/chosen.ts'
import { stringsIn } from '../../base/json-strings.ts'
import type { Dependence, DependenceRow } from '../../model/dependence.ts'
import type { Message } from '../../model/message.ts'
import type { Trace } from '../../model/trace.ts'
import dropMessages from '../../policies/primitives/drop-messages.ts'
import dropOldest from '../../policies/primitives/drop-oldest.ts'
import type { Contents } from '../../simulator/contents.ts'
import { watchLostUses } from '../../simulator/lost-uses.ts'
import { type Cell, simulateOne } from '../../simulator/simulate.ts'
import { caseOf, type Plan } from '../plan.ts'

interface Edit {
  readonly file: string
  readonly lines: readonly string[]
}

const shortest = 25

const nothing = (): Dependence => ({
  outside: { edits: 0, reported: 0 },
  inside: { edits: 0, reported: 0 },
  part: { edits: 0, reported: 0 },
})

/** Windows that lose much and little of most sessions. */
const windows = [dropOldest, dropMessages].flatMap((plugin) => [50_000, 100_000].map((budget) => ({ plugin, budget })))

/** Adds up transcripts. */
export class DependenceSums {
  readonly rows: readonly DependenceRow[] = windows.map(({ plugin, budget }) => ({
    policy: plugin.name,
    budget,
    ...nothing(),
  }))

  /** @param transcript as `dependenceRows` has it */
  add(transcript: readonly Dependence[]): void {
    for (const [at, row] of this.rows.entries()) {
      const found = transcript[at] as Dependence
      for (const place of ['outside', 'part', 'inside'] as const) {
        row[place].edits += found[place].edits
        row[place].reported += found[place].reported
      }
    }
  }
}

/**
 * What each window depends on in one transcript.
 * @param trace read for the plan, with its messages and its digest
 * @param index the number of the estimator that counts
 */
export function dependenceRows(trace: Trace, plan: Plan, index: number): Dependence[] {
  const facts = caseOf(trace, plan, index)
  return windows.map(({ plugin, budget }) => dependenceOf({ policy: choose(plugin), facts, budget }))
}

/** @param cell of a trace with its messages and its digest */
export function dependenceOf(cell: Cell): Dependence {
  const { trace, sizes } = cell.facts
  const messages = trace.messages ?? []
  const standing = new WeakMap<Message, ReadonlySet<string>>()
  const linesOf = (message: Message): ReadonlySet<string> => {
    const known = standing.get(message) ?? new Set(spoken(message).flatMap(longLines))
    standing.set(message, known)
    return known
  }
  const found: { message: number; edit: Edit; where: keyof Dependence }[] = []
  const watch = (answer: number, from: number, window: Contents): void => {
    const edits: { at: number; edit: Edit }[] = []
    for (let at = answer; at < messages.length && (at === answer || isMore(trace, at)); at++) {
      for (const edit of editsOf(messages[at] as Message)) edits.push({ at, edit })
    }
    // Most requests edit nothing, so the whole window is searched only where something was edited.
    if (edits.length === 0) return
    const inside = window.messages().map(({ message }) => linesOf(message))
    const earlier = messages.slice(from, answer).map(linesOf)
    for (const { at, edit } of edits) {
      const copied = edit.lines.filter((line) => earlier.some((lines) => lines.has(line)))
      if (copied.length === 0 || copied.length * 2 < edit.lines.length) continue
      const held = copied.filter((line) => inside.some((lines) => lines.has(line))).length
      found.push({ message: at, edit, where: held === 0 ? 'outside' : held === copied.length ? 'inside' : 'part' })
    }
  }
  const lost: Parameters<typeof watchLostUses>[2] = []
  simulateOne(cell, [
    { request: ({ message }, window) => watch(message, lastReset(trace, message), window) },
    ...watchLostUses(trace, sizes, lost),
  ])
  const result = nothing()
  const reported = new Set(lost.map(({ line, term, termClass }) => `${line} ${termClass} ${baseName(term ?? '')}`))
  for (const { message, edit, where } of found) {
    result[where].edits++
    if (reported.has(`${trace.line(message)} content ${baseName(edit.file)}`)) result[where].reported++
  }
  return result
}

/** Whatever follows in the same response. */
function isMore(trace: Trace, index: number): boolean {
  return trace.role(index) === 'assistant' && !trace.isResponse(index)
}

function lastReset(trace: Trace, before: number): number {
  let index = before
  while (index > 0 && !trace.isReset(index)) index--
  return index
}

function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path
}

/** Every text of a message that a request carries. */
function spoken({ blocks }: Message): string[] {
  return blocks.flatMap((block) =>
    block.type === 'text' ? [block.text] : block.type === 'call' ? stringsIn(parsed(block.input)) : [],
  )
}

function parsed(input: unknown): unknown {
  if (typeof input !== 'string') return input
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}

/** Lines without the numbers and marks that tools put in front of them, white space folded; the short ones left out. */
function longLines(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) =>
      line
        .replace(/^[\s+-]*(?:(?:[^\s:]*?([:-])(?=\d+\1))?\d+(?:[→\t:|-]|(?: +\d+)? *[|│]))?[\s+-]*/, '')
        .replace(/\s+/g, ' ')
        .trim(),
    )
    .filter((line) => line.length >= shortest)
}

const oldTexts = ['old_string', 'oldString', 'old_str', 'oldText', 'old_text']
const files = ['file_path', 'filePath', 'path', 'target_file']

/** What the calls of a message replace, and in which file. */
function editsOf(message: Message): Edit[] {
  const edits: Edit[] = []
  const add = (file: unknown, text: string): void => {
    const lines = [...new Set(longLines(text))]
    if (typeof file === 'string' && lines.length > 0) edits.push({ file, lines })
  }
  for (const block of message.blocks) {
    if (block.type !== 'call') continue
    const input = parsed(block.input)
    for (const text of stringsIn(input)) {
      for (const [, file, body] of text.matchAll(
        /^\*\*\* Update File: (.+)\n([\s\S]*?)(?=^\*\*\* (?!Move)|$(?![\s\S]))/gm,
      )) {
        const old = (body ?? '').split('\n').filter((line) => /^[ -]/.test(line))
        add(file?.trim(), old.map((line) => line.slice(1)).join('\n'))
      }
    }
    if (typeof input !== 'object' || input === null) continue
    const fields = input as Readonly<Record<string, unknown>>
    const file = files.map((key) => fields[key]).find((value) => typeof value === 'string')
    const parts = Array.isArray(fields.edits) ? (fields.edits as unknown[]) : []
    const olds = [fields, ...parts].flatMap((part) =>
      typeof part === 'object' && part !== null
        ? oldTexts.flatMap((key) => (part as Readonly<Record<string, unknown>>)[key] ?? [])
        : [],
    )
    add(file, olds.filter((old) => typeof old === 'string').join('\n'))
  }
  return edits
}
