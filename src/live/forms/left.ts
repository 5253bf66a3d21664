/** Which parts of a message a policy has left in it, each as it came wherever nothing was changed. */

import { itemsOf, type JsonObject, objectOf } from '../../base/json.ts'
import { jsonText } from '../../base/json-text.ts'
import type { Block } from '../../model/message.ts'
import { callsLeft } from './calls.ts'
import type { Kept } from './form.ts'

/** A text as most programs write one. */
export const textPart = (text: string): JsonObject => ({ type: 'text', text })

/** The parts of a content, each an object: what is none says what it says as JSON, in the words of `textPart`. */
export function partsIn(content: unknown, textPart: (text: string) => JsonObject): readonly JsonObject[] {
  const parts = itemsOf(content)
  if (parts.every(objectOf)) return parts as readonly JsonObject[]
  return parts.map((part) => objectOf(part) ?? textPart(typeof part === 'string' ? part : jsonText(part)))
}

/** The parts of a program's messages. */
export interface Parts<Part> {
  /** What a part says, as its reader reads it. */
  blocksOf(part: Part): readonly Block[]
  /** A part with the policy's own words. */
  textPart(text: string): Part
  /** A call with another input. */
  withInput(part: Part, input: unknown): Part
}

/**
 * @param parts that the message came from, in order; one that says nothing (reasoning that only the provider can read)
 * stays as long as a call stays, which led to it
 */
export function partsLeft<Part>(parts: readonly Part[], kept: Kept, of: Parts<Part>): Part[] {
  const { original, message } = kept
  if (message === original) return [...parts]
  const calls = callsLeft(kept)
  const hasCall = calls.some((call) => call !== null)
  const left = new Set(message.blocks)
  const fresh = message.blocks.flatMap((block) => (block.type === 'text' && block.text !== '' ? [block] : []))
  /** The block itself, or one that says the same; what is found is not found again. */
  const take = (block: Block): boolean => {
    const same = left.has(block) ? block : [...left].find((one) => saysTheSame(one, block))
    if (!same) return false
    left.delete(same)
    const at = fresh.indexOf(same as (typeof fresh)[number])
    if (at >= 0) fresh.splice(at, 1)
    return true
  }
  let [nextBlock, nextCall, place] = [0, 0, -1]
  const whole: Part[] = []
  for (const part of parts) {
    const said = of.blocksOf(part).map(() => original.blocks[nextBlock++] as Block)
    const [first] = said
    if (!first) {
      if (hasCall) whole.push(part)
    } else if (first.type === 'call') {
      const call = calls[nextCall++]
      if (call) whole.push(call.changed ? of.withInput(part, call.changed.input) : part)
    } else if (said.filter(take).length > 0) whole.push(part)
    else if (first.type === 'text' && place < 0) place = whole.length
  }
  const front = Math.max(0, place)
  return [...whole.slice(0, front), ...fresh.map(({ text }) => of.textPart(text)), ...whole.slice(front)]
}

function saysTheSame(one: Block, other: Block): boolean {
  if (one.type !== other.type) return false
  return (one.type === 'text' || one.type === 'thinking') && one.text === (other as typeof one).text
}
