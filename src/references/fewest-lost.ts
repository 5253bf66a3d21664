/**
 * The fewest uses of content that any window of whole messages loses, as Belady's MIN is the fewest misses of any cache
 * (L. Belady, 1966). With messages of different sizes the exact number is as hard as packing a knapsack at each
 * request, so this relaxes it: only some requests are looked at, and at each of them only those needs that it shares
 * with no other. There the needs that are met must fit into the window together, and the most that can fit are the
 * smallest ones. Whatever leaves a constraint out can only lose fewer, so no policy is below.
 *
 * The requests are chosen greedily: first the one at which most is lost, then among the needs that are over before it
 * and those that begin behind it. test/references/fewest-lost.test.ts holds it against every possible schedule of small
 * cases.
 */
import { PrefixSums } from '../base/prefix-sums.ts'
import type { Need } from './needs.ts'

type Wanted = Pick<Need, 'from' | 'request' | 'units'>

/** @param rooms by request: the units of messages that a window can hold there */
export function fewestLost(needs: readonly Wanted[], rooms: ArrayLike<number>): number {
  let lost = 0
  const left: (readonly Wanted[])[] = [needs.filter(({ from, request }) => from <= request)]
  for (let group = left.pop(); group; group = left.pop()) {
    const worst = worstOf(group, rooms)
    if (!worst) continue
    lost += worst.lost
    left.push(
      group.filter(({ request }) => request < worst.request),
      group.filter(({ from }) => from > worst.request),
    )
  }
  return lost
}

/** The request at which most of the needs cannot be met; null if all can be met at every request. */
function worstOf(needs: readonly Wanted[], rooms: ArrayLike<number>): { request: number; lost: number } | null {
  const bySize = [...needs].sort((a, b) => a.units - b.units)
  const places = bySize.map((_, place) => place)
  const starting = places.toSorted((a, b) => (bySize[a] as Wanted).from - (bySize[b] as Wanted).from)
  const ending = places.toSorted((a, b) => (bySize[a] as Wanted).request - (bySize[b] as Wanted).request)
  const units = new PrefixSums(needs.length)
  const counts = new PrefixSums(needs.length)
  let worst: { request: number; lost: number } | null = null
  let [started, ended, load] = [0, 0, 0]
  const move = (place: number, by: 1 | -1): void => {
    const size = (bySize[place] as Wanted).units
    units.add(place, by * size)
    counts.add(place, by)
    load += by * size
  }
  const first = (bySize[starting[0] as number] as Wanted | undefined)?.from ?? 0
  for (let request = first; ended < needs.length; request++) {
    for (; started < needs.length && (bySize[starting[started] as number] as Wanted).from <= request; started++) {
      move(starting[started] as number, 1)
    }
    const room = rooms[request] as number
    if (load > room) {
      const lost = started - ended - counts.before(units.find(room))
      if (lost > (worst?.lost ?? 0)) worst = { request, lost }
    }
    for (; ended < needs.length && (bySize[ending[ended] as number] as Wanted).request <= request; ended++) {
      move(ending[ended] as number, -1)
    }
  }
  return worst
}
