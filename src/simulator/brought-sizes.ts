/**
 * Sizes that a transcript brings along. `convert --to ctxwin --redact` writes them, because words that were replaced count
 * otherwise than those that were there: read back by the same estimator, it comes to the same figures.
 */
import type { Estimator, Meter } from '../estimators/estimator.ts'
import type { Block, Message } from '../model/message.ts'
import type { Clearing, Compaction, SizedBy, Trace } from '../model/trace.ts'
import { broughtBy, type Chosen, contextOf, type Plan, spareOf } from './plan.ts'

/** Takes what the transcript says of its preamble, of summaries and of what clearings left for what a meter would count. */
export function broughtSizes(trace: Trace, plan: Plan, estimator: Chosen<Estimator>): (meter: Meter) => Meter {
  const column = broughtBy(trace.head, plan, estimator)
  const by = trace.head.sizedBy?.[column]
  if (!by) return (meter) => meter
  // By the content itself, so that what a policy makes of a message is counted.
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

/** The sizes of a transcript, for it to bring along; `sizedBy` says by what they were counted. */
export class OwnSizes {
  readonly sizedBy: readonly SizedBy[]
  readonly #trace: Trace
  readonly #meters: readonly { readonly meter: Meter; readonly at: number }[]

  constructor(trace: Trace, plan: Plan) {
    const context = contextOf(trace.head, plan)
    const used = plan.estimators.flatMap((estimator, at) => {
      const other = estimator.plugin.uncorrected?.(context)
      const spare = spareOf(plan, at)
      return other && trace.isSized(spare)
        ? [
            { estimator, at },
            { estimator: other, at: spare },
          ]
        : [{ estimator, at }]
    })
    this.#trace = trace
    this.#meters = used.map(({ estimator, at }) => ({ meter: estimator.plugin.meter(context, estimator.values), at }))
    this.sizedBy = used.map(({ estimator: { plugin, values } }, nth) => ({
      name: plugin.name,
      version: plugin.version,
      values,
      model: plan.model ?? null,
      provider: plan.provider ?? null,
      preamble: (this.#meters[nth] as { readonly meter: Meter }).meter.preamble(trace.preamble),
    }))
  }

  /** Of message `index` of the transcript. */
  of(index: number): readonly number[] {
    return this.#meters.map(({ at }) => this.#trace.units(index, at))
  }

  compaction(compaction: Compaction): Compaction {
    const { summary, restored } = compaction
    // As they are put into a window: by what they say, whatever record of theirs stood in the transcript.
    const sized = (message: Message): Message => {
      const { role, blocks, line } = message
      return { ...message, sizes: this.#count({ role, blocks, line }) }
    }
    return { ...compaction, summary: summary.map(sized), ...(restored && { restored: restored.map(sized) }) }
  }

  clearing(clearing: Clearing): Clearing {
    const counted = [...clearing.left].map(
      ([index, blocks]) => [index, this.#count(this.#trace.withContent(index, blocks))] as const,
    )
    return { ...clearing, sizes: new Map(counted) }
  }

  #count(message: Message): readonly number[] {
    return this.#meters.map(({ meter }) => meter.message(message))
  }
}
