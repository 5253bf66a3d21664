/**
 * What a call replaces in a file, and by what, whichever tool does it: fields with the old and the new text, the text
 * of a whole file, a patch of Codex, a unified diff, search-and-replace blocks.
 */
import type { ToolTarget } from '../targets/tool-target.ts'
import {
  type CallTexts,
  diffFields,
  isFields,
  newFields,
  oldFields,
  partsOf,
  textsIn,
  wholeFields,
} from './taken-over.ts'

export interface Edit {
  /** The file as the call names it. */
  readonly target: string
  /**
   * The text that goes, with what stands around it where the call has that; '' where the file is written as a whole.
   */
  readonly before: string
  /** The text that comes in its place. */
  readonly after: string
}

/** Parameters whose text is put beside what stands in the file, or in place of a cell. */
const insertedFields = ['insert_text', 'new_source']

/** @param targets those of the call */
export function editsByCall({ input, patches }: CallTexts, targets: readonly ToolTarget[]): Edit[] {
  if (patches.length > 0) return patches.flatMap(editsByPatch)
  const target = targets.find(({ kind }) => kind === 'write')?.target
  if (target === undefined || target === null || !isFields(input)) return []
  const edits: Edit[] = []
  for (const part of partsOf(input)) {
    if (!isFields(part)) continue
    const old = textsIn(part, oldFields)
    const fresh = [...textsIn(part, newFields), ...textsIn(part, insertedFields)]
    if (old.length + fresh.length > 0) edits.push({ target, before: old.join('\n'), after: fresh.join('\n') })
    for (const diff of textsIn(part, diffFields)) for (const hunk of hunksOf(diff)) edits.push({ target, ...hunk })
  }
  if (edits.length > 0) return edits
  const whole = textsIn(input, wholeFields)
  return whole.length > 0 ? [{ target, before: '', after: whole.join('\n') }] : []
}

/** A file that is deleted or moved is an edit of its header. */
function editsByPatch(patch: string): Edit[] {
  const edits: Edit[] = []
  let target: string | null = null
  let lines: string[] = []
  const end = (): void => {
    if (target !== null) for (const hunk of hunksOf(lines.join('\n'))) edits.push({ target, ...hunk })
    lines = []
  }
  for (const line of patch.split('\n')) {
    if (!line.startsWith('*** ')) lines.push(line)
    else {
      end()
      const [header, file] = [line.slice(4, line.indexOf(':')), line.slice(line.indexOf(':') + 1).trim()]
      if (header === 'Update File' || header === 'Add File') target = file
      else if (header === 'Delete File') edits.push({ target: file, before: header, after: '' })
      else if (header === 'Move to' && target !== null) edits.push({ target, before: header, after: file })
      else if (header === 'End Patch') target = null
    }
  }
  end()
  return edits
}

type Hunk = Pick<Edit, 'before' | 'after'>

const searchMark = /^(?:<{7}|-{7}) SEARCH/
const middleMark = /^={7}/
const replaceMark = /^(?:>{7}|\+{7}) REPLACE/

/** Of a diff, or of search-and-replace blocks. */
function hunksOf(diff: string): Hunk[] {
  const hunks: Hunk[] = []
  let [before, after]: [string[], string[]] = [[], []]
  const end = (): void => {
    if (before.length + after.length > 0) hunks.push({ before: before.join('\n'), after: after.join('\n') })
    ;[before, after] = [[], []]
  }
  /** Which side of a search-and-replace block is read. */
  let block: 'before' | 'after' | null = null
  for (const line of diff.split('\n')) {
    if (searchMark.test(line)) {
      end()
      block = 'before'
    } else if (block !== null && replaceMark.test(line)) {
      end()
      block = null
    } else if (block === 'before' && middleMark.test(line)) block = 'after'
    else if (block === 'before') before.push(line)
    else if (block === 'after') after.push(line)
    else if (line.startsWith('@@')) end()
    else if (line.startsWith('--- ') || line.startsWith('+++ ')) continue
    else if (line.startsWith('-')) before.push(line.slice(1))
    else if (line.startsWith('+')) after.push(line.slice(1))
    else if (line.startsWith(' ')) {
      before.push(line.slice(1))
      after.push(line.slice(1))
    }
  }
  end()
  return hunks
}
