/**
 * `mooncake`: a line a request under the plan's policy and budget, `{timestamp, input_length, output_length, hash_ids}`, as
 * simulators of inference servers and load generators read it. Times count from the first request of the transcript; ids
 * are numbered through the whole output, and no two transcripts share one.
 */
import { BlockNumbers, BlockTrace } from '../../../simulator/block-trace.ts'
import { simulateOne } from '../../../simulator/simulate.ts'
import { firstCell } from '../../plan.ts'
import type { Form } from './form.ts'

/** In milliseconds, where a transcript records no times. */
const apart = 1000

export function mooncake(): Form {
  const numbers = new BlockNumbers()
  return {
    name: 'mooncake',
    summary: 'a line a request, with the hashes of its blocks of 512 tokens: for simulators of inference servers',
    *lines(trace, plan, unheld, nth) {
      const cell = firstCell(trace, plan)
      const blocks = new BlockTrace(trace, cell.facts.sizes, numbers, String(nth))
      simulateOne(cell, [blocks])
      const first = blocks.requests.find(({ time }) => !Number.isNaN(time))?.time ?? 0
      let [last, untimed] = [-apart, 0]
      for (const { time, inputTokens, outputTokens, blocks: hashes } of blocks.requests) {
        if (Number.isNaN(time)) untimed++
        // Times never decrease, whatever a transcript records.
        last = Number.isNaN(time) ? last + apart : Math.max(last, time - first, 0)
        yield { timestamp: last, input_length: inputTokens, output_length: outputTokens, hash_ids: hashes }
      }
      unheld.add('requests without a recorded time, taken a second after the one before', untimed)
    },
  }
}
