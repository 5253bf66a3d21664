/** Sessions in which calls fail by chance, by the size of the window. */
import { judged, type QualityPiece, qualityPieceOf } from '../../../src/app/quality/quality-sums.ts'
import { uniform } from '../../../src/base/uniform.ts'
import type { Message } from '../../../src/model/message.ts'
import { references } from '../../../src/references/digest.ts'
import { traceOf } from '../../simulator/arbitrary.ts'

/**
 * Sessions whose windows grow from 20k to 240k by 2k a call.
 * @param failure the chance that a call of a window of this size fails
 */
export function sessionsOf(count: number, seed: number, failure: (size: number) => number): QualityPiece[] {
  const random = uniform(seed)
  return Array.from({ length: count }, (_, nth) => {
    const list: Message[] = [{ role: 'user', line: 1, blocks: [{ type: 'text', text: 'Begin' }] }]
    // Some sessions go wrong more often than others, whatever their size.
    const own = 0.1 * random()
    for (let size = 20_000; size < 240_000; size += 2000) {
      const id = `c${size}`
      const usage = { input: size, cacheRead: 0, cacheWrite: 0, cacheWrite1h: 0, output: 20 }
      const call = { type: 'call' as const, id, name: 'Bash', input: { command: `make ${size}` } }
      list.push({ role: 'assistant', line: list.length + 1, blocks: [call], usage })
      const isError = random() < own + failure(size)
      list.push({ role: 'tool', line: list.length + 1, blocks: [{ type: 'text', text: 'done' }], callId: id, isError })
      if (size % 10_000 === 0)
        list.push({ role: 'user', line: list.length + 1, blocks: [{ type: 'text', text: 'Go on' }] })
    }
    return qualityPieceOf(traceOf(list, [() => 1], 'openai', { digest: references, head: { conversation: `s${nth}` } }))
  })
}

export const failedIn = (pieces: readonly QualityPiece[], seed?: number) =>
  judged(pieces, { endpoints: ['failed'], ...(seed !== undefined && { seed }) }).endpoints[0]!
