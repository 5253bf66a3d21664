/**
 * Horizontal bars of block characters, an eighth of a cell fine: a chart that reads in 80 columns, in any terminal, without
 * colour, and line by line with a screen reader. A line plot, what terminal chart packages such as asciichart draw, needs
 * colours to tell three lines apart, and has no room for the figures beside them.
 */
const eighths = ['', '▏', '▎', '▍', '▌', '▋', '▊', '▉']

/** A bar of `width` cells, filled to the fraction `part` from 0 to 1; padded with blanks. What is not 0 is seen. */
export function bar(part: number, width: number): string {
  const filled = Math.round(Math.min(1, Math.max(0, part)) * width * 8)
  const cells = part > 0 && filled === 0 ? 1 : filled
  return ('█'.repeat(cells >> 3) + (eighths[cells & 7] as string)).padEnd(width)
}
