/**
 * The limits that a check holds figures to: the config file's, then those of `--strict` and `--assert`, which win
 * everywhere.
 */

import { CtxwinError } from '../../app/index.ts'
import { parseOverrides, parseSection, type Rules, type Section } from '../../check/assertions.ts'
import type { ConfigFile, Resolved, Settings } from './config.ts'
import { listOf, valueFor } from './options.ts'
import type { SettingKey } from './settings.ts'

/** @throws CtxwinError for an unknown figure or a limit that is none */
export function rulesOf(settings: Settings, config: ConfigFile | null): Rules {
  const name = config?.name ?? ''
  const section = config?.values.assert
  const overrides = config?.values.overrides
  const strict: Section = valueFor(settings, 'strict') ? parseSection({ maxDamagedLines: 0 }, '--strict') : new Map()
  const configured = section === undefined ? [] : parseSection(section, `assert in ${name}`)
  const asserted = isGiven(settings, 'assert') ? assertedIn(settings) : []
  const strictIsGiven = isGiven(settings, 'strict')
  // A limit that names its code wins over `--strict`, unless it stands in a variable and `--strict` on the command
  // line.
  const strictLast = originOf(settings, 'strict') === 'flag' && originOf(settings, 'assert') === 'environment'
  return {
    assert: new Map([...(strictIsGiven ? [] : strict), ...configured]),
    overrides: overrides === undefined ? [] : parseOverrides(overrides, name),
    given: new Map([...(strictIsGiven ? strict : []), ...asserted, ...(strictLast ? strict : [])]),
  }
}

function originOf(settings: Settings, key: SettingKey): Resolved['origin'] {
  return (settings.get(key) as Resolved).origin
}

/** For this one check, and not in the config file. */
function isGiven(settings: Settings, key: SettingKey): boolean {
  return ['flag', 'environment'].includes(originOf(settings, key))
}

function assertedIn(settings: Settings): Section {
  const { where } = settings.get('assert') as Resolved
  const pairs = listOf(settings, 'assert').map((word) => {
    const equals = word.indexOf('=')
    if (equals < 1) throw new CtxwinError('bad-value', where, word, 'a limit such as maxPeakTokens=100k')
    return [word.slice(0, equals).trim(), word.slice(equals + 1).trim()]
  })
  return parseSection(Object.fromEntries(pairs), where)
}
