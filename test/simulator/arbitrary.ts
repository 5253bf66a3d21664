/** Random transcripts for property tests: any order of roles that a recorded agent can produce, and some it cannot. */
import fc from 'fast-check'
import type { Block, Message, Preamble, ProviderName } from '../../src/model/message.ts'
import type { Clearing, Compaction, DigestKind, SideCall, Sizer, Trace, TranscriptHead } from '../../src/model/trace.ts'
import { TraceBuilder } from '../../src/readers/trace-builder.ts'

interface Spec {
  readonly kind: 'prompt' | 'queued' | 'system' | 'answer' | 'calls' | 'result' | 'empty'
  readonly text: string
  readonly calls: number
}

const text = fc.oneof(
  fc.string({ maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 30 }),
  fc.constantFrom('今日は', '👩‍👩‍👧‍👦 ok', 'line\u2028sep\u0007', '"quoted" \\ back'),
)

const spec: fc.Arbitrary<Spec> = fc.record({
  kind: fc.oneof(
    { weight: 3, arbitrary: fc.constant('prompt' as const) },
    { weight: 4, arbitrary: fc.constant('calls' as const) },
    { weight: 5, arbitrary: fc.constant('result' as const) },
    { weight: 3, arbitrary: fc.constant('answer' as const) },
    { weight: 1, arbitrary: fc.constantFrom('queued' as const, 'system' as const, 'empty' as const) },
  ),
  text,
  calls: fc.integer({ min: 1, max: 3 }),
})

/** Messages in file order; results answer the calls that are still open, or nothing at all. */
export const messages: fc.Arbitrary<Message[]> = fc.array(spec, { maxLength: 60 }).map((specs) => {
  const open: string[] = []
  let number = 0
  return specs.map((spec, index): Message => {
    const line = index + 1
    const blocks: Block[] = [{ type: 'text', text: spec.text }]
    switch (spec.kind) {
      case 'prompt':
        return { role: 'user', line, blocks }
      case 'queued':
        return { role: 'user', line, blocks, origin: 'queued' }
      case 'system':
        return { role: 'system', line, blocks }
      case 'answer':
        return { role: 'assistant', line, blocks }
      case 'empty':
        return { role: 'assistant', line, blocks: [] }
      case 'calls':
        for (let call = 0; call < spec.calls; call++) {
          const id = `call_${number++}`
          open.push(id)
          blocks.push({ type: 'call', id, name: 'read', input: { path: spec.text } })
        }
        return { role: 'assistant', line, blocks }
      default: {
        const callId = open.shift()
        if (callId === undefined) return { role: 'tool', line, blocks, callId: 'call_none' }
        return { role: 'tool', line, blocks, callId, toolName: 'read' }
      }
    }
  })
})

/** Marks the results of parallel calls as sharing one wire message, as the Anthropic readers do. */
export function withGroups(list: readonly Message[]): Message[] {
  return list.map((message, index) =>
    message.role === 'tool' && list[index - 1]?.role === 'tool' ? { ...message, continues: true } : message,
  )
}

export function headOf(provider: ProviderName): TranscriptHead {
  const unknown = { conversation: null, model: null, cwd: null, parent: null, forkMessage: null }
  return { file: 'random.jsonl', format: 'test', provider, ...unknown }
}

interface More {
  readonly preamble?: Preamble
  readonly compactions?: readonly Compaction[]
  readonly clearings?: readonly Clearing[]
  readonly sideCalls?: readonly SideCall[]
  readonly head?: Partial<TranscriptHead>
  /** Messages at which the history starts anew. */
  readonly resets?: readonly number[]
  /** Default true. */
  readonly keepsText?: boolean
  /** The messages behind the first so many are taken back; default none. */
  readonly kept?: number
  /** What is found in its text while it is built; default nothing. */
  readonly digest?: DigestKind
}

export function traceOf(
  list: readonly Message[],
  sizers: readonly Sizer[],
  provider: ProviderName = 'openai',
  {
    preamble,
    compactions = [],
    clearings = [],
    sideCalls = [],
    resets = [],
    head = {},
    keepsText = true,
    kept = list.length,
    digest,
  }: More = {},
): Trace {
  const whole = { ...headOf(provider), ...head }
  const trace = new TraceBuilder(whole, sizers, keepsText, digest?.of(whole) ?? null)
  if (preamble) trace.preamble = preamble
  trace.compactions.push(...compactions)
  trace.clearings.push(...clearings)
  trace.sideCalls.push(...sideCalls)
  for (const [index, message] of list.entries()) {
    if (resets.includes(index)) trace.reset()
    trace.add(message)
  }
  trace.rewind(kept)
  return trace.build()
}
