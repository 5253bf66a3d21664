/** The policies there are. The list is explicit: what is not here does not exist. */
import { Registry } from '../registry.ts'
import ikigai from './ikigai.ts'
import keepAll from './keep-all.ts'
import type { Policy } from './policy.ts'

export const policies = new Registry<Policy>('policy', [keepAll, ikigai])
