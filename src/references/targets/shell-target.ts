/**
 * What a tool call works on, by its name and input. `kind`: whether it fetches or changes the target. `range`: the
 * requested lines, `from-to` (1-based, inclusive, a side missing if open) or `last n`; null for all. `form`: what the
 * target is; a query is a search (pattern and place), a listing or a web search.
 */
export interface ToolTarget {
  kind: 'read' | 'write' | 'other'
  target: string | null
  range: string | null
  form: 'path' | 'url' | 'query' | null
}

// Parses enough shell to see which files a command prints or overwrites: quotes, pipes, lists, redirections,
// here-documents. Expansions, loops and functions are not followed; an unknown command has no target.

interface Command {
  words: string[]
  writesTo: string[]
  /** Its input is the output of the command before it. */
  piped: boolean
}

const wrappers = new Set(['sudo', 'env', 'time', 'nice', 'nohup', 'command', 'exec', 'builtin'])
const shells = new Set(['bash', 'sh', 'zsh', 'dash', 'pwsh', 'powershell', 'powershell.exe', 'cmd', 'cmd.exe'])
const printers = new Set(['cat', 'bat', 'less', 'more', 'nl', 'head', 'tail', 'type', 'gc', 'get-content'])
const searches = new Set('grep egrep rg ag find fd ls tree dir gci get-childitem select-string sls'.split(' '))
const overwriters = new Set(['tee', 'touch', 'rm', 'mv', 'cp', 'remove-item', 'set-content', 'add-content', 'out-file'])
const optionsWithValue = new Set(
  '-n -c -w -s -v -i -e -f --lines --bytes -totalcount -head -first -tail -encoding -readcount -value'.split(' '),
)
const maxDepth = 3

/**
 * Targets of a shell command (a command line, or its words), in order. A file that is read and written occurs twice.
 */
export function shellTargets(command: string | readonly string[], depth = 0): ToolTarget[] {
  if (typeof command === 'string') {
    if (command.includes('*** Begin Patch')) return patchTargets(command)
    return commandsTargets(parse(command), depth)
  }
  return commandsTargets([{ words: [...command], writesTo: [], piped: false }], depth)
}

/** The files of a Codex patch. */
export function patchTargets(patch: string): ToolTarget[] {
  const targets: ToolTarget[] = []
  for (const match of patch.matchAll(/^\*\*\* (?:Update|Add|Delete) File: (.+)$|^\*\*\* Move to: (.+)$/gm)) {
    targets.push(write((match[1] ?? match[2] ?? '').trim()))
  }
  return targets
}

const write = (target: string): ToolTarget => ({ kind: 'write', target, range: null, form: 'path' })

function commandsTargets(commands: readonly Command[], depth: number): ToolTarget[] {
  const targets: ToolTarget[] = []
  // One by one: as arguments of a single push, the words of a long command would overflow the stack.
  const add = (found: readonly ToolTarget[]): void => {
    for (const target of found) targets.push(target)
  }
  let directory = ''
  let printed: ToolTarget[] = [] // by the pipeline so far
  for (const { words, writesTo, piped } of commands) {
    const [verb, ...args] = withoutWrappers(words)
    const name = verb?.toLowerCase() ?? ''
    if (!piped) printed = []
    if (name === 'cd' || name === 'set-location' || name === 'pushd') directory = within(directory, args[0] ?? '')
    else if (shells.has(name) && depth < maxDepth) {
      const flag = args.findIndex((arg) => /^[-/](?:[a-z]*c|command)$/i.test(arg))
      const script = args[flag + 1]
      if (flag >= 0 && script !== undefined) add(shellTargets(script, depth + 1))
    } else if (name === 'apply_patch') add(patchTargets(args[0] ?? ''))
    else if (name === 'sed' && args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg))) {
      add(sedFiles(args).map((file) => write(within(directory, file))))
    } else if (name === 'sed' || printers.has(name)) {
      const range = name === 'sed' ? sedRange(args) : linesRange(name, args)
      const files = name === 'sed' ? sedFiles(args) : plainArgs(args)
      if (piped) for (const target of printed) target.range ??= range
      else if (writesTo.length === 0) {
        printed = files.map((file) => ({ kind: 'read', target: within(directory, file), range, form: 'path' }))
        add(printed)
      }
    } else if (searches.has(name) && !piped) {
      targets.push({ kind: 'read', target: words.join(' '), range: null, form: 'query' })
    } else if (overwriters.has(name)) {
      const files = plainArgs(args)
      const changed = name === 'cp' ? files.slice(-1) : name.endsWith('-content') ? files.slice(0, 1) : files
      add(changed.map((file) => write(within(directory, file))))
    }
    add(writesTo.map((file) => write(within(directory, file))))
  }
  return targets
}

function withoutWrappers(words: readonly string[]): readonly string[] {
  let first = 0
  while (first < words.length && (wrappers.has(words[first]!) || /^\w+=/.test(words[first]!))) first++
  return words.slice(first)
}

const within = (directory: string, file: string): string =>
  directory === '' || /^(?:[/~\\]|[A-Za-z]:)/.test(file) ? file : `${directory}/${file}`

function plainArgs(args: readonly string[]): string[] {
  const plain: string[] = []
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (optionsWithValue.has(arg.toLowerCase())) i++
    else if (!arg.startsWith('-') && arg !== '') plain.push(arg)
  }
  return plain
}

/** The arguments without options and script; the script is the first argument unless -e or -f gives one. */
function sedFiles(args: readonly string[]): string[] {
  const scripted = args.some((arg) => arg === '-e' || arg === '-f')
  const plain: string[] = []
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '-e' || args[i] === '-f') i++
    else if (!args[i]!.startsWith('-') && args[i] !== '') plain.push(args[i]!)
  }
  return scripted ? plain : plain.slice(1)
}

function sedRange(args: readonly string[]): string | null {
  for (const arg of args) {
    const range = /^(\d+)(?:,(\d+|\$))?p/.exec(arg)
    if (range) return `${range[1]}-${range[2] === '$' ? '' : (range[2] ?? range[1])}`
  }
  return null
}

function linesRange(name: string, args: readonly string[]): string | null {
  const options = args.join(' ')
  if (name === 'gc' || name === 'get-content' || name === 'type') {
    const first = /-(?:totalcount|head|first)\s+(\d+)/i.exec(options)
    const last = /-tail\s+(\d+)/i.exec(options)
    return first ? `1-${first[1]}` : last ? `last ${last[1]}` : null
  }
  if (name !== 'head' && name !== 'tail') return null
  const lines = /(?:^|\s)(?:-n\s*|--lines[= ]|-)(\+?\d+)(?=\s|$)/.exec(options)?.[1] ?? '10'
  if (name === 'head') return `1-${Number(lines)}`
  return lines.startsWith('+') ? `${Number(lines)}-` : `last ${Number(lines)}`
}

/** By quote: the characters that mean nothing but themselves. Scripts are long, and most of them is such runs. */
const plainRuns = { '': /[^\\"'>|;&\n\t\r ()]+/y, '"': /[^"\\]+/y, "'": /[^']+/y }

function parse(line: string): Command[] {
  const text = withoutHereDocuments(line)
  const commands: Command[] = []
  let command: Command = { words: [], writesTo: [], piped: false }
  let word = ''
  let inWord = false
  let redirect = false // the next word is a file to write to
  let quote: keyof typeof plainRuns = ''
  const endWord = (): void => {
    if (!inWord) return
    if (!redirect) command.words.push(word)
    else if (!word.startsWith('&') && word !== '/dev/null') command.writesTo.push(word)
    word = ''
    inWord = redirect = false
  }
  const endCommand = (piped: boolean): void => {
    endWord()
    if (command.words.length > 0 || command.writesTo.length > 0) commands.push(command)
    command = { words: [], writesTo: [], piped }
  }
  for (let i = 0; i < text.length; i++) {
    const run = plainRuns[quote]
    run.lastIndex = i
    const plain = run.exec(text)?.[0]
    if (plain !== undefined) {
      word += plain
      inWord = true
      i += plain.length - 1
      continue
    }
    const character = text[i]!
    if (character === '\\' && quote !== "'" && /[\s"'\\$`;&|<>()]/.test(text[i + 1] ?? '')) {
      // a backslash before a letter is kept: it separates folders on Windows
      i++
      if (text[i] !== '\n') word += text[i]
      inWord = true
    } else if (quote !== '') {
      if (character === quote) quote = ''
      else word += character
    } else if (character === '"' || character === "'") {
      quote = character
      inWord = true
    } else if (character === '>') {
      if (/^\d$/.test(word)) {
        word = '' // 2> is the standard error's
        inWord = false
      }
      endWord()
      if (text[i + 1] === '>') i++
      if (text[i + 1] === '&') i++
      else redirect = true
    } else if (character === '|' || character === ';' || character === '&' || character === '\n') {
      const double = text[i + 1] === character
      if (double) i++
      endCommand(character === '|' && !double)
    } else if (
      character === ' ' ||
      character === '\t' ||
      character === '\r' ||
      character === '(' ||
      character === ')'
    ) {
      endWord()
    } else {
      word += character
      inWord = true
    }
  }
  endCommand(false)
  return commands
}

function withoutHereDocuments(text: string): string {
  if (!text.includes('<<')) return text
  const kept: string[] = []
  let end = ''
  for (const line of text.split('\n')) {
    if (end !== '') {
      if (line.trim() === end) end = ''
      continue
    }
    const start = /<<-?\s*(["']?)(\w+)\1/.exec(line)
    end = start?.[2] ?? ''
    kept.push(start ? line.replace(start[0], ' ') : line)
  }
  return kept.join('\n')
}
