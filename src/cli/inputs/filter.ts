/**
 * `--policy filter:command="rtk …"`: what a program would save that shortens the results of tools before the model sees
 * them. Each result goes through it, from its standard input to its standard output, once for each different text; what
 * came out stands in the window from then on. Or through a function that a module of the user's own exports:
 * `filter:module=./mine.js`.
 *
 * It runs a program, and so it is no policy of the registry: nothing but the command line of this very run can name it.
 * There is no shell unless the user typed one: the words of the command are started as they are.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { CtxwinError, definePolicy, type Message, number, type PolicyWithCard, text, textOf } from '../../app/index.ts'
import { misuse } from './misuse.ts'
import { filterName as name } from './module-words.ts'

/** What a filter makes of a text. @throws CtxwinError in words that say why it made nothing */
export type Filter = (text: string) => string

/** In bytes: of one output. */
const largest = 2 ** 28

const usualSeconds = 10

export const filterParams = {
  command: text({ default: '', help: 'the program with its arguments, as words; no shell' }),
  module: text({ default: '', help: 'in its place, a module whose default export is a function of a text' }),
  seconds: number({ default: usualSeconds, min: 0.001, max: 3600, help: 'what it may take for one result' }),
} as const

/** What is tried before any transcript is read. */
const trial = 'one\ntwo\n'

/**
 * The policy that puts each result of a tool through a filter when it comes.
 * @param label as the user named it
 * @param given the params that were: reports name these alone
 * @throws CtxwinError where the filter fails already on a text of its own
 */
export function filterPolicy(label: string, filter: Filter, given: Readonly<Record<string, unknown>>): PolicyWithCard {
  try {
    filter(trial)
  } catch (error) {
    if (error instanceof CtxwinError) throw new CtxwinError('bad-policy', label, error.message)
    throw error
  }
  const kept = new Map<string, string>()
  const filtered = (given: string): string => {
    const key = createHash('sha256').update(given).digest('base64')
    const known = kept.get(key)
    if (known !== undefined) return known
    const made = filter(given)
    // A filter that leaves a text as it is takes no memory.
    kept.set(key, made === given ? given : made)
    return made
  }
  return {
    ...definePolicy({
      name,
      summary: 'put each tool result through a program of your own',
      source: 'your own',
      params: Object.fromEntries(Object.entries(filterParams).filter(([key]) => Object.hasOwn(given, key))),
      kind: 'sticky',
      monotone: true,
      wholePairs: true,
      budgetless: true,
      text: true,
      // Each call has a limit of its own.
      seconds: 1_000_000,
      start: () => ({
        message: (window, entry) => {
          if (entry.role !== 'tool') return
          const given = textOf(entry.message as Message)
          if (given === '') return
          const made = filtered(given)
          if (made !== given) window.replace(entry, made)
        },
      }),
    }),
    module: label,
  }
}

/** @throws CtxwinError for no command */
export function commandFilter(command: string, seconds: number, cwd: string): Filter {
  const [program, ...args] = wordsIn(command)
  if (program === undefined) throw misuse(`${name} needs a program: filter:command="rtk read -"`)
  const fail = (what: string): never => {
    throw misuse(`${program} ${what}`)
  }
  return (input) => {
    const { error, status, signal, stdout } = spawnSync(program, args, {
      ...{
        cwd,
        input,
        encoding: 'utf8',
        timeout: Math.ceil(seconds * 1000),
        killSignal: 'SIGKILL',
        maxBuffer: largest,
      },
      ...{ shell: false, windowsHide: true, stdio: ['pipe', 'pipe', 'ignore'] },
    })
    const { code } = (error ?? {}) as NodeJS.ErrnoException
    // A program that has seen enough, as `head`, may leave the rest of its input.
    if (code === undefined || code === 'EPIPE') {
      if (status === 0) return stdout
      return fail(status === null ? `was ended by ${signal}` : `ended with exit code ${status}`)
    }
    if (code === 'ENOENT') return fail('is no program that can be found')
    if (code === 'EACCES') return fail('cannot be run: no permission')
    if (code === 'ETIMEDOUT') return fail(`was still running after ${seconds} seconds: seconds=… allows more`)
    if (code === 'ENOBUFS') return fail(`printed more than ${largest >> 20} MB`)
    return fail(`could not be run (${code})`)
  }
}

/** @param made the default export of a module @throws CtxwinError where that is no function */
export function moduleFilter(file: string, made: unknown): Filter {
  if (typeof made !== 'function') throw misuse(`${file}: its default export is not a function of a text`)
  return (input) => {
    let output: unknown
    try {
      output = made(input)
    } catch {
      throw misuse(`${file} threw an error`)
    }
    if (typeof output === 'string') return output
    throw misuse(`${file} gave ${output instanceof Promise ? 'a promise' : 'something'} that is no text`)
  }
}

/**
 * The words of a command, as a shell takes them apart at blanks, quotes and backslashes, and in no other way.
 * @throws CtxwinError for a quote that is not closed
 */
export function wordsIn(command: string): string[] {
  const words: string[] = []
  const part = /\s+|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|[^\s'"\\]+|['"\\]/g
  let word: string | null = null
  for (const [whole, single, double, escaped] of command.matchAll(part)) {
    if (/^\s/.test(whole)) {
      if (word !== null) words.push(word)
      word = null
      continue
    }
    if (/^['"\\]$/.test(whole)) throw new CtxwinError('bad-value', name, command, 'a command whose quotes are closed')
    word = (word ?? '') + (single ?? double?.replaceAll(/\\(["\\])/g, '$1') ?? escaped ?? whole)
  }
  return word === null ? words : [...words, word]
}
