/** Commands about one transcript: read it with its text, and say so when the input holds several. */
import { CtxwinError, type Plan, readTraces, type Trace } from '../index.ts'
import type { Call } from './call.ts'
import type { Resolved } from './config.ts'
import { openInputs } from './open.ts'
import { textOf } from './options.ts'

/**
 * The input's transcript: its only one, else its longest, with a word on stderr about the others.
 * @throws CtxwinError when there is no transcript
 */
export async function onlyTranscript(call: Call, settings: ReadonlyMap<string, Resolved>, plan: Plan): Promise<Trace> {
  const inputs = await openInputs(call.inputs, call.world)
  let longest: Trace | null = null
  let count = 0
  for (const { source } of inputs) {
    await readTraces(source, plan, { format: textOf(settings, 'format'), keepMessages: true }, (trace) => {
      count++
      if (longest === null || trace.length > longest.length) longest = trace
    })
  }
  const trace = longest as Trace | null
  if (!trace) throw new CtxwinError('no-input')
  if (count > 1) {
    const name = trace.head.conversation === null ? '' : ` (${JSON.stringify(trace.head.conversation)})`
    call.world.stderr.write(`ctxwin: the input holds ${count} transcripts; this is the longest${name}\n`)
  }
  return trace
}
