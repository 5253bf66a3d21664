/**
 * All that spends, sends, removes, writes, runs or believes something for the user, and what alone may decide it. What
 * a checkout controls may not: config files that nobody named, files and links in the working directory, names of
 * transcripts, and variables with relative paths, which lead into it. A law tries each
 * (test/laws/checkout.slow.test.ts), and SECURITY.md says so.
 */
import type { Origin } from './config.ts'
import { moduleKeys } from './module-words.ts'
import type { SettingKey } from './settings.ts'

/**
 * The command line of that run; a variable; a config file that may run code; one that may not, of its own directory;
 * where the program lies; the user's own directories; a yes that is typed; the built-in prices; the names that only the
 * program gives.
 */
type Word =
  | 'flag'
  | 'variable'
  | 'trust'
  | 'inside'
  | 'installation'
  | 'own directory'
  | 'yes'
  | 'list price'
  | 'own name'

interface Consumer {
  readonly does: 'spends' | 'sends' | 'removes' | 'writes' | 'reads' | 'runs' | 'believes'
  readonly by: readonly Word[]
  /** The settings that reach it. */
  readonly settings?: readonly SettingKey[]
  /** Why another word than these does not count. */
  readonly why?: string
}

const list = {
  purse: { does: 'spends', by: ['flag', 'list price'], settings: ['prices'] },
  probe: { does: 'sends', by: ['flag', 'yes', 'variable'] },
  count: { does: 'sends', by: ['flag', 'variable'], settings: ['count'] },
  registry: { does: 'sends', by: ['flag', 'own directory'] },
  export: { does: 'sends', by: ['flag'] },
  output: { does: 'writes', by: ['flag'], settings: ['outputFile', 'shard'] },
  counts: {
    does: 'writes',
    by: ['flag', 'variable', 'trust'],
    settings: ['countCache'],
    why: 'files are written there',
  },
  cache: {
    does: 'removes',
    by: ['flag', 'variable', 'trust', 'own name'],
    settings: ['cacheSize'],
    why: 'what is kept beyond it is removed',
  },
  pseudonyms: { does: 'believes', by: ['variable', 'trust'], settings: ['redactKey'], why: 'it is a secret' },
  files: {
    does: 'reads',
    by: ['flag', 'variable', 'trust', 'inside'],
    settings: ['inputs', 'prices', 'baselineFile'],
    why: 'outside of this directory',
  },
  modules: { does: 'runs', by: ['flag', 'trust', 'installation'], settings: moduleKeys },
  filter: { does: 'runs', by: ['flag'], settings: ['policy', 'baseline'] },
  browser: { does: 'runs', by: ['flag', 'installation'] },
  packages: { does: 'runs', by: ['installation'] },
  compiled: { does: 'runs', by: ['own directory'] },
  trusted: { does: 'believes', by: ['own directory'] },
  consent: { does: 'believes', by: ['own directory'] },
} as const satisfies Readonly<Record<string, Consumer>>

export type ConsumerName = keyof typeof list
export const consumers: Readonly<Record<ConsumerName, Consumer>> = list

const words = { flag: 'flag', environment: 'variable', config: 'trust', default: 'flag' } as const

/** Whether a value counts there, by who says it. */
export function maySay(origin: Origin, name: ConsumerName): boolean {
  return consumers[name].by.includes(words[origin])
}
