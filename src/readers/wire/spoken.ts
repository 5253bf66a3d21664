/** Whose wire form a conversation had, where its format records at most the name of a model. */
import type { ProviderName } from '../../model/message.ts'

/** What is neither Claude nor Gemini nearly always speaks OpenAI's form, whoever serves it. */
export function spokenBy(model: string | undefined): ProviderName {
  const name = model?.toLowerCase() ?? ''
  if (name.includes('claude')) return 'anthropic'
  return name.includes('gemini') ? 'google' : 'openai'
}
