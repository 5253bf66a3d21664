/** Rebuilds requests as they were recorded, for formats that are a provider's wire form: nothing of it may be lost in reading. */
import type { Message, Preamble, ProviderName } from '../../src/model/message.ts'
import { providers } from '../../src/providers/index.ts'

type Json = Readonly<Record<string, unknown>>

/** The list of a recorded message's parts, which messages that continue it add to. */
const lists: Readonly<Record<ProviderName, string | null>> = { anthropic: 'content', google: 'parts', openai: null }

export function recordedBody(provider: ProviderName, preamble: Preamble, list: readonly Message[]): Json {
  const { message: wireOf } = providers[provider]
  const parts = lists[provider]
  const messages: Json[] = []
  for (const message of list) {
    const wire = wireOf(message) as Json
    const last = messages.at(-1)
    if (parts === null || !message.continues || !last) messages.push(wire)
    else messages[messages.length - 1] = { ...last, [parts]: [...partsIn(last[parts]), ...partsIn(wire[parts])] }
  }
  const { system, tools } = preamble
  const given = tools ? { tools } : {}
  if (provider === 'openai') return { messages: [...system.map(wireOf), ...messages], ...given }
  const [prompt] = system.map((one) => wireOf(one) as Json)
  if (provider === 'google')
    return { ...(prompt && { systemInstruction: { parts: prompt.parts } }), contents: messages, ...given }
  return { ...(prompt && { system: prompt.content }), ...given, messages }
}

function partsIn(content: unknown): readonly unknown[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : (content as readonly unknown[])
}
