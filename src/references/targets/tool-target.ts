/**
 * What a tool call works on, for all agents: a table of the names of their tools, which of them read and write, and
 * which parameters hold the target.
 */
import { wordsIn } from '../../base/words.ts'
import { programText } from './program.ts'
import { patchTargets, shellTargets, type ToolTarget } from './shell-target.ts'

export type { ToolTarget }

const words = (list: string): ReadonlySet<string> => new Set(list.split(' '))

// Tool names of Claude Code, Codex, Gemini CLI, Copilot CLI, opencode, pi, Cline, OpenHands and MCP servers, in lower
// case without separators. An unknown tool is neither read nor write.
const readers = words(
  'read readfile view viewfile viewimage cat open openfile fsread notebookread getfilecontents readtextfile fetch webfetch fetchurl ls list listdir listdirectory listfiles',
)
const writers = words(
  'write writefile writetofile create createfile edit editfile multiedit notebookedit fswrite strreplace replace replaceinfile insert searchreplace applydiff delete deletefile',
)
const searchers = words(
  'grep grepsearch glob globsearch rg find search searchfiles searchfilecontent filesearch codebasesearch toolsearch websearch googlewebsearch',
)
const shells = words(
  'bash shell sh exec execute execcommand shellcommand shellexec localshell localshellcall containerexec terminal powershell executebash executecommand runcommand runshellcommand runterminalcmd runinterminal',
)
const patchers = words('applypatch patch')
const editors = words('strreplaceeditor strreplacebasededittool editor fileeditor') // their `command` says what they do

/** Fields of a tool's input that name a file. */
export const pathFields: readonly string[] = wordsIn(`
  file_path filePath path filename notebook_path absolute_path target_file file
`)
const urlFields = ['url', 'uri']
const patternFields = ['pattern', 'query', 'regex', 'glob', 'search']
const commandFields = ['command', 'cmd', 'script', 'code']
const patchFields = ['input', 'patch', 'patchText', 'patch_text', 'diff']

type Input = Readonly<Record<string, unknown>>

/** All targets of a call: a patch may change several files, and a shell command may print several. */
export function toolTargets(name: string, input: unknown): ToolTarget[] {
  const verb = verbOf(name)
  const args = asInput(input)
  if (patchers.has(verb))
    return patchTargets(typeof input === 'string' && args === null ? input : (firstText(args, patchFields) ?? ''))
  const sent = sentToShell(name, input)
  if (sent) return [...sent.patches.flatMap(patchTargets), ...sent.commands.flatMap((one) => shellTargets(one))]
  if (args === null) return []
  const action = editors.has(verb) ? (args.command === 'view' ? 'read' : 'write') : null
  const kind = action ?? (readers.has(verb) ? 'read' : writers.has(verb) ? 'write' : 'other')
  const path = firstText(args, pathFields)
  if (searchers.has(verb)) {
    const pattern = firstText(args, patternFields)
    if (pattern === null) return []
    const place = [path ?? text(args.paths), text(args.include), pattern === args.glob ? null : text(args.glob)].filter(
      (part) => part !== null,
    )
    return [{ kind: 'read', target: [pattern, ...place].join(' in '), range: null, form: 'query' }]
  }
  if (path !== null) return [{ kind, target: path, range: kind === 'read' ? rangeOf(args) : null, form: 'path' }]
  const url = firstText(args, urlFields)
  return url === null ? [] : [{ kind, target: url, range: null, form: 'url' }]
}

/**
 * What a call gives to a shell, each a command line or the words of one, and the patches of a program; null where it is
 * to no shell.
 */
export function sentToShell(
  name: string,
  input: unknown,
): { readonly commands: readonly (string | readonly string[])[]; readonly patches: readonly string[] } | null {
  if (!shells.has(verbOf(name))) return null
  const args = asInput(input)
  const program = args === null ? programText(input) : null
  if (program) return program
  const command = typeof input === 'string' && args === null ? input : commandOf(args)
  return { commands: command === null ? [] : [command], patches: [] }
}

const verbOf = (name: string): string => (name.split(/__|[./]/).at(-1) ?? '').toLowerCase().replace(/[^a-z]/g, '')

/** Whether a call gives its text to a shell: of an input with fields, a command or its words. */
export function isCommand(name: string, input: unknown, text: string): boolean {
  if (!shells.has(verbOf(name))) return false
  const args = asInput(input)
  if (args === null) return true
  const command = commandOf(args)
  return command === text || (Array.isArray(command) && command.includes(text))
}

/** The input as an object; some providers record arguments as a JSON string. */
function asInput(input: unknown): Input | null {
  let value = input
  if (typeof value === 'string') {
    if (!/^\s*\{/.test(value)) return null
    try {
      value = JSON.parse(value)
    } catch {
      return null
    }
  }
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Input) : null
}

const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null)

function firstText(args: Input | null, fields: readonly string[]): string | null {
  if (args !== null) {
    for (const field of fields) {
      const value = Object.hasOwn(args, field) ? text(args[field]) : null
      if (value !== null) return value
    }
  }
  return null
}

function commandOf(args: Input | null): string | readonly string[] | null {
  const command = args?.command ?? args?.cmd
  if (Array.isArray(command)) return command.filter((word) => typeof word === 'string')
  return firstText(args, commandFields)
}

function rangeOf(args: Input): string | null {
  const view = args.view_range
  if (Array.isArray(view)) return range(view[0], view[1])
  const from = args.start_line ?? args.startLine
  const to = args.end_line ?? args.endLine
  if (from !== undefined || to !== undefined) return range(from, to)
  const limit = whole(args.limit)
  if (args.offset === undefined && limit === null) return null
  const offset = Math.max(1, whole(args.offset) ?? 1)
  return range(offset, limit === null ? null : offset + limit - 1)
}

function range(from: unknown, to: unknown): string | null {
  const first = whole(from) ?? 1
  const last = whole(to)
  return first <= 1 && (last === null || last < 0) ? null : `${first}-${last === null || last < 0 ? '' : last}`
}

function whole(value: unknown): number | null {
  const number = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value
  return typeof number === 'number' && Number.isSafeInteger(number) ? number : null
}
