/** What was measured, and how sure it is. */
import type { Page } from '../../../model/page.ts'
import { billWords, fitWords, knownPrices } from '../../bill.ts'
import { grouped, several } from '../../numbers.ts'
import { type Element, h } from '../element.ts'
import { list } from '../parts.ts'

export function surenessView(page: Page): Element[] {
  const { transcripts, requests, costed, unit, pricesAsOf, bill, counting, captions, damagedLines, noticed, today } =
    page
  return [
    titled('Measured', [
      `${several(transcripts, 'transcript')} with ${several(requests, 'request')}, each replayed request by request under every policy and budget of this page.`,
      ...captions,
      ...(today.uses > 0
        ? [
            `Memory is counted by content: text that the agent or you copied later from something that had been in the window, ${grouped(today.uses)} times in all.`,
          ]
        : ['Nothing that had been in a window was used again later, so that nothing can be lost.']),
    ]),
    titled('How far off', [
      ...(bill
        ? unit === 'percent'
          ? fitWords(bill)
          : billWords(bill, transcripts)
        : ['No bill is recorded, or its model has no known price: the amounts are the model’s alone.']),
      ...(counting.length > 0 ? counting : ['No usage is recorded that the estimators could be held against.']),
    ]),
    titled('Left out', [
      ...(costed < transcripts ? [`${knownPrices(costed, transcripts)}: every amount is of these.`] : []),
      damagedLines > 0
        ? `${several(damagedLines, 'damaged line')} could not be read; the rest of their files is counted.`
        : 'No line was damaged.',
    ]),
    ...(noticed.length > 0 ? [titled('Noticed in the files', noticed)] : []),
    titled('Not claimed', [
      'That the agent would have gone on in the same way: a replay keeps what was recorded, and a shorter window may have led elsewhere.',
      'That a summary keeps anything: what it stands for counts as lost, except where its text is recorded.',
      'That a lost use does harm: an agent may read again what it misses. It is counted, not judged.',
      unit === 'percent'
        ? `That your plan counts like this: shares are weighted by list prices of APIs (as of ${pricesAsOf}).`
        : unit === 'usd'
          ? `That you pay this: dollars are list prices of APIs (as of ${pricesAsOf}); a subscription is billed in another way.`
          : 'Any amount of money: no model here has a known price, and cost is in input tokens that are not read from a cache.',
    ]),
  ]
}

const titled = (title: string, sentences: readonly string[]): Element =>
  h('section')(h('h3')(title), list('ul', sentences))
