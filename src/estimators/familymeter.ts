/**
 * What a request costs a family of models, estimated: the text of each block in one pass of the automaton, what the
 * provider puts around messages, calls and tools, pictures and pages by their size. Units are tokens, not rounded.
 */
import type { Block, Message, Preamble } from '../model/message.ts'
import type { Meter, MeterContext, Price } from './estimator.ts'
import { estimateTokens, type Family, familyOf, overheadOf } from './families.ts'
import { mediaRule, mediaTokens } from './media.ts'
import { declarations, jsonText } from './toolspecs.ts'

/**
 * The hidden prompt that makes tools work. Anthropic, "Tool use": 313 to 346 tokens for models since Claude 3.7, the
 * latter where the model may choose whether it uses a tool. OpenAI: 9. Google documents none.
 */
const toolPrompt = (family: Family): number => (isClaude(family) ? 346 : family === 'gemini' ? 0 : 9)

const isClaude = (family: Family): boolean => family.startsWith('claude')

/** The closest guess where a transcript does not name its model: what the provider sells today. */
const latest = { anthropic: 'claude-4.7', openai: 'o200k', google: 'gemini' } as const

export interface FamilyChoice {
  readonly family: Family
  /** Whether the model's tokenizer is known to be the family's. */
  readonly known: boolean
}

export function familyFor({ provider, model }: MeterContext): FamilyChoice {
  return model === null ? { family: latest[provider], known: false } : familyOf(model)
}

/** A family whose usage was never at hand is taken to frame its messages as OpenAI does. */
const framed = { toolUse: 11, step: 8 }

/** @param model for the price of pictures; the family's usual one where it is null */
export function familyMeter(family: Family, model: string | null): Meter {
  const { toolUse, step } = overheadOf(family) ?? framed
  const rule = mediaRule(family, model)
  // A step is a response and what answers it: two wire messages. A call and its result each bear half of the pair.
  const frame = step / 2
  const text = (content: string): number => estimateTokens(family, content)

  const blockTokens = (block: Block): number => {
    switch (block.type) {
      case 'text':
        return text(block.text)
      case 'call':
        return (
          toolUse / 2 + text(block.name) + text(typeof block.input === 'string' ? block.input : jsonText(block.input))
        )
      case 'image':
      case 'document':
        return mediaTokens(rule, block)
      default:
        return 0
    }
  }

  const message = ({ role, blocks }: Message): number => {
    let tokens = role === 'tool' ? frame + toolUse / 2 : frame
    for (const block of blocks) tokens += blockTokens(block)
    return tokens
  }

  const preamble = ({ system, tools }: Preamble): number => {
    let tokens = 0
    for (const one of system) tokens += message(one)
    if (!tools || tools.length === 0) return tokens
    // Claude and Gemini read the schemas themselves, OpenAI's models declarations made of them.
    const written = isClaude(family) || family === 'gemini' ? tools.map(jsonText).join('\n') : declarations(tools)
    return tokens + toolPrompt(family) + text(written)
  }

  return {
    message,
    preamble,
    // What shares a wire message with the one before it has no frame of its own.
    joins: () => ({ first: 0, next: 0, continued: -frame }),
  }
}

export function familyPrice(family: FamilyChoice): Price {
  return {
    tokens: (units) => Math.ceil(units),
    units: (tokens) => tokens,
    basis: family.known ? family.family : `${family.family}, model unknown`,
  }
}
