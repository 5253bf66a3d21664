/** For commands about one transcript: reads it with its text, and says so if the input holds several. */
import { readSources } from '../../app/files/read-sources.ts'
import type { Plan, ReadSettings, Source, Trace } from '../../app/index.ts'
import type { Call } from './call.ts'
import type { Configuration } from './config.ts'
import { Reading } from './reading.ts'

export interface Only {
  /** The input's only transcript, else its longest, with a word on stderr about the others; null when there is none. */
  readonly trace: Trace | null
  /** What was read, and how. */
  readonly sources: readonly Source[]
  readonly how: ReadSettings
  /** The exit code that the reading alone calls for. */
  readonly code: number
}

/**
 * @param see is shown every transcript of the input, the others too
 * @throws CtxwinError if there is no input, or an empty one
 */
export async function onlyTranscript(
  call: Call,
  configuration: Configuration,
  plan: Plan,
  see: (trace: Trace) => void = () => {},
): Promise<Only> {
  const reading = await Reading.of(call, configuration, { newest: true })
  let longest: Trace | null = null
  let count = 0
  // A transcript with its text is large: only the longest so far is kept.
  let most = 0
  const take = (trace: Trace) => {
    see(trace)
    if (trace.length <= most) return [null]
    most = trace.length
    return [trace]
  }
  const unread = (source: Source, error: unknown) => {
    most = longest?.length ?? 0
    reading.unread(source, error)
  }
  const how = { ...reading.how, keepMessages: true }
  const sources = [...reading.sources()]
  for await (const { taken } of readSources(sources, plan, how, take, unread)) {
    count += taken.length
    longest = taken.findLast((trace) => trace !== null) ?? longest
  }
  if (longest !== null && count > 1) {
    const { conversation } = (longest as Trace).head
    const name = conversation === null ? '' : ` (${JSON.stringify(conversation)})`
    call.world.note(`${count} transcripts in the input: this is the longest${name}`)
  }
  return { trace: longest, sources, how: reading.how, code: reading.finish(count) }
}
