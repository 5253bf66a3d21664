/** The commands as commander knows them. What a command does is loaded when it is called. */
import { Command, Option } from 'commander'
import { pathWord, shellCommand } from '../../base/quoting.ts'
import type { Action, Call } from '../inputs/call.ts'
import { type CommandLine, type CommandName, commandGroups, commands } from '../inputs/commands.ts'
import { argumentsOf, type Flag, flagsOf, generalFlags, helpFlag, sentence, wordsOf } from '../inputs/flags.ts'
import { groups } from '../inputs/settings.ts'
import { topics } from '../inputs/topics.ts'
import { broken, quietly, type World, widthOf } from '../output/world.ts'

const actions: Readonly<Record<CommandName, () => Promise<{ run: Action }>>> = {
  overview: () => import('../commands/overview.ts'),
  sessions: () => import('../commands/sessions.ts'),
  simulate: () => import('../commands/simulate.ts'),
  report: () => import('../commands/report.ts'),
  curve: () => import('../commands/curve.ts'),
  history: () => import('../commands/history.ts'),
  advise: () => import('../commands/advise.ts'),
  exchanges: () => import('../commands/exchanges.ts'),
  compare: () => import('../commands/compare.ts'),
  recommend: () => import('../commands/recommend.ts'),
  tune: () => import('../commands/tune.ts'),
  probe: () => import('../commands/probe.ts'),
  check: () => import('../commands/check.ts'),
  init: () => import('../commands/init.ts'),
  merge: () => import('../commands/merge.ts'),
  window: () => import('../commands/window.ts'),
  policies: () => import('../commands/policies.ts'),
  estimators: async () => (await import('../commands/lists.ts')).lists.estimators,
  formats: async () => (await import('../commands/lists.ts')).lists.formats,
  calibrate: () => import('../commands/calibrate.ts'),
  spend: () => import('../commands/spend.ts'),
  quality: () => import('../commands/quality.ts'),
  export: () => import('../commands/export.ts'),
  convert: () => import('../commands/convert.ts'),
  emit: () => import('../commands/emit.ts'),
  models: () => import('../commands/models.ts'),
  cache: () => import('../commands/cache.ts'),
  trust: () => import('../commands/trust.ts'),
  completion: () => import('../commands/completion.ts'),
  help: () => import('../commands/help.ts'),
}

/**
 * @param words the command line: of a command that is not among them, no more is made than help lists
 * @param act is given what the called command does; nothing of it is loaded before
 */
export function buildProgram(
  words: readonly string[],
  world: World,
  version: string,
  act: (action: Action, call: Call) => Promise<void>,
): Command {
  const program = new Command('ctxwin')
    .description('See what a context-window policy would do to your agents’ conversations, before you ship it.')
    .version(version)
    .addHelpOption(new Option(helpFlag.flags, helpFlag.help))
    .helpCommand(false)
    .configureHelp({ subcommandTerm: (command) => command.name(), minWidthToWrap: 20, boxWrap: broken })
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      getOutHelpWidth: () => widthOf(world),
      outputError: (text) => world.say(mistake(text, hintForCommand(text))),
    })
    .addHelpText(
      'after',
      '\nStart with:\n  ctxwin\n  ctxwin simulate transcript.jsonl --budget 100000\n  ctxwin history transcript.jsonl\n\nThe flags of a command: ctxwin <command> --help\nThe pages of the documentation: ctxwin help',
    )
  for (const flag of generalFlags) program.addOption(keyed(new Option(flag.flags, flag.help), flag))
  for (const line of commands) {
    const command = program.command(line.name).summary(line.summary).helpGroup(commandGroups[line.group])
    if (words.includes(line.name)) define(command, line, actions[line.name], world, act)
  }
  return program
}

export async function actionOf(command: string): Promise<Action> {
  return (await actions[command as CommandName]()).run
}

function define(
  command: Command,
  line: CommandLine,
  load: () => Promise<{ run: Action }>,
  world: World,
  act: (action: Action, call: Call) => Promise<void>,
): void {
  command
    .description([sentence(line.summary), ...(line.more ? [line.more] : [])].join('\n\n'))
    .addHelpOption(optionOf(helpFlag))
    .configureOutput({ outputError: (text) => world.say(mistake(text, `See ctxwin ${line.name} --help`)) })
  const argument = argumentsOf[line.inputs]
  if (argument) command.argument(argument.name, argument.help)
  for (const flag of flagsOf(line)) command.addOption(optionOf(flag))
  command.addHelpText('after', `\nExample:\n  ${line.example}`).action(async () => {
    const flags = givenTo(command)
    const { run } = await load()
    await act(run, {
      command: line.name,
      world: flags.quiet === true ? quietly(world) : world,
      inputs: command.args,
      flags,
      action: actionOf,
      showHelp: (name) => helped(command, name).outputHelp(),
    })
  })
}

/** The program that a command is of, or another of its commands. */
function helped(command: Command, name: string | undefined): Command {
  const program = command.parent as Command
  return program.commands.find((other) => other.name() === name) ?? program
}

function optionOf(flag: Flag): Option {
  const option = keyed(new Option(flag.flags, wordsOf(flag)), flag)
  if (flag.group !== null) option.helpGroup(groups[flag.group])
  if (flag.list) option.argParser((word: string, before: string[] = []) => [...before, word])
  if (flag.hidden) option.hideHelp()
  return option.conflicts([...(flag.conflicts ?? [])])
}

function keyed(option: Option, { key }: Flag): Option {
  if (key !== undefined) option.attributeName = () => key
  return option
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
  const [, word = ''] = /^error: unknown command '(.*)'/.exec(text) ?? []
  if (/[*?{[]/.test(word)) return `For what a pattern matches: ${shellCommand(['ctxwin', 'overview', pathWord(word)])}`
  if (/[./\\]/.test(word)) return 'There is no such file either'
  return topics.some(({ name }) => name === word) ? `To read about it: ctxwin help ${word}` : 'See ctxwin --help'
}

/** What somebody said. Commander's own values have defaults in them, such as true for the x of `--no-x`. */
function givenTo(command: Command): Record<string, unknown> {
  const given = Object.entries(command.optsWithGlobals())
  return Object.fromEntries(given.filter(([key]) => command.getOptionValueSourceWithGlobals(key) === 'cli'))
}
