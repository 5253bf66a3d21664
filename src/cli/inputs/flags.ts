/**
 * The arguments and flags of each command, in the order of its help: for parsing, help, completions and the man page.
 */
import { type CommandLine, listed } from './commands.ts'
import { flagFor, groups, type Setting, type SettingKey, setting, usualWindowWords } from './settings.ts'

export interface Flag {
  /** In commander's notation. */
  readonly flags: string
  readonly help: string
  /** The heading it stands under; null = it is peculiar to its command. */
  readonly group: keyof typeof groups | null
  /** The words that may follow. */
  readonly words?: Setting['words']
  /** The default that help shows; null = none, or the help text says it. */
  readonly default: Setting['default']
  /** May be given several times, or as a list separated by commas. */
  readonly list?: boolean
  readonly hidden?: boolean
  /** Only `--help --all` lists it. */
  readonly isRare?: boolean
  /** What it sets, where its name says another: `--no-cache` is not the opposite of `--cache`. */
  readonly key?: SettingKey | 'noConfig'
  /** Flags that say the same, in commander's keys. */
  readonly conflicts?: readonly string[]
}

/** The arguments of a command. */
export const argumentsOf = {
  many: {
    name: '[inputs...]',
    help: 'transcripts: files, directories, globs, ids of sessions, or - for standard input (default: inputs of the config file; else, on a terminal, all that ctxwin finds)',
  },
  session: {
    name: '[inputs...]',
    help: 'a transcript, the beginning of a session’s id, or - for standard input (default: the newest of the inputs of the config file, or of all that ctxwin finds)',
  },
  one: {
    name: '[input]',
    help: 'a transcript, the beginning of a session’s id, or - for standard input (default: the newest of the inputs of the config file; else, on a terminal, the newest session)',
  },
  parts: { name: '<parts...>', help: 'what the shards wrote with --output partial' },
  list: { name: '[names...]', help: `${listed.join(', ')}; then names of policies or models (default: all)` },
  config: {
    name: '[file]',
    help: 'a config file, or a module that a variable names (default: the config file of this directory)',
  },
  none: null,
  shell: { name: '<shell>', help: 'bash, zsh or fish' },
  topics: { name: '[topic]', help: 'a command or a page (default: list them)' },
} as const

function general(flags: string, help: string, more: Pick<Flag, 'key' | 'isRare'> = { isRare: true }): Flag {
  return { flags, help, group: 'general', default: null, ...more }
}

export const helpFlag = general('-h, --help', 'show this help', {})

/** Known to every command, before its name or behind it. */
export const generalFlags: readonly Flag[] = [
  general(
    '--config <file>',
    'config file (default: ctxwin.config.json, .jsonc, .js, .mjs, .cjs, .ts, or "ctxwin" in package.json)',
  ),
  general('--no-config', 'look for no config file (CTXWIN_NO_CONFIG=1 does the same)', {
    key: 'noConfig',
    isRare: true,
  }),
  general('--print-config', 'print every setting with its value and where it comes from, then exit'),
  general('-q, --quiet', 'results and errors only: no notes, no progress', {}),
]

/** Short forms of another flag, which conflict with it. */
const shortcuts = (['output', 'reporter'] as const).map((of) => {
  const flag: Flag = {
    flags: '--json',
    help: `the same as --${of} json`,
    group: 'output',
    default: null,
    conflicts: [of],
  }
  return { of, flag }
})

/** Settings in the short help of each command that has them. */
const everywhere: readonly SettingKey[] = ['since', 'project', 'budget', 'policy', 'outputFile']

/** What is peculiar to the command, then by heading. */
export function flagsOf(line: CommandLine): Flag[] {
  const all = line.settings.filter((key) => !setting(key).variableOnly).flatMap((key) => flagsFor(key, line))
  for (const [flags, help, about] of line.flags ?? []) all.push({ flags, help, group: null, default: null, ...about })
  const [shortcut] = shortcuts.filter(({ of }) => line.settings.includes(of))
  if (shortcut) all.push(shortcut.flag)
  const order = [null, ...Object.keys(groups)]
  return [...all, ...generalFlags].sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group))
}

/** The flag of a setting, and for a switch, which a config file may set, its opposite. */
function flagsFor(key: SettingKey, line: CommandLine): Flag[] {
  const { flags, help, group, list, default: value, ...usual } = setting(key)
  const words = line.otherWords?.[key] ?? usual.words
  const isSwitch = typeof value === 'boolean'
  const isUsual = line.shows === 'recorded' && (key === 'policy' || key === 'budget')
  const told = line.otherDefaults?.includes(key) || isSwitch ? null : isUsual ? usualWindowWords[key] : value
  // A command that only `help --all` lists shows all of its flags.
  const isRare = line.isRare !== true && !everywhere.includes(key) && line.short?.includes(key) !== true
  const isNamedAfterKey = flags.includes(flagFor(key).slice(2))
  const named = isNamedAfterKey ? {} : { key }
  const flag = { flags, help, group, isRare, ...named, default: told, ...(words && { words }), ...(list && { list }) }
  const unsaid = { flags: opposite(flags), help, group, isRare, default: null, hidden: true }
  return isSwitch && isNamedAfterKey ? [flag, unsaid] : [flag]
}

/** Its help with the words that may follow it, unless it explains each of them, and with its default. */
export function wordsOf({ help, words, default: value }: Flag): string {
  const choices = Array.isArray(words) && !words.every((word) => new RegExp(`\\b${word}\\b`).test(help)) ? words : []
  const told = [
    ...(choices.length > 0 ? [`choices: ${choices.join(', ')}`] : []),
    ...(value === null ? [] : [`default: ${value}`]),
  ]
  return told.length > 0 ? `${help} (${told.join('; ')})` : help
}

function opposite(flag: string): string {
  return flag.startsWith('--no-') ? flag.replace('--no-', '--') : flag.replace('--', '--no-')
}

/** A summary as a sentence. */
export function sentence(summary: string): string {
  return `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`
}
