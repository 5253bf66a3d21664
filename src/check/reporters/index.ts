/** The reporters of a check. The list is explicit: what is not here does not exist. */
import { Registry } from '../../registry.ts'
import plain from './default.ts'
import type { CheckReporter } from './reporter.ts'

export const checkReporters = new Registry<CheckReporter>('reporter', [plain])
