/** When each message was last used: what nobody has used since it came is what a cut takes at the least risk. */
import type { Trace } from '../model/trace.ts'
import type { ReferenceDigest } from './digest.ts'
import { resolveReferences } from './resolve.ts'

/**
 * By message, the last request whose response used something of which it is the newest source (or, without a source, the
 * newest mention); -1 where none did.
 */
export function latestUses(trace: Trace, digest: ReferenceDigest): Int32Array {
  const { uses, occurrences, content } = resolveReferences(trace, digest)
  const latest = new Int32Array(trace.length).fill(-1)
  for (let request = 0; request < trace.requests; request++) {
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
