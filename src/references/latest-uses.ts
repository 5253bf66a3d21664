/** When each message was last used. Dropping what was never used since it came is the least risk. */
import type { Trace } from '../model/trace.ts'
import type { ReferenceDigest } from './digest.ts'
import { resolveReferences, usesFrom } from './resolve.ts'

/**
 * By message, the last request whose response used something of which it is the newest source (or, without a source,
 * the newest mention); -1 where none did.
 * @param from requests before it do not count
 */
export function latestUses(trace: Trace, digest: ReferenceDigest, from = 0): Int32Array {
  const { uses, occurrences, content } = from > 0 ? usesFrom(trace, digest, from) : resolveReferences(trace, digest)
  const latest = new Int32Array(trace.length).fill(-1)
  for (let request = from; request < trace.requests; request++) {
    for (let use = uses.starts[request] as number; use < (uses.starts[request + 1] as number); use++) {
      const source = uses.source[use] as number
      const place = source >= 0 ? source : (uses.mention[use] as number)
      latest[occurrences.message[place] as number] = request
    }
    for (let use = content.uses.starts[request] as number; use < (content.uses.starts[request + 1] as number); use++) {
      latest[content.uses.newest[use] as number] = request
    }
  }
  return latest
}
