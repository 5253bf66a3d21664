/** `list`: what ctxwin knows, by kind. */

import { wordAmong } from '../../base/errors.ts'
import type { Action, Call } from '../inputs/call.ts'
import { listed } from '../inputs/commands.ts'
import { misuse } from '../inputs/misuse.ts'

const lists: Readonly<Record<(typeof listed)[number], () => Promise<{ run: Action }>>> = {
  policies: () => import('./lists/policies.ts'),
  estimators: async () => (await import('./lists/plugins.ts')).lists.estimators,
  formats: async () => (await import('./lists/plugins.ts')).lists.formats,
  models: () => import('./lists/models.ts'),
}

/** Flags that are for one list alone. */
const only = { stale: 'policies', prices: 'models' } as const

export async function run(call: Call): Promise<number> {
  const [word, ...inputs] = call.inputs
  if (word === undefined) throw misuse(`name what to list: ${listed.join(', ')}`)
  const what = wordAmong(listed, 'ctxwin list', word)
  for (const [flag, where] of Object.entries(only)) {
    if (call.flags[flag] !== undefined && what !== where) {
      throw misuse(`--${flag} is for ctxwin list ${where}: leave it out`)
    }
  }
  const { run } = await lists[what]()
  return run({ ...call, inputs })
}
