/** Sentences as lines for people, and what stands between them to be copied. */
import { safe } from '../base/quoting.ts'
import type { Line } from './report.ts'
import { wrap } from './text.ts'

/** A sentence in lines of at most `width` cells; what is to be copied in one, however long it is. */
export function broken(line: Line, width: number): string[] {
  if (typeof line !== 'string' && 'verbatim' in line) return [`    ${safe(line.verbatim)}`]
  return wrap(safe(typeof line === 'string' ? line : line.beside), width, 0, 2)
}
