/**
 * What the settings may do that nobody has named on the command line: those of a config file that lies in the working
 * directory, which may be anybody's checkout, and those of variables, which are the same in every checkout. They choose
 * figures. Code that they name, and what else a config file has more than that (reach.ts), counts only where
 * permission.ts says so; else it is left out, and told in one line.
 */
import { dirname, resolve } from 'node:path'
import { CtxwinError } from '../../app/index.ts'
import { pathWord, shellCommand } from '../../base/quoting.ts'
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
import { misuse } from './misuse.ts'
import { modulesIn } from './module-words.ts'
import { importOwn, type Readable, Unrecorded } from './own-module.ts'
import { type Permission, permissionFor } from './permission.ts'
import { reachOf } from './reach.ts'
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
  readonly #flags = new Set<string>()
  readonly #trusts = new Set<string>()

  /** @throws CtxwinError for a config file that cannot be read */
  constructor(call: Call) {
    const { command, flags, world } = call
    const cwd = world.cwd()
    const named = typeof flags.config === 'string' ? flags.config : null
    if (named !== null && flags.noConfig !== undefined) {
      throw misuse('--config and --no-config contradict each other: give one of them')
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
    this.#leaveOut(source.name, 'code', this.#permission.broken, this.#noCode === null ? this.#byConfig([]) : null)
    return null
  }

  /** Whether a value counts that no flag says. */
  readonly counts = (key: string, { value, origin, where }: Resolved): boolean => {
    const { world, command } = this.#call
    const isOfConfig = origin === 'config'
    const modules = modulesIn(key, value)
    if (modules.length === 0) {
      const reach = isOfConfig && this.#permission.readable === null ? reachOf(key, value, world.cwd()) : null
      if (reach !== null) this.#leaveOut(where, reach, this.#permission.broken, this.#byConfig([]))
      return reach === null
    }
    const permissions = isOfConfig
      ? [this.#permission]
      : modules.map((file) => permissionFor(resolve(world.cwd(), file), world.cwd(), world.env))
    const readable = permissions.flatMap((one) => one.readable ?? [])
    if (this.#noCode === null && readable.length === permissions.length) {
      if (!isOfConfig) this.#readable = this.#readable.concat(readable)
      return true
    }
    // Other commands that run no code have no setting that could name a module.
    if (this.#noCode !== null && command !== 'advise') return false
    const flags = modules.map((file) => shellCommand([flagFor(key as SettingKey), file]))
    const ways = isOfConfig
      ? this.#byConfig(flags)
      : { flags, trusts: modules.map((file) => shellCommand(['ctxwin', 'trust', pathWord(file)])) }
    const broken = permissions.find((one) => one.broken !== null)?.broken ?? null
    this.#leaveOut(where, `code: ${modules.join(', ')}`, broken, this.#noCode === null ? ways : null)
    return false
  }

  /** What is left out, in one line; null where nothing is. */
  told(): string | null {
    if (this.#leftOut.length === 0) return null
    const what = `left out: ${this.#leftOut.join(', ')}`
    if (this.#flags.size === 0) return `${what}, as ${this.#noCode} runs no code of your own`
    const [flags, trusts] = [[...this.#flags].join(', or '), [...this.#trusts].join(', ')]
    return `${what}, as no flag names it. To have it: ${flags}; or look at it, then ${trusts}`
  }

  /** To have what the config file says. @param flags those that say a part of it */
  #byConfig(flags: readonly string[]): Ways {
    return { flags: [...flags, shellCommand(['--config', this.#source?.name ?? ''])], trusts: ['ctxwin trust'] }
  }

  /** @param broken why a trust does not hold @param ways null for what no way leads to here */
  #leaveOut(what: string, why: string, broken: string | null, ways: Ways | null): void {
    this.#leftOut.push(`${what} (${broken === null ? why : `${why}; ${broken}`})`)
    for (const flag of ways?.flags ?? []) this.#flags.add(flag)
    for (const trust of ways?.trusts ?? []) this.#trusts.add(trust)
  }
}

/** How to have what is left out. */
interface Ways {
  readonly flags: readonly string[]
  readonly trusts: readonly string[]
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
