/**
 * `ctxwin/live/forms`: the messages of libraries and agents, for who gives `live` theirs in place of an API's:
 *
 *     import { live } from 'ctxwin/live'
 *     import { aiSdk } from 'ctxwin/live/forms'
 *     const window = live('drop-oldest', { api: aiSdk, budget: 120_000 })
 *
 * A program that uses an API has no need of them, so they have a door of their own.
 */
export { type AiSdkMessage, aiSdk } from './forms/ai-sdk.ts'
export { type LangChainMessage, langchain } from './forms/langchain.ts'
export { type OpenaiAgentsItem, openaiAgents } from './forms/openai-agents.ts'
export { type OpencodeMessage, opencode } from './forms/opencode.ts'
export { type PiMessage, pi } from './forms/pi.ts'
export { type StrandsMessage, strands } from './forms/strands.ts'
