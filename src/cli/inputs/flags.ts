/** The arguments and flags of each command, in the order of its help: for parsing, help, completions and the man page. */
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
  /** What is told as its default; null = nothing, or `help` tells it. */
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

/** What stands behind the flags of a command. */
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

export const helpFlag: Flag = { flags: '-h, --help', help: 'show this help', group: 'general', default: null }

/** Known to every command, before its name or behind it. */
export const generalFlags: readonly Flag[] = (
  [
    {
      flags: '--config <file>',
      help: 'config file (default: ctxwin.config.json, .jsonc, .js, .mjs, .cjs, .ts, or "ctxwin" in package.json)',
    },
    { flags: '--no-config', help: 'look for no config file (CTXWIN_NO_CONFIG=1 does the same)', key: 'noConfig' },
    { flags: '--print-config', help: 'print every setting with its value and where it comes from, then exit' },
    { flags: '-q, --quiet', help: 'results and errors only: no notes, no progress' },
  ] as const
).map((flag) => ({ ...flag, group: 'general', default: null, isRare: flag.flags !== '-q, --quiet' }))

/** Short ways to say what another flag says, which must not say something else beside. */
const shortcuts: readonly (Pick<Flag, 'flags' | 'help' | 'group' | 'conflicts'> & {
  readonly of: SettingKey
})[] = [
  { of: 'output', flags: '--json', help: 'the same as --output json', group: 'output', conflicts: ['output'] },
  { of: 'reporter', flags: '--json', help: 'the same as --reporter json', group: 'output', conflicts: ['reporter'] },
]

/** Settings in the short help of each command that has them. */
const everywhere: readonly SettingKey[] = ['since', 'project', 'budget', 'policy', 'outputFile']

/** What is peculiar to the command, then by heading. */
export function flagsOf(line: CommandLine): Flag[] {
  const all: Flag[] = []
  // What only `help --all` lists has no short help of its own.
  const isRare = (key: SettingKey): boolean =>
    line.isRare !== true && !everywhere.includes(key) && line.short?.includes(key) !== true
  for (const key of line.settings) {
    if (setting(key).variableOnly) continue
    const { flags, help, group, list, default: value, ...usual } = setting(key)
    const words = line.otherWords?.[key] ?? usual.words
    const hasOther = line.otherDefaults?.includes(key) || typeof value === 'boolean'
    const isUsual = line.shows === 'recorded' && (key === 'policy' || key === 'budget')
    const told = hasOther ? null : isUsual ? usualWindowWords[key] : value
    const about = { group, isRare: isRare(key) }
    const isNamedAfterKey = flags.includes(flagFor(key).slice(2))
    const named = isNamedAfterKey ? {} : { key }
    all.push({ flags, help, ...about, ...named, default: told, ...(words && { words }), ...(list && { list }) })
    // A switch that a config file sets must have a flag that says the opposite.
    if (typeof value === 'boolean' && isNamedAfterKey)
      all.push({ flags: opposite(flags), help, ...about, default: null, hidden: true })
  }
  for (const [flags, help, { words, group = null, isRare = false } = {}] of line.flags ?? []) {
    all.push({ flags, help, group, isRare, default: null, ...(words && { words }) })
  }
  for (const { of, ...shortcut } of shortcuts) {
    const isKnown = all.some(({ flags }) => flags === shortcut.flags)
    if (line.settings.includes(of) && !isKnown) all.push({ ...shortcut, default: null })
  }
  const order = [null, ...Object.keys(groups)]
  return [...all, ...generalFlags].sort((a, b) => order.indexOf(a.group) - order.indexOf(b.group))
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
