/** The shape of a run, for runs that come from elsewhere: out of a part that another process wrote. */
import {
  amount,
  count,
  each,
  either,
  index,
  list,
  nothing,
  number,
  object,
  oneOf,
  optional,
  orNull,
  pair,
  record,
  type Shape,
  string,
  time,
  truth,
  whole,
} from '../../base/plain-shape.ts'
import type { ProviderName } from '../../model/message.ts'
import { priceTerms, type TermCalls } from '../../model/price-terms.ts'
import {
  type Against,
  type Copied,
  type CopiedCounts,
  type CopiedText,
  type Cost,
  type CostUnit,
  type Cut,
  type CutList,
  type Cutoff,
  cacheFits,
  copyKinds,
  type Exact,
  type Fault,
  type FirstFault,
  type Foresight,
  faults,
  foresightTests,
  intervalBases,
  type LossCounts,
  type Losses,
  type LostReference,
  lossCounts,
  type PolicyBounds,
  type PredictionInterval,
  preambleSources,
  type RecordedUsage,
  type References,
  type Rereads,
  type Row,
  type SessionWords,
  type Spent,
  type Today,
  type TraceRun,
  termClasses,
} from '../../model/run.ts'
import type { Fit, UsageSums, Witness } from '../../model/witness.ts'

export const providerShape = oneOf<ProviderName>(['anthropic', 'openai', 'google'])

/** Calls by term. */
export const termsShape = list(object<TermCalls>({ term: oneOf(priceTerms), calls: count, priced: count }))

export const lossCountsShape = object<LossCounts>(each(lossCounts, count))

const percents = { mentionLostPercent: number, sourceLostPercent: number }
export const lossesShape = object<Losses>({ ...each(lossCounts, count), ...percents })

const spentShape = object<Spent>({
  usd: amount,
  input: amount,
  output: amount,
  beside: amount,
  ...each(['requests', 'sideCalls', 'estimatedOutputs', ...cacheFits], count),
})

/** What the figures of a cell have of its cost. */
export const figureCost = {
  unit: oneOf<CostUnit>(['usd', 'input-token-equivalents']),
  pricesAsOf: string,
  ...each(['paid', 'input', 'inputFull', 'output', 'summaries'], amount),
  prefixBreaks: count,
}

const costShape = object<Cost>({
  ...figureCost,
  savedPercent: number,
  cacheHitPercent: number,
  cacheHitPercentFull: number,
  recordedHitPercent: optional(number),
})

const today = {
  sentTokens: count,
  costInput: amount,
  summaries: amount,
  headlineLost: optional(count),
  headlineTotal: optional(count),
  headlineLostOver: optional(whole),
  overWindowRequests: count,
  lostLatestUser: count,
  savedTokens: whole,
  savedPercent: number,
  costSaved: number,
  costSavedPercent: number,
}

const cutShape = object<Cut>({
  request: count,
  exchange: index,
  message: count,
  line: count,
  evictedExchanges: list(index),
  tokensBefore: count,
  tokensAfter: count,
  breakEvenRequests: optional(amount),
})

const tokenCounts = each(['fullTokens', 'sentTokens', 'peakTokens', 'overBudgetRequests'], count)
const tokenTotals = { ...tokenCounts, savedTokens: whole, savedPercent: number }

const rowShape = object<Row>({
  exchange: index,
  request: count,
  line: count,
  requests: count,
  ...tokenTotals,
})

const rereadsShape = object<Rereads>({
  refresh: count,
  redundant: count,
  fault: count,
  faultTokens: count,
  known: count,
  foretold: count,
})

const copiedCounts = each(['requests', 'lost', 'shares'], count)
const copiedText = { ...copiedCounts, floor: object<CopiedCounts>(copiedCounts) }
export const copiedShape = object<Copied>({
  ...copiedText,
  shown: object<CopiedText>(copiedText),
  byKind: object(each(copyKinds, object<CopiedText>(copiedText))),
  unjudged: count,
})

const referencesShape = object<References>({
  ...each(lossCounts, count),
  ...percents,
  byClass: object(each(termClasses, lossCountsShape)),
  exchangesHit: count,
  partlyLost: count,
  rereads: rereadsShape,
  headline: lossesShape,
  named: lossesShape,
  warm: lossesShape,
  copied: optional(copiedShape),
})

const lostShape = object<LostReference>({
  request: count,
  line: count,
  sourceLine: orNull(count),
  class: oneOf([...termClasses, 'copied']),
  kind: orNull(oneOf(copyKinds)),
  term: orNull(string),
  tier: oneOf(['source', 'mention']),
})

export const recordedMembers = {
  requests: count,
  inputTokens: amount,
  unexplainedCuts: count,
}

export const foresightShape = object<Foresight>({
  requests: count,
  meanAbsolutePercent: number,
  biasPercent: number,
})

export const intervalShape = object<PredictionInterval>({
  basis: oneOf(intervalBases),
  transcripts: count,
  lowPercent: number,
  highPercent: number,
})

const exactShape = object<Exact>({
  cacheHitTokens: count,
  todayRecorded: amount,
  overWindowSent: count,
  invalidRequests: count,
  edits: count,
  heedsBudget: truth,
})

const fitShape = object<Fit>({ preamble: number, factor: amount, thought: amount })

const usageShape = object<UsageSums>({
  requests: count,
  inputTokens: amount,
  heads: count,
  tokens: number,
  beyond: number,
  anchored: amount,
  growth: either(number, nothing),
  fit: fitShape,
})

/** What the figures of a cell have in common with a run. */
export const figureMembers = {
  budget: count,
  budgetAsked: optional(string),
  requests: count,
  ...tokenCounts,
  overWindowRequests: count,
  validity: object(each(faults, count)),
  thinkingLostTokens: orNull(count),
  today: object<Today>(today),
  against: object<Against>({ ...today, baseline: string }),
  exact: exactShape,
}

/** What a param is. */
export const scalar = either(either(string, number), either(truth, nothing))

/** Written down, a list of cuts is an array. */
export const runShape = object<TraceRun>({
  ...figureMembers,
  cuts: list(cutShape) as Shape<CutList>,
  transcript: string,
  conversation: orNull(string),
  copyOf: optional(string),
  foreign: optional(oneOf([true] as const)),
  format: string,
  model: orNull(string),
  policy: string,
  params: record(scalar),
  estimator: string,
  estimatorAsked: optional(string),
  provider: providerShape,
  messages: count,
  exchanges: count,
  requestsElsewhere: optional(count),
  recordedCalls: count,
  requestsWithoutUsage: count,
  unpricedCalls: count,
  unpriced: list(pair(string, count)),
  terms: termsShape,
  preambleTokens: count,
  preambleSource: oneOf(preambleSources),
  unknownHistoryTokens: optional(count),
  ...tokenTotals,
  cutoff: orNull(object<Cutoff>({ exchange: index, message: count, line: count })),
  cost: costShape,
  spent: orNull(spentShape),
  session: object<SessionWords>({ project: orNull(string), title: orNull(string), first: time, last: time }),
  references: optional(referencesShape),
  bounds: optional(object<PolicyBounds>({ lost: count, paid: amount, preamble: amount })),
  recorded: optional(object<RecordedUsage>(recordedMembers)),
  foresight: orNull(foresightShape),
  foresightTest: oneOf(foresightTests),
  predictionInterval: orNull(intervalShape),
  believedTokens: optional(count),
  rows: optional(list(rowShape)),
  lost: optional(list(lostShape)),
  firstFaults: optional(list(object<FirstFault>({ fault: oneOf<Fault>(faults), request: count, line: count }))),
  witness: optional(object<Witness>({ contentTokens: amount, usage: orNull(usageShape) })),
})
