/** The commands as commander knows them. What a command does is loaded when it is called. */
import { Command, Option } from 'commander'
import type { Action, Call } from './call.ts'
import { type CommandLine, type CommandName, commands } from './commands.ts'
import { setting } from './settings.ts'
import type { World } from './world.ts'

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
  policies: async () => (await import('./commands/lists.ts')).lists.policies,
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
    'transcripts: files, directories, globs, ids of sessions, or - for standard input (default, on a terminal: all that ctxwin finds)',
  ],
  here: ['[inputs...]', 'transcripts: files, directories, globs, or - for standard input (default: this directory)'],
  one: [
    '[input]',
    'a transcript, the id of a session or its beginning, or - for standard input (default, on a terminal: the newest session)',
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
    .option('--config <file>', 'config file (default: ctxwin.config.{json,js,mjs,ts} or "ctxwin" in package.json)')
    .option('--print-config', 'print every setting with its value and where it comes from, then exit')
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      // A suggestion stands on a line of its own there.
      outputError: (text) =>
        world.say(
          text
            .replace(/^error: /, '')
            .trim()
            .replaceAll(/\n+/g, ' '),
        ),
    })
    .addHelpText(
      'after',
      '\nStart with:\n  ctxwin\n  ctxwin simulate transcript.jsonl --budget 100000\n  ctxwin history transcript.jsonl',
    )
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
  const command = program.command(line.name).description(line.summary).summary(line.summary)
  const words = argument[line.inputs]
  if (words) command.argument(words[0], words[1])
  for (const key of line.settings) {
    const { flags, help, list, default: value } = setting(key)
    const text =
      line.otherDefaults?.includes(key) || value === null || typeof value === 'boolean'
        ? help
        : `${help} (default: ${value})`
    if (list) command.option(flags, text, (word: string, before: string[] = []) => [...before, word])
    else command.option(flags, text)
    // What a config file says of a thing that is or is not can be said the other way round, too.
    if (typeof value === 'boolean') command.addOption(new Option(opposite(flags)).hideHelp())
  }
  for (const [flags, help] of line.flags ?? []) command.option(flags, help)
  if (line.settings.includes('color')) command.option('--no-color', 'the same as --color never')
  if (line.more) command.addHelpText('after', `\n${line.more}`)
  command.addHelpText('after', `\nExample:\n  ${line.example}`).action(async () => {
    const { run } = await load()
    await act(run, { world, inputs: command.args, flags: givenTo(command) })
  })
}

function opposite(flag: string): string {
  return flag.startsWith('--no-') ? flag.replace('--no-', '--') : flag.replace('--', '--no-')
}

/** What somebody said. Commander's own values have defaults in them, such as true for the x of `--no-x`. */
function givenTo(command: Command): Record<string, unknown> {
  const given = Object.entries(command.optsWithGlobals())
  return Object.fromEntries(given.filter(([key]) => command.getOptionValueSourceWithGlobals(key) === 'cli'))
}
