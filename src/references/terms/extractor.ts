/** Extracts the terms and pieces of content of texts and tool calls. */
import { pathFields, type ToolTarget, toolTargets } from '../targets/tool-target.ts'
import { type Find, passTerm, type TakeAnchors, type TakePiece, type TakeTerm } from './find.ts'
import { find } from './finder.ts'

/** What is extracted, and who takes it: null for what is not wanted. */
export interface Takers {
  readonly term: TakeTerm | null
  readonly piece: TakePiece | null
  /** Default: not wanted. */
  readonly anchors?: TakeAnchors
}

export interface TermExtractor {
  /** A block of text. */
  text(value: string): void
  /** Structured data, such as a tool result: its values at any depth, never its keys. */
  json(value: unknown): void
  /** A tool call: its input is read like `json`. @returns its targets */
  call(name: string, input: unknown): readonly ToolTarget[]
}

const pathFieldSet: ReadonlySet<string> = new Set([...pathFields, 'filepath'])

/** Parameters with a command's working directory, which every call repeats. */
const placeFields: ReadonlySet<string> = new Set(['workdir', 'cwd', 'working_directory'])

/**
 * Extracts from a transcript's messages (docs/references.md). Each occurrence of a term is handed over, in order.
 * @param cwd the working directory as returned by `normalCwd`: a path inside it is keyed relative to it, and it is no
 * term
 */
export function createExtractor(cwd: string, { term, piece, anchors }: Takers, finder: Find = find): TermExtractor {
  function text(value: string): void {
    finder(value, cwd, term, piece, anchors)
  }

  function json(value: unknown): void {
    const left: [field: string, value: unknown][] = [['', value]] // a stack of its own: input may nest without end
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [field, value] = next
      if (typeof value === 'string') {
        if (placeFields.has(field)) continue
        if (!isPathField(field, value)) text(value)
        else if (term) passTerm('path', value, cwd, term)
      } else if (typeof value === 'number') text(String(value))
      else if (typeof value === 'object' && value !== null) {
        const entries = Array.isArray(value) ? value.map((item) => [field, item] as const) : Object.entries(value)
        for (let i = entries.length - 1; i >= 0; i--) left.push([entries[i]![0], entries[i]![1]])
      }
    }
  }

  return {
    text,
    json,
    call(name, input) {
      json(parsedInput(input))
      const targets = toolTargets(name, input)
      if (term) {
        for (const { target, form } of targets) {
          if (target !== null && form !== 'url') passTerm(form === 'path' ? 'path' : 'target', target, cwd, term)
        }
      }
      return targets
    },
  }
}

/** The value of such a field is a path even without a slash or an extension: `{"file_path":"Makefile"}`. */
function isPathField(field: string, value: string): boolean {
  return pathFieldSet.has(field) && value.length > 1 && !/[\n*?]|:\/\//.test(value)
}

/** Some providers record a tool's arguments as a JSON string. */
export function parsedInput(input: unknown): unknown {
  if (typeof input !== 'string' || !/^\s*[[{]/.test(input)) return input
  try {
    return JSON.parse(input)
  } catch {
    return input
  }
}
