/** Advice as text: the answer first, then the figures that it follows from; or all of it on one line. */
import { safe } from '../base/quoting.ts'
import type { Advice, CutCost } from '../model/advice.ts'
import { dressAnswer, inkFor } from './ink.ts'
import { compact, dollars, grouped, several } from './numbers.ts'
import { wrap } from './text.ts'

/** A few words, for a status line. */
export function adviceLine(advice: Advice): string {
  const { context, verdict, cut } = advice
  const share = context.window === null ? '' : ` ${Math.round((100 * context.tokens) / context.window)}%`
  const gain = verdict === 'cut' && cut ? ` (-${compact(cut.takenTokens)})` : ''
  return `${compact(context.tokens)}${share} · ${cacheWords(advice)} · ${verdict === 'cut' ? 'cut now' : 'wait'}${gain}: ${inShort(advice)}\n`
}

/** @param width of the terminal, to which its lines are broken */
export function* adviceText(
  advice: Advice,
  { width, color }: { readonly width: number; readonly color: boolean },
): Generator<string> {
  const { context, cache, cut, policy, budget } = advice
  const ink = inkFor(color)
  const answer = wrap(`${advice.verdict === 'cut' ? 'Cut now' : 'Wait'}: ${whyOf(advice)}`, width, 0, 2)
  for (const line of dressAnswer(answer, ink)) yield `${line}\n`
  yield '\n'
  const told = function* (name: string, words: string): Generator<string> {
    const [first = '', ...others] = wrap(words, Math.max(20, width - labels), 0, 0)
    yield `${name.padEnd(labels)}${first}\n`
    for (const line of others) yield `${' '.repeat(labels)}${line}\n`
  }
  const window =
    context.window === null
      ? ''
      : ` of ${grouped(context.window)} (${Math.round((100 * context.tokens) / context.window)} %)`
  const { lowTokens: low, highTokens: high } = context
  const range = low === null || high === null || low === high ? '' : `, between ${grouped(low)} and ${grouped(high)}`
  yield* told('window', `${grouped(context.tokens)} tokens${window}${range}; ${requests(advice.requests)} so far`)
  const served = cache.state === 'warm' ? `, serves ${grouped(cache.servedTokens)} tokens of the next request` : ''
  yield* told('cache', `${cacheWords(advice).replace(/^cache /, '')}${served}`)
  yield* told('policy', `${safe(policy)} at ${grouped(budget)} tokens`)
  yield* told(
    'to come',
    `about ${requests(Math.round(advice.left.expected))} after the next one, ${learnedFrom(advice)}`,
  )
  if (!cut) return
  yield* told(
    'a cut',
    `${dueWords(cut)} takes ${grouped(cut.takenTokens)} tokens out of ${grouped(cut.messages)} messages and leaves ${grouped(cut.tokensAfter)}. Of these tokens ${grouped(cut.unusedTokens)} are in messages that nothing has used since, ${grouped(cut.usedLatelyTokens)} in messages used in the last ten requests. About ${grouped(Math.round(cut.rereads.tokens))} tokens would be read again, as after recorded compactions`,
  )
  yield* told('  now', costWords(cut.now, advice))
  if (cut.atExchangeEnd && cache.state === 'warm') yield* told('  later', costWords(cut.atExchangeEnd, advice))
  if (cache.state !== 'cold' && cache.state !== 'none') yield* told('  cold', costWords(cut.cold, advice))
}

/** The cells that the names of the lines take. */
const labels = 9

function inShort({ reason, cut, left }: Advice): string {
  if (reason === 'over-window') return 'over the model’s window'
  if (!cut) return 'nothing to cut'
  const { breakEvenRequests: even } = cut.now
  if (even === null) return 'never pays'
  return even === 0
    ? 'costs nothing'
    : `pays after ${requests(even)}, about ${grouped(Math.round(left.expected))} to come`
}

/** The three figures that the verdict follows from: what a cut costs, what it saves, and for how many requests. */
function whyOf({ reason, cache, cut, left, unit }: Advice): string {
  if (reason === 'over-window') return 'the next request is larger than the model’s context window.'
  if (!cut) return 'the policy would take nothing out.'
  const { next, rereads, saves, breakEvenRequests: even } = cut.now
  const whole = next + rereads
  const amount = worth(Math.abs(whole), unit)
  const free = cache.state === 'cold' ? 'the cache has expired, so a cut' : 'a cut now'
  const costs = whole > 0 ? `a cut now costs ${amount}` : `${free} costs ${amount} less than going on`
  const saved = saves > 0 ? `${worth(saves, unit)} a request` : 'nothing later'
  if (even === null) return `${costs} and saves ${saved}.`
  const toCome = `about ${several(Math.round(left.expected), 'more request')} to come`
  if (even === 0) return `${costs} and saves ${saved}, with ${toCome}.`
  return `${costs} and saves ${saved}. It ${reason === 'pays' ? 'pays' : 'would pay'} after ${requests(even)}, with ${toCome}.`
}

/** What the number of requests to come was learned from. */
function learnedFrom({ left: { made, stretches, program } }: Advice): string {
  const sessions = `${grouped(stretches)} recorded stretches of ${program ?? 'all programs'}`
  return `as in ${sessions} that had made ${requests(made)} since the start or the last cut`
}

const requests = (count: number): string => several(count, 'request')

function dueWords({ due, roomTokens, roomRequests }: NonNullable<Advice['cut']>): string {
  if (due) return 'is due. It'
  const away = roomRequests === null ? '' : `, about ${requests(roomRequests)}`
  return `is not due (the budget is ${grouped(roomTokens)} tokens away${away}). Made now, it`
}

function costWords({ next, summary, rereads, breakEvenRequests }: CutCost, { unit }: Advice): string {
  const amount = worth(Math.abs(next), unit)
  const of = summary > 0 ? ` (with ${worth(summary, unit)} for a summary)` : ''
  const again = rereads > 0 ? `, and reading again costs ${worth(rereads, unit)}` : ''
  const even =
    breakEvenRequests === null
      ? '; it never pays for itself'
      : breakEvenRequests === 0
        ? ''
        : `; it pays for itself after ${requests(breakEvenRequests)}`
  return `the next request costs ${amount} ${next <= 0 ? 'less' : 'more'}${of}${again}${even}`
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
