/**
 * Sizes that a transcript brings along. `export --to ctxwin --redact` writes them, because words that were replaced
 * count otherwise than those that were there: read back by the same estimator, it comes to the same figures.
 */
import { type Chosen, identityOf } from '../base/chosen.ts'
import { keyOf } from '../base/key.ts'
import type { Estimator, Meter } from '../estimators/estimator.ts'
import type { Block } from '../model/message.ts'
import type { Trace, TranscriptHead } from '../model/trace.ts'
import type { Claims } from './claims.ts'

/** Which of the sizes that a transcript brings along are those of an estimator; -1 for none. */
export function broughtBy(head: TranscriptHead, claims: Claims, estimator: Chosen<Estimator>): number {
  const asked = keyOf({ ...identityOf(estimator), ...claims })
  return (head.sizedBy ?? []).findIndex(
    ({ name, version, values, model, provider }) => keyOf({ name, version, values, model, provider }) === asked,
  )
}

/**
 * Takes what the transcript says of its preamble, of summaries and of what clearings left for what a meter would count.
 */
export function broughtSizes(trace: Trace, claims: Claims, estimator: Chosen<Estimator>): (meter: Meter) => Meter {
  const column = broughtBy(trace.head, claims, estimator)
  const by = trace.head.sizedBy?.[column]
  if (!by) return (meter) => meter
  // Sizes are looked up by content, so that a message that a policy has changed is counted anew.
  const sizes = new Map<readonly Block[], number>()
  const know = (blocks: readonly Block[] | undefined, units: readonly number[] | undefined) => {
    const size = units?.[column]
    if (blocks && size !== undefined) sizes.set(blocks, size)
  }
  for (const { blocks, sizes: units } of trace.messages ?? []) know(blocks, units)
  for (const { summary, restored = [] } of trace.compactions) {
    for (const { blocks, sizes: units } of [...summary, ...restored]) know(blocks, units)
  }
  for (const { left, sizes: units } of trace.clearings) {
    for (const [index, blocks] of left) know(blocks, units?.get(index))
  }
  return (meter) => ({
    message: (message) => sizes.get(message.blocks) ?? meter.message(message),
    preamble: (preamble) => (preamble === trace.preamble ? by.preamble : meter.preamble(preamble)),
    joins: (preamble) => meter.joins(preamble),
  })
}
