/** Advice as text: the answer first, then the figures that it follows from; or all of it on one line. */
import type { Advice, CutCost, VerdictReason } from '../model/advice.ts'
import { compact, dollars, grouped } from './numbers.ts'
import { safe } from './safe.ts'

/** A few words, for a status line. */
export function adviceLine(advice: Advice): string {
  const { context, verdict, cut } = advice
  const share = context.window === null ? '' : ` ${Math.round((100 * context.tokens) / context.window)}%`
  const gain = verdict === 'cut' && cut ? ` (-${compact(cut.takenTokens)})` : ''
  return `${compact(context.tokens)}${share} · ${cacheWords(advice)} · ${verdict === 'cut' ? 'cut now' : 'wait'}${gain}: ${reasons[advice.reason]}\n`
}

export function* adviceText(advice: Advice): Generator<string> {
  const { context, cache, cut, policy, budget } = advice
  yield `${advice.verdict === 'cut' ? 'Cut now' : 'Wait'}: ${whyOf(advice)}\n\n`
  const window =
    context.window === null
      ? ''
      : ` of ${grouped(context.window)} (${Math.round((100 * context.tokens) / context.window)} %)`
  const { lowTokens: low, highTokens: high } = context
  const range = low === null || high === null || low === high ? '' : `, between ${grouped(low)} and ${grouped(high)}`
  yield `context  ${grouped(context.tokens)} tokens${window}${range}; ${advice.requests} requests so far\n`
  yield `cache    ${cacheWords(advice)}${cache.state === 'warm' ? `, serves ${grouped(cache.servedTokens)} tokens of the next request` : ''}\n`
  yield `policy   ${safe(policy)} at ${grouped(budget)} tokens\n`
  if (!cut) return
  yield `next cut ${dueWords(cut)}: takes ${grouped(cut.takenTokens)} tokens out of ${cut.messages} messages, leaves ${grouped(cut.tokensAfter)}\n`
  yield `         ${grouped(cut.unusedTokens)} of them in messages that nothing has used since, ${grouped(cut.usedLatelyTokens)} in messages used in the last ten requests\n`
  yield `  now        ${costWords(cut.now, advice)}\n`
  if (cut.atExchangeEnd && cache.state === 'warm') yield `  in a while ${costWords(cut.atExchangeEnd, advice)}\n`
  if (cache.state !== 'cold' && cache.state !== 'none') yield `  cold       ${costWords(cut.cold, advice)}\n`
}

const reasons: Readonly<Record<VerdictReason, string>> = {
  'over-window': 'over the model’s window',
  cold: 'nothing cached to lose',
  pays: 'pays within an exchange',
  warm: 'cache is warm',
  room: 'room left',
  'used-lately': 'still in use',
  'nothing-to-cut': 'nothing to cut',
}

function whyOf({ reason, cut, cache, now, budget }: Advice): string {
  const after = cut ? `the cut pays for itself after ${cut.now.breakEvenRequests ?? 'no number of'} requests` : ''
  switch (reason) {
    case 'over-window':
      return 'the next request is larger than the model’s context window.'
    case 'cold':
      return cache.state === 'none'
        ? 'the model has no prompt cache that a cut could break.'
        : 'the prompt cache is cold, so everything is written anew anyway, and what leaves need not be.'
    case 'pays':
      return `it is due, and ${after}, fewer than the usual exchange has.`
    case 'warm':
      return `the prompt cache is warm${cache.coldFrom === null ? '' : ` for another ${duration(cache.coldFrom - now)}`}, and ${after}.`
    case 'room':
      return `less than half of the budget of ${grouped(budget)} tokens is in use.`
    case 'used-lately':
      return 'most of what the cut would take was used in the last ten requests, and it is not due yet.'
    case 'nothing-to-cut':
      return 'the policy would take nothing out.'
  }
}

function dueWords({ due, roomTokens, roomRequests }: NonNullable<Advice['cut']>): string {
  if (due) return 'is due'
  return `in ${grouped(roomTokens)} tokens${roomRequests === null ? '' : `, about ${roomRequests} requests`}`
}

function costWords({ next, summary, breakEvenRequests }: CutCost, { unit }: Advice): string {
  const amount = worth(Math.abs(next), unit)
  const of = summary > 0 ? ` (${worth(summary, unit)} of it for a summary)` : ''
  const even =
    breakEvenRequests === null ? ', and never pays for itself' : `, pays for itself after ${breakEvenRequests} requests`
  return next <= 0 ? `${amount} less for the next request${of}` : `${amount} more for the next request${of}${even}`
}

function worth(amount: number, unit: Advice['unit']): string {
  return unit === 'usd' ? dollars(amount) : `${grouped(Math.round(amount))} input tokens’ worth`
}

function cacheWords({ cache, now }: Advice): string {
  if (cache.state === 'none') return 'no prompt cache'
  if (cache.state === 'unknown' || cache.coldFrom === null) return 'cache unknown'
  return cache.state === 'warm'
    ? `cache warm ${duration(cache.coldFrom - now)} more`
    : `cache cold for ${duration(now - cache.coldFrom)}`
}

function duration(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`
  return seconds < 86_400 ? `${Math.floor(seconds / 3600)} h` : `${Math.floor(seconds / 86_400)} d`
}
