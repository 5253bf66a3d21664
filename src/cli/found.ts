/**
 * What the settings may do that nobody has named on the command line: those of a config file that lies in the working
 * directory, which may be anybody's checkout, and those of variables, which are the same in every checkout. They choose
 * figures. Code that they name runs only where permission.ts says so; else it is left out, and told in one line.
 */
import { dirname, resolve } from 'node:path'
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
import { importOwn, type Readable, Unrecorded } from './own-module.ts'
import { type Permission, permissionFor } from './permission.ts'
import { flagFor, type SettingKey } from './settings.ts'

export class Found {
  readonly #call: Call
  readonly #source: ConfigSource | null
  /** The words of a call that runs no code at all. */
  readonly #noCode: string | null
  /** What the config file may do. */
  #permission: Permission
  /** What modules may read that variables name. */
  #readable: readonly Readable[] = []
  /** What is left out, and how to have it all the same. */
  readonly #leftOut: string[] = []
  readonly #ways = new Set<string>()
  readonly #trusts = new Set<string>()

  /** @throws CtxwinError for a config file that cannot be read */
  constructor(call: Call) {
    const { command, flags, world } = call
    const cwd = world.cwd()
    const named = typeof flags.config === 'string' ? flags.config : null
    if (named !== null && flags.noConfig !== undefined) {
      throw new CtxwinError('usage', '--config and --no-config contradict each other: give one of them')
    }
    this.#call = call
    this.#noCode = runsNoCode(command, flags)
    this.#source = named !== null ? configAt(cwd, named) : looksForConfig(flags, world.env) ? findConfig(cwd) : null
    this.#permission =
      this.#source === null || named !== null
        ? { readable: 'any', broken: null }
        : permissionFor(this.#source.path, dirname(this.#source.path), world.env, this.#source.data?.bytes)
  }

  /** What code may read while it is loaded, by who names it. */
  get runs(): Configuration['runs'] {
    if (this.#noCode !== null) return runsNothing
    const files = this.#readable.filter((readable) => readable !== 'any')
    const isAny = files.length < this.#readable.length
    const environment = isAny ? 'any' : files.length > 0 ? new Map(files.flatMap((one) => [...one])) : null
    return { flag: 'any', environment, config: this.#permission.readable }
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
    if (this.runs.config !== null) {
      try {
        return configOf(source, await exportOf(source, this.runs.config), cwd)
      } catch (error) {
        if (!(error instanceof Unrecorded)) throw error
        this.#permission = { readable: null, broken: error.reason }
      }
    }
    this.#leaveOut(source.name, 'code', this.#permission.broken)
    return null
  }

  /** Whether a value counts that no flag says. */
  readonly counts = (key: string, { value, origin, where }: Resolved): boolean => {
    const modules = modulesIn(key, value)
    if (modules.length === 0) return true
    const { world, command } = this.#call
    const isOfConfig = origin === 'config'
    const permissions = isOfConfig
      ? [this.#permission]
      : modules.map((file) => permissionFor(resolve(world.cwd(), file), world.cwd(), world.env))
    const readable = permissions.flatMap((one) => one.readable ?? [])
    if (this.#noCode === null && readable.length === permissions.length) {
      if (!isOfConfig) this.#readable = this.#readable.concat(readable)
      return true
    }
    // The other commands that run no code have no setting that could name it.
    if (this.#noCode !== null && command !== 'advise') return false
    for (const file of modules) this.#ways.add(`${flagFor(key as SettingKey)} ${file}`)
    const broken = permissions.find((one) => one.broken !== null)?.broken ?? null
    this.#leaveOut(where, `code: ${modules.join(', ')}`, broken, isOfConfig ? [] : modules)
    return false
  }

  /** What is left out, in one line; null where nothing is. */
  told(): string | null {
    if (this.#leftOut.length === 0) return null
    const what = `left out: ${this.#leftOut.join(', ')}`
    if (this.#noCode !== null) return `${what}, as ${this.#noCode} runs no code of your own`
    const [ways, trusts] = [[...this.#ways].join(', or '), [...this.#trusts].join(', ')]
    return `${what}, as no flag names it. To have it: ${ways}; or look at it, then ${trusts}`
  }

  /** @param modules what a variable names */
  #leaveOut(what: string, why: string, broken: string | null, modules: readonly string[] = []): void {
    this.#leftOut.push(`${what} (${broken === null ? why : `${why}; ${broken}`})`)
    for (const file of modules) this.#trusts.add(`ctxwin trust ${file}`)
    if (modules.length > 0) return
    this.#ways.add(`--config ${this.#source?.name}`)
    this.#trusts.add('ctxwin trust')
  }
}

/** What a module exports, as data: threads get a copy, too. */
async function exportOf({ path, name }: ConfigSource, readable: Readable): Promise<unknown> {
  const { default: value } = await importOwn(path, name, readable)
  try {
    return structuredClone(value)
  } catch {
    throw new CtxwinError('config', name, 'it must hold data alone: no setting is a function')
  }
}
