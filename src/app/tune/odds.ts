/**
 * How many times as often something is used later in these sessions as in those that taught the coefficients, by odds: the one figure
 * of the model that is fitted to a user's sessions. With it the chances of all messages, at all requests, add up to how many were used.
 */
import { choose } from '../../base/chosen.ts'
import { definePolicy } from '../../policies/catalogue/define-policy.ts'
import { Signals } from '../../policies/knobs/value/signals.ts'
import { byWeights, contentWeight, type Weights } from '../../policies/knobs/value/valuing.ts'
import type { Entry } from '../../policies/policy.ts'
import type { Case } from '../../simulator/case.ts'
import { simulateOne } from '../../simulator/simulate.ts'

/** No window is over it. */
const endless = 1e9
/** Chances are counted in steps of so much of their log odds. */
const step = 0.05
/** What the shipped coefficients say weighs as much as so many messages: few sessions do not tell much else. */
const trust = 2000
const rounds = 40

export function oddsIn(cases: readonly Case[], weights: Weights): number {
  /** By log odds: how many messages there were at requests, and how many of them were used; a use of content as in the fit. */
  const bins = new Map<number, { count: number; used: number; weight: number }>()
  const value = byWeights(weights, 1, 1)
  const look = definePolicy({
    name: 'look',
    text: true,
    looksAhead: true,
    start: (_values, { users, usersByName }) => {
      const known = new Signals()
      const entries: Entry[] = []
      const isUsed = (by: typeof users, entry: Entry, now: number) => (by?.get(entry.index)?.at(-1) ?? -1) >= now
      return {
        message(window, entry) {
          entries.push(entry)
          known.message(entry, window.tokensOf(entry, entry))
        },
        request(_window, { messages }) {
          for (const entry of entries) {
            const place = known.placeOf(entry) as number
            if (entry.isPrompt || known.ageOf(place) < 1) continue
            const chance = value.chance(known, place)
            const at = Math.round(Math.log(chance / (1 - chance)) / step)
            const bin = bins.get(at) ?? { count: 0, used: 0, weight: 0 }
            bins.set(at, bin)
            const weight = isUsed(users, entry, messages) ? contentWeight : 1
            bin.count++
            bin.weight += weight
            if (isUsed(usersByName, entry, messages)) bin.used += weight
          }
        },
      }
    },
  })
  for (const facts of cases) simulateOne({ policy: choose(look), facts, budget: endless }, [])
  const all = [...bins].map(([at, { weight, used }]) => ({ score: at * step, weight, used }))
  return Number(Math.exp(shiftOf(all)).toFixed(2))
}

/** The shift of log odds by which the chances add up to the uses: Newton's method on a sum that only grows. */
export function shiftOf(
  bins: readonly { readonly score: number; readonly weight: number; readonly used: number }[],
): number {
  const used = bins.reduce((sum, bin) => sum + bin.used, 0)
  let shift = 0
  for (let round = 0; round < rounds; round++) {
    // As if there had been messages of which as many were used as the coefficients say.
    let [expected, slope] = [0, trust / 4]
    for (const { score, weight } of bins) {
      const chance = 1 / (1 + Math.exp(-score - shift))
      expected += weight * chance
      slope += weight * chance * (1 - chance)
    }
    const pull = (trust / 4) * shift
    const change = (used - expected - pull) / slope
    shift += Math.max(-1, Math.min(1, change))
    if (Math.abs(change) < 1e-9) break
  }
  return shift
}
