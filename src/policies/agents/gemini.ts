/** How Gemini CLI counts where the API has not counted yet, and a preview of a long text. */
import type { Message } from '../../model/message.ts'
import { textLength } from '../counters.ts'
import type { NativeCounter } from '../policy.ts'

/** Above this a text is counted by its length alone. */
const longText = 100_000
const imageTokens = 3_000
const documentTokens = 25_800

/** An ASCII character is a quarter of a token, any other one and a half; of a long text each is a quarter. */
function tokensOf(text: string): number {
  if (text.length > longText) return text.length / 4
  let tokens = 0
  for (const character of text) tokens += character.charCodeAt(0) < 0x80 ? 0.25 : 1.5
  return tokens
}

function messageTokens(message: Message): number {
  const media = message.blocks.reduce(
    (sum, { type }) => sum + (type === 'image' ? imageTokens : type === 'document' ? documentTokens : 0),
    0,
  )
  return Math.floor(textLength(message, tokensOf) + media)
}

export const geminiCounter: NativeCounter = {
  summary:
    'ASCII characters / 4, others 1.5 each; over 100,000 characters / 4; images 3,000; tool definitions are not counted',
  message: messageTokens,
  preamble: ({ system }) => system.reduce((sum, message) => sum + messageTokens(message), 0),
}
