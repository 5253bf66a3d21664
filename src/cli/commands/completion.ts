/**
 * `completion`: a script for the shell, made from the same lists as the help, so that the two cannot differ. Files are
 * left to the shell itself, which knows how it quotes a name with spaces.
 */

import { CtxwinError, estimators, policies, readers } from '../../app/index.ts'
import { closest } from '../../base/closest.ts'
import { shellWord } from '../../base/quoting.ts'
import { builtinModels } from '../../models/lookup.ts'
import type { Call } from '../inputs/call.ts'
import { type CommandLine, listed, namedCommands } from '../inputs/commands.ts'
import { flagsOf, generalFlags, type Flag as HelpFlag, helpFlag } from '../inputs/flags.ts'
import { topics } from '../inputs/topics.ts'
import { openOutput } from '../output/io.ts'

export async function run({ world, inputs }: Call): Promise<number> {
  const shell = inputs[0] ?? ''
  const script = Object.hasOwn(scripts, shell) ? scripts[shell as keyof typeof scripts] : undefined
  if (!script) throw new CtxwinError('unknown-name', 'shell', shell, closest(shell, Object.keys(scripts)))
  await openOutput(world, null).write([script()])
  return 0
}

interface Flag {
  /** `-b` and `--budget`. */
  readonly names: readonly string[]
  readonly help: string
  readonly takes: 'nothing' | 'a file' | 'a value'
  /** What may follow; empty = not known. */
  readonly words: readonly string[]
  /** Several of them, with commas. */
  readonly list: boolean
}

const registries = {
  formats: ['auto', ...readers.names],
  policies: policies.names,
  estimators: estimators.names,
}

function completed({ flags, help, words = [], list = false }: HelpFlag): Flag {
  const takes = /<(file|directory)>/.test(flags) ? 'a file' : flags.includes('<') ? 'a value' : 'nothing'
  const known = typeof words === 'string' ? registries[words] : words
  return { names: flags.match(/--?[a-z][\w.-]*/g) ?? [], help, takes, words: known, list }
}

function completedOf(line: CommandLine): Flag[] {
  return [...flagsOf(line).filter(({ hidden }) => !hidden), helpFlag].map(completed)
}

const all = namedCommands
const everywhere = [...generalFlags, helpFlag].map(completed)

/** What stands behind the flags. */
function behind({ inputs }: CommandLine): 'files' | readonly string[] {
  if (inputs === 'shell') return Object.keys(scripts)
  if (inputs === 'topics') return [...new Set([...all, ...topics].map(({ name }) => name))]
  if (inputs === 'list') return [...listed, ...policies.names, ...builtinModels.models.map(({ id }) => id)]
  return inputs === 'none' ? [] : 'files'
}

const scripts = {
  bash() {
    const valuesOf = (flags: readonly Flag[]) =>
      flags
        .filter(({ takes }) => takes !== 'nothing')
        .map(({ names, takes, words, list }) => {
          const what =
            takes === 'a file' ? '_ctxwin_files' : `_ctxwin_words ${list ? ',' : "''"} ${shellWord(words.join(' '))}`
          return `        ${names.join('|')}) ${what}; return ;;`
        })
        .join('\n')
    const namesOf = (flags: readonly Flag[]) => shellWord(flags.flatMap(({ names }) => names).join(' '))
    const branches = all.map((line) => {
      const place = behind(line)
      return `    ${line.name})
      case "$previous" in
${valuesOf(completedOf(line))}
      esac
      flags=${namesOf(completedOf(line))}
      ${place === 'files' ? 'files=yes' : `words=${shellWord(place.join(' '))}`}
      ;;`
    })
    return `# ctxwin completion for bash

# The words that begin with what is typed; after a comma, where they are a list.
_ctxwin_words() {
  local typed="$current" before=""
  if [[ -n $1 && $current == *$1* ]]; then
    before="\${current%"$1"*}$1"
    typed="\${current##*"$1"}"
  fi
  COMPREPLY=($(compgen -P "$before" -W "$2" -- "$typed"))
  # Else a word that is not known would be taken for the beginning of a file.
  type compopt > /dev/null 2>&1 && compopt +o default
}

# Nothing of our own: then the shell completes a file.
_ctxwin_files() {
  COMPREPLY=()
}

_ctxwin() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="" command="" flags="" words="" files="" at
  [[ $COMP_CWORD -gt 0 ]] && previous="\${COMP_WORDS[COMP_CWORD-1]}"
  # --policy=x is three words here.
  if [[ $current == "=" ]]; then
    current=""
  elif [[ $previous == "=" && $COMP_CWORD -gt 1 ]]; then
    previous="\${COMP_WORDS[COMP_CWORD-2]}"
  fi
  for ((at = 1; at < COMP_CWORD; at++)); do
    case "\${COMP_WORDS[at]}" in
      --config) ((at++)) ;;
      -*) ;;
      *) command="\${COMP_WORDS[at]}"; break ;;
    esac
  done
  case "$command" in
    '')
      case "$previous" in
${valuesOf(everywhere)}
      esac
      flags=${namesOf(everywhere)}
      words=${shellWord(all.map(({ name }) => name).join(' '))}
      ;;
${branches.join('\n')}
  esac
  if [[ $current == -* ]]; then
    _ctxwin_words '' "$flags"
  elif [[ -n $files ]]; then
    _ctxwin_files
  else
    _ctxwin_words '' "$words"
  fi
}

complete -o bashdefault -o default -F _ctxwin ctxwin
`
  },
  zsh() {
    const quote = (text: string) => text.replaceAll("'", "'\\''")
    const inBrackets = (text: string) => quote(text).replaceAll(/[[\]\\]/g, '\\$&')
    const inNames = (text: string) => quote(text).replaceAll(':', '\\:')
    const specsOf = (flags: readonly Flag[]) =>
      flags.flatMap(({ names, help, takes, words, list }) => {
        const known = list ? `_sequence compadd - ${words.join(' ')}` : `(${words.join(' ')})`
        const any = words.length === 0 ? ':value: ' : `:value:${known}`
        const value = { nothing: '', 'a file': ':file:_files', 'a value': any }[takes]
        const others = names.length > 1 && !list ? `(${names.join(' ')})` : list ? '\\*' : ''
        return names.map((name) => {
          const joined = takes === 'nothing' ? '' : name.startsWith('--') ? '=' : '+'
          return `${others.replace('\\*', '*')}${name}${joined}[${inBrackets(help)}]${value}`
        })
      })
    const lines = (specs: readonly string[], indent: string) => specs.map((spec) => `${indent}'${spec}'`).join(' \\\n')
    const branches = all.map((line) => {
      const place = behind(line)
      const rest =
        place === 'files'
          ? ['*:transcript:_files']
          : place.length > 0
            ? [`${line.inputs === 'shell' || line.inputs === 'topics' ? 1 : '*'}:word:(${place.join(' ')})`]
            : []
      return `        ${line.name})
          _arguments -s -S \\
${lines([...specsOf(completedOf(line)), ...rest], '            ')}
          ;;`
    })
    return `#compdef ctxwin
# ctxwin completion for zsh

_ctxwin() {
  local curcontext="$curcontext" state line
  local -a commands
  commands=(
${all.map(({ name, summary }) => `    '${name}:${inNames(summary)}'`).join('\n')}
  )
  _arguments -C -s -S \\
${lines([...specsOf(everywhere), '1:command:->command', '*::argument:->argument'], '    ')}
  case $state in
    command) _describe command commands ;;
    argument)
      case $line[1] in
${branches.join('\n')}
      esac
      ;;
  esac
}

# As a file of $fpath it is run for the first completion; sourced, it has to be named.
if [[ $funcstack[1] == _ctxwin ]]; then
  _ctxwin "$@"
else
  compdef _ctxwin ctxwin
fi
`
  },
  fish() {
    const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    const flagLine = (condition: string) => (flag: Flag) => {
      const { names, help, takes, words, list } = flag
      const long = names.find((word) => word.startsWith('--'))?.slice(2)
      const short = names.find((word) => !word.startsWith('--'))?.slice(1)
      const several = `(__fish_complete_list , 'printf "%s\\\\n" ${words.join(' ')}')`
      const known = list ? `"${several}"` : quote(words.join(' '))
      const any = words.length === 0 ? ' -x' : ` -xa ${known}`
      const value = { nothing: '', 'a file': ' -rF', 'a value': any }[takes]
      return `complete -c ctxwin${condition} -l ${long}${short ? ` -s ${short}` : ''}${value} -d ${quote(help)}`
    }
    const names = all.map(({ name }) => name).join(' ')
    const isFirst = ` -n 'not __fish_seen_subcommand_from ${names}'`
    const lines = all.flatMap((line) => {
      const condition = ` -n '__fish_seen_subcommand_from ${line.name}'`
      const place = behind(line)
      return [
        `complete -c ctxwin${isFirst} -fa ${line.name} -d ${quote(line.summary)}`,
        ...(place === 'files'
          ? []
          : [`complete -c ctxwin${condition} -f${place.length > 0 ? `a ${quote(place.join(' '))}` : ''}`]),
        ...completedOf(line)
          .filter(({ names: [name] }) => !everywhere.some((flag) => flag.names[0] === name))
          .map(flagLine(condition)),
      ]
    })
    return `# ctxwin completion for fish
${everywhere.map(flagLine('')).join('\n')}
${lines.join('\n')}
`
  },
} as const
