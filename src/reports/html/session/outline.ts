/** Outlines in steps, one for each level: everything that is stacked in the picture is drawn with them. */

/** A step for each level, from left to right in units of columns, closed at the bottom. */
export function outline(levels: readonly number[], bottom: number): string {
  let path = `M0 ${bottom}`
  let [level, length] = [bottom, 0]
  for (const next of levels) {
    if (next !== level) {
      path += `${length > 0 ? `h${length}` : ''}V${next}`
      level = next
      length = 0
    }
    length++
  }
  return `${path}h${length}V${bottom}z`
}

/** The same as a line, which is not closed. */
export const steps = (levels: readonly number[]): string =>
  levels.map((level, at) => `${at === 0 ? `M0 ${level}` : `V${level}`}h1`).join('')
