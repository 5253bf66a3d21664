/**
 * argv -> exit code. A command's errors are caught here: a user's mistake is one line, a bug of ours shows its stack.
 */

import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { Readable, Writable } from 'node:stream'
import type { MessagePort } from 'node:worker_threads'
import { CommanderError } from 'commander'
import type { CtxwinError } from '../../app/index.ts'
import { hasRoomForWasm } from '../../base/address-space.ts'
import { version } from '../../base/build.ts'
import { isSystemError, reasonOf } from '../../base/system-errors.ts'
import { useWasm } from '../../base/wasm.ts'
import { keepTablesFor } from '../../cache/tables.ts'
import type { Call } from '../inputs/call.ts'
import { namedCommands, runsNoCode } from '../inputs/commands.ts'
import { misuse } from '../inputs/misuse.ts'
import { checkModes } from '../inputs/modes.ts'
import { filterIn, isConfigModule, moduleKeys, modulesIn } from '../inputs/module-words.ts'
import type { WorkerStart } from '../inputs/pool.ts'
import { bugReport } from '../output/bug.ts'
import { type Process, type World, worldOf } from '../output/world.ts'
import { actionOf, buildProgram, type Words } from './program.ts'
import { watchScreens } from './screens.ts'
import { watchStray } from './stray.ts'

/**
 * @param argv the words behind the program's name
 * @param input all of standard input, where it has been read already
 * @returns 0 fine · 1 findings · 2 usage, configuration or unreadable input · 70 a bug of ours
 */
export async function main(argv: readonly string[], process: Process, input: string | null = null): Promise<number> {
  useWasm(hasRoomForWasm())
  keepTablesFor(argv, process.env)
  const written = watchScreens(process)
  const world = worldOf(process, input)
  const ended = watchStray(process, world)
  const code = await codeOf(argv, world)
  const failure = await written()
  if (!failure) return ended(code)
  const { unwritable } = await import('../output/whole-file.ts')
  world.say(unwritable('standard output', failure).message)
  return ended(2)
}

/** Runs a command in a thread of `--jobs`: it prints nothing, and measures what the main thread asks for. */
export async function serve({ cwd, now, argv, wasm, ...start }: WorkerStart, port: MessagePort): Promise<void> {
  useWasm(wasm)
  keepTablesFor(argv, process.env)
  const nowhere = () => new Writable({ write: (_chunk, _encoding, done) => done() })
  const { env } = process
  const streams = { stdin: Readable.from([]), stdout: nowhere(), stderr: nowhere() }
  const world = worldOf({ ...streams, env, cwd: () => cwd, now: () => now })
  const run = await actionOf(start.command)
  await run({ ...start, world, port, action: actionOf, showHelp: () => {} })
}

async function codeOf(argv: readonly string[], world: World): Promise<number> {
  let code = 0
  const line = withCommand(argv, world)
  const program = buildProgram(line, world, version, async (run, call) => {
    refuseCode(call)
    if (call.flags.printConfig !== true) checkModes(call)
    code = call.flags.printConfig === true ? await printConfig(call) : await run(call)
  })
  try {
    await program.parseAsync(line.words, { from: 'user' })
    return code
  } catch (error) {
    if (error instanceof CommanderError) {
      return error.exitCode === 0 ? 0 : 2
    }
    if (isSystemError(error)) {
      world.say(`cannot read ${error.path ?? 'what was asked for'}: ${reasonOf(error, 'read')}`)
      return 2
    }
    if (error instanceof Error && error.name === 'CtxwinError') {
      world.say(error.message, (error as CtxwinError).details)
      return 2
    }
    const { sentence, frames } = bugReport(error)
    world.say(sentence, frames)
    return 70
  }
}

/**
 * Where no command is named, flags are those of `overview`; but `ctxwin --print-config` is about no command in
 * particular, and every setting that one could ask for is one of `simulate`. A path in the place of a command is one
 * that `overview` reads.
 */
function withCommand(argv: readonly string[], world: World): Words {
  const [first = '-'] = argv
  const named = { words: argv, isBare: false }
  const bare = { words: ['overview', ...argv], isBare: true }
  if (!first.startsWith('-')) return !isCommand(first) && isThere(first, world) ? bare : named
  if (argv.some(isCommand)) return named
  if (argv.includes('--print-config')) return { words: ['simulate', ...argv], isBare: false }
  return argv.some((word) => ofProgram.has(word)) ? named : bare
}

/** @throws CtxwinError for code that is named to a command that runs none */
function refuseCode({ command, flags }: Call): void {
  const call = runsNoCode(command, flags)
  if (call === null) return
  const config = typeof flags.config === 'string' && isConfigModule(flags.config) ? [flags.config] : []
  const filters = moduleKeys.flatMap((key) => filterIn(key, flags[key]) ?? [])
  const [file] = [...config, ...moduleKeys.flatMap((key) => modulesIn(key, flags[key])), ...filters]
  if (file === undefined) return
  throw misuse(`${call} runs no code of your own, whoever names it: leave out ${file}`)
}

/** A file in an archive counts as there if the archive is. */
function isThere(word: string, { cwd }: World): boolean {
  try {
    const path = resolve(cwd(), word)
    return existsSync(path) || (word.includes('!/') && existsSync(path.slice(0, path.indexOf('!/'))))
  } catch {
    // The working directory is gone: the command that is run says so.
    return false
  }
}

const isCommand = (word: string): boolean => namedCommands.some(({ name }) => name === word)

const ofProgram = new Set(['-h', '--help', '-V', '--version'])

async function printConfig(call: Call): Promise<number> {
  const { describeSettings, readSettings } = await import('../inputs/session.ts')
  const { settings } = await readSettings(call)
  for (const line of describeSettings(settings, call.command)) call.world.stdout.write(line)
  return 0
}
