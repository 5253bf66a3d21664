/** Text that stands for what was sent and is recorded nowhere, or only for the provider's eyes. */

/**
 * @param what it is, for a reader
 * @param tokens as many, in words that are one token for every family of models, counted or estimated, and four bytes
 */
export function unreadText(what: string, tokens: number): string {
  return `[${what}]${' the'.repeat(tokens)}`
}
