/**
 * The internal door: what the command line needs besides the public names of `src/index.ts`. It may change with any
 * version. A function is exported by one of the two doors, never by both.
 */
export { closest } from '../base/closest.ts'
export { lineOfFault } from '../base/json-fault.ts'
export { parseTokens } from '../base/param.ts'
export { Registry } from '../base/registry.ts'
export { type Matches, parseOverrides, parseSection, type Rules, type Section } from '../check/assertions.ts'
export {
  type Baseline,
  isBaseline,
  type MadeWith,
  parseBaseline,
  whyIncomparable,
} from '../check/baseline.ts'
export { compareWithBaseline } from '../check/compare-baseline.ts'
export { evaluate } from '../check/evaluate.ts'
export { pluginWords, policyOf } from '../check/labels.ts'
export { makeBaseline, mergeBaselines, notFinite } from '../check/make-baseline.ts'
export type { Metric } from '../check/metrics.ts'
export { type CheckResult, type Outcome, resultOf } from '../check/outcome.ts'
export { checkReporters } from '../check/reporters/index.ts'
export type { CheckReporter } from '../check/reporters/reporter.ts'
export { type Unusable, unreadable } from '../check/unusable.ts'
export type { Billed } from '../model/billed.ts'
export { parseBudget } from '../model/budget.ts'
export type { Calibrated } from '../model/calibrated.ts'
export type { ExchangeSummary } from '../model/history.ts'
export { builtinModels } from '../models/lookup.ts'
export { type PolicyGroup, policyGroups } from '../policies/index.ts'
export { providers } from '../providers/index.ts'
export { type CountCache, RemoteCounter } from '../providers/remote/counter.ts'
export { readTranscripts } from '../readers/read.ts'
export { billColumns, calibratedColumns, calibrationSummaryColumns } from '../reports/calibrated.ts'
export { exchangeColumns } from '../reports/columns/exchange.ts'
export { comparisonSheet } from '../reports/comparison.ts'
export { pointColumns, pointRows, renderCurves } from '../reports/curve.ts'
export { dependenceColumns } from '../reports/dependence.ts'
export { renderHistory } from '../reports/history.ts'
export { printJson } from '../reports/json.ts'
export { modelSheet } from '../reports/models.ts'
export { indexOf, ordinal } from '../reports/numbers.ts'
export { type NextSteps, renderSessions, sessionColumns } from '../reports/sessions.ts'
export { spendingData, spendingSheets, spendingTables } from '../reports/spending.ts'
export { exchangesOf, requestOfExchange } from '../simulator/history.ts'
export { readSources } from './analyse.ts'
export { billTrace, summariseBills } from './bill.ts'
export { calibrateTrace, foreseeTrace, planWithBytes, summarise } from './calibrate.ts'
export { compareForReport, overTargets, unpruned } from './compare.ts'
export { DependenceSums } from './dependence.ts'
export { checkPolicy } from './own-policy.ts'
export { readSessions } from './sessions.ts'
export { spendSources } from './spend.ts'
