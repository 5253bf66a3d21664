/**
 * Horizontal bars of block characters, in steps of an eighth of a cell. Such a chart is readable in 80 columns, in any
 * terminal, without colour, and with a screen reader. A line plot, as packages like asciichart draw it, needs colours to
 * distinguish three lines, and has no room for figures.
 */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of `width` cells, filled to the fraction `part` from 0 to 1 and padded with blanks. Only 0 has an empty bar. */
export function bar(part: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, part)) * width * 8)
  const cells = part > 0 && filled === 0 ? 1 : filled
  return ('█'.repeat(cells >> 3) + (eighths[cells & 7] as string)).padEnd(width)
}
