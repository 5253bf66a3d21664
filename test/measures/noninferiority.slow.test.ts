/** How often the interval of probes holds what is true, and how wide it is, for a server whose truth is known. */
import { describe, expect, it } from 'vitest'
import { uniform } from '../../src/base/uniform.ts'
import { estimateOf, pilotOf, powerOf } from '../../src/measures/noninferiority.ts'
import type { ProbeOutcome, ProbePilot } from '../../src/model/probe.ts'
import { sampled } from '../whole.ts'
import { differenceOf, drawn, lostOf, noiseOfFloor } from './probe-server.ts'

const trials = 1000
const floors = [0.6, 0.9, 0.98]
const differences = [0, -0.05, -0.15]
const correlations = [0, 0.1, 0.3]

interface World {
  readonly sessions: number
  readonly floor: number
  readonly difference: number
  readonly correlation: number
}

type Draw = (random: () => number, world: World) => ProbeOutcome[]

const perSession = (random: () => number): number => 5 + Math.floor(6 * random())

/** Probes of a session take what came of one of them with the square root of the correlation. */
const copied: Draw = (random, { sessions, floor, difference, correlation }) => {
  const noise = noiseOfFloor(floor)
  const lost = lostOf(difference, noise)
  return Array.from({ length: sessions }, (_, cluster) => {
    const one = () => drawn(random, noise, random() < lost)
    const common = one()
    const chance = Math.sqrt(correlation)
    return Array.from({ length: perSession(random) }, () => ({ cluster, ...(random() < chance ? common : one()) }))
  }).flat()
}

/** What is lost once is lost again: Pólya's urn, where losses of a session have the correlation and answers have none. */
const urn: Draw = (random, { sessions, floor, difference, correlation }) => {
  const noise = noiseOfFloor(floor)
  const lost = lostOf(difference, noise)
  return Array.from({ length: sessions }, (_, cluster) => {
    let losses = 0
    return Array.from({ length: perSession(random) }, (_, before) => {
      const chance = (lost * (1 - correlation) + losses * correlation) / (1 - correlation + before * correlation)
      const isLost = random() < chance
      if (isLost) losses++
      return { cluster, ...drawn(random, noise, isLost) }
    })
  }).flat()
}

/** @returns in which share of the trials it holds the truth, its mean half-width, and that of one who knows how far estimates scatter */
function tried(draw: Draw, world: World, seed: number) {
  const random = uniform(seed)
  let [held, half, sum, squares] = [0, 0, 0, 0]
  for (let trial = 0; trial < trials; trial++) {
    const { low, high, difference } = estimateOf(draw(random, world))
    if (low === null || high === null || difference === null) throw new Error('an interval was expected')
    if (low <= world.difference && world.difference <= high) held++
    half += (high - low) / 2 / trials
    sum += difference / trials
    squares += difference ** 2 / trials
  }
  return { held: held / trials, half, oracle: 1.96 * Math.sqrt(squares - sum ** 2) }
}

/** Each difference once and each correlation once, in other pairs for each floor. */
const worlds = (sessions: number, floor: number): World[] =>
  differences.flatMap((difference, nth) => {
    const turn = nth + floors.indexOf(floor)
    return sampled(correlations, 3, turn).map((correlation) => ({ sessions, floor, difference, correlation }))
  })

/** By so many points it may be wider than one who knows the truth would make it: few sessions tell little of what was not seen yet. */
const wider: readonly (readonly [sessions: number, points: number])[] = [
  [5, 28],
  [12, 9.5],
  [30, 3.5],
  [60, 1.5],
  [150, 0.6],
]

describe('the interval of probes', () => {
  it.each(wider.flatMap(([sessions, points]) => floors.map((floor) => [sessions, floor, points] as const)))(
    'of %i sessions with the floor %d holds what is true in 93 of 100 cases, and is wider by up to %d points than it has to be',
    (sessions, floor, points) => {
      for (const [seed, world] of worlds(sessions, floor).entries()) {
        const { held, half, oracle } = tried(copied, world, seed)
        expect(held, JSON.stringify(world)).toBeGreaterThanOrEqual(0.93)
        expect(half, JSON.stringify(world)).toBeGreaterThan(0.95 * oracle)
        expect(half, JSON.stringify(world)).toBeLessThan(oracle + points / 100)
      }
    },
  )

  it('does so where few sessions have most of the losses', () => {
    const worlds = [12, 30, 60, 150].flatMap((sessions, nth) => {
      const pairs = [-0.05, -0.15].flatMap((difference) => [0.9, 0.98].map((floor) => ({ difference, floor })))
      return sampled(pairs, 4, nth).map((pair) => ({ sessions, ...pair, correlation: 0.3 }))
    })
    for (const world of worlds)
      expect(tried(urn, world, world.sessions).held, JSON.stringify(world)).toBeGreaterThanOrEqual(0.93)
  })

  it('does so where a third of the probes are of one session, and requests are drawn unequally', () => {
    const random = uniform(7)
    const noise = noiseOfFloor(0.9)
    // Of five requests one has lost something, and it is asked four times as often as another.
    const lost = lostOf(-0.05, noise) / 0.2
    const truth = differenceOf(0.2 * lost, noise)
    let held = 0
    for (let trial = 0; trial < trials; trial++) {
      const outcomes = Array.from({ length: 20 }, (_, cluster) =>
        Array.from({ length: cluster === 0 ? 60 : 6 }, () => {
          const isRare = random() < 0.5
          return { cluster, weight: isRare ? 1 : 4, ...drawn(random, noise, isRare && random() < lost) }
        }),
      ).flat()
      const { low, high } = estimateOf(outcomes)
      if ((low as number) <= truth && truth <= (high as number)) held++
    }
    expect(held / trials).toBeGreaterThanOrEqual(0.93)
  })

  it.each([
    [12, 5, 0.9, 0.1],
    [48, 6, 0.9, 0.1],
    [150, 8, 0.98, 0],
    [150, 8, 0.9, 0.3],
    [60, 10, 0.8, 0.1],
  ])('is about as wide as was foreseen for %i sessions of %i probes', (sessions, perSession, floor, correlation) => {
    const random = uniform(sessions)
    let half = 0
    for (let trial = 0; trial < 300; trial++) {
      const outcomes = Array.from({ length: sessions }, (_, cluster) => {
        // Some requests have one answer, the others either of two.
        const one = () => drawn(random, random() < 2 * (1 - floor) ? 0.5 : 0, false)
        const common = one()
        const chance = Math.sqrt(correlation)
        return Array.from({ length: perSession }, () => ({ cluster, ...(random() < chance ? common : one()) }))
      }).flat()
      const { low, high } = estimateOf(outcomes)
      half += ((high as number) - (low as number)) / 2 / 300
    }
    const foreseen = powerOf({ sessions, perSession, floor, correlation }).halfWidth
    expect(half / foreseen).toBeGreaterThan(0.9)
    expect(half / foreseen).toBeLessThan(1.1)
  })

  it('is foreseen from a pilot about as from the truth', () => {
    const random = uniform(5)
    const world = { sessions: 60, floor: 0.9, difference: 0, correlation: 0.3 }
    let [foreseen, correlation] = [0, 0]
    for (let trial = 0; trial < 100; trial++) {
      const pilot = pilotOf(copied(random, world)) as ProbePilot
      foreseen += powerOf({ sessions: 150, perSession: 7.5, ...pilot }).halfWidth / 100
      correlation += pilot.correlation / 100
    }
    expect(correlation).toBeGreaterThan(0.24)
    expect(correlation).toBeLessThan(0.36)
    const { half } = tried(copied, { ...world, sessions: 150 }, 1)
    expect(foreseen / half).toBeGreaterThan(0.9)
    expect(foreseen / half).toBeLessThan(1.1)
  })
})
