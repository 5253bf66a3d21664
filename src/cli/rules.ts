/** The limits that a check holds figures to: the config file's, then those of `--assert`, which win everywhere. */
import { CtxwinError, parseOverrides, parseSection, type Rules, type Section } from '../index.ts'
import type { ConfigFile, Resolved } from './config.ts'
import { flagOf, listOf } from './options.ts'

/** @throws CtxwinError for an unknown figure or a limit that is none */
export function rulesOf(settings: ReadonlyMap<string, Resolved>, config: ConfigFile | null): Rules {
  const name = config?.name ?? ''
  const section = config?.values.assert
  const overrides = config?.values.overrides
  const strict: Section = flagOf(settings, 'strict') ? parseSection({ maxDamagedLines: 0 }, '--strict') : new Map()
  return {
    assert: new Map([...strict, ...(section === undefined ? [] : parseSection(section, `assert in ${name}`))]),
    overrides: overrides === undefined ? [] : parseOverrides(overrides, name),
    given: givenOf(settings),
  }
}

function givenOf(settings: ReadonlyMap<string, Resolved>): Section {
  const { origin, where } = settings.get('assert') as Resolved
  if (origin !== 'flag' && origin !== 'environment') return new Map()
  const pairs = listOf(settings, 'assert').map((word) => {
    const equals = word.indexOf('=')
    if (equals < 1) throw new CtxwinError('bad-value', where, word, 'a limit such as maxPeakTokens=100k')
    return [word.slice(0, equals).trim(), word.slice(equals + 1).trim()]
  })
  return parseSection(Object.fromEntries(pairs), where)
}
