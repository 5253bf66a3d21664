import { peaksOf } from '../base/peaks.ts'

/**
 * Horizontal bars of block characters, in steps of an eighth of a cell. Such a chart is readable in 80 columns, in any
 * terminal, without colour, and with a screen reader. A line plot, as packages like asciichart draw it, needs colours
 * to distinguish three lines, and has no room for figures.
 */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/**
 * A bar of `width` cells, filled to the fraction `part` from 0 to 1 and padded with blanks. Only 0 has an empty bar.
 */
export function bar(part: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, part)) * width * 8)
  const cells = part > 0 && filled === 0 ? 1 : filled
  return ('█'.repeat(cells >> 3) + (eighths[cells & 7] as string)).padEnd(width)
}

/**
 * As many cells at most as there are values, each as high as the largest of its values; the largest of all is a full
 * cell.
 */
export function sparkline(values: readonly number[], cells: number): string {
  const peaks = peaksOf(values, cells)
  const most = peaks.reduce((most, value) => Math.max(most, value), 0)
  return peaks.map((high) => heights[most === 0 ? 0 : Math.min(7, Math.floor((8 * high) / most))] as string).join('')
}

/** Of fewer values a curve says less than the figures beside it. */
export const fewestDrawn = 8

const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█']
