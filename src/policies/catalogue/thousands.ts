/** 127k; below a thousand the number itself. How people write a number of tokens in a setting. */
export function thousands(tokens: number): string {
  return tokens < 1000 ? `${Math.floor(tokens)}` : `${Number((tokens / 1000).toFixed(1))}k`
}
