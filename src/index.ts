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
} from './analyse.ts'
export { type Calibrated, type CalibrationSummary, calibrateTrace, planWithBytes, summarise } from './calibrate.ts'
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
export { compareRuns, comparisonOf, overTargets, recommend, unpruned } from './compare.ts'
export type { Assertions, Config, Limit, Tokens } from './config.ts'
export { CtxwinError, type ErrorCode } from './errors.ts'
export type { Estimator, Meter, Price } from './estimators/estimator.ts'
export { defineEstimator } from './estimators/estimator.ts'
export { estimators } from './estimators/index.ts'
export { type Exchange, exchangeAt, findExchanges, findSteps } from './exchanges.ts'
export { paretoFront } from './measures/pareto.ts'
export type { Comparison, ComparisonCost, ComparisonRow, Recommendation } from './model/comparison.ts'
export type { Curve, CurvePoint, Curves, Knee } from './model/curve.ts'
export type { ExchangeSummary, HistoryLine, HistoryView, InsideExchange, OutsideExchange } from './model/history.ts'
export { jsonText } from './model/jsontext.ts'
export type { Block, Message, Preamble, ProviderName, Role, Usage } from './model/message.ts'
export { textOf } from './model/message.ts'
export type { CacheRule, ModelInfo, ModelTable } from './model/model-info.ts'
export { builtinModels, cacheRuleOf, lookupModel } from './model/models.ts'
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
export { checkPolicy } from './own-policy.ts'
export { choice, flag, integer, number, type Param, type Params, parseTokens, resolveParams, text } from './params.ts'
export { compose, type Step } from './policies/compose.ts'
export { policies } from './policies/index.ts'
export { definePolicy, type Entry, isMonotone, type Policy, type Window } from './policies/policy.ts'
export { parsePrices } from './prices.ts'
export { providers } from './providers/index.ts'
export { type Provider, requestBody } from './providers/provider.ts'
export { readers } from './readers/index.ts'
export { openFile, type Source } from './readers/lines/source.ts'
export { readTranscripts } from './readers/read.ts'
export type { Reader } from './readers/reader.ts'
export { closest, type Named, Registry } from './registry.ts'
export { type CountCache, RemoteCounter, type RemoteOptions } from './remote/counter.ts'
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
