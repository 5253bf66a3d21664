/**
 * The front door: every public name. The command line is built on nothing else, so a program can do what it does.
 *
 *     const simulation = await simulateSources([openFile('session.jsonl')], plan, { format: 'auto' })
 */
export {
  curveSources,
  type ReadSettings,
  readSources,
  type SourceRead,
  simulateSources,
  totalsOf,
  type Unread,
} from './app/analyse.ts'
export { type Calibrated, type CalibrationSummary, calibrateTrace, planWithBytes, summarise } from './app/calibrate.ts'
export { compareRuns, comparisonOf, overTargets, recommend, unpruned } from './app/compare.ts'
export type { Assertions, Config, Limit, Tokens } from './app/config.ts'
export { checkPolicy } from './app/own-policy.ts'
export { CtxwinError, type ErrorCode } from './base/errors.ts'
export { jsonText } from './base/json-text.ts'
export {
  choice,
  flag,
  integer,
  number,
  type Param,
  type Params,
  parseTokens,
  resolveParams,
  text,
} from './base/param.ts'
export { closest, type Named, Registry } from './base/registry.ts'
export { type Matches, parseOverrides, parseSection, type Rules, type Section } from './check/assertions.ts'
export {
  type Baseline,
  compareWithBaseline,
  isBaseline,
  type MadeWith,
  makeBaseline,
  mergeBaselines,
  notFinite,
  parseBaseline,
  whyIncomparable,
} from './check/baseline.ts'
export { evaluate } from './check/evaluate.ts'
export { plugWords, policyOf } from './check/labels.ts'
export type { Metric } from './check/metrics.ts'
export { type CheckResult, type Outcome, resultOf } from './check/outcome.ts'
export { checkReporters } from './check/reporters/index.ts'
export type { CheckReporter } from './check/reporters/reporter.ts'
export { type Unusable, unreadable } from './check/unusable.ts'
export type { Estimator, Meter, Price } from './estimators/estimator.ts'
export { defineEstimator } from './estimators/estimator.ts'
export { estimators } from './estimators/index.ts'
export { paretoFront } from './measures/pareto.ts'
export type { Comparison, ComparisonCost, ComparisonRow, Recommendation } from './model/comparison.ts'
export type { Curve, CurvePoint, Curves, Knee } from './model/curve.ts'
export { type Exchange, exchangeAt, findExchanges, findSteps } from './model/exchanges.ts'
export type { ExchangeSummary, HistoryLine, HistoryView, InsideExchange, OutsideExchange } from './model/history.ts'
export type { Block, Message, Preamble, ProviderName, Role, Usage } from './model/message.ts'
export { textOf } from './model/message.ts'
export type {
  Cost,
  CostUnit,
  Cut,
  Cutoff,
  Diagnostic,
  LossCounts,
  Losses,
  References,
  Rereads,
  Row,
  Run,
  Simulation,
  TermClass,
  Total,
  Validity,
} from './model/run.ts'
export { Trace } from './model/trace.ts'
export { builtinModels, cacheRuleOf, lookupModel } from './models/lookup.ts'
export { parsePrices } from './models/prices.ts'
export type { CacheRule, ModelInfo, ModelTable } from './models/table.ts'
export { compose, type Step } from './policies/compose.ts'
export { policies } from './policies/index.ts'
export { definePolicy, type Entry, isMonotone, type Policy, type Window } from './policies/policy.ts'
export { providers } from './providers/index.ts'
export { type Provider, requestBody } from './providers/provider.ts'
export { type CountCache, RemoteCounter, type RemoteOptions } from './providers/remote/counter.ts'
export { readers } from './readers/index.ts'
export { openFile, type Source } from './readers/lines/source.ts'
export { readTranscripts } from './readers/read.ts'
export type { Reader } from './readers/reader.ts'
export { type Column, exchangeColumns, type Unit } from './reports/columns.ts'
export { comparisonColumns, comparisonSheet } from './reports/comparison.ts'
export { type PointRow, pointColumns, pointRows, renderCurves } from './reports/curve.ts'
export { type HistoryOptions, renderHistory } from './reports/history.ts'
export { reports } from './reports/index.ts'
export { printJson } from './reports/json.ts'
export { modelSheet } from './reports/models.ts'
export type { Note, Report, ReportOptions, Sheet } from './reports/report.ts'
export { messagesAt } from './simulator/capture.ts'
export { CurveBuilder } from './simulator/curve.ts'
export { exchangesOf, historyOf, requestOfExchange } from './simulator/history.ts'
export { type Observer, replay } from './simulator/replay.ts'
export { type Chosen, digestFor, measuresFor, type Plan, simulate } from './simulator/simulate.ts'
