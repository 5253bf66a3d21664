/**
 * The knob `repair`: what is put right behind a drop or a summary. It acts only when something left, and then costs
 * O(window).
 */
import type { Entry, Window } from '../policy.ts'
import { entriesFrom } from '../primitives/drop-steps.ts'
import { skipLeadingResults } from '../primitives/fill-newest.ts'
import { dropBrokenPairs } from '../primitives/keep-pairs.ts'
import { knob, plain } from './words.ts'

/** What a repair may look at. */
interface Sight {
  /** The calls that once had a result. */
  readonly answered: ReadonlySet<number>
  /** Whether the entry is protected for good. */
  readonly keeps: (entry: Entry) => boolean
}

export type Repair =
  | ((window: Window, sight: Sight) => void)
  /** These two apply when messages leave. */
  | 'whole'
  | 'missing'

/** Drops results whose call has left; calls whose results have left stay. */
function dropBrokenResults(window: Window): void {
  const made = new Set<number>()
  const broken: Entry[] = []
  for (const entry of entriesFrom(window.first)) {
    for (let call = entry.call; entry.calls > 0 && call < entry.call + entry.calls; call++) made.add(call)
    if (entry.role === 'tool' && entry.call >= 0 && !made.has(entry.call)) broken.push(entry)
  }
  for (const entry of broken) window.drop(entry, entry)
}

/** Drops what is in front of the first message of the user, if there is one. */
function snapToUser(window: Window, { keeps }: Sight): void {
  let user = window.first
  while (user && user.role !== 'user') user = user.next
  if (!user) return
  for (let entry = window.first; entry && entry !== user; ) {
    const { next } = entry
    if (!keeps(entry)) window.drop(entry, entry)
    entry = next
  }
}

export const repair = knob<Repair | null, readonly Repair[]>({
  default: 'pairs',
  help: 'what is repaired afterwards',
  words: {
    none: plain('nothing', null),
    pairs: plain('results without their call leave, and calls without their results', (window, { answered }) =>
      dropBrokenPairs(window, answered),
    ),
    results: plain('results without their call leave', dropBrokenResults),
    'leading-results': plain('results at the beginning leave', skipLeadingResults),
    user: plain('what is in front of the first user message leaves, if there is one', snapToUser),
    whole: plain('a summary takes the place of less, so that it parts no call from its results', 'whole'),
    missing: plain('a result whose call stays is not dropped, but reads `result missing`', 'missing'),
  },
  together: ([repairs = []]) => repairs.filter((one) => one !== null),
})
