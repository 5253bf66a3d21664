/** What stands in front of a conversation where it is asked about: as recorded, as it was captured once, or made up from the calls. */
import type { Message, Preamble } from '../../model/message.ts'
import type { PreambleKind } from '../../model/probed.ts'
import type { Trace } from '../../model/trace.ts'
import { objectOf } from '../../providers/anthropic.ts'
import type { Instead } from '../window.ts'

export interface ProbedPreamble {
  readonly kind: PreambleKind
  readonly instead: Instead
}

/** @param given of a request that was captured; null for none */
export function preambleFor({ preamble, messages }: Trace, given: Preamble | null): ProbedPreamble {
  if (preamble.complete) return { kind: 'recorded', instead: {} }
  const system = preamble.system.length > 0 ? preamble.system : (given?.system ?? [])
  const known = preamble.tools ?? given?.tools
  if (given !== null) return { kind: 'given', instead: { system, tools: known } }
  if (known !== undefined && system.length > 0) return { kind: 'recorded', instead: {} }
  const rebuilt = known ?? toolsFrom(messages ?? [])
  return rebuilt.length > 0
    ? { kind: 'rebuilt', instead: { system, tools: rebuilt } }
    : { kind: system.length > 0 ? 'recorded' : 'none', instead: {} }
}

/** A definition of each tool that is called: its inputs by name, and their types where they are always the same. */
function toolsFrom(messages: readonly Message[]): unknown[] {
  const tools = new Map<string, Map<string, Set<string>>>()
  for (const { blocks } of messages) {
    for (const block of blocks) {
      if (block.type !== 'call') continue
      const inputs = tools.get(block.name) ?? new Map<string, Set<string>>()
      tools.set(block.name, inputs)
      for (const [name, value] of Object.entries(objectOf(block.input))) {
        inputs.set(name, (inputs.get(name) ?? new Set()).add(typeOf(value)))
      }
    }
  }
  return [...tools].map(([name, inputs]) => ({
    name,
    description: '',
    input_schema: {
      type: 'object',
      properties: Object.fromEntries(
        [...inputs].map(([input, types]) => [input, types.size === 1 ? { type: [...types][0] } : {}]),
      ),
    },
  }))
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  const type = typeof value
  return type === 'string' || type === 'boolean' || type === 'number' ? type : 'object'
}
