/** Guesses which provider's API a conversation used, for formats that record no more than the model's name. */
import type { ProviderName } from '../../model/message.ts'

/** Models other than Claude and Gemini are nearly always served in OpenAI's form. */
export function spokenBy(model: string | undefined): ProviderName {
  const name = model?.toLowerCase() ?? ''
  if (name.includes('claude')) return 'anthropic'
  return name.includes('gemini') ? 'google' : 'openai'
}
