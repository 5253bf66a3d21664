/** The sizes of a transcript, for it to bring along; brought-sizes.ts says why. */
import type { Meter } from '../estimators/estimator.ts'
import type { Message } from '../model/message.ts'
import { isThought } from '../model/thoughts.ts'
import type { Clearing, Compaction, SizedBy, Trace } from '../model/trace.ts'
import type { Case } from './case.ts'

/** `sizedBy` says by what they were counted. */
export class OwnSizes {
  readonly sizedBy: readonly SizedBy[]
  readonly #trace: Trace
  readonly #meters: readonly { readonly meter: Meter; readonly at: number }[]

  /** @param cases of the whole transcript: how it is counted */
  constructor(trace: Trace, cases: readonly Case[]) {
    const used = cases.flatMap(({ context, inputs: { estimator, meters, model, provider } }) => {
      const other = estimator.plugin.uncorrected?.(context)
      const all = [
        { estimator, at: meters.own },
        ...(other && trace.isSized(meters.spare) ? [{ estimator: other, at: meters.spare }] : []),
      ]
      return all.map(({ estimator: { plugin, values }, at }) => ({
        at,
        meter: plugin.meter(context, values),
        by: { name: plugin.name, version: plugin.version, values, model, provider },
      }))
    })
    this.#trace = trace
    this.#meters = used
    this.sizedBy = used.map(({ by, meter }) => ({ ...by, preamble: meter.preamble(trace.preamble) }))
  }

  /** Of message `index` of the transcript. */
  of(index: number): readonly number[] {
    return this.#meters.map(({ at }) => this.#trace.units(index, at))
  }

  /** The same of its reasoning; null where it has none. */
  ofThoughts({ blocks }: Message, index: number): readonly number[] | null {
    return blocks.some(isThought) ? this.#meters.map(({ at }) => this.#trace.thoughts(index, at)) : null
  }

  compaction(compaction: Compaction): Compaction {
    const { summary, restored } = compaction
    // Sized by what they say, as the window does it, not by the record that the transcript has of them.
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
