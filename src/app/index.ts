/**
 * The public door: the names that a program may build on, each with the types that its signature needs. docs/library.md
 * shows each of them at work. What only the command line needs it takes from where it stands.
 *
 *     const simulation = await simulateSources([openFile('session.jsonl')], plan)
 */

export { type Chosen, choose } from '../base/chosen.ts'
export { CtxwinError, type ErrorCode } from '../base/errors.ts'
export {
  type Bounds,
  choice,
  flag,
  integer,
  number,
  type Param,
  type Params,
  text,
  type Values,
} from '../base/param.ts'
export type { Named, Registry } from '../base/registry.ts'
export type { Aggregate } from '../check/assertions.ts'
export type {
  Estimator,
  Meter,
  MeterContext,
  Scale,
  Uncorrected,
} from '../estimators/estimator.ts'
export type { Guess } from '../estimators/filter.ts'
export { estimators } from '../estimators/index.ts'
export type {
  Advice,
  CacheNow,
  ContextNow,
  CutCost,
  LeftNow,
  NextCut,
  RereadNow,
  Verdict,
  VerdictReason,
} from '../model/advice.ts'
export type { Budget } from '../model/budget.ts'
export { type Exchange, findExchanges } from '../model/exchanges.ts'
export type {
  HistoryLine,
  HistoryView,
  InsertedMessages,
  InsideExchange,
  LostUse,
  OutsideExchange,
  ShownExchange,
} from '../model/history.ts'
export {
  type ApiName,
  type BesideUsage,
  type Block,
  type Message,
  type Preamble,
  type ProviderName,
  type Role,
  type SideCallKind,
  type StartedAgent,
  textOf,
  type Usage,
  type Wire,
} from '../model/message.ts'
export type { Passing } from '../model/passing.ts'
export type { CallsByTerm, PriceTerm, TermCalls } from '../model/price-terms.ts'
export type { Endpoint, RisesFrom } from '../model/quality.ts'
export type {
  Candidate,
  CandidateLosses,
  CandidateSavings,
  CandidateVerdict,
  Decision,
  Month,
  Recommendation,
  Risk,
} from '../model/recommendation.ts'
export type { Recount } from '../model/recorded.ts'
export type {
  Against,
  BaselineFigures,
  By,
  CacheFit,
  CacheMode,
  Copied,
  CopiedCounts,
  CopiedText,
  CopyKind,
  Cost,
  CostUnit,
  Cut,
  CutList,
  Cutoff,
  Diagnostic,
  Exact,
  Fault,
  FirstFault,
  Foresight,
  ForesightTest,
  IntervalBasis,
  LossCounts,
  Losses,
  LossTotals,
  LostReference,
  PolicyBounds,
  PreambleSource,
  PredictionInterval,
  RecordedUsage,
  References,
  Rereads,
  Row,
  Run,
  SessionWords,
  Simulation,
  Spent,
  Sums,
  TermClass,
  Today,
  Total,
  TotalCost,
  TotalSpent,
  TraceRun,
  Validity,
} from '../model/run.ts'
export type { Joins } from '../model/sizes.ts'
export type { Tolerance } from '../model/tolerance.ts'
export type {
  Clearing,
  Compaction,
  Digest,
  DigestKind,
  SideCall,
  SizedBy,
  Sizer,
  Trace,
  TranscriptHead,
} from '../model/trace.ts'
export type { TurnOn, TurnOnFor } from '../model/turn-on.ts'
export type { WithoutUsage } from '../model/without-usage.ts'
export { lookupModel } from '../models/lookup.ts'
export type { OwnBudget } from '../models/own-budget.ts'
export { parsePrices } from '../models/prices.ts'
export type {
  CacheRule,
  FactorTerm,
  FormerPrice,
  ModelInfo,
  ModelTable,
  Price,
  PriceTier,
  TermRule,
} from '../models/table.ts'
export type { Card, Difference, PackageRead, PolicyWithCard, TurnOnLine } from '../policies/catalogue/card.ts'
export type { PolicyDefinition } from '../policies/catalogue/define-policy.ts'
export { compose, type Step } from '../policies/compose.ts'
export { policies } from '../policies/index.ts'
export type {
  CachePrices,
  Entry,
  Inserted,
  Moment,
  Native,
  NativeCounter,
  NativeEstimator,
  Policy,
  PolicyContext,
  PolicyRun,
  Window,
  WindowExchange,
} from '../policies/policy.ts'
export type { RowsOf } from '../readers/databases/beside.ts'
export { readers } from '../readers/index.ts'
export type { Bytes } from '../readers/lines/parquet.ts'
export { type ArchiveMember, openFile, type SessionRows, type Source } from '../readers/lines/source.ts'
export type {
  FileHead,
  Finding,
  FindingCode,
  Learnt,
  LeftOut,
  Outcome,
  Place,
  Reader,
  ReaderContext,
  Reading,
  Shape,
  TranscriptWriter,
} from '../readers/reader.ts'
export type { Cause, Column, ColumnBlock, Field, Share, Topic, Unit } from '../reports/column.ts'
export type { RunLoss, RunRow, SimulationColumns } from '../reports/columns/rows.ts'
export { reports } from '../reports/index.ts'
export type {
  Line,
  Note,
  NoteItem,
  Report,
  ReportOptions,
  Sheet,
  Sort,
} from '../reports/report.ts'
export type { Baseline } from '../simulator/baseline.ts'
export { type AdviseSettings, advise, RunningSession } from './advise.ts'
export {
  type FullTrace,
  readTraces,
  type SimulateSettings,
  simulateSources,
} from './analyse.ts'
export type { Asked } from './answer/decisions.ts'
export { type RecommendSettings, recommendSources } from './answer/recommend.ts'
export { historyOf, simulate } from './by-plan.ts'
export type { Assertions, Config, Limit, Tokens } from './config.ts'
export { defineEstimator, definePolicy, defineReader, defineReport } from './define.ts'
export type { FileChange } from './files/follow.ts'
export type { ReadSettings, Unread } from './files/read-sources.ts'
export type { Plan } from './plan.ts'
export { requestBodyAt } from './window.ts'
