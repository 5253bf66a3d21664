/** The requests that a conversation of OpenAI Chat stands for. */
import { expectBodies } from '../reading.ts'

export interface Recorded {
  readonly messages: readonly { readonly role: string }[]
  readonly tools?: readonly unknown[]
  readonly functions?: readonly unknown[]
}

/** The request bodies of a recorded conversation: everything before each assistant message. */
function bodiesImplied({ messages, tools, functions }: Recorded): unknown[] {
  const definitions = tools ?? functions
  return messages.flatMap(({ role }, index) => {
    if (role !== 'assistant') return []
    return [{ messages: messages.slice(0, index), ...(definitions ? { tools: definitions } : {}) }]
  })
}

/** Whether a text is read as these conversations, to the byte of each request. */
export const expectExact = (text: string, conversations: readonly Recorded[]) =>
  expectBodies(text, 'openai-chat', conversations.map(bodiesImplied))
