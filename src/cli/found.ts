/**
 * What the settings may do that nobody has named on the command line: those of a config file that lies in the working
 * directory, which may be anybody's checkout, and those of variables, which are the same in every checkout. They choose
 * figures. Code that they name runs only where permission.ts says so; else it is left out, and told in one line.
 */
import { CtxwinError } from '../index.ts'
import type { Call } from './call.ts'
import { runsNoCode } from './commands.ts'
import {
  type ConfigFile,
  type ConfigSource,
  type Configuration,
  configAt,
  configOf,
  findConfig,
  looksForConfig,
  type Resolved,
  runsNothing,
} from './config.ts'
import { modulesIn } from './module-words.ts'
import { importOwn } from './own-module.ts'
import { isInstalledIn } from './permission.ts'
import { flagFor, type SettingKey } from './settings.ts'

export class Found {
  readonly #call: Call
  readonly #source: ConfigSource | null
  /** The words of a call that runs no code at all. */
  readonly #noCode: string | null
  /** Whether code may run, by what names it. */
  readonly runs: Configuration['runs']
  /** What is left out, and how to have it all the same. */
  readonly #leftOut: string[] = []
  readonly #ways = new Set<string>()

  /** @throws CtxwinError for a config file that cannot be read */
  constructor(call: Call) {
    const { command, flags, world } = call
    const cwd = world.cwd()
    const named = typeof flags.config === 'string' ? flags.config : null
    if (named !== null && flags.noConfig !== undefined) {
      throw new CtxwinError('usage', '--config and --no-config contradict each other: give one of them')
    }
    this.#call = call
    this.#source = named !== null ? configAt(cwd, named) : looksForConfig(flags, world.env) ? findConfig(cwd) : null
    const here = isInstalledIn(cwd)
    this.#noCode = runsNoCode(command, flags)
    this.runs = this.#noCode === null ? { flag: true, environment: here, config: named !== null || here } : runsNothing
  }

  /**
   * The config file; null where there is none that counts.
   * @throws CtxwinError for one that cannot be loaded, or has what is no setting
   */
  async config(): Promise<ConfigFile | null> {
    const source = this.#source
    if (source === null) return null
    const cwd = this.#call.world.cwd()
    if (source.data) return configOf(source, source.data.value, cwd)
    if (this.runs.config) return configOf(source, await exportOf(source), cwd)
    this.#leaveOut(source.name, 'code', [])
    return null
  }

  /** Whether a value counts that no flag says. */
  readonly counts = (key: string, { value, origin, where }: Resolved): boolean => {
    const modules = modulesIn(key, value)
    if (modules.length === 0 || this.runs[origin as 'environment' | 'config']) return true
    const isAsked = this.#noCode === null || this.#call.command === 'advise'
    const ways = modules.map((file) => `${flagFor(key as SettingKey)} ${file}`)
    if (isAsked) this.#leaveOut(where, `code: ${modules.join(', ')}`, ways, origin)
    return false
  }

  /** What is left out, in one line; null where nothing is. */
  told(): string | null {
    if (this.#leftOut.length === 0) return null
    const what = `left out: ${this.#leftOut.join(', ')}`
    if (this.#noCode !== null) return `${what}, as ${this.#noCode} runs no code of your own`
    return `${what}, as no flag names it. To have it: ${[...this.#ways].join(', or ')}`
  }

  #leaveOut(what: string, why: string, ways: readonly string[], origin = 'config'): void {
    this.#leftOut.push(`${what} (${why})`)
    for (const way of ways) this.#ways.add(way)
    if (origin === 'config') this.#ways.add(`--config ${this.#source?.name}`)
  }
}

/** What a module exports, as data: threads get a copy, too. */
async function exportOf({ path, name }: ConfigSource): Promise<unknown> {
  const { default: value } = await importOwn(path, name)
  try {
    return structuredClone(value)
  } catch {
    throw new CtxwinError('config', name, 'it must hold data alone: no setting is a function')
  }
}
