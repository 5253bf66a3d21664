/** `completion`: a script for the shell, made from the same lists as the help, so that the two cannot differ. */
import { closest } from '../../app/door.ts'
import { CtxwinError, estimators, policies, readers } from '../../index.ts'
import type { Call } from '../call.ts'
import { type CommandLine, commands } from '../commands.ts'
import { openOutput } from '../io.ts'
import { type Setting, setting } from '../settings.ts'

export async function run({ world, inputs }: Call): Promise<number> {
  const shell = inputs[0] ?? ''
  const script = Object.hasOwn(scripts, shell) ? scripts[shell as keyof typeof scripts] : undefined
  if (!script) throw new CtxwinError('unknown-name', 'shell', shell, closest(shell, Object.keys(scripts)))
  await openOutput(world, null, 'never').write([script()])
  return 0
}

interface Flag {
  /** `--budget`, and `-b` where there is one. */
  readonly names: readonly string[]
  readonly help: string
  readonly words: readonly string[]
  readonly takesValue: boolean
}

function flagsOf(name: string): Flag[] {
  const command: CommandLine | undefined = commands.find((candidate) => candidate.name === name)
  const own = (command?.flags ?? []).map(([flags, help, { words = [] } = {}]) => flagOf(flags, help, words))
  return [...(command?.settings ?? []).map((key) => ofSetting(setting(key))), ...own]
}

function ofSetting({ flags, help, words }: Setting): Flag {
  const registries = { formats: readers, policies, estimators }
  const known = typeof words === 'string' ? registries[words].names : (words ?? [])
  return flagOf(flags, help, words === 'formats' ? ['auto', ...known] : known)
}

function flagOf(flags: string, help: string, words: readonly string[]): Flag {
  return { names: flags.match(/--?[a-z][\w.-]*/g) ?? [], help, words, takesValue: flags.includes('<') }
}

const scripts = {
  bash() {
    const cases = commands.map(({ name }) => {
      const flags = flagsOf(name)
      return `    ${name}) words="${flags.flatMap(({ names }) => names).join(' ')}" ;;`
    })
    const values = unique(commands.flatMap(({ name }) => flagsOf(name).filter(({ words }) => words.length > 0)))
    return `# ctxwin completion for bash
_ctxwin() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}" words=""
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$current"))
    return
  fi
  case "$previous" in
${values.map(({ names, words }) => `    ${names.join('|')}) COMPREPLY=($(compgen -W "${words.join(' ')}" -- "$current")); return ;;`).join('\n')}
  esac
  case "\${COMP_WORDS[1]}" in
${cases.join('\n')}
  esac
  if [[ "$current" == -* ]]; then COMPREPLY=($(compgen -W "$words" -- "$current")); else COMPREPLY=($(compgen -f -- "$current")); fi
}
complete -o filenames -F _ctxwin ctxwin
`
  },
  zsh() {
    const quote = (text: string) => text.replaceAll("'", "'\\''").replaceAll(/[[\]:]/g, '\\$&')
    const branch = (name: string) =>
      flagsOf(name)
        .flatMap((flag) => flag.names.map((word) => ({ ...flag, word })))
        .map(({ word, help, words, takesValue }) => {
          const value = words.length > 0 ? `:value:(${words.join(' ')})` : takesValue ? ':value:' : ''
          return `        '${word}[${quote(help)}]${value}'`
        })
        .join(' \\\n')
    return `#compdef ctxwin
# ctxwin completion for zsh
_ctxwin() {
  if (( CURRENT == 2 )); then
    local -a commands=(
${commands.map(({ name, summary }) => `      '${name}:${quote(summary)}'`).join('\n')}
    )
    _describe command commands
    return
  fi
  case $words[2] in
${commands
  .filter(({ settings }) => settings.length > 0)
  .map(({ name }) => `    ${name})\n      _arguments \\\n${branch(name)} \\\n        '*:transcript:_files' ;;`)
  .join('\n')}
    completion) _values shell bash zsh fish ;;
  esac
}
compdef _ctxwin ctxwin
`
  },
  fish() {
    const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    const lines = commands.flatMap(({ name, summary }) => [
      `complete -c ctxwin -n __fish_use_subcommand -a ${name} -d ${quote(summary)}`,
      ...flagsOf(name).map(({ names, help, words, takesValue }) => {
        const long = names.find((word) => word.startsWith('--'))?.slice(2)
        const short = names.find((word) => !word.startsWith('--'))?.slice(1)
        const value = words.length > 0 ? ` -xa ${quote(words.join(' '))}` : takesValue ? ' -r' : ''
        return `complete -c ctxwin -n '__fish_seen_subcommand_from ${name}' -l ${long}${short ? ` -s ${short}` : ''}${value} -d ${quote(help)}`
      }),
    ])
    return `# ctxwin completion for fish\n${lines.join('\n')}\n`
  },
} as const

function unique(flags: readonly Flag[]): Flag[] {
  return [...new Map(flags.map((flag) => [flag.names.join(' '), flag])).values()]
}
