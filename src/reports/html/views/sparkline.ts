/** How the window of a session grew, request by request, with the places where its agent cut it. */
import type { PageSession } from '../../../model/page.ts'
import { compact } from '../../numbers.ts'
import { type Element, h, leaf } from '../element.ts'
import { place } from '../figures.ts'

const [width, height] = [120, 26]

export function sparkline({ growth, cuts }: Pick<PageSession, 'growth' | 'cuts'>): Element {
  const most = growth.reduce((a, b) => Math.max(a, b), 1)
  const step = width / Math.max(1, growth.length)
  const y = (tokens: number): number => place(height - 1 - ((height - 5) * tokens) / most)
  const line = growth.map((tokens, at) => `H${place(at * step)}V${y(tokens)}H${place((at + 1) * step)}`).join('')
  const words = `up to ${compact(most)} tokens${cuts.length === 0 ? '' : `, cut ${cuts.length === 1 ? 'once' : `${cuts.length} times`}`}`
  return h('svg.spark', {
    width,
    height,
    viewBox: `0 0 ${width} ${height}`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': words,
  })(
    growth.length === 0 ? [] : leaf('path', { d: `M0 ${height}${line}V${height}Z` }),
    cuts.map((at) => leaf('line', { x1: place(at * step), x2: place(at * step), y1: 0, y2: height })),
  )
}
