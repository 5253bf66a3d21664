/** Which models are sent the reasoning of earlier exchanges, for readers and estimators. */

/**
 * OpenAI's since GPT-5.6: in rollouts of Codex the next exchange was larger by all of the output at 42 of 42 user messages
 * behind more than 300 tokens of reasoning; with GPT-5.3 to 5.5 it was smaller by the reasoning at 57 of 68 (2026-11).
 */
export function keepsGptThoughts(model: string): boolean {
  const [, major = '0', minor = '0'] = /(?:^|\/)gpt-(\d+)(?:[.-](\d+))?/.exec(model.toLowerCase()) ?? []
  return Number(major) > 5 || (Number(major) === 5 && Number(minor) >= 6 && Number(minor) < 100)
}
