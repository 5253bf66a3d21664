/** The commands as commander knows them. What a command does is loaded when it is called. */
import { Command, Option } from 'commander'
import type { Action, Call } from './call.ts'
import { type CommandLine, type CommandName, commands } from './commands.ts'
import { groups, type Setting, type SettingKey, setting } from './settings.ts'
import { quietly, type World, widthOf } from './world.ts'

const actions: Readonly<Record<CommandName, () => Promise<{ run: Action }>>> = {
  sessions: () => import('./commands/sessions.ts'),
  simulate: () => import('./commands/simulate.ts'),
  curve: () => import('./commands/curve.ts'),
  history: () => import('./commands/history.ts'),
  exchanges: () => import('./commands/exchanges.ts'),
  compare: () => import('./commands/compare.ts'),
  check: () => import('./commands/check.ts'),
  init: () => import('./commands/init.ts'),
  window: () => import('./commands/window.ts'),
  policies: () => import('./commands/policies.ts'),
  estimators: async () => (await import('./commands/lists.ts')).lists.estimators,
  formats: async () => (await import('./commands/lists.ts')).lists.formats,
  calibrate: () => import('./commands/calibrate.ts'),
  spend: () => import('./commands/spend.ts'),
  models: () => import('./commands/models.ts'),
  completion: () => import('./commands/completion.ts'),
}

const argument = {
  many: [
    '[inputs...]',
    'transcripts: files, directories, globs, ids of sessions, or - for standard input (default: inputs in the config file, else, on a terminal, all that ctxwin finds)',
  ],
  here: [
    '[inputs...]',
    'transcripts: files, directories, globs (default: inputs in the config file, else this directory)',
  ],
  one: [
    '[input]',
    'a transcript, the id of a session or its beginning, or - for standard input (default: the newest of inputs in the config file, else, on a terminal, the newest session)',
  ],
  names: ['[names...]', 'names of models (default: all)'],
  none: null,
  shell: ['<shell>', 'bash, zsh or fish'],
} as const

/** @param act is given what the called command does; nothing of it is loaded before */
export function buildProgram(
  world: World,
  version: string,
  act: (action: Action, call: Call) => Promise<void>,
): Command {
  const program = new Command('ctxwin')
    .description('See what a context-window policy would do to your agents’ conversations, before you ship it.')
    .version(version)
    .addHelpOption(help())
    .helpCommand('help [command]', 'show the help of a command')
    .configureHelp({ subcommandTerm: (command) => command.name(), minWidthToWrap: 20 })
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      getOutHelpWidth: () => widthOf(world),
      outputError: (text) => world.say(mistake(text, hintForCommand(text))),
    })
    .addHelpText(
      'after',
      '\nStart with:\n  ctxwin\n  ctxwin simulate transcript.jsonl --budget 100000\n  ctxwin history transcript.jsonl\n\nThe flags of a command: ctxwin <command> --help',
    )
  for (const option of general()) program.addOption(option)
  for (const command of commands) addCommand(program, command, actions[command.name], world, act)
  return program
}

function addCommand(
  program: Command,
  line: CommandLine,
  load: () => Promise<{ run: Action }>,
  world: World,
  act: (action: Action, call: Call) => Promise<void>,
): void {
  const { summary } = line
  const command = program
    .command(line.name)
    .description(`${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${line.more ? `\n\n${line.more}` : ''}`)
    .summary(summary)
    .addHelpOption(help().helpGroup(groups.general))
    .configureOutput({ outputError: (text) => world.say(mistake(text, `See ctxwin ${line.name} --help`)) })
  const words = argument[line.inputs]
  if (words) command.argument(words[0], words[1])
  for (const option of optionsOf(line)) command.addOption(option)
  command.addHelpText('after', `\nExample:\n  ${line.example}`).action(async () => {
    const flags = givenTo(command)
    const { run } = await load()
    await act(run, { world: flags.quiet === true ? quietly(world) : world, inputs: command.args, flags })
  })
}

function help(): Option {
  return new Option('-h, --help', 'show this help')
}

/** Known to every command, before its name or behind it. */
function general(): Option[] {
  return [
    new Option(
      '--config <file>',
      'config file (default: ctxwin.config.{json,js,mjs,cjs,ts} or "ctxwin" in package.json)',
    ),
    new Option('--print-config', 'print every setting with its value and where it comes from, then exit'),
    new Option('-q, --quiet', 'results and errors only: no notes, no progress'),
  ]
}

/** In the order of help: what is peculiar to the command, then by heading. */
function optionsOf(line: CommandLine): Option[] {
  const under = new Map<string | undefined, Option[]>(
    [undefined, ...Object.values(groups)].map((heading) => [heading, []]),
  )
  const add = (option: Option, group?: keyof typeof groups) => {
    const heading = group && groups[group]
    if (heading !== undefined) option.helpGroup(heading)
    under.get(heading)?.push(option)
  }
  for (const key of line.settings) {
    const { flags, help: text, group, words, list, default: value } = setting(key)
    const hasOther = line.otherDefaults?.includes(key) || typeof value === 'boolean'
    const option = new Option(flags, withChoices(text, words, hasOther ? null : value))
    if (list) option.argParser((word: string, before: string[] = []) => [...before, word])
    add(option, group)
    // What a config file says of a thing that is or is not can be said the other way round, too.
    if (typeof value === 'boolean') add(new Option(opposite(flags)).hideHelp(), group)
  }
  for (const [flags, text, { words, group } = {}] of line.flags ?? []) {
    add(new Option(flags, withChoices(text, words, null)), group)
  }
  for (const [key, flags, text, conflicts] of shortcuts) {
    if (line.settings.includes(key)) add(new Option(flags, text).conflicts(conflicts), 'output')
  }
  for (const option of general()) add(option, 'general')
  return [...under.values()].flat()
}

/** Commander's words for a mistake, in which a suggestion stands on a line of its own; or else with a hint. */
function mistake(text: string, hint: string): string {
  const told = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\n+/g, ' ')
    .replace(/\.$/, '')
  return told.includes('(Did you mean') ? told : `${told}. ${hint}`
}

function hintForCommand(text: string): string {
  const [, file] = /^error: unknown command '(.*[./\\].*)'/.exec(text) ?? []
  return file === undefined ? 'See ctxwin --help' : `To replay a transcript: ctxwin simulate ${file}`
}

/** Short ways to say what another flag says, which must not say something else beside. */
const shortcuts = [
  ['output', '--json', 'the same as --output json', ['output']],
  ['reporter', '--json', 'the same as --reporter json', ['reporter']],
  ['color', '--no-color', 'the same as --color never', []],
] as const satisfies readonly [SettingKey, string, string, string[]][]

/** The help of a flag with the words that may follow it, unless it explains each of them, and with its default. */
function withChoices(help: string, words: Setting['words'], value: Setting['default']): string {
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

/** What somebody said. Commander's own values have defaults in them, such as true for the x of `--no-x`. */
function givenTo(command: Command): Record<string, unknown> {
  const given = Object.entries(command.optsWithGlobals())
  return Object.fromEntries(given.filter(([key]) => command.getOptionValueSourceWithGlobals(key) === 'cli'))
}
