/** Random transcripts in which the agent copies what it has read. */
import fc from 'fast-check'
import { sizersFor } from '../../../src/app/plan.ts'
import type { Block, Message } from '../../../src/model/message.ts'
import type { Trace } from '../../../src/model/trace.ts'
import keepAll from '../../../src/policies/keep-all.ts'
import { TraceBuilder } from '../../../src/readers/trace-builder.ts'
import { references } from '../../../src/references/digest.ts'
import { planOf } from '../both.ts'
import { head } from '../transcripts.ts'

export const stretches = [
  'export function alpha(one: string): void {\n  return one.length',
  '    12→export function alpha(one: string): void {\n    13→  return one.length',
  '+export function alpha(one: string): void {\n+  return one.length',
  'the quick brown fox jumps over the lazy dog, and on to the next one',
  'jumps over the lazy dog, and on to the next one; nobody saw it again',
  'some thirty characters, or so.',
  '------------------------------------------------------------',
]
const text = fc.array(fc.constantFrom(...stretches), { maxLength: 3 }).map((parts) => parts.join('\n'))

export interface Step {
  readonly kind: 'prompt' | 'answer' | 'more' | 'Edit' | 'Write' | 'Bash' | 'result'
  readonly texts: readonly [string, string]
  readonly happens: 'reset' | 'compaction' | 'sealed' | 'back' | null
  readonly kept: number
}

export const step: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('prompt', 'answer', 'more', 'Edit', 'Write', 'Bash', 'result', 'result'),
  texts: fc.tuple(text, text),
  happens: fc.oneof({ weight: 12, arbitrary: fc.constant(null) }, fc.constantFrom('reset', 'compaction', 'back')),
  kept: fc.nat(3),
})
export const steps = fc.array(step, { maxLength: 30 })

function blocksOf({ kind, texts: [one, other] }: Step, id: string): readonly Block[] {
  if (kind === 'Edit') {
    const input = { file_path: 'src/a.ts', old_string: one, new_string: other }
    return [{ type: 'call', id, name: 'Edit', input }]
  }
  // Goes on with the response before.
  if (kind === 'more') return [{ type: 'call', id, name: 'Write', input: { file_path: 'src/a.ts', content: other } }]
  if (kind === 'Write') return [{ type: 'call', id, name: 'Write', input: { file_path: 'src/a.ts', content: one } }]
  if (kind === 'Bash') return [{ type: 'call', id, name: 'Bash', input: { command: one, description: other } }]
  return [{ type: 'text', text: one }]
}

export function traceOf(list: readonly Step[], plan = planOf(keepAll, 0), kind = references): Trace {
  const sizers = sizersFor(plan)({ provider: 'openai', model: null } as never)
  const trace = new TraceBuilder(head, sizers, true, kind.of(head as never))
  trace.preamble = { system: [], complete: true }
  let response = 0
  // No response goes on behind `/clear`, or where something of it was taken back.
  let goesOn = false
  let call = 'keepAll'
  list.forEach((one, index) => {
    const { kind, happens, kept, texts } = one
    const line = index + 1
    if (happens === 'reset' || happens === 'back') goesOn = false
    if (happens === 'back') trace.rewind(Math.max(0, trace.length - kept))
    if (happens === 'reset') trace.reset()
    if (happens === 'compaction' || happens === 'sealed') {
      const summary: Message[] = [{ role: 'user', line, blocks: [{ type: 'text', text: `summary: ${texts[1]}` }] }]
      const sealed = happens === 'sealed' ? ({ sealed: true } as const) : {}
      trace.compactions.push({ at: trace.length, keptFrom: Math.max(0, trace.length - kept), summary, line, ...sealed })
    }
    const blocks = blocksOf(one, `c${index}`)
    if (kind === 'prompt') trace.add({ role: 'user', line, blocks })
    else if (kind === 'result') trace.add({ role: 'tool', line, blocks, callId: call })
    else {
      if (kind !== 'more' || !goesOn) response++
      goesOn = true
      if (['more', 'Edit', 'Write', 'Bash'].includes(kind)) call = `c${index}`
      trace.add({ role: 'assistant', line, blocks, responseId: `r${response}` })
    }
  })
  return trace.build()
}
