/**
 * The internal door: what the command line needs besides the public names of `src/index.ts`. It may change with any
 * version. A function is exported by one of the two doors, never by both.
 */
export { closest } from '../base/closest.ts'
export { readExact, writeExact } from '../base/exact-json.ts'
export { fingerprint } from '../base/fingerprint.ts'
export { lineOfFault } from '../base/json-fault.ts'
export { placesIn } from '../base/json-places.ts'
export { parseTokens } from '../base/param.ts'
export { count, either, list, object, oneOf, plain, record, type Shape, string, truth } from '../base/plain-shape.ts'
export { Queue } from '../base/queue.ts'
export { Registry } from '../base/registry.ts'
export { isSystemError, reasonOf } from '../base/system-errors.ts'
export { type Matches, parseOverrides, parseSection, type Rules, type Section } from '../check/assertions.ts'
export {
  type Baseline,
  isBaseline,
  type MadeWith,
  parseBaseline,
  whyIncomparable,
} from '../check/baseline.ts'
export { compareWithBaseline } from '../check/compare-baseline.ts'
export { unexplainedUsage } from '../check/compare-usage.ts'
export { evaluate } from '../check/evaluate.ts'
export { pluginWords, policyOf } from '../check/labels.ts'
export { baselineData, makeBaseline, mergeBaselines, unfit } from '../check/make-baseline.ts'
export type { Metric } from '../check/metrics.ts'
export { type CheckResult, type Outcome, resultOf } from '../check/outcome.ts'
export { checkReporters } from '../check/reporters/index.ts'
export type { CheckReporter } from '../check/reporters/reporter.ts'
export { type Unusable, unreadable } from '../check/unusable.ts'
export { keepTables } from '../estimators/bpe/tables.ts'
export type { Billed } from '../model/billed.ts'
export { parseBudget } from '../model/budget.ts'
export type { Calibrated } from '../model/calibrated.ts'
export type { ExchangeSummary } from '../model/history.ts'
export type { Page } from '../model/page.ts'
export type { Redaction } from '../model/redaction.ts'
export { parseTolerance, type Tolerance } from '../model/tolerance.ts'
export { builtinModels } from '../models/lookup.ts'
export { type PolicyGroup, policyGroups } from '../policies/index.ts'
export { providers } from '../providers/index.ts'
export { type CountCache, RemoteCounter } from '../providers/remote/counter.ts'
export { inArchive, isArchive, nameInArchive, openArchive } from '../readers/lines/archive.ts'
export { checkReader } from '../readers/own-reader.ts'
export { readTranscripts } from '../readers/read.ts'
export { adviceLine, adviceText } from '../reports/advice.ts'
export { billColumns, calibratedColumns, calibrationSummaryColumns } from '../reports/calibrated.ts'
export { curvesData, pointColumns, pointRows } from '../reports/columns/curve.ts'
export { exchangeColumns } from '../reports/columns/exchange.ts'
export { comparisonSheet } from '../reports/comparison.ts'
export { renderCurves } from '../reports/curve.ts'
export { dependenceColumns } from '../reports/dependence.ts'
export { contextRule, renderHistory } from '../reports/history.ts'
export { pageDocument } from '../reports/html/document.ts'
export { sessionSvg } from '../reports/html/session/view.ts'
export { printJson } from '../reports/json.ts'
export { modelSheet } from '../reports/models.ts'
export { grouped, indexOf, ordinal, several } from '../reports/numbers.ts'
export { recommendationSheet } from '../reports/recommendation.ts'
export { type NextSteps, renderSessions, sessionColumns } from '../reports/sessions.ts'
export { spendingData, spendingSheets, spendingTables } from '../reports/spending.ts'
export { type Ink, inkFor } from '../reports/table.ts'
export { widthOf, wrap } from '../reports/text.ts'
export { requestOfExchange } from '../simulator/history.ts'
export type { PictureOptions } from '../simulator/session-picture.ts'
export { ddl, dialectOf, dialects } from '../tables/ddl.ts'
export type { DatabaseFile, Draft, OpenStore, Surroundings } from '../tables/store.ts'
export { openStore, stores } from '../tables/stores/index.ts'
export { curveFiles, simulateFiles } from './analyse.ts'
export { type Analysis, type FileRead, type ReadFiles, readingHere } from './analysis.ts'
export { billTrace, summariseBills } from './bill.ts'
export { adviceOn, exchangesOf, sessionPicture } from './by-plan.ts'
export { calibrateTrace, foreseeTrace, foreseeTraceFrom, planWithBytes, summarise } from './calibrate.ts'
export { usualBudgets, usualCandidates, usualTargets } from './candidates.ts'
export { bound, compareFiles, overTargets, unpruned } from './compare.ts'
export { type Conversion, convertSources, nothingYet } from './convert.ts'
export { DependenceSums, dependenceRows } from './dependence.ts'
export { exportSources } from './export.ts'
export type { Stops } from './follow.ts'
export { forms } from './forms/index.ts'
export { checkPolicy } from './own-policy.ts'
export { fileBeginShape, fileEndShape, transcriptShape } from './part-shapes.ts'
export {
  errorOf,
  type FileBegin,
  type FileEnd,
  failureOf,
  type Joining,
  joinFiles,
  type LeftOut,
  measureFile,
  type PartLine,
  type PartTranscript,
  ThreadEnded,
  ThreadOutOfMemory,
} from './parts.ts'
export { type CalibratedPiece, calibratedPiece } from './piece-shapes.ts'
export { keptOf, readSources } from './read-sources.ts'
export { recommend } from './recommend.ts'
export { redactionBy } from './redaction.ts'
export { report, reportedPlan } from './report.ts'
export type { Earlier } from './responses.ts'
export { readSessions } from './sessions.ts'
export { spend } from './spend.ts'
export type { TraceCache, TraceDraft } from './trace-cache.ts'
export { windowRequest } from './window.ts'
export { type BytesPerToken, recordedBytesPerToken } from './witness.ts'
