/** How Gemini CLI counts where the API has not counted yet, and which tools' results it masks. */
import { jsonText } from '../../base/json-text.ts'
import { type Block, type Message, textOf } from '../../model/message.ts'
import type { NativeCounter } from '../policy.ts'

/** Tools whose results are never masked. */
export const unmaskable: ReadonlySet<string> = new Set([
  'activate_skill',
  'ask_user',
  'enter_plan_mode',
  'exit_plan_mode',
])

/** Above this a text is counted by its length alone. */
const longText = 100_000
const imageTokens = 3_000
const documentTokens = 25_800

/**
 * An ASCII character is a quarter of a token, any other unit of UTF-16 one and a half; of a long text each is a
 * quarter.
 */
function tokensOf(text: string): number {
  if (text.length > longText) return text.length / 4
  let tokens = 0
  for (let at = 0; at < text.length; at++) tokens += text.charCodeAt(at) < 0x80 ? 0.25 : 1.5
  return tokens
}

/** Calls and results are counted by the characters of their JSON, whatever those are. */
function messageTokens(message: Message): number {
  const { role, blocks, toolName = '' } = message
  if (role === 'tool') {
    const media = blocks.reduce((sum, block) => sum + mediaTokens(block), 0)
    return Math.floor((toolName.length + jsonText({ output: textOf(message) }).length) / 4 + media)
  }
  return Math.floor(blocks.reduce((sum, block) => sum + blockTokens(block), 0))
}

function blockTokens(block: Block): number {
  if (block.type === 'text' || block.type === 'thinking') return tokensOf(block.text)
  if (block.type !== 'call') return mediaTokens(block)
  const { id, name, input } = block
  return jsonText({ functionCall: { id, name, args: input } }).length / 4
}

const mediaTokens = ({ type }: Block): number =>
  type === 'image' ? imageTokens : type === 'document' ? documentTokens : 0

export const geminiCounter: NativeCounter = {
  summary:
    'ASCII characters / 4, others 1.5 each; calls, results and over 100,000 characters / 4; images 3,000; no tool definitions',
  message: messageTokens,
  preamble: ({ system }) => system.reduce((sum, message) => sum + messageTokens(message), 0),
}
