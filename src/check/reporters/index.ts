/** The reporters of a check. The list is explicit: what is not here does not exist. */
import { Registry } from '../../base/registry.ts'
import plain from './default.ts'
import github from './github.ts'
import json from './json.ts'
import junit from './junit.ts'
import markdown from './markdown.ts'
import type { CheckReporter } from './reporter.ts'
import sarif from './sarif.ts'

export const checkReporters = new Registry<CheckReporter>('reporter', [plain, github, junit, sarif, json, markdown])
