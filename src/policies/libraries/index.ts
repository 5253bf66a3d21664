/** What providers' APIs and libraries for agents do. A policy is one file here and one line. */
import type { Policy } from '../policy.ts'

export const libraries: readonly Policy[] = []
