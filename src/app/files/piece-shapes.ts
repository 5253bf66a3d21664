/**
 * What the pieces of each analysis look like, for those that come out of a part that another process wrote. What is not in
 * the type (how many policies, how many budgets) is known to the analysis, and said here as well.
 */
import {
  amount,
  count,
  each,
  list,
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
} from '../../base/plain-shape.ts'
import type { Forgotten } from '../../measures/forgotten.ts'
import type { BandSum, EndpointSum, QualitySum } from '../../measures/quality.ts'
import type { Bounds, CostTally } from '../../measures/recorded-cost.ts'
import type { Compactions } from '../../measures/rereads.ts'
import type { Billed } from '../../model/billed.ts'
import type { Calibrated, Worst } from '../../model/calibrated.ts'
import type { Dependence, Verdicts } from '../../model/dependence.ts'
import { bandEdges, endpoints } from '../../model/quality.ts'
import { cacheModes, foresightTests, lossCounts } from '../../model/run.ts'
import {
  type ByKind,
  type HeldUses,
  inputParts,
  type Mishaps,
  missCauses,
  type RereadSpending,
  tokenKinds,
} from '../../model/spending.ts'
import type { SizedBy, TranscriptHead } from '../../model/trace.ts'
import type { Figures } from '../../simulator/figures.ts'
import type { Measured } from '../answer/candidate-sums.ts'
import type { AgentPage, CallPlace, Steps } from '../bill/agent-spending.ts'
import type { CompactionRow } from '../bill/compaction-spending.ts'
import type { Cell, CostRow, Miss, OfSession, Page, Result, Part as SpendingPart } from '../bill/ledger.ts'
import type { Amounts } from '../bill/spending-sum.ts'
import type { TranscriptBill } from '../bill/transcript-bill.ts'
import type { QualityPiece } from '../quality/quality-sums.ts'
import {
  figureCost,
  figureMembers,
  foresightShape,
  intervalShape,
  lossCountsShape,
  providerShape,
  recordedMembers,
  runShape,
  scalar,
  termsShape,
} from './run-shape.ts'

/** Of `simulate` and `check`. @param length how many runs the plan has */
export const runsPiece = (length: number) => list(runShape, length)

export const figuresShape = object<Figures>({
  ...figureMembers,
  cuts: object({ length: count }),
  cost: object<Figures['cost']>(figureCost),
  references: object<Figures['references']>({
    ...each(lossCounts, count),
    headline: lossCountsShape,
    named: lossCountsShape,
  }),
  watched: object<Figures['watched']>({
    overWindow: list(count),
    forgotten: object<Forgotten>({ tokens: amount, readCost: amount, requestCost: amount }),
    ...each(['summarised', 'summaries', 'summaryTokens', 'usedTokens'], count),
    editedShare: amount,
  }),
})

const contrast = each(['weight', 'sum'], amount)

/** Of `quality`. */
export const qualityPiece: Shape<QualityPiece> = object<QualityPiece>({
  head: object<QualityPiece['head']>({ conversation: orNull(string), parent: orNull(string) }),
  sum: object<QualitySum>({
    requests: count,
    withoutSize: count,
    endpoints: list(
      object<EndpointSum>({
        bands: list(
          object<BandSum>({ ...contrast, difference: number, observations: count, total: amount }),
          bandEdges.length + 1,
        ),
        compactions: object<EndpointSum['compactions']>({ ...contrast, difference: number, compactions: count }),
      }),
      endpoints.length,
    ),
  }),
})

/** Of `recommend`. @param policies and budgets: how many are tried */
export function measuredPiece(policies: number, budgets: number): Shape<Measured> {
  return object<Measured>({
    run: runShape,
    version: orNull(string),
    parent: orNull(string),
    last: orNull(number),
    unpruned: figuresShape,
    baseline: figuresShape,
    present: figuresShape,
    presentPolicy: orNull(string),
    compactions: object<Compactions>({
      ...each(['cuts', 'uses', 'kept'], count),
      ...each(['droppedTokens', 'rereadTokens', 'rereadRequests'], number),
    }),
    quality: qualityPiece,
    figures: list(list(figuresShape, budgets), policies),
  })
}

const sizedBy = object<SizedBy>({
  name: string,
  version: count,
  values: record(scalar),
  model: orNull(string),
  provider: orNull(providerShape),
  preamble: amount,
})

/** Of what is known of a transcript as a whole. */
export const headShape = object<TranscriptHead>({
  file: string,
  conversation: orNull(string),
  format: string,
  provider: providerShape,
  model: orNull(string),
  cwd: orNull(string),
  parent: orNull(string),
  forkMessage: orNull(count),
  version: optional(string),
  window: optional(count),
  headless: optional(truth),
  cost: optional(amount),
  sizedBy: optional(list(sizedBy)),
})

const byKind = object<ByKind>(each(tokenKinds, number))

export const amounts = object<Amounts>({
  requests: count,
  unpriced: count,
  missedRequests: count,
  missedTokens: amount,
  missedBillionths: number,
  besideCalls: count,
  besideInput: number,
  besideOutput: number,
  tokens: byKind,
  billionths: byKind,
})

const bounds = object<Bounds>({ least: amount, most: amount })

const rereads = object<RereadSpending>({ ...each(['over', 'requests', 'tokens'], count), usd: orNull(number) })
const held = object<HeldUses>(each(['used', 'kept'], count))
const mishaps = object<Mishaps>(
  each(['over', 'results', 'failed', 'rejected', 'interrupted', 'prompts', 'corrected'], count),
)

export const transcriptBillShape = object<TranscriptBill>({
  ...each(['requests', 'sideCalls', 'estimatedOutputs'], count),
  sum: amounts,
})

/** Of `spend`. */
export const pagePiece = object<Page>({
  transcripts: count,
  withoutUsage: count,
  allRequests: count,
  requestsWithoutUsage: count,
  repeated: count,
  estimatedOutputs: count,
  withoutReads: count,
  terms: termsShape,
  recordedCosts: list(
    object<CostRow>({
      format: string,
      model: orNull(string),
      tally: object<CostTally>({
        calls: count,
        recorded: amount,
        here: amount,
        bounds: object(each(tokenKinds, bounds)),
      }),
    }),
  ),
  cells: list(
    object<Omit<Cell, 'sum'> & { readonly sum: Amounts }>({
      cwd: orNull(string),
      model: orNull(string),
      day: orNull(string),
      sum: amounts,
    }),
  ),
  parts: list(
    object<Readonly<SpendingPart>>({
      part: oneOf(inputParts),
      tool: orNull(string),
      server: orNull(string),
      count,
      calls: count,
      tokens: amount,
      carriedTokens: amount,
      usd: number,
    }),
  ),
  causes: list(pair(oneOf(missCauses), amounts)),
  results: list(
    object<Result>({
      transcript: string,
      conversation: orNull(string),
      line: count,
      tool: orNull(string),
      server: orNull(string),
      requests: count,
      tokens: amount,
      carriedTokens: amount,
      usd: orNull(number),
    }),
  ),
  misses: list(
    object<Miss>({
      transcript: string,
      conversation: orNull(string),
      request: count,
      line: count,
      cause: oneOf(missCauses),
      pause: orNull(number),
      tokens: amount,
      usd: orNull(number),
    }),
  ),
  compactions: list(
    object<CompactionRow>({
      of: oneOf(['compaction']),
      transcript: orNull(string),
      conversation: orNull(string),
      format: orNull(string),
      version: orNull(string),
      line: orNull(count),
      request: orNull(count),
      time: orNull(string),
      tokensBefore: orNull(count),
      tokensAfter: orNull(count),
      summaryUsd: orNull(number),
      rewrittenTokens: amount,
      rewrittenUsd: orNull(number),
      usd: orNull(number),
      rereads: orNull(rereads),
      rereadsBefore: orNull(rereads),
      heldContent: orNull(held),
      heldNamed: orNull(held),
      heldCopied: orNull(held),
      mishaps: orNull(mishaps),
      mishapsBefore: orNull(mishaps),
    }),
  ),
  agents: list(
    object<AgentPage>({
      file: string,
      conversation: orNull(string),
      parent: orNull(string),
      format: string,
      model: orNull(string),
      isFork: truth,
      asked: orNull(count),
      requests: count,
      usd: orNull(number),
      steps: orNull(object<Steps>({ requests: count, ...each(['carried', 'added', 'output', 'content'], amount) })),
      calls: list(
        object<CallPlace>({
          line: count,
          ids: list(string),
          prompt: orNull(count),
          answerTokens: orNull(amount),
          inBackground: truth,
          context: orNull(count),
          rates: orNull(object<NonNullable<CallPlace['rates']>>(each(['read', 'write', 'output'], amount))),
          behindRequests: count,
          behindRate: amount,
        }),
      ),
    }),
  ),
  sessions: list(
    object<OfSession>({
      head: headShape,
      title: orNull(string),
      first: time,
      last: time,
      requestsWithoutUsage: count,
      promptCurve: list(count),
      trigger: orNull(count),
      sum: amounts,
    }),
  ),
})

const calibrated = object<Calibrated>({
  transcript: string,
  conversation: orNull(string),
  format: string,
  model: orNull(string),
  estimator: string,
  asked: string,
  ...recordedMembers,
  preambleTokens: count,
  foresight: orNull(foresightShape),
  foresightTest: oneOf(foresightTests),
  predictionInterval: orNull(intervalShape),
  tokensPerByte: orNull(amount),
  leftOut: object(each(['withoutUsage', 'cut', 'aside'], count)),
  worst: list(object<Worst>({ request: count, line: count, recorded: amount, errorPercent: number })),
})

const verdicts = object<Verdicts>({ edits: count, reported: count })

/** A transcript, as `calibrate` measures it. */
export interface CalibratedPiece {
  readonly rows: readonly Calibrated[]
  readonly bill: Billed | null
  readonly lost: readonly Dependence[] | null
}

/** Of `calibrate`. @param windows of how many it says what they lose */
export function calibratedPiece(windows: number): Shape<CalibratedPiece> {
  return object<CalibratedPiece>({
    rows: list(calibrated),
    bill: orNull(
      object<Billed>({ format: string, requests: count, spent: amount, modelled: object(each(cacheModes, amount)) }),
    ),
    lost: orNull(list(object<Dependence>({ outside: verdicts, inside: verdicts, part: verdicts }), windows)),
  })
}
