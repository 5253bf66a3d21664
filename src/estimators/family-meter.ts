/**
 * Estimates a request's tokens for a family of models: the text of each block by one pass of the automaton, the overhead of
 * messages, calls and tools, and images and pages by their size. Units are tokens, not rounded.
 */
import { calledWith } from '../base/called-with.ts'
import { jsonText } from '../base/json-text.ts'
import { type Family, familyOf } from '../model/families.ts'
import { type Block, type Message, type Preamble, shapes } from '../model/message.ts'
import { thoughtsOf } from '../model/thoughts.ts'
import type { Meter, MeterContext } from './estimator.ts'
import { estimateTokens, factorOf, overheadOf } from './families.ts'
import { type Media, mediaRule, mediaTokens } from './media.ts'
import { declarations } from './tool-specs.ts'

/**
 * The provider's hidden prompt about tools. Anthropic, "Tool use": 313 to 346 tokens for models since Claude 3.7, the
 * latter if the model may choose whether to use a tool. OpenAI: 9. Google documents none.
 */
const toolPrompt = (family: Family): number => (isClaude(family) ? 346 : family === 'gemini' ? 0 : 9)

const isClaude = (family: Family): boolean => family.startsWith('claude')

/** The assumed family if a transcript does not name its model: that of the provider's current models. */
const latest = { anthropic: 'claude-4.7', openai: 'o200k', google: 'gemini' } as const

/**
 * The texts of a tool call, and how many parameters it has. Claude sees a string parameter without JSON escapes: that fits
 * recorded usage, while counting the JSON is wrong by a seventh. It is shown no JSON text where the arguments are one.
 */
export function callTexts(
  family: Family,
  call: { readonly name: string; readonly input: unknown },
): { readonly texts: readonly string[]; readonly parameters: number } {
  const { name } = call
  const input = isClaude(family) && typeof call.input === 'string' ? calledWith(call.input) : call.input
  if (typeof input === 'string') return { texts: [name, input], parameters: 0 }
  if (!isClaude(family) || typeof input !== 'object' || input === null)
    return { texts: [name, jsonText(input)], parameters: 0 }
  const texts = [name]
  for (const [key, value] of Object.entries(input)) texts.push(key, typeof value === 'string' ? value : jsonText(value))
  return { texts, parameters: (texts.length - 1) / 2 }
}

export interface FamilyChoice {
  readonly family: Family
  /** Whether the model's tokenizer is known to be the family's. */
  readonly known: boolean
}

export function familyFor({ provider, model }: MeterContext): FamilyChoice {
  return model === null ? { family: latest[provider], known: false } : familyOf(model)
}

/** @param model for the size of images and reasoning; null takes what is usual in the family */
export function familyMeter(family: Family, model: string | null): Meter {
  const overhead = overheadOf(family)
  const factor = factorOf(family, model)
  const rule = mediaRule(family, model)
  // A message has one size: what the next prompt takes away is in none.
  const thoughts = model === null || thoughtsOf({ model }).after === 'keeps' ? 1 : 0
  // A step is a response and the message after it: two wire messages.
  const frame = overhead.step / 2
  const text = (content: string): number => estimateTokens(family, content)

  const blockTokens = (block: Exclude<Block, Media>): number => {
    switch (block.type) {
      case 'text':
        return text(block.text)
      case 'call': {
        const { texts, parameters } = callTexts(family, block)
        let tokens = overhead.call + overhead.parameter * parameters
        for (const part of texts) tokens += text(part)
        return tokens
      }
      case 'thinking':
        return thoughts * overhead.thinking * text(block.text)
      case 'opaque':
        return thoughts * overhead.opaque * block.bytes
    }
  }

  const sized = ({ role, blocks }: Message, by: number): number => {
    let tokens = role === 'tool' ? frame + overhead.result : frame
    let media = 0
    for (const block of blocks) {
      if (block.type === 'image' || block.type === 'document') media += mediaTokens(rule, block)
      else tokens += blockTokens(block)
    }
    return by * tokens + media
  }

  const preamble = ({ system, tools }: Preamble): number => {
    let tokens = 0
    for (const one of system) tokens += sized(one, 1)
    if (!tools || tools.length === 0) return tokens
    // Claude and Gemini read the schemas themselves, OpenAI's models read declarations generated from them.
    const readsSchemas = isClaude(family) || family === 'gemini'
    const written = readsSchemas ? tools.map((tool) => jsonText(tool)).join('\n') : declarations(tools)
    return tokens + toolPrompt(family) + text(written)
  }

  return {
    message: (message) => sized(message, factor),
    preamble,
    // A message that shares the wire message of the one before has no frame of its own.
    joins: () => (end, shape) => (end !== 0 && shape & shapes.continues ? -factor * frame : 0),
  }
}

/** "claude-4.6", and whether that is a guess. */
export const nameOf = ({ family, known }: FamilyChoice): string => (known ? family : `${family}, model unknown`)
