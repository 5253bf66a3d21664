/** `trust`: records what a config file with code reads, so that it may run here until one of these files changes. */
import { realpathSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { type Column, reports } from '../../app/index.ts'
import { pathWord, safe, shellCommand } from '../../base/quoting.ts'
import { several } from '../../reports/numbers.ts'
import type { Call } from '../inputs/call.ts'
import {
  type ConfigSource,
  configAt,
  configNames,
  configOf,
  findConfig,
  resolveSettings,
  type Settings,
} from '../inputs/config.ts'
import type { Hashes } from '../inputs/guard.ts'
import { misuse } from '../inputs/misuse.ts'
import { ownModules } from '../inputs/options.ts'
import { recordOwn } from '../inputs/own-module.ts'
import { reachOf } from '../inputs/reach.ts'
import { allTrust, changeIn, hashOf, keepTrust, placeOf, revokeTrust, type Trust } from '../inputs/trust.ts'
import { openOutput } from '../output/io.ts'

const columns: readonly Column<Trust>[] = [
  { key: 'place', header: 'trusted', unit: 'text', rank: 0, path: true, value: ({ place }) => place },
  { key: 'files', header: 'files', unit: 'count', rank: 0, value: ({ files }) => files.size },
  {
    key: 'state',
    header: 'since then',
    unit: 'text',
    rank: 0,
    wraps: true,
    value: (trust) => changeIn(trust) ?? 'as it was',
  },
]

export async function run({ world, flags, inputs }: Call): Promise<number> {
  const { env } = world
  const cwd = world.cwd()
  const [name] = inputs
  if (flags.config !== undefined)
    throw misuse(`name the file itself: ${shellCommand(['ctxwin', 'trust', pathWord(String(flags.config))])}`)
  if (flags.list === true && (flags.revoke === true || name !== undefined)) {
    throw misuse('--list lists everything that is trusted: use it without --revoke and without a file')
  }
  if (flags.list === true) {
    const all = allTrust(env)
    const output = openOutput(world, null)
    await output.write(
      all.length === 0 ? ['nothing is trusted\n'] : reports.get('table').rows(columns, all, output.looks),
    )
    return 0
  }
  if (flags.revoke === true) {
    const places = (name === undefined ? configNames : [name]).map((one) => placeOf(resolve(cwd, one)))
    const revoked = allTrust(env).filter(({ place }) => places.includes(place))
    if (revoked.length === 0) {
      const what = name === undefined ? 'no config file of this directory is' : `${name} is not`
      throw misuse(`${what} trusted`)
    }
    for (const trust of revoked) {
      revokeTrust(trust, env)
      world.stdout.write(`${safe(`revoked ${trust.place}`)}\n`)
    }
    return 0
  }
  const source = name === undefined ? findConfig(cwd) : sourceOf(cwd, name)
  if (source === null) throw misuse('no config file in this directory: name one')
  const files = await filesOf(source)
  if (files === null) {
    world.stdout.write(`${safe(source.name)} is data, which needs no trust\n`)
    return 0
  }
  const trust = { place: placeOf(source.path), files }
  keepTrust(trust, env)
  const said = [`trusted ${trust.place} and what it reads, ${several(files.size, 'file')} as they are now:`]
  for (const file of files.keys()) said.push(`  ${file}`)
  world.stdout.write(said.map((line) => `${safe(line)}\n`).join(''))
  return 0
}

/** @throws CtxwinError for what no run would find, so that trust would mean nothing */
function sourceOf(cwd: string, name: string): ConfigSource {
  const source = configAt(cwd, name)
  if (source.data === null || configNames.includes(basename(source.path))) return source
  throw misuse(`${name}: this is not the name of a config file that ctxwin looks for: use --config`)
}

/**
 * What is read to load a config file and all code that it names, with the hash of each file; null where that needs no
 * trust.
 * @throws CtxwinError for what cannot be loaded
 */
async function filesOf(source: ConfigSource): Promise<Hashes | null> {
  const { path, name, data } = source
  const own =
    data === null
      ? await recordOwn(path, name)
      : { files: new Map([[realpathSync.native(path), hashOf(data.bytes)]]), value: data.value }
  // A module that is no config file is one that a variable names: it has no settings.
  const settings = configNames.includes(basename(path)) ? settingsOf(source, own.value) : null
  const named = settings === null ? [] : ownModules(settings).map(({ file }) => file)
  const reaches = [...(settings ?? [])].some(([key, { value, origin }]) => {
    return origin === 'config' && reachOf(key, value, dirname(path)) !== null
  })
  if (data !== null && named.length === 0 && !reaches) return null
  const files = new Map(own.files)
  for (const file of named) {
    const recorded = await recordOwn(resolve(dirname(path), file), file)
    for (const [read, hash] of recorded.files) files.set(read, hash)
  }
  // Node asks for them in another order each time.
  return new Map([...files].sort(([one], [other]) => (one < other ? -1 : 1)))
}

function settingsOf(source: ConfigSource, value: unknown): Settings {
  return resolveSettings({}, {}, configOf(source, value, dirname(source.path)))
}
