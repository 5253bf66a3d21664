/**
 * @param value parsed JSON
 * @returns all strings in it, at any depth, in their order; keys are not among them. Without recursion: a hostile input may
 *   be nested deeper than the stack
 */
export function stringsIn(value: unknown): string[] {
  const found: string[] = []
  const left = [value]
  while (left.length > 0) {
    const next = left.pop()
    if (typeof next === 'string') found.push(next)
    else if (typeof next === 'object' && next !== null)
      for (const inner of Object.values(next).reverse()) left.push(inner)
  }
  return found
}
