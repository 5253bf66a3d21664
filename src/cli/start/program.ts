/** The commands as commander knows them. What a command does is loaded when it is called. */
import { Command, Help, Option } from 'commander'
import { pathWord, shellCommand } from '../../base/quoting.ts'
import type { Action, Call } from '../inputs/call.ts'
import { type CommandLine, type CommandName, commands, listed, namedCommands } from '../inputs/commands.ts'
import { argumentsOf, type Flag, flagsOf, generalFlags, helpFlag, sentence, wordsOf } from '../inputs/flags.ts'
import { groups } from '../inputs/settings.ts'
import { topics } from '../inputs/topics.ts'
import { broken, quietly, type World, widthOf } from '../output/world.ts'

const actions: Readonly<Record<CommandName, () => Promise<{ run: Action }>>> = {
  overview: () => import('../commands/overview.ts'),
  spend: () => import('../commands/spend.ts'),
  sessions: () => import('../commands/sessions.ts'),
  report: () => import('../commands/report.ts'),
  history: () => import('../commands/history.ts'),
  quality: () => import('../commands/quality.ts'),
  recommend: () => import('../commands/recommend.ts'),
  simulate: () => import('../commands/simulate.ts'),
  tune: () => import('../commands/tune.ts'),
  check: () => import('../commands/check.ts'),
  advise: () => import('../commands/advise.ts'),
  emit: () => import('../commands/emit.ts'),
  help: () => import('../commands/help.ts'),
  export: () => import('../commands/export.ts'),
  merge: () => import('../commands/merge.ts'),
  probe: () => import('../commands/probe.ts'),
  list: () => import('../commands/list.ts'),
  calibrate: () => import('../commands/calibrate.ts'),
  cache: () => import('../commands/cache.ts'),
  trust: () => import('../commands/trust.ts'),
  completion: () => import('../commands/completion.ts'),
}

/** Words that users may take for commands, and what to type instead. */
const elsewhere: Readonly<Record<string, string>> = {
  overview: 'ctxwin',
  exchanges: 'ctxwin history --exchanges',
  window: 'ctxwin history --request',
  init: 'ctxwin check --init',
  convert: 'ctxwin export --to',
  compare: 'ctxwin recommend --policy all',
  curve: 'ctxwin recommend --budget all',
  ...Object.fromEntries(listed.map((what) => [what, `ctxwin list ${what}`])),
}

/** A command line that begins with a command. */
export interface Words {
  readonly words: readonly string[]
  readonly isBare: boolean
}

/**
 * @param words the command line: of a command that is not among them, no more is made than help lists
 * @param isBare its command is the one without a name
 * @param act is given what the called command does; nothing of it is loaded before
 */
export function buildProgram(
  { words, isBare }: Words,
  world: World,
  version: string,
  act: (action: Action, call: Call) => Promise<void>,
): Command {
  const lists = words.includes('--all') ? 'all' : 'short'
  const isShown = ({ isRare = false }: { readonly isRare?: boolean }): boolean => lists === 'all' || !isRare
  const bare = (commands as readonly CommandLine[]).find(({ isBare }) => isBare) as CommandLine
  const program = new Command('ctxwin')
    .usage('[inputs...] [flags]\n       ctxwin <command> [flags]')
    .description(
      'See what a context-window policy would do to your agents’ conversations, before you ship it. Alone it tells what your agents did, what that cost, and what to set.',
    )
    .version(version)
    .addHelpOption(new Option(helpFlag.flags, helpFlag.help))
    .helpCommand(false)
    .configureHelp({
      subcommandTerm: (command) => command.name(),
      // Flags without a command belong to the command without a name.
      visibleOptions(command) {
        if (command.parent !== null) return Help.prototype.visibleOptions.call(this, command)
        return [...flagsOf(bare).filter((flag) => isShown(flag) && !flag.hidden), helpFlag].map((flag) =>
          optionOf(flag),
        )
      },
      formatHelp(command, helper) {
        const isWhole = command.parent !== null || lists === 'all'
        return isWhole ? Help.prototype.formatHelp.call(this, command, helper) : firstHelp(command, helper)
      },
      minWidthToWrap: 20,
      boxWrap: broken,
    })
    .showSuggestionAfterError()
    .exitOverride()
    .configureOutput({
      writeOut: (text) => world.stdout.write(text),
      getOutHelpWidth: () => widthOf(world),
      outputError: (text) => world.say(mistake(text, hintForCommand(text))),
    })
    .addHelpText(
      'after',
      `\n${lists === 'all' ? '' : 'All commands and flags: ctxwin help --all\n'}The flags of a command: ctxwin <command> --help`,
    )
  for (const flag of generalFlags) program.addOption(keyed(new Option(flag.flags, flag.help), flag))
  for (const line of isBare ? [bare] : namedCommands) {
    const command = program.command(line.name, { hidden: !isShown(line) }).summary(line.summary)
    if (words.includes(line.name)) define(command, line, { world, act, isShown })
  }
  return program
}

export async function actionOf(command: string): Promise<Action> {
  return (await actions[command as CommandName]()).run
}

/** `ctxwin --help`, which fits on a screen of 24 lines. */
function firstHelp(command: Command, helper: Help): string {
  const rows = namedCommands
    .filter(({ isRare }) => !isRare)
    .map(({ name, summary }) => helper.formatItem(name, 9, summary, helper))
  const description = helper.boxWrap(command.description(), helper.helpWidth ?? 80)
  return [`Usage: ${helper.commandUsage(command)}`, '', description, '', ...rows, ''].join('\n')
}

interface Defining {
  readonly world: World
  readonly act: (action: Action, call: Call) => Promise<void>
  readonly isShown: (flag: Flag) => boolean
}

function define(command: Command, line: CommandLine, { world, act, isShown }: Defining): void {
  const name = line.isBare ? 'ctxwin' : `ctxwin ${line.name}`
  command
    .description([sentence(line.summary), ...(line.more ? [line.more] : [])].join('\n\n'))
    .addHelpOption(optionOf(helpFlag))
    .configureOutput({ outputError: (text) => world.say(mistake(text, `See ${name} --help`)) })
  const argument = argumentsOf[line.inputs]
  if (argument) command.argument(argument.name, argument.help)
  const flags = flagsOf(line)
  for (const flag of flags) {
    const option = optionOf(flag)
    command.addOption(isShown(flag) ? option : option.hideHelp())
  }
  const more = flags.every(isShown) ? '' : `\nAll flags: ${name} --help --all`
  command.addHelpText('after', `\nExample:\n  ${line.example}${more}`).action(async () => {
    const flags = givenTo(command)
    const { run } = await actions[line.name as CommandName]()
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

/** The program of a command, or another of its commands. */
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
  const [, word = ''] = /^error: unknown command '(.*)'/.exec(text) ?? []
  if (Object.hasOwn(elsewhere, word)) return `unknown command '${word}'. It is ${elsewhere[word]}`
  const told = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\n+/g, ' ')
    .replace(/\.$/, '')
  return told.includes('(Did you mean') ? told : `${told}. ${hint}`
}

function hintForCommand(text: string): string {
  const [, word = ''] = /^error: unknown command '(.*)'/.exec(text) ?? []
  if (/[*?{[]/.test(word)) return `For what a pattern matches: ${shellCommand(['ctxwin', pathWord(word)])}`
  if (/[./\\]/.test(word)) return 'There is no such file either'
  return topics.some(({ name }) => name === word) ? `To read about it: ctxwin help ${word}` : 'See ctxwin --help'
}

/** The flags that the user gave. Commander's own values include defaults, such as true for the x of `--no-x`. */
function givenTo(command: Command): Record<string, unknown> {
  const given = Object.entries(command.optsWithGlobals())
  return Object.fromEntries(given.filter(([key]) => command.getOptionValueSourceWithGlobals(key) === 'cli'))
}
