/**
 * From which size of its window on an agent worked worse: the sums of many transcripts, and how sure their differences are. Sessions
 * are drawn, never requests: those of one session have too much in common.
 */
import { uniform } from '../../base/uniform.ts'
import type { EndpointSum, QualitySum } from '../../measures/quality.ts'
import { qualityOf } from '../../measures/quality.ts'
import {
  bandEdges,
  type Contrast,
  type Endpoint,
  type EndpointQuality,
  endpoints,
  fewestTelling,
  type Quality,
  type QualityBand,
  type RisesFrom,
} from '../../model/quality.ts'
import { roundPercent } from '../../model/run.ts'
import type { Trace, TranscriptHead } from '../../model/trace.ts'
import type { ReferenceDigest } from '../../references/digest.ts'
import { bySession } from '../bill/by-session.ts'

/** One transcript, as plain data. */
export interface QualityPiece {
  readonly head: Pick<TranscriptHead, 'conversation' | 'parent'>
  readonly sum: QualitySum
}

export interface QualitySettings {
  /** Which endpoints are looked at; default all. */
  readonly endpoints?: readonly Endpoint[]
  /** Of the draws: the same figures for the same seed. */
  readonly seed?: number
}

export const usualSeed = 1

const draws = 1000

/** Each side of a band leaves out so large a share of the draws. */
const tail = 0.01

/** @param trace read with its references */
export function qualityPieceOf(trace: Trace): QualityPiece {
  const { conversation, parent } = trace.head
  const sum = trace.memo('quality', () => qualityOf(trace, (trace.digest as ReferenceDigest).outcomes))
  return { head: { conversation, parent }, sum }
}

/** What the transcripts show together. */
export function judged(
  pieces: readonly QualityPiece[],
  { endpoints: wanted = endpoints, seed = usualSeed }: QualitySettings = {},
): Omit<Quality, 'schemaVersion' | 'diagnostics'> {
  const sessions = bySession(pieces, ({ head }) => head)
  const sumOf = (key: 'requests' | 'withoutSize'): number => pieces.reduce((count, { sum }) => count + sum[key], 0)
  return {
    transcripts: pieces.length,
    sessions: sessions.length,
    requests: sumOf('requests'),
    withoutSize: sumOf('withoutSize'),
    seed,
    endpoints: endpoints.flatMap((endpoint, at) =>
      wanted.includes(endpoint)
        ? [
            endpointQuality(
              endpoint,
              sessions.map((parts) => parts.map(({ sum }) => sum.endpoints[at] as EndpointSum)),
              seed,
            ),
          ]
        : [],
    ),
  }
}

/** What surely fails more often in large windows, from the smallest size on; null where nothing does. */
export function risesIn(pieces: readonly QualityPiece[]): RisesFrom | null {
  return judged(pieces, { endpoints: ['failed', 'edits'] })
    .endpoints.flatMap(({ endpoint, risesFrom }) => (risesFrom === null ? [] : [{ endpoint, from: risesFrom }]))
    .reduce<RisesFrom | null>((least, one) => (least !== null && least.from <= one.from ? least : one), null)
}

function endpointQuality(
  endpoint: Endpoint,
  sessions: readonly (readonly EndpointSum[])[],
  seed: number,
): EndpointQuality {
  const unit = endpoint === 'output' ? 'percent' : 'points'
  const inUnit = (difference: number): number =>
    unit === 'percent' ? roundPercent(100 * Math.expm1(difference)) : roundPercent(100 * difference)
  const samples = Array.from({ length: bandEdges.length + 1 }, (_, band) =>
    sampleOf(sessions, ({ bands }) => bands[band] as EndpointSum['bands'][number]),
  )
  const telling = samples.map((sample) => isTelling(sample, endpoint))
  const shown = samples.flatMap((_, band) => (telling[band] ? [band] : []))
  // More output is neither better nor worse, and nobody expects it to rise.
  const isRising = endpoint !== 'output'
  const curve = boundsOf(
    shown.map((band) => samples[band] as Sample),
    seed,
    isRising,
  )
  const bands = samples.map(({ sessions: own }, band): QualityBand => {
    const { observations, total } = totalOf(sessions, band)
    const mean = observations === 0 ? null : total / observations
    const found = telling[band] ? curve[shown.indexOf(band)] : undefined
    return {
      from: band === 0 ? 0 : (bandEdges[band - 1] as number),
      to: bandEdges[band] ?? null,
      observations,
      level: mean === null ? null : unit === 'percent' ? Math.round(Math.expm1(mean)) : roundPercent(100 * mean),
      sessions: own,
      difference: found ? inUnit(found.difference) : null,
      fitted: found ? inUnit(found.fitted) : null,
      low: found ? inUnit(found.low) : null,
      high: found ? inUnit(found.high) : null,
    }
  })
  const known = bands.filter(({ low }) => low !== null)
  const first = known[known.findLastIndex(({ low }) => (low as number) <= 0) + 1]
  const totals = bandEdges.map((_, band) => totalOf(sessions, band)).concat(totalOf(sessions, bandEdges.length))
  const sum = (key: 'observations' | 'total'): number => totals.reduce((all, one) => all + one[key], 0)
  const around = sampleOf(sessions, ({ compactions }) => compactions)
  const compared = isTelling(around, endpoint) ? boundsOf([around], seed, isRising)[0] : undefined
  return {
    endpoint,
    unit,
    observations: sum('observations'),
    events: unit === 'points' ? sum('total') : null,
    risesFrom: first?.from ?? null,
    bands,
    compactions: {
      compactions: sessions.flat().reduce((count, { compactions }) => count + compactions.compactions, 0),
      sessions: around.sessions,
      difference: compared ? inUnit(compared.difference) : null,
      low: compared ? inUnit(compared.low) : null,
      high: compared ? inUnit(compared.high) : null,
    } satisfies Contrast & { readonly compactions: number },
  }
}

function totalOf(
  sessions: readonly (readonly EndpointSum[])[],
  band: number,
): { readonly observations: number; readonly total: number } {
  let [observations, total] = [0, 0]
  for (const { bands } of sessions.flat()) {
    observations += bands[band]?.observations ?? 0
    total += bands[band]?.total ?? 0
  }
  return { observations, total }
}

/** By session: its weight and its difference times that. */
interface Sample {
  readonly weights: Float64Array
  readonly differences: Float64Array
  /** Of those with a weight. */
  readonly sessions: number
  /** Of the values that are compared. */
  readonly sum: number
}

function sampleOf(
  sessions: readonly (readonly EndpointSum[])[],
  of: (sum: EndpointSum) => { readonly weight: number; readonly difference: number; readonly sum: number },
): Sample {
  const weights = new Float64Array(sessions.length)
  const differences = new Float64Array(sessions.length)
  let sum = 0
  for (const [at, parts] of sessions.entries()) {
    for (const part of parts.map(of)) {
      weights[at] = (weights[at] as number) + part.weight
      differences[at] = (differences[at] as number) + part.difference
      sum += part.sum
    }
  }
  return { weights, differences, sessions: weights.filter((weight) => weight > 0).length, sum }
}

function isTelling({ sessions, sum }: Sample, endpoint: Endpoint): boolean {
  return sessions >= fewestTelling.sessions && (endpoint === 'output' || sum >= fewestTelling.events)
}

interface Bounds {
  readonly difference: number
  readonly fitted: number
  readonly low: number
  readonly high: number
}

/**
 * The differences of several samples, with a band that holds all of them at once in 49 of 50 cases: the bootstrap's largest deviation of
 * any of them, in standard errors of each. A curve that never falls lies at each size above the lower bounds of all smaller
 * ones, and below the upper bounds of all larger ones. Where no such curve lies within the band, each has its own bounds.
 * @param isRising whether the curve is taken never to fall
 */
export function boundsOf(samples: readonly Sample[], seed: number, isRising: boolean): readonly Bounds[] {
  const differences = samples.map((sample) => ratio(sum(sample.differences), sum(sample.weights)))
  const drawn = bootstrap(samples, seed)
  const errors = drawn.map((own, at) => deviation(own, differences[at] as number))
  const largest = (sign: 1 | -1): number =>
    quantile(
      Array.from({ length: draws }, (_, draw) =>
        samples.reduce((most, _, at) => {
          const error = errors[at] as number
          const off = sign * ((drawn[at] as Float64Array)[draw]! - (differences[at] as number))
          return error > 0 ? Math.max(most, off / error) : most
        }, 0),
      ),
      1 - tail,
    )
  const [over, under] = [largest(1), largest(-1)]
  const lows = differences.map((difference, at) => difference - over * (errors[at] as number))
  const highs = differences.map((difference, at) => difference + under * (errors[at] as number))
  const rising = lows.map((_, at) => lows.slice(0, at + 1).reduce((most, low) => Math.max(most, low)))
  const bounded = highs.map((_, at) => highs.slice(at).reduce((least, high) => Math.min(least, high)))
  const fits = isRising && rising.every((low, at) => low <= (bounded[at] as number))
  const weights = errors.map((error) => (error > 0 ? 1 / error ** 2 : 1))
  const fitted = fits ? isotonic(differences, weights) : differences
  return differences.map((difference, at) => ({
    difference,
    fitted: fitted[at] as number,
    low: (fits ? rising : lows)[at] as number,
    high: (fits ? bounded : highs)[at] as number,
  }))
}

/**
 * For each sample what its difference would be in other draws of as many sessions; of each draw all have the same sessions. Those that
 * no sample has anything of are not drawn: most sessions are too short to tell.
 */
function bootstrap(samples: readonly Sample[], seed: number): Float64Array[] {
  const random = uniform(seed)
  const telling = Array.from({ length: samples[0]?.weights.length ?? 0 }, (_, session) => session).filter((session) =>
    samples.some(({ weights }) => (weights[session] as number) > 0),
  )
  const drawn = samples.map(() => new Float64Array(draws))
  const sums = samples.map(() => ({ weight: 0, difference: 0 }))
  for (let draw = 0; draw < draws; draw++) {
    for (const one of sums) one.weight = one.difference = 0
    for (let nth = 0; nth < telling.length; nth++) {
      const session = telling[Math.floor(random() * telling.length)] as number
      for (const [at, { weights, differences }] of samples.entries()) {
        const one = sums[at] as (typeof sums)[number]
        one.weight += weights[session] as number
        one.difference += differences[session] as number
      }
    }
    for (const [at, { weight, difference }] of sums.entries())
      (drawn[at] as Float64Array)[draw] = ratio(difference, weight)
  }
  return drawn
}

/** The curve that never falls and comes nearest to the values, by their weights: pool adjacent violators (Ayer et al. 1955). */
export function isotonic(values: readonly number[], weights: readonly number[]): number[] {
  const blocks: { value: number; weight: number; length: number }[] = []
  for (const [at, value] of values.entries()) {
    let block = { value, weight: weights[at] as number, length: 1 }
    for (let last = blocks.at(-1); last && last.value > block.value; last = blocks.at(-1)) {
      blocks.pop()
      const weight = last.weight + block.weight
      block = {
        value: (last.value * last.weight + block.value * block.weight) / weight,
        weight,
        length: last.length + block.length,
      }
    }
    blocks.push(block)
  }
  return blocks.flatMap(({ value, length }) => Array.from({ length }, () => value))
}

const ratio = (part: number, whole: number): number => (whole > 0 ? part / whole : 0)

function sum(values: Float64Array): number {
  return values.reduce((total, value) => total + value, 0)
}

function deviation(values: Float64Array, around: number): number {
  return Math.sqrt(values.reduce((total, value) => total + (value - around) ** 2, 0) / values.length)
}

/** The smallest value that so large a share of them does not exceed. */
function quantile(values: number[], share: number): number {
  return values.sort((a, b) => a - b)[Math.max(0, Math.ceil(share * values.length) - 1)] ?? 0
}
