/**
 * Finds the text that a message of the agent copies verbatim: the old text of an edit, the context and removed lines of
 * a patch, the text of a file that is written as a whole, a quotation.
 */
import { stringsIn } from '../../base/json-strings.ts'
import type { CopyKind } from '../../model/run.ts'
import { programText } from '../targets/program.ts'
import { isCommand, type ToolTarget } from '../targets/tool-target.ts'

export interface Taken {
  /** The target as the call names it; null for a quotation. */
  readonly target: string | null
  readonly text: string
}

// Parameters of agents' tools that hold the text that an edit replaces, and the text of a whole file.
export const oldFields = ['old_string', 'oldString', 'old_str', 'oldText', 'old_text', 'search']
export const newFields = ['new_string', 'newString', 'new_str', 'newText', 'new_text', 'replace']
export const wholeFields = ['content', 'file_text', 'contents']
const partFields = ['edits', 'changes', 'replacements']
export const diffFields = ['diff', 'patch']

export type Fields = Readonly<Record<string, unknown>>

/** The texts of a call, which are looked for once. */
export interface CallTexts {
  /** The call's input, parsed if it is JSON. */
  readonly input: unknown
  /** All that it sends to its tool: of a program, those that it gives to others. */
  readonly sent: readonly string[]
  /** Those of them that are patches. */
  readonly patches: readonly string[]
}

/** @param input the call's input, parsed if it is JSON */
export function textsOf(input: unknown): CallTexts {
  const program = programText(input)
  if (program) return { input, sent: [...program.commands, ...program.patches], patches: program.patches }
  const sent = stringsIn(input)
  return { input, sent, patches: sent.filter((text) => text.includes('*** Begin Patch')) }
}

/**
 * @param targets those of the call
 * @returns one for each target from which the call copies text
 */
export function takenByCall({ input, patches }: CallTexts, targets: readonly ToolTarget[]): Taken[] {
  if (patches.length > 0) return patches.flatMap(takenByPatch)
  const written = targets.find(({ kind }) => kind === 'write')?.target
  if (written === undefined || written === null || !isFields(input)) return []
  const texts = partsOf(input).flatMap((part) =>
    isFields(part) ? [...textsIn(part, oldFields), ...textsIn(part, diffFields).map(oldSide)] : [],
  )
  const old = texts.length > 0 ? texts : textsIn(input, wholeFields)
  return old.length === 0 ? [] : [{ target: written, text: old.join('\n') }]
}

/** A text that a call sends to its tool. */
export interface SentWords {
  readonly text: string
  readonly kind: CopyKind
}

/**
 * What a call writes into files, and the text that it replaces there: not the words of a command.
 *
 * @param targets those of the call
 */
export function writtenByCall({ input, patches }: CallTexts, targets: readonly ToolTarget[]): readonly SentWords[] {
  const as = (kind: CopyKind) => (text: string) => ({ text, kind })
  if (patches.length > 0)
    return patches.map((text) => ({ text, kind: text.includes('*** Update File:') ? 'edit' : 'file' }))
  if (!targets.some(({ kind }) => kind === 'write') || !isFields(input)) return []
  const edits = [...oldFields, ...newFields, ...diffFields]
  return partsOf(input).flatMap((part) =>
    isFields(part) ? [...textsIn(part, edits).map(as('edit')), ...textsIn(part, wholeFields).map(as('file'))] : [],
  )
}

/**
 * All texts that a call sends to its tool.
 *
 * @param written those that it writes into files
 */
export function sentByCall(name: string, { input, sent }: CallTexts, written: readonly SentWords[]): SentWords[] {
  const kinds = new Map(written.map(({ text, kind }) => [text, kind]))
  return sent.map((text) => ({ text, kind: kinds.get(text) ?? (isCommand(name, input, text) ? 'command' : 'prose') }))
}

/** The input and its parts, where an edit has several. */
export const partsOf = (input: Fields): unknown[] => [input, ...partFields.flatMap((key) => input[key])]

/** The fenced blocks of a response. */
export function quotationsIn(text: string): Taken[] {
  if (!text.includes('```')) return []
  const blocks: string[][] = []
  let open: string[] | null = null
  for (const line of text.split('\n')) {
    if (!line.trimStart().startsWith('```')) open?.push(line)
    else if (open === null) open = []
    else {
      blocks.push(open)
      open = null
    }
  }
  return blocks.map((lines) => ({ target: null, text: lines.join('\n') }))
}

/** Lines that a Codex patch copies from the file: context and removed lines. */
function takenByPatch(patch: string): Taken[] {
  const old = new Map<string, string[]>()
  let lines: string[] | null = null
  for (const line of patch.split('\n')) {
    const file = /^\*\*\* Update File: (.+?)\s*$/.exec(line)?.[1]
    if (file !== undefined) {
      lines = old.get(file) ?? []
      old.set(file, lines)
    } else if (line.startsWith('*** ') && !line.startsWith('*** Move to:')) lines = null
    else if (line.startsWith(' ') || line.startsWith('-')) lines?.push(line)
  }
  return [...old].map(([target, lines]) => ({ target, text: lines.join('\n') }))
}

/** The text of the present file in a diff or in search-and-replace blocks. */
function oldSide(diff: string): string {
  if (diff.includes('<<<<<<< SEARCH') || diff.includes('------- SEARCH')) {
    const blocks = diff.matchAll(/^(?:<{7}|-{7}) SEARCH\s*?\n([\s\S]*?)^={7}/gm)
    return [...blocks].map(([, old]) => old).join('\n')
  }
  const lines = diff.split('\n')
  return lines.filter((line) => (line.startsWith(' ') || line.startsWith('-')) && !line.startsWith('---')).join('\n')
}

export const textsIn = (part: Fields, fields: readonly string[]): string[] =>
  fields.flatMap((key) => (Object.hasOwn(part, key) && typeof part[key] === 'string' ? [part[key]] : []))

export const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null
