/**
 * Why the cache missed: requests for which the provider read less from its cache than the request before had there,
 * each with the cause that the transcript shows. docs/spend.md.
 */
import type { Usage } from '../model/message.ts'
import { sentAsRecorded } from '../model/recorded.ts'
import type { Sizes } from '../model/sizes.ts'
import type { MissCause } from '../model/spending.ts'
import type { Trace } from '../model/trace.ts'
import type { Pricing } from '../models/pricing.ts'
import { clockOf, served } from './prompt-cache.ts'
import { type BilledRequest, inputCost } from './spent.ts'

export interface Miss {
  readonly request: number
  readonly cause: MissCause
  /** Seconds since the request before; null where no time is recorded. */
  readonly pause: number | null
  /** Tokens that had been in the cache and were paid in full. */
  readonly tokens: number
  /** What they cost beyond a read, in US dollars; null without a price. */
  readonly usd: number | null
}

/** Seconds. */
const anHour = 3600

/**
 * @param billed the requests with usage, by their index
 * @param inherited whether the request was made in another file, of which this one is a continuation
 */
export function* missesOf(
  trace: Trace,
  sizes: Sizes,
  pricing: Pricing,
  billed: ReadonlyMap<number, BilledRequest>,
  inherited: (request: number) => boolean,
): Generator<Miss> {
  const { rule, life } = pricing
  if (!rule) return
  const usages = [...billed.values()].map(({ usage }) => usage)
  const recordsWrites = usages.some(({ cacheWrite }) => cacheWrite > 0)
  // Where nothing was ever read, the provider has no cache, or its use is not recorded.
  if (!recordsWrites && !usages.some(({ cacheRead }) => cacheRead > 0)) return
  const cached = ({ input, cacheRead, cacheWrite }: Usage): number =>
    recordsWrites ? cacheRead + cacheWrite : served(input, rule)
  // A session may begin with entries that live for minutes and go on with entries of an hour, so the latest write
  // decides.
  const lifeOf = ({ cacheWrite, cacheWrite1h }: Usage): number =>
    cacheWrite === 0 ? life : cacheWrite1h * 2 > cacheWrite ? anHour : rule.ttl
  const { times } = clockOf(trace, life)
  const head = sizes.tokens(sizes.preamble)
  let before: BilledRequest | undefined
  let isNew = false
  const since = { compaction: false, clearing: false, resumed: false }
  let message = 0
  for (const { request, at, cut } of sentAsRecorded(trace, sizes)) {
    isNew ||= cut === 'reset'
    since.compaction ||= cut === 'compaction'
    since.clearing ||= cut === 'clearing'
    for (; message <= at; message++) since.resumed ||= trace.isResumed(message)
    const now = billed.get(request)
    if (!now) continue
    const last = before
    const tokens = last && !isNew ? Math.min(cached(last.usage), now.usage.input) - now.usage.cacheRead : 0
    if (last && tokens >= rule.minPrefix) {
      const pause = ((times[request] as number) - (times[last.request] as number)) / 1000
      const hasTimes = !Number.isNaN(trace.requestTime(request) - trace.requestTime(last.request))
      const isTakenUp = since.resumed || (inherited(last.request) && !inherited(request))
      const cause = causeOf({
        compacted: since.compaction,
        idle: hasTimes && pause > lifeOf(last.usage),
        switched: trace.requestModel(request) !== trace.requestModel(last.request),
        resumed: isTakenUp,
        edited: since.clearing || now.usage.input < last.usage.input,
        // An automatic cache loses as much when a request goes to another machine, so this sign counts only where
        // writes are recorded.
        headBroken: recordsWrites && now.usage.cacheRead < head,
      })
      yield { request, cause, pause: hasTimes ? pause : null, tokens, usd: excess(now, tokens) }
    }
    before = now
    isNew = since.compaction = since.clearing = since.resumed = false
  }
}

interface Signs {
  readonly compacted: boolean
  readonly idle: boolean
  readonly switched: boolean
  readonly resumed: boolean
  readonly edited: boolean
  readonly headBroken: boolean
}

/** The first cause, in this order, that explains the miss by itself. */
function causeOf({ compacted, idle, switched, resumed, edited, headBroken }: Signs): MissCause {
  if (compacted) return 'compaction'
  if (idle) return 'idle'
  if (switched) return 'model-switch'
  if (resumed) return 'resume'
  if (edited) return 'edit'
  return headBroken ? 'changed-head' : 'unexplained'
}

/**
 * What `tokens` of those that were not read cost beyond a read. What each of them cost is not recorded, so all count
 * alike.
 */
function excess({ usage, cost, rates }: BilledRequest, tokens: number): number | null {
  if (!cost || !rates) return null
  const perToken = (inputCost(cost) - cost.cacheRead) / (usage.input - usage.cacheRead)
  return tokens * (perToken - rates.read)
}
